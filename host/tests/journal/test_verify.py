"""Verify finds every hand that touched the file, and names the first record that is not as it was written."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tumbler.journal import Fault, Journal, JournalCorrupt
from tumbler.journal.record import canonical, hash_of


def change_body(text: str, **changes: Any) -> str:
    value = json.loads(text)
    return canonical({**value, "body": {**value["body"], **changes}})


def row(tamper: Any, seq: int) -> dict[str, Any]:
    return next(row for row in tamper.rows() if row["seq"] == seq)


def test_an_untouched_journal_is_in_order(written: Path, prove: Any) -> None:
    report = prove(written)
    assert (report.ok, report.records, report.first, report.last, report.sealed) == (True, 12, 1, 12, True)
    assert report.checkpoints == 2


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("seq", range(1, 13))
def test_any_changed_text_is_found(tamper: Any, prove: Any, seq: int, key: bool) -> None:
    before = row(tamper, seq)
    tamper.put({**before, "text": change_body(before["text"], faces=[6, 6, 6])})
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq) == (Fault.CHANGED, seq)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("seq", range(2, 13))
def test_a_change_with_a_fitting_hash_is_found_at_the_same_record(tamper: Any, prove: Any, seq: int, key: bool) -> None:
    before = row(tamper, seq)
    text = change_body(before["text"], faces=[6, 6, 6])
    tamper.put({**before, "text": text, "hash": hash_of(text)})
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq) == (Fault.CHANGED, seq)


@pytest.mark.parametrize("seq", range(2, 12))
def test_a_change_with_the_whole_chain_made_anew_is_found(tamper: Any, prove: Any, seq: int) -> None:
    before = row(tamper, seq)
    tamper.put({**before, "text": change_body(before["text"], faces=[6, 6, 6])})
    tamper.rechain(seq)
    found = prove(tamper.path).finding
    assert (found.fault, found.seq) == (Fault.CHANGED, seq)
    # Without the key only the head outside the database tells that it is another chain.
    assert prove(tamper.path, key=False).finding.fault is Fault.CHANGED


@pytest.mark.parametrize(
    "column", ["kind = 'no_spin'", "tbl = 't9'", "game = 'x-1'", "at_ms = at_ms + 1", "seal = x'00'"]
)
def test_columns_and_seals_are_part_of_the_record(tamper: Any, prove: Any, column: str) -> None:
    tamper.sql(f"UPDATE record SET {column} WHERE seq = 5")
    found = prove(tamper.path).finding
    assert (found.fault, found.seq) == (Fault.CHANGED, 5)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("seq", range(1, 13))
def test_a_removed_record_is_found(tamper: Any, prove: Any, seq: int, key: bool) -> None:
    tamper.sql(f"DELETE FROM record WHERE seq = {seq}")
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq, found.upto) == (Fault.CUT if seq == 12 else Fault.REMOVED, seq, seq)


@pytest.mark.parametrize("key", [True, False])
def test_removed_and_closed_up_is_found(tamper: Any, prove: Any, key: bool) -> None:
    tamper.sql("DELETE FROM record WHERE seq = 5")
    tamper.move(6, -1)
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq) == (Fault.REMOVED, 5)
    tamper.rechain(5)
    assert prove(tamper.path, key=key).finding.seq in (5, 12)


@pytest.mark.parametrize("cut", [2, 7, 11, 12])
def test_a_cut_end_is_known_from_the_head(tamper: Any, prove: Any, cut: int) -> None:
    tamper.sql(f"DELETE FROM record WHERE seq >= {cut}")
    found = prove(tamper.path).finding
    assert (found.fault, found.seq, found.upto) == (Fault.CUT, cut, 12)


def test_a_cut_end_with_its_head_is_known_from_a_head_that_was_published(
    path: Path, tmp_path: Path, games: Any, prove: Any
) -> None:
    """Someone puts back yesterday's journal, head and all: only what the floor was told today can tell."""
    old = tmp_path / "old"
    old.mkdir()
    with Journal.open(path) as journal:
        games(journal, 1, 3)
    for name in ("journal.db", "journal.db.head", "journal.db.key"):
        shutil.copy(tmp_path / name, old / name)
    with Journal.open(path) as journal:
        games(journal, 4, 9)
        published = journal.head
    assert prove(old / "journal.db").ok
    found = prove(old / "journal.db", anchor=published).finding
    assert (found.fault, found.upto) == (Fault.CUT, published[0])
    assert prove(path, anchor=published).ok


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("seq", [2, 6, 12])
def test_an_inserted_record_is_found(tamper: Any, prove: Any, seq: int, key: bool) -> None:
    model = row(tamper, 5)
    tamper.move(seq, 1)
    prev = row(tamper, seq - 1)["hash"]
    inside = {**json.loads(model["text"]), "seq": seq, "prev": prev, "result_id": "0badcafe-00000099"}
    text = canonical(inside)
    forged = {**model, "seq": seq, "text": text, "hash": hash_of(text), "game": "0badcafe-00000099"}
    tamper.put(forged)
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq) in [(Fault.INSERTED, seq), (Fault.CHANGED, seq)]
    assert not prove(tamper.path, key=key).ok


