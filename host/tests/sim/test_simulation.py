"""The simulator: a seed repeats exactly, the sound program holds, and every thing broken on purpose is named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.journal import Outbox
from tumbler.mqtt.sender import OutboxSender
from tumbler.sim.controller import firmware
from tumbler.sim.faults import KINDS, make_plan
from tumbler.sim.flash import Flash
from tumbler.sim.shrink import shrink, story
from tumbler.sim.simulation import Outcome, Setup, World, simulate
from tumbler.sim.witness import Invariant
from tumbler.table import table, validator
from tumbler.table.ledger import Ledger
from tumbler.table.spin import Spin

STEPS = 25_000
TRIES = 12

Patch = pytest.MonkeyPatch


def fails(*kinds: str) -> Outcome:
    """The first seed that breaks an invariant, with all faults or with those of some kinds."""
    for seed in range(1, 1 + TRIES):
        outcome = simulate(Setup(seed, STEPS, kinds=frozenset(kinds) if kinds else None))
        if outcome.violation is not None:
            return outcome
    raise AssertionError(f"no seed from 1 to {TRIES} found it")


# --- a seed -----------------------------------------------------------------------------------------------------------


def test_a_seed_repeats_to_the_last_step_also_in_another_process() -> None:
    here = simulate(Setup(3, 12_000))
    again = simulate(Setup(3, 12_000))
    assert (again.trace, again.steps, again.story) == (here.trace, here.steps, here.story)
    command = [sys.executable, "-m", "tumbler", "sim", "--seed", "3", "--steps", "12000", "--json"]
    told = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": "77"}, capture_output=True, check=True, timeout=60
    )
    assert json.loads(told.stdout)["runs"][0]["trace"] == here.trace
    assert simulate(Setup(4, 12_000)).trace != here.trace


@pytest.mark.parametrize("seed", [101, 102, 103])
def test_the_sound_program_holds_and_every_result_arrives(seed: int) -> None:
    outcome = simulate(Setup(seed, STEPS))
    assert outcome.violation is None, "\n".join(story(outcome))
    assert outcome.counts["arrived"] + outcome.counts["refused"] >= outcome.counts["results"] > 0


def test_without_faults_nothing_is_lost_refused_or_locked() -> None:
    outcome = simulate(Setup(7, STEPS, only=frozenset(), calm=True))
    assert outcome.violation is None
    assert outcome.faults == {}
    assert outcome.counts["refused"] == outcome.counts["no_spins"] == outcome.counts["locks"] == 0
    assert outcome.counts["results"] == outcome.counts["arrived"] > 20


def test_seeds_bring_every_kind_of_fault() -> None:
    fallen: set[str] = set()
    for seed in range(40):
        world = World(Setup(seed))
        fallen |= {fault.kind.name for fault in make_plan(world.clockwork, 600_000_000)}
        world.disk.close()
    assert fallen == {kind.name for kind in KINDS}


def test_a_host_that_stays_away_fills_the_ring_and_stops_play_and_nothing_is_lost() -> None:
    outcome = simulate(Setup(4, 150_000))
    assert outcome.violation is None, "\n".join(story(outcome))
    assert outcome.counts["waited_most"] == 100


def test_every_kind_of_fault_is_in_the_documents() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reliability.md").read_text()
    assert [kind.name for kind in KINDS if f"`{kind.name}`" not in text] == []
    assert [one.value for one in Invariant if one.value not in text] == []


# --- broken on purpose ------------------------------------------------------------------------------------------------


def commits_before_the_journal(patch: Patch) -> None:
    record = Ledger._record

    async def hasty(self: Ledger, spin: Spin) -> None:
        self._outlet.commit(spin.epoch, spin.spin)
        await record(self, spin)

    patch.setattr(Ledger, "_record", hasty)


def forgets_at_publish(patch: Patch) -> None:
    send = OutboxSender._send

    def hasty(self: OutboxSender, connection: Any, item: Any) -> None:
        send(self, connection, item)
        self._arrived = item.id
        self._outbox.done(self._table, item.id)

    patch.setattr(OutboxSender, "_send", hasty)


def sends_the_newest_first(patch: Patch) -> None:
    items = Outbox.next_items
    patch.setattr(Outbox, "next_items", lambda self, *given: items(self, *given)[::-1])


def stamps_each_sending(patch: Patch) -> None:
    send = OutboxSender._send

    def stamped(self: OutboxSender, connection: Any, item: Any) -> None:
        real = connection.publish

        def publish(topic: str, payload: bytes, **more: Any) -> int:
            told = {**json.loads(payload), "sent": connection.clockwork.now}
            return int(real(topic, json.dumps(told).encode(), **more))

        connection.publish = publish
        send(self, connection, item)
        del connection.publish

    patch.setattr(OutboxSender, "_send", stamped)


def makes_ids_of_its_own(patch: Patch) -> None:
    numbers = iter(range(10**9))
    real = table.result_from

    def renamed(values: Any, epoch: bytes) -> Any:
        result = real(values, epoch)
        return replace(result, result_id=f"{result.result_id}x{next(numbers)}")

    patch.setattr(table, "result_from", renamed)


def rings_over_what_is_not_committed(patch: Patch) -> None:
    def drop(store: Any) -> None:
        while len(store._segments) > 2:
            store._files.remove(store._segments.pop(0).name)

    patch.setattr(firmware()["store"].Store, "_drop_old", drop)


def keeps_the_lock_in_memory_only(patch: Patch) -> None:
    state = firmware()["records"].State
    pack = state.pack

    def unlocked(self: Any) -> bytes:
        lock, self.lock = self.lock, 0
        try:
            return bytes(pack(self))
        finally:
            self.lock = lock

    patch.setattr(state, "pack", unlocked)


def gives_a_number_twice(patch: Patch) -> None:
    state = firmware()["records"].State
    apply = state.apply

    def forgetful(self: Any, kind: int, body: bytes) -> None:
        before = self.next_spin
        apply(self, kind, body)
        if kind == firmware()["records"].START and before % 5 == 0:
            self.next_spin = before

    patch.setattr(state, "apply", forgetful)


def believes_the_first_reading(patch: Patch) -> None:
    reader = sys.modules["controller.reader.tags"].TagReader
    read_once = reader._read_once

    def hasty(self: Any) -> None:
        read_once(self)
        if not self.done and self.cause:
            self.cause, self._down[0], self._down[1] = 0, self._down[0] or 1, self._down[1] or 1
            self._down[2] = self._down[2] or 1
            self._conclude(0)

    patch.setattr(reader, "_read_once", hasty)


def believes_the_lamps(patch: Patch) -> None:
    checks = tuple(check for check in validator.CHECKS if check.name != "areas")
    patch.setattr(validator, "CHECKS", checks)


def cuts_the_journal(patch: Patch) -> None:
    """A start that forgets the newest record: as a restore of a backup that is too old."""
    from tumbler.sim.disk import NAME, Disk

    files = Disk._files

    def shorter(self: Disk) -> dict[str, bytes]:
        found = files(self)
        return {name: data[: len(data) // 2] if name == NAME + "-wal" else data for name, data in found.items()}

    patch.setattr(Disk, "_files", shorter)


def gives_up_reading_at_once(patch: Patch) -> None:
    patch.setattr(sys.modules["controller.outbox"], "_READ_TRIES", 1)


def reads_the_flash_only_once(patch: Patch) -> None:
    """A start at which the flash could not be read is never followed by another."""
    patch.setattr(Flash, "readable", lambda self: False)


# what is broken, the invariant that names it, the kinds of fault that bring it to light (none: all kinds)
BROKEN: tuple[tuple[Callable[[Patch], None], Invariant, tuple[str, ...]], ...] = (
    (commits_before_the_journal, Invariant.COMMITTED_LOST, ()),
    (forgets_at_publish, Invariant.NOT_DELIVERED, ("broker_gone", "broker_forgets", "broker_refuses")),
    (sends_the_newest_first, Invariant.OUT_OF_ORDER, ()),
    (stamps_each_sending, Invariant.TWO_CONTENTS, ("broker_late", "broker_forgets")),
    (makes_ids_of_its_own, Invariant.TWO_IDS, ()),
    (rings_over_what_is_not_committed, Invariant.UNCOMMITTED_DROPPED, ("unplug", "long_unplug", "flash_cut")),
    (keeps_the_lock_in_memory_only, Invariant.LOCK_LOST, ("motor_stalls", "chip_gone", "power_cut")),
    (gives_a_number_twice, Invariant.NUMBER_REUSED, ()),
    (believes_the_first_reading, Invariant.WRONG_RESULT, ()),
    (believes_the_lamps, Invariant.WRONG_RESULT, ("memory_rots",)),
    (cuts_the_journal, Invariant.COMMITTED_LOST, ("kill",)),
    (gives_up_reading_at_once, Invariant.COMMITTED_LOST, ("flash_unreadable", "unplug")),
    (reads_the_flash_only_once, Invariant.NOT_DELIVERED, ("flash_unreadable", "power_cut")),
)


@pytest.mark.parametrize(("broken", "named", "kinds"), BROKEN, ids=lambda one: getattr(one, "__name__", ""))
def test_what_is_broken_on_purpose_is_named(
    broken: Callable[[Patch], None], named: Invariant, kinds: tuple[str, ...], monkeypatch: Patch
) -> None:
    firmware()
    broken(monkeypatch)
    found = fails(*kinds)
    assert found.violation is not None
    assert found.violation.invariant is named, "\n".join(story(found))


def test_a_failure_is_shrunk_to_a_short_story_that_repeats(monkeypatch: Patch) -> None:
    commits_before_the_journal(monkeypatch)
    found = fails()
    short = shrink(found, seconds=20)
    assert len(short.fallen) <= 2
    assert len(short.fallen) <= len(found.fallen)
    told = "\n".join(story(short))
    assert Invariant.COMMITTED_LOST.value in told
    assert f"tumbler sim --seed {found.setup.seed}" in told
    assert simulate(short.setup).trace == short.trace


def test_a_failure_that_shows_at_the_end_is_shrunk_without_growing_longer(monkeypatch: Patch) -> None:
    firmware()
    reads_the_flash_only_once(monkeypatch)
    found = fails("flash_unreadable", "power_cut")
    assert found.steps > STEPS
    short = shrink(found, seconds=3)
    assert short.setup.steps <= STEPS
    assert len(short.fallen) < len(found.fallen)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_tells_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "--seed", "11", "--steps", "4000", "--runs", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"]
    assert [one["seed"] for one in told["runs"]] == [11, 12]
    assert told["steps"] >= 8000


def test_fresh_seeds_are_told_first_with_the_way_to_repeat_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "--runs", "2", "--steps", "2000"]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    told = re.match(r"fresh seeds, each again by `tumbler sim --seed S --steps 2000`: (\d+), (\d+)$", first)
    assert told is not None, first
    assert [line.split()[1] for line in rest if line.startswith("seed ")] == list(told.groups())


def test_the_command_ends_with_1_and_a_story(monkeypatch: Patch, capsys: pytest.CaptureFixture[str]) -> None:
    commits_before_the_journal(monkeypatch)
    found = fails()
    words = ["sim", "--seed", str(found.setup.seed), "--steps", str(STEPS), "--shrink", "5"]
    assert main(words) == 1
    said = capsys.readouterr()
    assert "VIOLATED" in said.out
    assert "again: tumbler sim --seed" in said.err


@pytest.mark.parametrize(
    "words", [["--seed", "-1"], ["--steps", "0"], ["--only", "1"], ["--seed", "1", "--only", "x"], ["--kinds", "x"]]
)
def test_bad_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1
