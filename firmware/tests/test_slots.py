"""Which program is started: the record of the slots, cut at every byte, and every way a program can fail its trial."""

import os

import pytest
import slots
from slots import FACTORY, STARTS, Slots

A, B = 1, 2


def put(root, slot, marked=True):
    os.makedirs(f"{root}/{slots.NAMES[slot]}", exist_ok=True)
    if marked:
        Slots(str(root)).mark(slot)


def start(root):
    """A start: which slot runs, and its Slots."""
    made = Slots(str(root))
    folder = made.choose()
    assert folder == ("" if made.running == FACTORY else f"{root}/{slots.NAMES[made.running]}")
    return made


@pytest.fixture
def tried(tmp_path):
    """Slot A is to be tried out at the next start."""
    put(tmp_path, A)
    start(tmp_path).try_out(A, 120)
    return tmp_path


def test_without_slots_the_factory_program_starts_and_nothing_is_written(tmp_path):
    assert start(tmp_path).running == FACTORY
    assert list(tmp_path.iterdir()) == []


def test_a_program_on_trial_has_so_many_starts_and_then_the_one_before_is_back(tried):
    assert [start(tried).running for _ in range(STARTS)] == [A] * STARTS
    back = start(tried)
    assert (back.running, back.note, back.failed) == (FACTORY, slots.NOTE_ROLLED_BACK, A)
    assert start(tried).running == FACTORY


def test_a_program_that_confirmed_itself_stays(tried):
    assert start(tried).confirm()
    for _ in range(3 * STARTS):
        again = start(tried)
        assert (again.running, again.trial) == (A, 0)
    assert again.note == slots.NOTE_APPLIED
    again.told()
    assert start(tried).note == slots.NOTE_NONE


def test_one_that_gives_itself_up_is_gone_at_the_next_start_with_its_reason(tried):
    start(tried).give_up("no host joined in 120 s")
    back = start(tried)
    assert (back.running, back.why()) == (FACTORY, "no host joined in 120 s")


def test_the_second_update_goes_into_the_other_slot_and_falls_back_to_the_first(tried):
    first = start(tried)
    first.confirm()
    assert first.spare() == B
    put(tried, B)
    first.try_out(B, 60)
    second = start(tried)
    assert (second.running, second.spare(), second.join_s) == (B, A, 60)
    second.give_up("")
    assert start(tried).running == A


def test_a_proven_program_that_cannot_be_loaded_any_more_is_left_after_so_many_starts(tried):
    start(tried).confirm()
    for _ in range(STARTS):
        now = start(tried)
        assert now.running == A
        now.start_failed("ImportError: no module named 'controller'")
    back = start(tried)
    assert (back.running, back.note) == (FACTORY, slots.NOTE_ROLLED_BACK)
    back.start_failed("the factory's own fault")  # there is nothing behind it
    assert start(tried).running == FACTORY


def test_a_proven_program_that_fails_once_and_then_runs_is_kept(tried):
    start(tried).confirm()
    start(tried).start_failed("OSError: 5")
    assert start(tried).running == A


def test_a_slot_without_its_mark_is_never_started(tried):
    Slots(str(tried)).unmark(A)
    assert start(tried).running == FACTORY


def test_both_slots_lost_leaves_the_factory_program(tried):
    first = start(tried)
    first.confirm()
    put(tried, B)
    first.try_out(B, 60)
    start(tried).confirm()
    for slot in (A, B):
        Slots(str(tried)).unmark(slot)
    assert start(tried).running == FACTORY


def _copies(root):
    return {name: (root / name).read_bytes() for name in ("slots.0", "slots.1") if (root / name).exists()}


@pytest.mark.parametrize("step", ["try_out", "start", "confirm", "give_up", "told"])
def test_a_cut_at_any_byte_of_the_record_leaves_the_old_or_the_new_choice(tmp_path, step):
    put(tmp_path, A)
    now = start(tmp_path)
    if step != "try_out":
        now.try_out(A, 120)
        if step != "start":
            now = start(tmp_path)
            if step == "told":
                now.confirm()
    before = _copies(tmp_path)
    old = vars(Slots(str(tmp_path)))
    if step == "try_out":
        now.try_out(A, 120)
    elif step == "start":
        start(tmp_path)
    elif step == "give_up":
        now.give_up("")
    else:
        getattr(now, step)()
    new = vars(Slots(str(tmp_path)))
    after = _copies(tmp_path)
    (written,) = [name for name in after if after[name] != before.get(name)]
    assert old != new
    for cut in range(len(after[written])):
        for torn in (after[written][:cut], after[written][:cut] + before.get(written, b"")[cut:]):
            if torn in (before.get(written), after[written]):
                continue
            (tmp_path / written).write_bytes(torn)
            assert vars(Slots(str(tmp_path))) == old
    (tmp_path / written).write_bytes(after[written])
    assert vars(Slots(str(tmp_path))) == new


def test_a_record_that_is_noise_is_no_record(tried):
    for name in ("slots.0", "slots.1"):
        (tried / name).write_bytes(os.urandom(22))
    assert start(tried).running == FACTORY


def test_a_flash_that_cannot_be_written_never_starts_a_program_on_trial(tried, monkeypatch):
    monkeypatch.setattr(Slots, "_save", lambda self: False)
    assert start(tried).running == FACTORY
