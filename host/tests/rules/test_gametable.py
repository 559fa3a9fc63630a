"""The compiler of game tables: what is in the bytes, and that the hash stands for all of it."""

import hashlib

import pytest
from tumbler.rules.bookfile import UnknownBook, book_ids
from tumbler.rules.gametable import GameTableError, combinations_of, compile_book, compile_play
from tumbler.rules.tableplay import DiceError, LayoutError, Play

BOOKS = book_ids()


def test_three_dice_have_56_combinations_and_two_have_21() -> None:
    assert len(list(combinations_of(3))) == 56
    assert len(list(combinations_of(2))) == 21


@pytest.mark.parametrize("book", BOOKS)
def test_the_hash_is_the_sha256_of_the_bytes_and_compiling_again_gives_the_same(book: str) -> None:
    image = compile_book(book)
    assert image.hash == hashlib.sha256(image.data).digest()
    assert compile_book(book) == image
    assert len(image.data) < 8192


def test_books_and_readings_have_hashes_of_their_own() -> None:
    hashes = {compile_book(book).hash for book in BOOKS}
    hashes.add(compile_book("crown-melbourne-sicbo-b", option_b_exact=True).hash)
    assert len(hashes) == len(BOOKS) + 1


def test_a_bitmap_and_its_area_names_are_each_others_inverse() -> None:
    image = compile_book("crown-melbourne-sicbo-a")
    lit = Play("crown-melbourne-sicbo-a").roll(0, (1, 5, 5))[2]
    assert image.lit_areas(image.bitmap(lit)) == lit


def test_an_unknown_book_is_refused() -> None:
    with pytest.raises(UnknownBook, match="no-such-book"):
        compile_book("no-such-book")


@pytest.mark.parametrize("faces", [(1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7)])
def test_impossible_dice_are_refused(faces: tuple[int, ...]) -> None:
    with pytest.raises(DiceError, match="crown-melbourne-sicbo-a"):
        Play("crown-melbourne-sicbo-a").roll(0, faces)


def test_sic_bo_has_one_state_only() -> None:
    with pytest.raises(DiceError, match="state 1"):
        Play("crown-melbourne-sicbo-a").roll(1, (1, 2, 3))


def test_a_layout_with_too_many_areas_is_refused() -> None:
    play = Play("crown-melbourne-sicbo-a")
    play.areas = tuple(f"area{i}" for i in range(256))
    with pytest.raises(GameTableError, match="256 areas"):
        compile_play(play)


def test_a_layout_that_the_book_has_not_is_refused() -> None:
    with pytest.raises(LayoutError, match="layout 1, not 2"):
        compile_book("crown-melbourne-sicbo-a", layout=2)
