"""When a result is valid: a table of checks, each with its code, its rule and what follows when it fails.

Pure: what the daemon knows goes in, findings come out. Every check looks by itself, so that one refusal shows all that
is wrong. Authenticity (the tag) and the order of frames were settled by dicewire before a record reaches this file;
whether a spin is in the journal already is settled by ledger.py, because it needs the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from dicewire.declared.codes import READERS

from tumbler.rules.gametable import GameImage
from tumbler.rules.tableplay import Play
from tumbler.table.spin import Result, Spin

CLOCK_EPOCH_MS = 1_704_067_200_000  # 2024-01-01: an earlier clock was never set
CLOCK_SKEW_MS = 5_000  # controller and host drift apart by less between two TIME messages
CLOCK_FUTURE_MS = 86_400_000  # no drift and no time zone explains more than a day


class Consequence(IntEnum):
    """What follows from a failed check, mildest first. docs/error-codes.md explains them to the floor."""

    NOTE = 0  # the result stands; an event tells what was remarkable
    REFUSE = 1  # never published as a result; journalled as refused, committed; wagers stand, spin again
    HOLD = 2  # the same, and no new spin until someone with the authority has looked at the table
    STOP = 3  # the same, and not committed either: the controller keeps its record until the table is released


@dataclass(frozen=True)
class Known:
    """What the daemon knows when a record arrives."""

    play: Play
    image: GameImage
    min_spin_ms: int
    min_tumbles: int
    min_reads: int
    last_spin: int | None  # of this epoch, None when the journal has none
    last_state: int | None  # game state after it, None when it cannot be told
    last_collected: int | None  # bonus numbers collected after it
    last_wall_ms: int
    now_ms: int
    readers: str = "tags"  # whose opinions a result must have: tags, camera, both


Evidence = dict[str, Any]


@dataclass(frozen=True)
class Check:
    code: int
    name: str
    consequence: Consequence
    rule: str
    text: str
    find: Callable[[Any, Known], Evidence | None] | None  # None: made elsewhere, listed here for its code


@dataclass(frozen=True)
class Finding:
    check: Check
    evidence: Evidence

    def as_json(self) -> dict[str, Any]:
        check = self.check
        return {
            "code": check.code,
            "check": check.name,
            "text": check.text,
            "rule": check.rule,
            "evidence": self.evidence,
        }


# --- any spin ---------------------------------------------------------------------------------------------------------


def goes_back(spin: Spin, known: Known) -> Evidence | None:
    if known.last_spin is None or spin.spin > known.last_spin:
        return None
    return {"spin": spin.spin, "last_spin": known.last_spin}


def leaves_gap(spin: Spin, known: Known) -> Evidence | None:
    if known.last_spin is None or spin.spin <= known.last_spin + 1:
        return None
    return {"spin": spin.spin, "last_spin": known.last_spin, "missing": spin.spin - known.last_spin - 1}


def clock_absurd(spin: Spin, known: Known) -> Evidence | None:
    if spin.wall_ms == 0 or CLOCK_EPOCH_MS <= spin.wall_ms <= known.now_ms + CLOCK_FUTURE_MS:
        return None
    return {"wall_ms": spin.wall_ms, "now_ms": known.now_ms}


def clock_skewed(spin: Spin, known: Known) -> Evidence | None:
    if spin.wall_ms == 0 or clock_absurd(spin, known):
        return None
    ahead, back = spin.wall_ms - known.now_ms, known.last_wall_ms - spin.wall_ms
    if ahead <= CLOCK_SKEW_MS and back <= CLOCK_SKEW_MS:
        return None
    return {"wall_ms": spin.wall_ms, "now_ms": known.now_ms, "last_wall_ms": known.last_wall_ms}


# --- a result ---------------------------------------------------------------------------------------------------------


def wrong_number(result: Result, known: Known) -> Evidence | None:
    wanted = known.play.dice
    if result.dice == wanted and len(result.faces) == wanted:
        return None
    return {"dice": result.dice, "faces": list(result.faces), "wanted": wanted}


def impossible_faces(result: Result, known: Known) -> Evidence | None:
    if all(1 <= face <= 6 for face in result.faces) and list(result.faces) == sorted(result.faces):
        return None
    return {"faces": list(result.faces)}


def not_spun(result: Result, known: Known) -> Evidence | None:
    if result.spin_ms > 0 and result.peak_rpm > 0:
        return None
    return {"spin_ms": result.spin_ms, "peak_rpm": result.peak_rpm}


def too_short(result: Result, known: Known) -> Evidence | None:
    if result.spin_ms >= known.min_spin_ms:
        return None
    return {"spin_ms": result.spin_ms, "min_spin_ms": known.min_spin_ms}


def too_weak(result: Result, known: Known) -> Evidence | None:
    if result.tumbles >= known.min_tumbles:
        return None
    return {"tumbles": result.tumbles, "min_tumbles": known.min_tumbles}


def uncovered(result: Result, known: Known) -> Evidence | None:
    if result.exposed_ms >= result.spin_ms:
        return None
    return {"exposed_ms": result.exposed_ms, "spin_ms": result.spin_ms}


def bets_open(result: Result, known: Known) -> Evidence | None:
    if result.nmb_ms <= result.exposed_ms:
        return None
    return {"nmb_ms": result.nmb_ms, "exposed_ms": result.exposed_ms}


def read_before_exposed(result: Result, known: Known) -> Evidence | None:
    if result.read_ms >= result.exposed_ms:
        return None
    return {"exposed_ms": result.exposed_ms, "read_ms": result.read_ms}


def opinions_missing(result: Result, known: Known) -> Evidence | None:
    if result.opinions != 0 and result.reads >= known.min_reads:
        return None
    return {"opinions": result.opinions, "reads": result.reads, "min_reads": known.min_reads}


TAGS = 1 << READERS.number("tags")
PIPS = 1 << READERS.number("pips") | 1 << READERS.number("lattice")  # the camera's two opinions of pips
SYMBOLS = 1 << READERS.number("symbols")


def readers_missing(result: Result, known: Known) -> Evidence | None:
    """Every reader that this table is configured with must have read, whatever the controller is fitted with."""
    camera = result.opinions & PIPS == PIPS or bool(result.opinions & SYMBOLS)
    tags = bool(result.opinions & TAGS)
    if not result.opinions:
        return None  # found by another check
    if (tags or known.readers == "camera") and (camera or known.readers == "tags"):
        return None
    return {"opinions": READERS.names_in(result.opinions), "wanted": known.readers}


def other_state_before(result: Result, known: Known) -> Evidence | None:
    states = known.play.states
    if known.last_state is None:
        return None if result.state_before < states else {"state_before": result.state_before, "states": states}
    if result.state_before == known.last_state:
        return None
    return {"state_before": result.state_before, "wanted": known.last_state}


def recomputed(result: Result, known: Known) -> tuple[int, int, list[str]] | None:
    """Next state, puck and areas from the rules; None when dice or state are not of this game (found by others)."""
    if wrong_number(result, known) or impossible_faces(result, known) or result.state_before >= known.play.states:
        return None
    return known.play.roll(result.state_before, result.faces)


def other_state_after(result: Result, known: Known) -> Evidence | None:
    own = recomputed(result, known)
    if own is None or (result.state_after, result.puck) == own[:2]:
        return None
    said = {"state_after": result.state_after, "puck": result.puck}
    return {**said, "wanted": {"state_after": own[0], "puck": own[1]}}


def other_areas(result: Result, known: Known) -> Evidence | None:
    own = recomputed(result, known)
    if own is None or result.areas.rstrip(b"\0") == known.image.bitmap(own[2]).rstrip(b"\0"):
        return None
    return {"areas": result.areas.hex(), "wanted": own[2], "wanted_bitmap": known.image.bitmap(own[2]).hex()}


def other_collected(result: Result, known: Known) -> Evidence | None:
    if known.last_collected is None or recomputed(result, known) is None:
        return None
    own = known.play.collect(known.last_collected, result.faces)
    return None if result.collected == own else {"collected": result.collected, "wanted": own}


NOTE, REFUSE, HOLD, STOP = Consequence

ANY_SPIN = (
    Check(801, "not_authentic", HOLD, "", "a frame with a wrong tag: someone else's key, or tampering", None),
    Check(802, "conflict", STOP, "", "this spin is in the journal with another content", None),
    Check(803, "goes_back", HOLD, "", "an older spin that the journal does not have", goes_back),
    Check(804, "gap", NOTE, "", "spins are missing between the last one and this", leaves_gap),
    Check(805, "clock_absurd", HOLD, "", "the controller's clock cannot be right", clock_absurd),
    Check(806, "clock_skew", NOTE, "", "the controller's clock is off, or ran backwards", clock_skewed),
)
RESULT_ONLY = (
    Check(811, "dice_number", HOLD, "D5 5.1.5", "not as many dice as the game has", wrong_number),
    Check(812, "faces_impossible", HOLD, "D5 5.1.5", "a face that a die hasn't", impossible_faces),
    Check(813, "not_spun", REFUSE, "D5 7.1.2", "the dice were never in motion", not_spun),
    Check(814, "spin_short", REFUSE, "D5 7.1.2", "the spin was shorter than this table's minimum", too_short),
    Check(815, "spin_weak", REFUSE, "D5 7.1.2", "the dice tumbled too little", too_weak),
    Check(816, "uncovered", REFUSE, "D5 5.1.4", "the dice were uncovered before they had been spun", uncovered),
    Check(817, "bets_open", REFUSE, "D5 7.1.3", "the dice were exposed before no more bets", bets_open),
    Check(
        818, "times_impossible", HOLD, "D5 5.1", "the dice were read before they were uncovered", read_before_exposed
    ),
    Check(819, "opinions", HOLD, "D5 5.1.5", "too few readings that agree", opinions_missing),
    Check(820, "readers", HOLD, "D5 5.1.5", "not read by what this table is configured to read with", readers_missing),
    Check(821, "state_before", HOLD, "", "the game did not stand where the last spin left it", other_state_before),
    Check(822, "state_after", HOLD, "", "the rules lead to another state or puck", other_state_after),
    Check(823, "areas", HOLD, "D5 7.3", "the lit areas are not those that the rules give", other_areas),
    Check(824, "collected", HOLD, "", "the rules give other collected numbers of the bonus bets", other_collected),
)
CHECKS = ANY_SPIN + RESULT_ONLY
BY_NAME = {check.name: check for check in CHECKS}


def examine(spin: Spin, known: Known) -> list[Finding]:
    """Everything that is remarkable about a result or a no spin."""
    checks = CHECKS if isinstance(spin, Result) else ANY_SPIN
    found = []
    for check in checks:
        evidence = check.find(spin, known) if check.find else None
        if evidence is not None:
            found.append(Finding(check, evidence))
    return found


def worst(findings: list[Finding]) -> Consequence | None:
    """What follows from all of them together; None when there is nothing."""
    return max((finding.check.consequence for finding in findings), default=None)
