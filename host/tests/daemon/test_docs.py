"""docs/: the pages that are made from the program are in step with it, and no code is without a word on what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from dicewire.declared.codes import FAULTS, LOCKS
from dicewire.declared.linkcodes import REFUSALS
from tumbler import advice
from tumbler.table.health import LIMITS
from tumbler.table.holds import Hold
from tumbler.table.validator import CHECKS
from tumbler.tabledocs import COMMAND, journal_errors, outputs

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_pages_are_what_the_declarations_give() -> None:
    for path, text in outputs(DOCS).items():
        assert path.read_text("utf-8") == text, f"make it again: {COMMAND}"


@pytest.mark.parametrize(
    ("declared", "advised"),
    [
        ({row.name for row in FAULTS}, advice.FAULTS),
        ({row.name for row in LOCKS}, advice.LOCKS),
        ({row.name for row in REFUSALS}, advice.REFUSALS),
        ({one.code for one in journal_errors()}, advice.JOURNAL),
        ({one.name for one in LIMITS}, advice.LIMITS),
        ({one.name for one in CHECKS}, advice.CHECKS),
    ],
)
def test_every_code_has_advice_and_no_advice_is_left_over(declared: set[str], advised: dict[str, str]) -> None:
    assert set(advised) == declared


def test_back_pressure_has_its_events() -> None:
    told = {event.code for event in advice.EVENTS}
    assert {Hold.DISK_FULL.value, Hold.OUTBOX_FULL.value} <= told


def test_every_command_that_the_technicians_guide_names_exists() -> None:
    from tumbler.diag.operations import OPERATIONS

    words = (DOCS / "technician.md").read_text("utf-8").split("tumbler diag ")[1:]
    named = {word.split()[0].strip("`.,;:)") for word in words}
    assert named - {"WHAT"} <= {*OPERATIONS, "test", "status", "link"}
    assert {*OPERATIONS, "test", "status", "link"} <= named
