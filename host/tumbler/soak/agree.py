"""Whether truth, flash ring, journal and MQTT say the same, result by result. Pure: what each said goes in, a list comes out.

The journal has every number once; MQTT has what the journal has; the ring's spins are the journal's; each result is a
physical spin that lay so, begun at that moment; and a physical spin without a result has a no spin in its place.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tumbler.journal import Kind, Record

RING_LEAST = 100
START_SLACK_MS = 600  # from SPIN to the crank is chance, up to 300 ms; the times are taken a turn apart


@dataclass(frozen=True)
class Check:
    what: str
    compared: int
    wrong: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.wrong


def journal_is_whole(games: Sequence[Record]) -> Check:
    """From the first spin of an epoch to its last, none missing, none twice, in order."""
    wrong: list[str] = []
    last: dict[str, int] = {}
    for record in games:
        epoch, spin = str(record.body["epoch"]), int(record.body["spin"])
        if spin != last.get(epoch, 0) + 1:
            wrong.append(f"record {record.seq} is spin {spin}, after spin {last.get(epoch, 0)}")
        last[epoch] = spin
    return Check("journal: every spin once and in order", len(games), tuple(wrong))


def floor_has_journal(games: Sequence[Record], results: Sequence[Any], no_spins: Sequence[Any]) -> list[Check]:
    """`results` and `no_spins` as they arrived, repeats and all."""
    checks = []
    for kind, arrived, what in ((Kind.RESULT, results, "results"), (Kind.NO_SPIN, no_spins, "no spins")):
        contents: dict[str, str] = {}
        wrong = []
        for told in arrived:
            text = json.dumps(told, sort_keys=True)
            if contents.setdefault(told["result_id"], text) != text:
                wrong.append(f"{told['result_id']} arrived with two contents")
        wanted = [str(record.result_id) for record in games if record.kind is kind]
        if list(contents) != wanted:
            missing = [one for one in wanted if one not in contents]
            strange = [one for one in contents if one not in wanted]
            wrong.append(f"MQTT has not {missing[:5]}, has beyond {strange[:5]}, or another order")
        faces = {record.result_id: record.body.get("faces") for record in games}
        wrong += [f"{t['result_id']} other faces" for t in arrived if t.get("faces") != faces.get(t["result_id"])]
        checks.append(Check(f"MQTT: the journal's {what}, in order, each with one content", len(wanted), tuple(wrong)))
    return checks


def ring_has_journal(games: Sequence[Record], ring: dict[int, tuple[str, dict[str, Any]]]) -> Check:
    """What still lies in flash is what the journal has; and at least the last hundred lie there."""
    wrong = []
    newest = {int(record.body["spin"]): record for record in games}
    for spin, (kind, values) in ring.items():
        record = newest.get(spin)
        if record is None:
            wrong.append(f"spin {spin} lies in flash and is not in the journal")
            continue
        wire = record.body["wire"]
        differ = [name for name, value in wire.items() if name != "flags" and _plain(values.get(name)) != value]
        if record.kind.value not in (kind, Kind.REFUSED.value) or differ:
            wrong.append(f"spin {spin} lies in flash as {kind} and differs in {differ}")
    wanted = list(newest)[-RING_LEAST:]
    wrong += [f"spin {spin} is not in flash any more" for spin in wanted if spin not in ring]
    return Check("flash ring: the journal's newest spins, field by field", len(ring), tuple(wrong))


def _plain(value: Any) -> Any:
    return bytes(value).hex() if isinstance(value, (bytes, bytearray, memoryview)) else value


def results_are_true(
    games: Sequence[Record], truth: Sequence[dict[str, Any]], started: dict[int, tuple[str, int]]
) -> list[Check]:
    """Each result is a physical spin that lay so and began then; between two results lie no more physical spins than no spins.

    Faces and moments may be those of more than one physical spin: every place a result can have is followed, and what is
    asked is that one way through all of them is left.
    """
    wrong, lost = [], []
    places = {-1}  # of the last result among the physical spins
    no_spins = results = 0
    for record in games:
        if record.kind is not Kind.RESULT:
            no_spins += 1
            continue
        results += 1
        alike = [at for at, row in enumerate(truth) if at > min(places) and _same(record, row, started)]
        fitting = {at for at in alike if any(0 <= at - before - 1 <= no_spins for before in places)}
        if not alike:
            wrong.append(f"{record.result_id} {record.body['faces']} is no physical spin that lay so")
            continue
        if not fitting:
            lost.append(f"before {record.result_id} lie more physical spins than its {no_spins} no spins")
        places, no_spins = fitting or {alike[0]}, 0
    if len(truth) - max(places) - 1 > no_spins + 1:  # one may be under way when all ends
        lost.append(f"after the last result lie {len(truth) - max(places) - 1} physical spins, {no_spins} no spins")
    return [
        Check("truth: every result is how the dice lay, begun at that moment", results, tuple(wrong)),
        Check("truth: a physical spin without a result has a no spin in its place", len(truth), tuple(lost)),
    ]


def _same(record: Record, row: dict[str, Any], started: dict[int, tuple[str, int]]) -> bool:
    if not row["flat"] or record.body["faces"] != row["faces"]:
        return False
    if int(row["spin"]) not in started:
        return True  # it began before anyone listened
    times = record.body["times"]
    began = int(times["uptime_ms"]) - int(times["read_ms"])
    return abs(began - started[int(row["spin"])][1]) <= START_SLACK_MS