def test_a_record_added_at_the_end_is_found(tamper: Any, prove: Any) -> None:
    last = row(tamper, 12)
    inside = {**json.loads(row(tamper, 11)["text"]), "seq": 13, "prev": last["hash"], "result_id": "0badcafe-00000099"}
    text = canonical(inside)
    model = row(tamper, 11)
    tamper.put({**model, "seq": 13, "text": text, "hash": hash_of(text), "game": "0badcafe-00000099"})
    found = prove(tamper.path).finding
    assert (found.fault, found.seq) == (Fault.CHANGED, 13)
    assert "not written by the daemon" in found.why
    with pytest.raises(JournalCorrupt, match="record 13 was not written by the daemon"):
        Journal.open(tamper.path)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize(("one", "two"), [(3, 4), (2, 11), (5, 9)])
def test_swapped_records_are_found(tamper: Any, prove: Any, one: int, two: int, key: bool) -> None:
    tamper.sql(
        f"UPDATE record SET seq = -{two} WHERE seq = {one}",
        f"UPDATE record SET seq = {one} WHERE seq = {two}",
        f"UPDATE record SET seq = {two} WHERE seq = -{two}",
    )
    found = prove(tamper.path, key=key).finding
    assert (found.fault, found.seq, found.upto) == (Fault.SWAPPED, one, two)


@pytest.mark.parametrize("key", [True, False])
def test_swapped_contents_are_found(tamper: Any, prove: Any, key: bool) -> None:
    """Not the places but what two spins showed was exchanged, with fitting hashes."""
    for seq, faces in ((4, [3, 2, 3]), (5, [2, 2, 3])):
        before = row(tamper, seq)
        text = change_body(before["text"], faces=faces)
        tamper.put({**before, "text": text, "hash": hash_of(text)})
    # Only seals can tell which of two neighbours that do not fit was rewritten first.
    assert prove(tamper.path, key=key).finding.seq in ((4,) if key else (4, 5))


def test_a_bare_copy_still_knows_its_end(written: Path, tmp_path: Path, prove: Any) -> None:
    bare = tmp_path / "bare" / "journal.db"
    bare.parent.mkdir()
    shutil.copy(written, bare)
    report = prove(bare, key=False)
    assert (report.ok, report.sealed, report.head_file) == (True, False, False)
    with sqlite3.connect(bare) as db:
        db.execute("DELETE FROM record WHERE seq >= 11")
    found = prove(bare, key=False).finding
    assert (found.fault, found.seq, found.upto) == (Fault.CUT, 11, 12)


def test_a_head_file_that_is_anothers_is_a_finding(written: Path, tmp_path: Path, prove: Any) -> None:
    head = written.with_name("journal.db.head")
    kept = head.read_bytes()
    with Journal.open(tmp_path / "other.db"):
        pass
    head.write_bytes((tmp_path / "other.db.head").read_bytes())
    assert prove(written).finding.fault is Fault.HEAD  # not signed with this key
    head.write_bytes(b"")
    assert prove(written).finding.fault is Fault.HEAD
    for torn in (kept[:512] + b"\0" * 512, b"\0" * 512 + kept[512:]):  # the other slot still speaks
        head.write_bytes(torn)
        assert prove(written).ok


