"""UF2 files: a right one becomes the image it stands for; a wrong one is refused before a controller is touched."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tumbler.usb.uf2 import SECTOR, Uf2Error, parse, read

from .uf2_maker import FLASH, block, contents, firmware


def test_the_image_is_what_the_file_says() -> None:
    image = parse("f", firmware(40))
    assert [address for address, _ in image.sectors] == [FLASH, FLASH + SECTOR, FLASH + 2 * SECTOR]
    joined = b"".join(data for _, data in image.sectors)
    assert joined[: 40 * 256] == contents(40)
    assert joined[40 * 256 :] == b"\xff" * (3 * SECTOR - 40 * 256)


def test_blocks_may_come_in_any_order_and_with_others_between() -> None:
    data = firmware(20)
    blocks = [data[i : i + 512] for i in range(0, len(data), 512)]
    beside = block(0, 1, 0x2000_0000, b"not flash", flags=0x2001)
    assert parse("f", b"".join([*reversed(blocks), beside])) == parse("f", data)


WRONG = {
    "empty": (b"", "empty"),
    "cut in a block": (firmware()[:-100], "cut off"),
    "cut between blocks": (firmware()[:-512], "1 of 40 blocks are missing, the first is 39"),
    "first block lost": (firmware()[512:], "the first is 0"),
    "not a UF2": (b"MZ" + bytes(510), "no UF2 block"),
    "end mark damaged": (firmware()[:-1] + b"\0", "block 39 is no UF2 block"),
    "RP2350": (firmware(family=0xE48BFF59), "RP2350"),
    "unheard family": (firmware(family=0x12345678), "0x12345678"),
    "no family": (firmware(flags=0), "no family"),
    "address in RAM": (block(0, 1, 0x2000_0000, b"x"), "not in flash"),
    "address between pages": (block(0, 1, FLASH + 8, b"x"), "pages of 256"),
    "odd payload": (block(0, 1, FLASH, b"x", size=100), "pages of 256"),
    "a block twice": (firmware(2)[:512] * 2, "number 0 of 2"),
    "an address twice": (block(0, 2, FLASH, b"x") + block(1, 2, FLASH, b"y"), "second time"),
    "counts differ": (block(0, 2, FLASH, b"x") + block(1, 3, FLASH + 256, b"y"), "speaks of 3"),
    "no boot block": (block(0, 1, FLASH + 4096, b"x"), "no boot block"),
    "nothing for flash": (block(0, 1, FLASH, b"x", flags=0x2001), "nothing in it is for flash"),
}


@pytest.mark.parametrize(("data", "words"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_file_is_refused_by_name(data: bytes, words: str) -> None:
    with pytest.raises(Uf2Error, match=words) as refused:
        parse("wrong.uf2", data)
    assert str(refused.value).startswith("wrong.uf2: ")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Uf2Error, match="No such file"):
        read(tmp_path / "none.uf2")


@given(st.data())
def test_any_damage_to_heads_is_refused_or_harmless(data: st.DataObject) -> None:
    """A flipped bit in a head or end mark: the file is refused, or the image is the same. (Addresses and payload have
    no checksum in this format; what is written is read back from the controller.)"""
    good = firmware(4)
    heads = st.integers(0, 31).filter(lambda i: not 12 <= i < 16)
    at = data.draw(st.integers(0, 3)) * 512 + data.draw(st.one_of(heads, st.integers(508, 511)))
    bad = bytearray(good)
    bad[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        image = parse("f", bytes(bad))
    except Uf2Error:
        return
    flags = struct.unpack_from("<I", bad, at - at % 512 + 8)[0]
    assert image == parse("f", good) or flags & 1
