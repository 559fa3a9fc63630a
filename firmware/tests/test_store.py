"""The flash ring keeps what it was told, whatever byte the power fails at."""

import os
import shutil

import pytest
from controller import records, store
from controller.files import Files
from controller.records import NO_SPIN, RESULT
from controller.store import CORRUPT, FORMATTED, TORN, Store, StoreError
from cuts import CutFiles, FailingFiles, PowerCut
from hypothesis import given, settings
from hypothesis import strategies as st


def open_store(files):
    s = Store(files, os.urandom)
    return s, s.load()


def result_values(spin, faces=(1, 2, 3), state_after=0):
    return {
        "spin": spin, "faces": bytes(faces), "dice": 3, "state_before": 0, "state_after": state_after, "puck": 0,
        "opinions": 1, "reads": 3, "spin_ms": 3000, "tumbles": 20, "peak_rpm": 500, "nmb_ms": 4000, "exposed_ms": 6000,
        "read_ms": 7000, "flags": 0, "wall_ms": 1_700_000_000_123, "uptime_ms": 99, "collected": 0, "closing": 255,
        "faults": 0, "areas": b"\x01\x80\x00\x10",
    }  # fmt: skip


def no_spin_values(spin, cause=1, lock=0):
    return {
        "spin": spin, "cause": cause, "detail": 7, "by": 0, "wall_ms": 0, "uptime_ms": 5, "lock": lock, "faults": 0,
        "streak": 1, "streak_cause": cause, "bets_closed": 1, "closing": 255, "evidence": b"tags",
    }  # fmt: skip