@pytest.mark.parametrize("own", ["forged", "removed", "left"])
def test_heads_forged_without_the_key_do_not_count(tamper: Any, prove: Any, own: str) -> None:
    tamper.sql("DELETE FROM record WHERE seq > 6")
    head = tamper.path.with_name("journal.db.head")
    statement = {**json.loads(head.read_bytes()[:512]), "seq": 6, "hash": row(tamper, 6)["hash"]}
    head.write_bytes(canonical(statement).encode().ljust(512) * 2)
    if own == "forged":
        tamper.sql(("UPDATE meta SET value = ? WHERE name = 'head'", (canonical(statement),)))
    elif own == "removed":
        tamper.sql("DELETE FROM meta WHERE name = 'head'")
    assert prove(tamper.path).finding.fault is (Fault.CUT if own == "left" else Fault.HEAD)


def test_a_record_added_at_the_end_is_found_without_a_key(tamper: Any, prove: Any) -> None:
    model = row(tamper, 11)
    inside = {**json.loads(model["text"]), "seq": 13, "prev": row(tamper, 12)["hash"], "result_id": "0badcafe-00000099"}
    text = canonical(inside)
    tamper.put({**model, "seq": 13, "text": text, "hash": hash_of(text), "game": "0badcafe-00000099"})
    found = prove(tamper.path, key=False).finding
    assert (found.fault, found.seq) == (Fault.INSERTED, 13)


def test_verify_runs_beside_the_writer(journal: Journal, path: Path, games: Any, prove: Any) -> None:
    games(journal, 1, 20)
    assert prove(path).last == journal.head[0]
    games(journal, 21, 40)
    assert prove(path).ok


def test_a_blob_in_the_texts_place_is_a_changed_record(tamper: Any, prove: Any) -> None:
    tamper.sql("UPDATE record SET text = x'00ff' WHERE seq = 7")
    assert (prove(tamper.path).finding.fault, prove(tamper.path).finding.seq) == (Fault.CHANGED, 7)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("value", ["nonsense", "", "7", "null", "[]", '{"upto": "x"}'])
def test_a_pruned_beginning_that_is_nonsense_is_found(tamper: Any, prove: Any, value: str, key: bool) -> None:
    tamper.sql(("INSERT OR REPLACE INTO meta VALUES ('base', ?)", (value,)))
    if value == "null":  # says the same as no statement at all
        assert prove(tamper.path, key=key).ok
    elif value in ("nonsense", ""):
        with pytest.raises(JournalCorrupt, match=r"meta 'base'.*keep the file as evidence"):
            prove(tamper.path, key=key)
    else:
        assert (prove(tamper.path, key=key).finding.fault, prove(tamper.path).finding.seq) == (Fault.REMOVED, 1)


@pytest.mark.parametrize("key", [True, False])
@pytest.mark.parametrize("seq", ["many", None, 1.5, True])
def test_a_head_whose_number_is_none_is_found(tamper: Any, prove: Any, seq: Any, key: bool) -> None:
    head = json.loads(tamper.path.with_name("journal.db.head").read_bytes()[:512])  # the same statement
    tamper.sql(("UPDATE meta SET value = ? WHERE name = 'head'", (canonical({**head, "seq": seq}),)))
    assert prove(tamper.path, key=key).finding.fault is Fault.HEAD


def test_an_index_that_hides_a_record_is_found_though_every_record_is_in_order(tamper: Any, prove: Any) -> None:
    tamper.sql(
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = sql || ' WHERE seq <> 7' WHERE name = 'record_by_kind'",
    )
    tamper.sql("REINDEX")  # with the narrower index as its law
    tamper.sql(
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, ' WHERE seq <> 7', '') WHERE name = 'record_by_kind'",
    )
    with pytest.raises(JournalCorrupt, match=r"every record is in order.*row 7 missing from index"):
        prove(tamper.path)
