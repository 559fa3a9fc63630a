"""A game table that is not sound is refused before any use, with a reason; a sound one never reads outside itself."""

import struct
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tumbler.rules.gametable import compile_book

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from controller.game import GameTable

SICBO = compile_book("crown-melbourne-sicbo-a").data


def with_crc(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "too few"),
        (SICBO[:10], "too few"),
        (b"XXXX" + SICBO[4:], "starts with"),
        (SICBO[:4] + b"\x02" + SICBO[5:], "format 2"),
        (SICBO[:-1], "says"),
        (SICBO + b"\0", "says"),
        (SICBO[:-1] + bytes([SICBO[-1] ^ 1]), "CRC"),
        (SICBO[:40] + bytes([SICBO[40] ^ 1]) + SICBO[41:], "CRC"),
        (with_crc(SICBO[:5] + b"\x02" + SICBO[6:-4]), "2 dice with 56"),
        (b"T" * 9000, "the most is"),
    ],
)
def test_an_unsound_table_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        GameTable(data)


@given(st.integers(0, len(SICBO) - 5), st.integers(1, 255))
def test_a_table_with_one_changed_byte_and_a_right_crc_is_refused_or_stays_in_bounds(at: int, flip: int) -> None:
    body = bytearray(SICBO[:-4])
    body[at] ^= flip
    try:
        game = GameTable(with_crc(bytes(body)))
    except ValueError:
        return
    for state in range(game.states):
        for faces in ((1, 1, 1), (6, 6, 6), (1, 3, 5)):
            if game.dice == 3:
                game.look_up(state, faces)
                assert game.next_state < game.states
    for area in range(game.areas):
        first, count = game.area_pixels(area)
        assert first + count <= game.pixels


@given(st.binary(max_size=400))
def test_random_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="game table"):
        GameTable(data)


@pytest.mark.parametrize(
    ("state", "faces"), [(1, (1, 2, 3)), (-1, (1, 2, 3)), (0, (1, 2)), (0, (0, 1, 2)), (0, (1, 2, 7))]
)
def test_an_impossible_look_up_is_refused(state: int, faces: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"no such|wrong number"):
        GameTable(SICBO).look_up(state, faces)
