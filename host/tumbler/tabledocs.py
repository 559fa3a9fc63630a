"""docs/error-codes.md and the tables of docs/configuration.md, made from their declarations: `python -m tumbler.tabledocs`.

CI fails when they drift. Nothing of this runs in the daemon.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dicewire.declared.codes import CAUSES, COMMAND_CODES, FAULTS, HOLDS, LOCKS
from dicewire.declared.eventcodes import EVENTS, SEVERITIES
from dicewire.declared.linkcodes import DOWNS, REFUSALS
from dicewire.declared.table import Table

from tumbler import advice
from tumbler.config_example import reference
from tumbler.journal import errors
from tumbler.journal.errors import JournalError
from tumbler.table.commands import Refusal
from tumbler.table.health import LIMITS
from tumbler.table.validator import CHECKS, Consequence

COMMAND = "python -m tumbler.tabledocs"
BEGIN, END = f"<!-- begin, made by: {COMMAND} -->", "<!-- end -->"

FOLLOWS = {
    Consequence.NOTE: "the result stands",
    Consequence.REFUSE: "no result: wagers stand, spin again",
    Consequence.HOLD: "no result, and no new spin until the table is released",
    Consequence.STOP: "the same, and the controller keeps its record",
}


def rows(head: Sequence[str], body: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |" for row in body]
    return [*lines, ""]


def codes(table: Table, words: dict[str, str] | None = None) -> list[str]:
    """A dicewire table; with a column of advice where there is one."""
    ruled = any(row.rule for row in table)
    head = ["bit" if table.bits else "number", "code", "what", *(["rule"] if ruled else [])]
    head += ["what to do"] if words is not None else []
    body = []
    for row in table:
        cells = [row.number, f"`{row.name}`", row.text, *([row.rule] if ruled else [])]
        body.append([*cells, *([words[row.name]] if words is not None else [])])
    return rows(head, body)


def journal_errors() -> list[type[JournalError]]:
    found = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, JournalError)]
    return sorted(found, key=lambda one: list(advice.JOURNAL).index(one.code))


def error_codes() -> str:
    """docs/error-codes.md."""
    lines = [
        "# Codes, and what to do about each",
        "",
        f"Made from the program's own tables by `{COMMAND}`; don't edit. Every event on `event/{{kind}}` carries its `code` as it",
        "stands here; events of the controller and failed checks carry its `number` too.",
        "",
        "## No spin: why a spin does not count",
        "",
        "On `event/no_spin`, as `cause`. Wagers stand and the spin is repeated. Up to 31 the table finds by itself; from 32 people",
        "at a craps table declare it.",
        "",
        *codes(CAUSES),
        "## Faults of the machine",
        "",
        "In `faults` of `round`, and as events `fault_set` and `fault_cleared`. A fault that stays locks the table.",
        "",
        *codes(FAULTS, advice.FAULTS),
        "## Locked: why there is no play",
        "",
        "In `lock` of `round`. Survives power-off. Unlocked with the supervisor's key and CONFIRM, or by `cmd/unlock` of an area",
        "manager or above, once the fault's self-test passes.",
        "",
        *codes(LOCKS, advice.LOCKS),
        "## Held: why no new spin may start",
        "",
        "In `hold` of `round` and `holds` of `health`. Nothing is defective; a spin under way is played to its end. The daemon",
        "tells `disk_full` to the controller as `journal_failed`.",
        "",
        *codes(HOLDS),
        "## Results that the daemon refuses",
        "",
        "On `event/refused`, each with its evidence; a note (the first consequence) is on `event/fault`.",
        "",
        *rows(
            ("number", "code", "what", "rule", "follows", "what to do"),
            (
                (one.code, f"`{one.name}`", one.text, one.rule, FOLLOWS[one.consequence], advice.CHECKS[one.name])
                for one in CHECKS
            ),
        ),
        "## The line to the controller",
        "",
        "Why a session is not opened or a message is not taken: in `code` of `link`, and as event `link_CODE`.",
        "",
        *codes(REFUSALS, advice.REFUSALS),
        "Why a session ended: in `code` of `link`. The daemon connects again by itself.",
        "",
        *codes(DOWNS),
        "## The journal",
        "",
        "On stderr, and on `event/fault`. While the journal fails the table is held and the controller keeps its results.",
        "",
        *rows(
            ("code", "what", "what to do"),
            (
                (f"`{one.code}`", " ".join((one.__doc__ or "").split()), advice.JOURNAL[one.code])
                for one in journal_errors()
            ),
        ),
        "## Limits of `health`",
        "",
        "In `warnings` and `limits` of `health`; passing one is an event on `event/fault` with this code, coming back is another.",
        "",
        *rows(
            ("code", "what", "unit", "what to do"),
            ((f"`{one.name}`", one.text, one.unit, advice.LIMITS[one.name]) for one in LIMITS),
        ),
        "## Events of the daemon",
        "",
        *rows(
            ("code", "`event/...`", "severity", "what", "what to do"),
            ((f"`{one.code}`", one.kind, one.severity, one.text, one.advice) for one in advice.EVENTS),
        ),
        "## Events of the controller",
        "",
        "`{a}`, `{b}` and `{text}` are the event's own values.",
        "",
        *rows(
            ("number", "code", "`event/...`", "severity", "what"),
            ((row.number, f"`{row.name}`", row.kind, SEVERITIES.name(row.level), row.text) for row in EVENTS),
        ),
        "## Answers to a command",
        "",
        "In `code` of `rsp/{name}`. From the daemon: "
        + ", ".join(f"`{one.value}`" for one in Refusal)
        + ". From the controller:",
        "",
        *codes(COMMAND_CODES),
        "## Exit codes of `tumbler`",
        "",
        *rows(
            ("exit", "what"),
            (
                (0, "done"),
                (1, "failed at work; one line on stderr says what, where, and what to do next"),
                (2, "bad usage or bad input; one line on stderr names file, field and value; nothing was done"),
                (130, "interrupted"),
            ),
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def with_part(page: str, made: str) -> str:
    """The page with what stands between its two marks made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{made.strip()}\n\n{END}{after}"


def outputs(docs: Path) -> dict[Path, str]:
    """Every page with what it must contain."""
    configuration = docs / "configuration.md"
    return {
        docs / "error-codes.md": error_codes(),
        configuration: with_part(configuration.read_text("utf-8"), reference()),
    }


def main() -> int:
    docs = Path(__file__).resolve().parents[2] / "docs"
    for path, text in outputs(docs).items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
