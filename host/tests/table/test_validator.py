"""Each check refuses what it is for, with its evidence, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tumbler.rules.gametable import GameImage, combinations_of, compile_book
from tumbler.rules.tableplay import Play
from tumbler.table.spin import iso_time, no_spin_from, result_from, same_content
from tumbler.table.validator import CHECKS, Consequence, Known, examine, worst

EPOCH = bytes.fromhex("0a1b2c3d")
NOON_MS = 1_760_000_000_000


@pytest.fixture
def known(play: Play, image: GameImage) -> Known:
    return Known(
        play=play,
        image=image,
        min_spin_ms=2000,
        min_tumbles=8,
        min_reads=2,
        last_spin=6,
        last_state=0,
        last_collected=0,
        last_wall_ms=NOON_MS - 20_000,
        now_ms=NOON_MS + 500,
    )


def found(values: dict[str, Any], known: Known) -> dict[str, dict[str, Any]]:
    return {finding.check.name: finding.evidence for finding in examine(result_from(values, EPOCH), known)}


def test_every_combination_of_dice_is_valid_when_the_areas_are_those_of_the_rules(report: Any, known: Known) -> None:
    for faces in combinations_of(3):
        assert found(report(7, faces), known) == {}


def test_identity_is_epoch_and_spin(report: Any) -> None:
    assert result_from(report(7), EPOCH).result_id == "0a1b2c3d-00000007"


# what the controller says -> the check that refuses it, and what its evidence must show
WRONG = [
    ({"spin": 6}, "goes_back", {"spin": 6, "last_spin": 6}),
    ({"spin": 9}, "gap", {"missing": 2}),
    ({"wall_ms": 1_000_000_000_000}, "clock_absurd", {"wall_ms": 1_000_000_000_000}),
    ({"wall_ms": NOON_MS + 3 * 86_400_000}, "clock_absurd", {"now_ms": NOON_MS + 500}),
    ({"wall_ms": NOON_MS + 60_000}, "clock_skew", {"now_ms": NOON_MS + 500}),
    ({"wall_ms": NOON_MS - 60_000}, "clock_skew", {"last_wall_ms": NOON_MS - 20_000}),
    ({"dice": 2}, "dice_number", {"dice": 2, "wanted": 3}),
    ({"faces": bytes((2, 3, 0))}, "dice_number", {"faces": [2, 3]}),
    ({"faces": bytes((2, 3, 7))}, "faces_impossible", {"faces": [2, 3, 7]}),
    ({"faces": bytes((6, 4, 1))}, "faces_impossible", {"faces": [6, 4, 1]}),
    ({"spin_ms": 2500, "peak_rpm": 0}, "not_spun", {"peak_rpm": 0}),
    ({"spin_ms": 1999}, "spin_short", {"spin_ms": 1999, "min_spin_ms": 2000}),
    ({"tumbles": 7}, "spin_weak", {"tumbles": 7, "min_tumbles": 8}),
    ({"exposed_ms": 2900}, "uncovered", {"exposed_ms": 2900, "spin_ms": 3000}),
    ({"nmb_ms": 5201}, "bets_open", {"nmb_ms": 5201, "exposed_ms": 5200}),
    ({"nmb_ms": 0xFFFFFFFF}, "bets_open", {"nmb_ms": 0xFFFFFFFF}),
    ({"read_ms": 5199}, "times_impossible", {"read_ms": 5199}),
    ({"opinions": 0}, "opinions", {"opinions": 0}),
    ({"reads": 1}, "opinions", {"reads": 1}),
    ({"state_before": 1}, "state_before", {"state_before": 1, "wanted": 0}),
    ({"state_after": 1}, "state_after", {"wanted": {"state_after": 0, "puck": 0}}),
    ({"puck": 6}, "state_after", {"puck": 6}),
    ({"collected": 4}, "collected", {"collected": 4, "wanted": 0}),
    ({"areas": b""}, "areas", {"areas": ""}),
    ({"areas": bytes(32)}, "areas", {"areas": "00" * 32}),
]


@pytest.mark.parametrize(("change", "check", "evidence"), WRONG)
def test_one_lie_is_found_by_its_check_alone(
    change: dict[str, Any], check: str, evidence: dict[str, Any], report: Any, known: Known
) -> None:
    findings = found({**report(7), **change}, known)
    assert list(findings) == [check]
    assert evidence.items() <= findings[check].items()


@given(st.integers(0, 55), st.integers(0, 49))
def test_one_wrong_lamp_is_always_found(combo: int, lamp: int) -> None:
    play, image = Play("crown-melbourne-sicbo-a"), IMAGE
    faces = list(combinations_of(3))[combo]
    _, _, lit = play.roll(0, faces)
    bits = bytearray(image.bitmap(lit))
    bits[lamp // 8] ^= 1 << lamp % 8
    values = VALUES | {"faces": bytes(faces), "areas": bytes(bits)}
    findings = found(values, BASE)
    assert list(findings) == ["areas"]
    assert findings["areas"]["wanted"] == lit


IMAGE = compile_book("crown-melbourne-sicbo-a")
BASE = Known(Play("crown-melbourne-sicbo-a"), IMAGE, 2000, 8, 2, None, None, None, 0, NOON_MS)
VALUES = {
    **dict.fromkeys(("state_before", "state_after", "puck", "flags", "uptime_ms", "collected", "wall_ms"), 0),
    **{"spin": 1, "dice": 3, "opinions": 1, "reads": 3, "spin_ms": 3000, "tumbles": 40, "peak_rpm": 400},
    **{"nmb_ms": 1, "exposed_ms": 4000, "read_ms": 5000},
}


def test_several_lies_are_all_found_and_the_gravest_decides(report: Any, known: Known) -> None:
    findings = examine(result_from(report(9, tumbles=1, areas=b"\x01"), EPOCH), known)
    assert [finding.check.name for finding in findings] == ["gap", "spin_weak", "areas"]
    assert worst(findings) is Consequence.HOLD


def test_unknown_clock_is_no_fault(report: Any, known: Known) -> None:
    assert found(report(7, wall_ms=0), known) == {}
    assert iso_time(0) is None


def test_a_daemon_without_a_past_takes_any_spin(report: Any, known: Known) -> None:
    new = replace(known, last_spin=None, last_state=None, last_collected=None, last_wall_ms=0)
    assert found(report(4711), new) == {}


def test_no_spin_is_held_to_order_and_clock_only(known: Known) -> None:
    values = {"spin": 6, "cause": 1, "detail": 0, "by": 0, "wall_ms": 5, "uptime_ms": 1, "evidence": b""}
    findings = examine(no_spin_from(values, EPOCH), known)
    assert [finding.check.name for finding in findings] == ["goes_back", "clock_absurd"]


def test_only_the_restored_flag_may_differ_in_a_repeat(report: Any) -> None:
    first, again = result_from(report(7), EPOCH), result_from(report(7, flags=1 << 4), EPOCH)
    other = result_from(report(7, flags=1 << 1), EPOCH)
    assert same_content(first.wire, again.wire)
    assert not same_content(first.wire, other.wire)


def test_codes_and_names_are_used_once() -> None:
    assert len({check.code for check in CHECKS}) == len({check.name for check in CHECKS}) == len(CHECKS)
