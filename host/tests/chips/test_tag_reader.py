"""The firmware's tag reader against the chip and the dice: who answers at which power, and collisions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from chip_bench import Bench, Pose, lying
from hypothesis import given, settings
from hypothesis import strategies as st

LOW, FULL = 0, 1


def read(bench: Bench, power: int, room: int = 32) -> list[bytes]:
    out = bytearray(8 * room)
    count = bench.board.tags.inventory(power, out)
    assert count <= room
    return [bytes(out[8 * i : 8 * i + 8]) for i in range(count)]


def faces(bench: Bench, power: int) -> set[tuple[int, int] | None]:
    found = read(bench, power)
    assert len(found) == len(set(found))
    return {bench.dice_set.whose(uid) for uid in found}


def surround(bench: Bench, uids: Iterable[bytes]) -> None:
    """Tags from nowhere, all in reach at any power."""
    tags = list(uids)
    bench.chips.reader._tags = lambda _drive: tags


def test_an_empty_plate_answers_nothing(bench: Bench) -> None:
    assert read(bench, LOW) == []
    assert read(bench, FULL) == []


@pytest.mark.parametrize("face", [1, 2, 3, 4, 5, 6])
def test_the_face_that_lies_down_answers(bench: Bench, face: int) -> None:
    bench.world.dice = [lying(face)]
    assert faces(bench, LOW) == {(0, face)}
    assert faces(bench, FULL) == {(0, face), (0, 7 - face)}


def test_three_dice_each_answer_with_the_face_that_lies_down(bench: Bench) -> None:
    bench.world.dice = [lying(2, -0.03), lying(2, 0.0), lying(5, 0.03)]
    assert faces(bench, LOW) == {(0, 2), (1, 2), (2, 5)}
    assert bench.chips.wrong_use == []


@pytest.mark.parametrize(("tilt", "answers"), [(0.0, 1), (1.0, 1), (1.5, 1), (2.0, 0), (3.0, 0), (10.0, 0), (45.0, 0)])
def test_at_low_power_only_a_face_that_lies_flat_answers(bench: Bench, tilt: float, answers: int) -> None:
    bench.world.dice = [lying(4, tilt_degrees=tilt)]
    assert len(read(bench, LOW)) == answers


@pytest.mark.parametrize("lift_mm", [0.3, 1.0, 16.0])
def test_a_raised_die_does_not_answer_at_low_power(bench: Bench, lift_mm: float) -> None:
    bench.world.dice = [lying(4, lift=lift_mm / 1000)]
    assert read(bench, LOW) == []


def test_at_full_power_a_cocked_die_and_one_on_another_are_there(bench: Bench) -> None:
    bench.world.dice = [lying(1, tilt_degrees=25.0), lying(2, 0.03), lying(3, 0.03, lift=0.016)]
    assert {die for die, _ in filter(None, faces(bench, FULL))} == {0, 1, 2}
    assert faces(bench, LOW) == {(1, 2)}


def test_a_die_on_its_edge_answers_with_four_faces_at_full_power(bench: Bench) -> None:
    bench.world.dice = [lying(1, tilt_degrees=45.0)]
    assert len(faces(bench, FULL)) == 4


def test_a_die_beside_the_antenna_does_not_answer(bench: Bench) -> None:
    bench.world.dice = [lying(1, x=0.09)]
    assert read(bench, FULL) == []


def test_all_eighteen_tags_of_three_dice_are_told_apart(bench: Bench) -> None:
    tags = [uid for die in bench.dice_set.uids for uid in die]
    surround(bench, tags)
    assert sorted(read(bench, FULL)) == sorted(tags)
    assert bench.chips.wrong_use == []


def test_tags_that_differ_only_in_their_last_bit_asked_are_told_apart(bench: Bench) -> None:
    tags = [bytes((first,)) + b"\x04\x11\x22\x33\x44\x55\x66" for first in (0xE0, 0x60, 0xA0)]
    surround(bench, tags)
    assert sorted(read(bench, LOW)) == sorted(tags)


def test_two_tags_with_one_uid_read_as_one(bench: Bench) -> None:
    uid = bench.dice_set.uid(0, 1)
    surround(bench, [uid, uid])
    assert read(bench, LOW) == [uid]


def test_more_tags_than_fit_are_said_and_not_written(bench: Bench) -> None:
    tags = [uid for die in bench.dice_set.uids for uid in die]
    surround(bench, tags)
    out = bytearray(8 * 5)
    assert bench.board.tags.inventory(FULL, out) > 5
    assert {bytes(out[i : i + 8]) for i in range(0, 40, 8)} <= set(tags)


UIDS = st.binary(min_size=8, max_size=8)
ALIKE = st.builds(lambda head, tail: (head + tail)[-8:], st.binary(min_size=8, max_size=8), st.just(b"\x00" * 5))


@given(st.sets(st.one_of(UIDS, ALIKE), max_size=18))
@settings(max_examples=60, deadline=None)
def test_any_set_of_tags_is_found_whole(tmp_path_factory: pytest.TempPathFactory, tags: set[bytes]) -> None:
    bench = Bench(Path(tmp_path_factory.mktemp("flash")) / "flash")
    try:
        surround(bench, tags)
        assert sorted(read(bench, LOW)) == sorted(tags)
        assert bench.chips.wrong_use == []
    finally:
        bench.close()


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from((0.0, 0.5, 1.0, 2.5, 5.0, 20.0))), min_size=3, max_size=3))
@settings(max_examples=40, deadline=None)
def test_no_face_but_one_that_lies_flat_is_ever_read(
    tmp_path_factory: pytest.TempPathFactory, dice: list[tuple[int, float]]
) -> None:
    bench = Bench(Path(tmp_path_factory.mktemp("flash")) / "flash")
    try:
        bench.world.dice = [lying(f, 0.03 * (i - 1), tilt_degrees=tilt) for i, (f, tilt) in enumerate(dice)]
        flat = {(i, face) for i, (face, tilt) in enumerate(dice) if tilt < 2.0}
        assert faces(bench, LOW) == flat
    finally:
        bench.close()


def test_a_reader_without_supply_is_an_error_and_fails_its_self_test(bench: Bench) -> None:
    assert bench.board.tags.selftest()
    bench.chips.reader.dead = True
    with pytest.raises(OSError, match="BUSY"):
        read(bench, LOW)
    assert not bench.board.tags.selftest()
    assert "BUSY" in bench.board.tags.fault
    bench.chips.reader.dead = False
    assert bench.board.tags.selftest()
    assert bench.board.tags.fault == ""


def test_a_reader_that_lost_its_settings_to_a_dip_reads_again(bench: Bench) -> None:
    bench.world.dice = [lying(3)]
    assert len(read(bench, LOW)) == 1
    bench.chips.reader.power_cycle()
    assert len(read(bench, LOW)) == 1


def test_a_broken_antenna_reads_as_no_dice(bench: Bench) -> None:
    bench.world.dice = [lying(3)]
    bench.chips.reader.deaf = True
    assert read(bench, FULL) == []


def test_the_field_is_off_between_two_reads(bench: Bench) -> None:
    bench.world.dice = [Pose((0.0, 0.0, 0.008))]
    read(bench, FULL)
    assert bench.chips.reader.drive == 0.0


def test_a_read_stays_within_its_count_of_transfers(bench: Bench) -> None:
    """On the twin each transfer is a trip to another process: three dice must not cost more than 16 slots need."""
    surround(bench, [bytes.fromhex("e0040102030405") + bytes((last,)) for last in (0x11, 0x22, 0x33)])
    read(bench, LOW)
    before = sum(bench.transfers.values())
    read(bench, LOW)
    assert sum(bench.transfers.values()) - before < 300
