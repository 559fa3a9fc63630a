"""Flash as NOR flash is: programming clears, erasing sets, and a power cut at any byte leaves what it would leave."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tumbler.twin.flash import BLOCK, Flash, PowerLost


@pytest.fixture
def flash(tmp_path: Path) -> Iterator[Flash]:
    made = Flash(tmp_path / "flash.img", blocks=2)
    yield made
    made.close()


def test_programming_only_clears_bits_and_erasing_sets_a_block(flash: Flash) -> None:
    flash.program(1, 16, b"\xf0\x0f")
    flash.program(1, 16, b"\x3c\xff")
    assert flash.path.read_bytes()[BLOCK + 16 : BLOCK + 18] == b"\x30\x0f"
    flash.erase(1)
    assert flash.path.read_bytes() == b"\xff" * (2 * BLOCK)
    assert flash.erases == [0, 1]


def test_it_keeps_its_content(flash: Flash, tmp_path: Path) -> None:
    flash.program(0, 0, b"kept")
    again = Flash(tmp_path / "flash.img", blocks=2)
    again.close()
    assert flash.path.read_bytes()[:4] == b"kept"


def test_outside_is_refused(flash: Flash) -> None:
    with pytest.raises(ValueError, match="outside"):
        flash.program(1, BLOCK - 1, b"ab")
    with pytest.raises(ValueError, match="outside"):
        flash.erase(2)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.integers(0, 400), cut=st.integers(0, 600), seed=st.integers(0, 9))
def test_a_cut_leaves_the_bytes_before_it_done_and_those_after_it_untouched(
    flash: Flash, before: int, cut: int, seed: int
) -> None:
    flash.cut_after(None)
    flash.erase(0)
    data = random.Random(seed).randbytes(300)
    flash.program(0, 0, data[:1] * before if before else b"")
    old = flash.path.read_bytes()[:BLOCK]
    flash.cut_after(cut, seed)
    try:
        flash.program(0, 1000, data)
        lost = False
    except PowerLost:
        lost = True
    new = flash.path.read_bytes()[:BLOCK]
    assert lost is (cut < 300)
    done = min(cut, 300)
    assert new[1000 : 1000 + done] == data[:done]
    if lost:
        assert new[1000 + cut] & data[cut] == data[cut]  # no bit is cleared that wasn't to be
        assert new[1001 + cut :] == old[1001 + cut :]
    flash.cut_after(None)


def test_a_cut_inside_an_erase_leaves_a_block_half_erased(flash: Flash) -> None:
    flash.program(0, 0, bytes(BLOCK))
    flash.cut_after(1500)
    with pytest.raises(PowerLost):
        flash.erase(0)
    block = flash.path.read_bytes()[:BLOCK]
    assert block[:1500] == b"\xff" * 1500
    assert block[1501:] == bytes(BLOCK - 1501)
