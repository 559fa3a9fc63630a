"""The report as one page of HTML with nothing outside it: facts, measurements with limits, outcomes, what changed since."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

CHANGED = 0.02  # of a value: below it nothing is said
STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top}td.n{text-align:right;
font-variant-numeric:tabular-nums}.passed{color:#0a6b2b}.failed,.error,.out{color:#b00020;font-weight:600}
.skipped{color:#6b5b00}pre{white-space:pre-wrap;background:#f5f5f5;padding:.6rem;font-size:13px;max-height:24rem;overflow:auto}
img{max-width:20rem;border:1px solid #999;margin:.3rem}
@media(prefers-color-scheme:dark){body{background:#161616;color:#e4e4e4}th,td{border-color:#3a3a3a}pre{background:#222}
.passed{color:#6fd08c}.failed,.error,.out{color:#ff7b88}.skipped{color:#d9c55a}}
"""

ORDER = ("error", "failed", "passed", "skipped")
Results = dict[str, Any]


def page(results: Results, last: Results | None) -> str:
    counts = _counts(results)
    told = ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if number)
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
        f"<title>Tumbler, rig {escape(results['rig'])}: {told}</title><style>{STYLE}</style>",
        f"<h1>Hardware in the loop: rig {escape(results['rig'])}</h1>",
        f"<p>{escape(results['began'])}, {results['seconds']:g} s: {told or 'no test ran'}.</p>",
        *_since(results, last),
        *_facts(results),
        *_measured(results, last),
        *_tests(results),
    ]
    return "\n".join(parts) + "\n"


def _counts(results: Results) -> dict[str, int]:
    counts = dict.fromkeys(("passed", "failed", "error", "skipped"), 0)
    for test in results["tests"].values():
        counts[test["outcome"]] += 1
    return counts


def _since(results: Results, last: Results | None) -> Iterator[str]:
    yield "<h2>Since the last run</h2>"
    if last is None:
        yield "<p>There is no earlier run of this rig to compare with.</p>"
        return
    changes = []
    for name, test in results["tests"].items():
        before = last["tests"].get(name)
        if before is None:
            changes.append(f"{escape(name)}: new, <span class={test['outcome']}>{test['outcome']}</span>")
        elif before["outcome"] != test["outcome"]:
            changes.append(
                f"{escape(name)}: was {before['outcome']}, is <span class={test['outcome']}>{test['outcome']}</span>"
            )
    changes += [f"{escape(name)}: was there, did not run" for name in last["tests"] if name not in results["tests"]]
    for what, text in results["facts"].items():
        if last["facts"].get(what, text) != text:
            changes.append(f"{escape(what)}: {escape(last['facts'][what])} → {escape(text)}")
    yield f"<p>Compared with {escape(last['began'])}.</p>"
    yield "<ul>" + "".join(f"<li>{change}" for change in changes) + "</ul>" if changes else "<p>No outcome changed.</p>"


def _facts(results: Results) -> Iterator[str]:
    yield "<h2>What was tested</h2><table>"
    for what, text in sorted(results["facts"].items()):
        yield f"<tr><th>{escape(what)}<td>{escape(text)}"
    yield "</table>"


def _measured(results: Results, last: Results | None) -> Iterator[str]:
    before = {
        row["what"]: row["value"] for test in (last or {"tests": {}})["tests"].values() for row in test["measured"]
    }
    rows = [row for test in results["tests"].values() for row in test["measured"]]
    yield "<h2>Measurements</h2>"
    if not rows:
        yield "<p>None.</p>"
        return
    yield "<table><tr><th>what<th>value<th>unit<th>at least<th>at most<th>last run"
    for row in rows:
        value, low, high = row["value"], row["low"], row["high"]
        out = (low is not None and value < low) or (high is not None and value > high)
        yield (
            f"<tr><td>{escape(row['what'])}<td class='n{' out' if out else ''}'>{_number(value)}<td>{escape(row['unit'])}"
            f"<td class=n>{_number(low)}<td class=n>{_number(high)}<td class=n>{_change(value, before.get(row['what']))}"
        )
    yield "</table>"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


def _change(value: float, before: float | None) -> str:
    if before is None:
        return ""
    if before == 0 or abs(value / before - 1) < CHANGED:
        return _number(before)
    return f"{_number(before)} ({(value / before - 1) * 100:+.0f} %)"


def _tests(results: Results) -> Iterator[str]:
    yield "<h2>Tests</h2><table><tr><th>test<th>outcome<th>seconds"
    worst_first = sorted(results["tests"].items(), key=lambda row: ORDER.index(row[1]["outcome"]))
    for name, test in worst_first:
        seeds = f" <small>seed {escape(', '.join(test['seeds']))}</small>" if test.get("seeds") else ""
        yield f"<tr><td>{escape(name)}{seeds}"
        if test["why"]:
            why = escape(test["why"].removeprefix("Skipped: "))
            yield f"<br>{why}" if test["outcome"] == "skipped" else f"<pre>{why}</pre>"
        yield "".join(
            f"<img alt='at the failure' src='data:image/png;base64,{picture}'>" for picture in test["pictures"]
        )
        yield f"<td class={test['outcome']}>{test['outcome']}<td class=n>{test['seconds']:.1f}"
    yield "</table>"