def faces_of(spin):
    return (spin % 6 + 1, spin // 6 % 6 + 1, spin // 36 % 6 + 1)


def play(s, spins, commit=True):
    for _ in range(spins):
        spin = s.begin_spin()
        if spin % 7 == 0:
            s.end_spin(NO_SPIN, no_spin_values(spin))
        else:
            s.end_spin(RESULT, result_values(spin, faces_of(spin)))
            s.state.unpaid = 0
            s.save_state()
        if commit:
            assert s.commit(spin)


def test_a_new_store_has_an_epoch_and_begins_at_spin_one(tmp_path):
    s, found = open_store(Files(str(tmp_path)))
    assert found == FORMATTED
    assert s.state.epoch != bytes(4)
    assert s.begin_spin() == 1


def test_a_spin_that_has_not_ended_bars_the_next(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    s.begin_spin()
    with pytest.raises(StoreError, match="spin 1 has not ended"):
        s.begin_spin()


def test_what_was_stored_comes_back_after_power_off(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    play(s, 3, commit=False)
    epoch = s.state.epoch
    again, found = open_store(Files(str(tmp_path)))
    assert found == 0
    assert again.state.epoch == epoch
    assert again.pending == 3
    kind, values = again.fetch(2)
    assert kind == RESULT
    assert values == result_values(2, faces_of(2))
    assert again.begin_spin() == 4


def test_the_last_hundred_spins_are_always_there(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    play(s, 523)
    assert len(s._files.names(".seg")) < 9
    for spin in range(523 - 99, 524):
        kind, values = s.fetch(spin)
        assert values["spin"] == spin
        assert kind == (NO_SPIN if spin % 7 == 0 else RESULT)
    again, found = open_store(Files(str(tmp_path)))
    assert found == 0
    assert again.fetch(424)[1]["spin"] == 424
    assert again.state.last_spin == 523


def test_uncommitted_spins_are_never_dropped_and_a_full_ring_has_no_room(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    play(s, 150)
    while s.has_room():
        play(s, 1, commit=False)
    assert s.pending == store.UNCOMMITTED_MAX
    for spin in range(151, 251):
        assert s.fetch(spin)[1]["spin"] == spin
    assert s.commit(151)
    assert s.has_room()


def test_only_the_oldest_uncommitted_spin_can_be_committed(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    play(s, 3, commit=False)
    assert not s.commit(2)
    assert not s.commit(0)
    assert s.commit(1)
    assert not s.commit(1)
    assert s.commit(2)
    assert s.commit(3)
    assert not s.commit(4), "a spin that never was"


def test_a_commit_rides_on_the_next_record(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    play(s, 5)
    s.begin_spin()
    again, _ = open_store(Files(str(tmp_path)))
    assert again.committed == 5
    assert again.state.open_spin == 6


def test_a_no_spin_keeps_its_lock_and_streak(tmp_path):
    s, _ = open_store(Files(str(tmp_path)))
    s.end_spin(NO_SPIN, no_spin_values(s.begin_spin(), cause=5, lock=3))
    again, _ = open_store(Files(str(tmp_path)))
    assert (again.state.lock, again.state.streak, again.state.streak_cause, again.state.bets_closed) == (3, 1, 5, 1)


def scenario(s, log):
    """A few rounds with everything in them; log receives what the rest of the table would have seen as durable."""
    while s.state.next_spin <= 8:
        if s.state.open_spin:
            spin = s.state.open_spin
            s.end_spin(NO_SPIN, no_spin_values(spin, cause=12))
            log.append(("closed", spin, 12))
            continue
        spin = s.begin_spin()
        log.append(("begun", spin))
        if spin % 3 == 0:
            s.end_spin(NO_SPIN, no_spin_values(spin, cause=5, lock=2))
            log.append(("closed", spin, 5))
            log.append(("locked", 2))
            s.state.lock = 0
            s.save_state()
            log.append(("locked", 0))
        else:
            s.end_spin(RESULT, result_values(spin, faces_of(spin)))
            log.append(("closed", spin, faces_of(spin)))
        if spin % 2:
            s.commit(s.committed + 1)


def check_against(s, log):
    """Everything reported as durable is there, nothing else is, and no spin number comes twice."""
    begun = [e[1] for e in log if e[0] == "begun"]
    closed = {e[1]: e[2] for e in log if e[0] == "closed"}
    assert s.state.next_spin in (max(begun, default=0) + 1, max(begun, default=0) + 2)
    for spin, what in closed.items():
        kind, values = s.fetch(spin)
        assert (values["cause"] if kind == NO_SPIN else tuple(values["faces"])) == what


@pytest.mark.parametrize("segment_max", [400, 3900])
def test_a_power_cut_at_every_byte_loses_nothing(tmp_path, monkeypatch, segment_max):
    monkeypatch.setattr(store, "_SEGMENT_MAX", segment_max)
    monkeypatch.setattr(store, "SPINS_KEPT", 4)
    root = str(tmp_path / "flash")
    whole = CutFiles(root)
    scenario(open_store(whole)[0], [])
    total = whole.spent
    assert total > 900
    for cut in range(total):
        shutil.rmtree(root)
        log = []
        try:
            scenario(open_store(CutFiles(root, budget=cut))[0], log)
            pytest.fail(f"the cut at byte {cut} never came")
        except PowerCut:
            pass
        s, found = open_store(Files(root))
        assert not found & CORRUPT, f"cut at byte {cut}"
        kept = [e for e in log if e[0] == "begun" or e[1] >= s.oldest_spin() or e[0] == "locked"]
        check_against(s, kept)
        scenario(s, log)  # and it plays on from there
        assert s.state.next_spin == 9
        begun = [e[1] for e in log if e[0] == "begun"]
        assert len(begun) == len(set(begun)), f"cut at byte {cut} gave a spin number twice"


@pytest.mark.parametrize("first_cut", range(0, 700, 53))
def test_a_second_cut_during_recovery_loses_nothing(tmp_path, first_cut):
    root = str(tmp_path / "flash")
    for second in range(0, 400, 7):
        shutil.rmtree(root, ignore_errors=True)
        log = []
        for budget in (first_cut, second):
            try:
                scenario(open_store(CutFiles(root, budget=budget))[0], log)
            except PowerCut:
                continue
        s, found = open_store(Files(root))
        assert not found & CORRUPT
        check_against(s, log)


def test_the_lock_is_either_there_or_its_no_spin_is_not(tmp_path):
    root = str(tmp_path / "flash")
    for cut in range(2000):
        shutil.rmtree(root, ignore_errors=True)
        files = CutFiles(root, budget=cut)
        try:
            s, _ = open_store(files)
            s.end_spin(NO_SPIN, no_spin_values(s.begin_spin(), cause=5, lock=4))
        except PowerCut:
            s, _ = open_store(Files(root))
            assert s.state.lock == 0 or s.state.last_spin == 1
            continue
        assert open_store(Files(root))[0].state.lock == 4
        return
    pytest.fail("never got through")


@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.05, 0.2, 0.5]))
@settings(max_examples=40, deadline=None)
def test_a_write_that_fails_is_never_half_believed(tmp_path_factory, seed, rate):
    root = str(tmp_path_factory.mktemp("flash"))
    Store(Files(root), os.urandom).load()
    files = FailingFiles(root, seed, rate)
    s, _ = open_store(files)
    told = {}
    for _ in range(60):
        try:
            spin = s.state.open_spin or s.begin_spin()
            values = result_values(spin, faces_of(seed % 200 + len(told)))
            s.end_spin(RESULT, values)
            told[spin] = values
        except StoreError:
            continue
    again, found = open_store(Files(root))
    assert not found & CORRUPT
    for spin, values in told.items():
        assert again.fetch(spin) == (RESULT, values)
        assert s.fetch(spin) == (RESULT, values)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_damage_is_noticed_and_never_read_as_a_spin(tmp_path_factory, data):
    root = str(tmp_path_factory.mktemp("flash"))
    files = Files(root)
    s, _ = open_store(files)
    play(s, 60, commit=False)
    name = data.draw(st.sampled_from(files.names(".seg")))
    content = bytearray(files.load(name))
    last_record = name == files.names(".seg")[-1]
    limit = len(content) - (records.MAX_RECORD if last_record else 0)
    at = data.draw(st.integers(0, limit - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    files.replace(name, bytes(content))
    again, found = open_store(Files(root))
    assert found & (CORRUPT | TORN)
    for spin in range(1, 61):
        got = again.fetch(spin)
        if got and got[0] == RESULT:
            assert got[1] == result_values(spin, faces_of(spin))


def test_a_torn_tail_is_not_appended_to(tmp_path):
    files = Files(str(tmp_path))
    s, _ = open_store(files)
    play(s, 2)
    files.append(files.names(".seg")[-1], b"\xa7\x03\x20")
    s, found = open_store(files)
    assert found == TORN
    play(s, 2, commit=False)
    again, found = open_store(files)
    assert not found & CORRUPT
    assert again.fetch(4)[1]["spin"] == 4
    assert again.fetch(1)[1]["spin"] == 1
