"""A small soak: every fault a few times on the real processes, and the comparison that finds what does not agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Kind, Record
from tumbler.soak.agree import floor_has_journal, journal_is_whole, results_are_true, ring_has_journal
from tumbler.soak.plan import GROUPS, Fault, make_plan
from tumbler.soak.soak import soak

pytestmark = pytest.mark.timeout(240)


def test_every_fault_a_few_times_and_all_four_agree(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rig") != "twin":
        pytest.skip("a soak kills and cuts by the dozen: on a twin only")
    wanted = {"kills": 4, "cuts": 4, "outages": 2, "unplugs": 3, "noise": 3, "stalls": 0}
    plan = make_plan(7, 0.0, dict(wanted))
    report = soak(plan, tmp_path, lambda done, total, table: None)
    assert report.ok, [check for check in report.checks if not check.ok]
    assert sum(report.faults.values()) == sum(wanted.values())
    assert report.figures["results"] > 3
    assert report.figures["daemon's lives"] == 5
    assert report.figures["power cuts"] >= 3


# --- the counts ---------------------------------------------------------------------------------------------------------


def test_the_full_counts_and_their_parts() -> None:
    full = make_plan(1, 1.0, {})
    assert full.counts[Fault.KILL] == 500
    assert full.counts[Fault.POWER_CUT] + full.counts[Fault.FLASH_CUT] == 500
    assert sum(count for fault, count in full.counts.items() if fault.name.startswith("BROKER")) == 100
    assert full.counts[Fault.UNPLUG] == 200
    small = make_plan(1, 0.01, {})
    assert small.counts[Fault.KILL] == 5
    assert all(count >= 1 for count in small.counts.values())
    assert sum(make_plan(1, 1.0, dict.fromkeys(GROUPS, 7)).counts.values()) == 7 * len(GROUPS)
    assert full.order() == make_plan(1, 1.0, {}).order() != make_plan(2, 1.0, {}).order()


# --- the comparison -----------------------------------------------------------------------------------------------------

FACES = [[1, 2, 3], [2, 2, 5], [1, 4, 6], [3, 3, 3]]


def game(spin: int, kind: Kind = Kind.RESULT) -> Record:
    faces = FACES[spin - 1]
    body: dict[str, Any] = {"epoch": "0badcafe", "spin": spin, "wire": {"spin": spin, "flags": 0}}
    if kind is Kind.RESULT:
        body |= {"faces": faces, "times": {"uptime_ms": 9000 * spin + 3000, "read_ms": 3000}}
        body["wire"]["faces"] = bytes(faces).hex()
    return Record(spin, "", "", kind, "t1", f"0badcafe-{spin:08d}", 0, body)


def told(record: Record) -> dict[str, Any]:
    return {"result_id": record.result_id, "faces": record.body.get("faces")}


def truth(spins: int) -> tuple[list[dict[str, Any]], dict[int, tuple[str, int]]]:
    rows = [{"spin": n, "boot": "b", "faces": FACES[n - 1], "flat": True} for n in range(1, spins + 1)]
    return rows, {n: ("b", 9000 * n + 150) for n in range(1, spins + 1)}


GAMES = [game(1), game(2), game(3), game(4)]


def test_what_agrees_is_found_to_agree() -> None:
    rows, started = truth(4)
    ring = {g.body["spin"]: ("result", {"spin": g.body["spin"], "faces": bytes(g.body["faces"])}) for g in GAMES}
    assert journal_is_whole(GAMES).ok
    assert all(check.ok for check in floor_has_journal(GAMES, [told(g) for g in (*GAMES[:2], *GAMES[1:])], []))
    assert ring_has_journal(GAMES, ring).ok
    assert all(check.ok for check in results_are_true(GAMES, rows, started))


def test_a_spin_that_is_missing_in_the_journal_is_found() -> None:
    assert "spin 3, after spin 1" in journal_is_whole([GAMES[0], GAMES[2]]).wrong[0]
    assert not journal_is_whole([GAMES[0], GAMES[0]]).ok


def test_what_is_missing_or_other_on_mqtt_is_found() -> None:
    assert not floor_has_journal(GAMES, [told(g) for g in GAMES[:3]], [])[0].ok
    assert not floor_has_journal(GAMES, [told(g) for g in reversed(GAMES)], [])[0].ok
    twice = [*map(told, GAMES), {**told(GAMES[3]), "total": 9}]
    assert "two contents" in floor_has_journal(GAMES, twice, [])[0].wrong[0]


def test_what_lies_otherwise_in_flash_is_found() -> None:
    ring = {g.body["spin"]: ("result", {"spin": g.body["spin"], "faces": bytes((6, 6, 6))}) for g in GAMES}
    assert "differs in ['faces']" in ring_has_journal(GAMES, ring).wrong[0]
    assert "not in flash" in ring_has_journal(GAMES, {}).wrong[0]
    assert "not in the journal" in ring_has_journal([], {9: ("result", {})}).wrong[0]


def test_a_result_that_is_no_physical_spin_is_found() -> None:
    rows, started = truth(4)
    rows[2]["faces"] = [6, 6, 6]
    assert results_are_true(GAMES, rows, started)[0].wrong
    rows, started = truth(4)
    assert results_are_true(GAMES, rows, {**started, 2: ("b", 50_000)})[0].wrong


def test_a_flat_spin_that_has_neither_result_nor_no_spin_is_found() -> None:
    rows, started = truth(4)
    assert results_are_true([GAMES[0], GAMES[3]], rows, started)[1].wrong
    spun_again = [GAMES[0], game(2, Kind.NO_SPIN), game(3, Kind.NO_SPIN), GAMES[3]]
    assert results_are_true(spun_again, rows, started)[1].ok


def test_two_physical_spins_that_look_alike_are_told_apart_by_what_lies_between() -> None:
    rows, started = truth(4)
    rows[1] = {**rows[2], "spin": 2}  # lay as the third and began at the same moment of its own boot; the power failed
    started[2] = started[3]
    games = [GAMES[0], game(2, Kind.NO_SPIN), GAMES[2], GAMES[3]]
    assert all(check.ok for check in results_are_true(games, rows, started))
