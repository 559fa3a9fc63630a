"""`tumbler journal verify|export|recall|show|backup`: the durable record, beside a running daemon or on a copy of it.

Never writes to the journal. Exit 0: in order; 1: a fault was found, or the work failed; 2: no such journal, wrong usage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.journal import (
    JournalCorrupt,
    JournalError,
    JournalKeyError,
    JournalMissing,
    JournalReader,
    Kind,
    NotAJournal,
    Record,
    Report,
)
from tumbler.journal.backup import BackupExists, backup
from tumbler.journal.key import JournalKey, default_key_file, read_journal_key
from tumbler.journal.record import GAMES
from tumbler.journal.verify import verify_database

BAD_INPUT = (JournalMissing, JournalKeyError, NotAJournal, BackupExists)


def add(subparsers: Any) -> None:
    parser = subparsers.add_parser("journal", help="verify, export or recall the durable record")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    verify = _action(actions, "verify", run_verify, "walk the chain and name the first record that is not as written")
    verify.add_argument("--key", metavar="FILE", help="the journal's key (default: FILE.key beside it, where there)")
    verify.add_argument("--head", metavar="SEQ:HASH", help="an end of the chain that was published earlier")
    export = _action(actions, "export", run_export, "results in order")
    recall = _action(actions, "recall", run_recall, "the last N games with their evidence")
    recall.add_argument("-n", "--last", metavar="N", type=_count, default=10, help="how many (default 10)")
    show = _action(actions, "show", run_show, "records as they stand in the chain")
    show.add_argument("--kind", choices=[kind.value for kind in Kind], help="only these")
    for one in (export, recall, show):
        one.add_argument("--table", metavar="ID", help="of this table only")
    for one in (export, show):
        one.add_argument("--after", metavar="SEQ", type=_number, default=0, help="records after this number")
        one.add_argument("--upto", metavar="SEQ", type=_number, help="records up to this number")
    copy = _action(actions, "backup", run_backup, "copy the journal while the daemon runs, and prove the copy")
    copy.add_argument("--key", metavar="FILE", help="the journal's key (default: FILE.key beside it, where there)")
    copy.add_argument("target", metavar="TARGET", help="the copy; never written over another file")


def _action(actions: Any, name: str, run: Any, text: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
    parser.add_argument(
        "file", metavar="JOURNAL", nargs="?", help="the journal's file, or a configuration (*.toml) that names it"
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration that names the journal")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(func=lambda options: _guarded(run, options))
    return parser


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a record number")
    return int(text)


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of games from 1")
    return int(text)


def _guarded(run: Any, options: argparse.Namespace) -> int:
    try:
        return int(run(options))
    except BAD_INPUT as error:
        raise BadInput(str(error)) from error
    except JournalError as error:
        raise WorkFailed(str(error)) from error


def _path(options: argparse.Namespace) -> Path:
    if (options.file is None) == (options.config is None):
        raise BadInput("name the journal's file, or with --config the configuration that names it: one of the two")
    if options.config is None and Path(options.file).suffix != ".toml":
        return Path(options.file)
    from tumbler.config import ConfigError, load

    try:
        return load(Path(options.config or options.file)).journal.path
    except ConfigError as error:
        raise BadInput(str(error)) from error


def _key(options: argparse.Namespace, path: Path) -> JournalKey | None:
    """The key that was named, else the one beside the journal, else none: the chain can be checked without."""
    if options.key is not None:
        return read_journal_key(Path(options.key))
    beside = default_key_file(path)
    return read_journal_key(beside) if beside.exists() else None


def _anchor(text: str | None) -> tuple[int, str] | None:
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,18}):([0-9a-f]{64})", text)
    if found is None:
        raise BadInput(f"--head {text!r} is not SEQ:HASH with a hash of 64 hexadecimal digits")
    return int(found[1]), found[2]


# --- the actions ------------------------------------------------------------------------------------------------------


def run_verify(options: argparse.Namespace) -> int:
    path, anchor = _path(options), _anchor(options.head)
    try:
        with JournalReader(path) as reader:
            report = verify_database(reader, _key(options, path), anchor)
    except NotAJournal:
        raise
    except JournalCorrupt as error:
        # Not even a database any more: that is a finding too, with no record to name.
        if options.json:
            print(json.dumps({"ok": False, "finding": {"fault": "unreadable", "seq": None, "why": str(error)}}))
        raise
    if options.json:
        print(json.dumps(report.as_json()))
    else:
        print(_sentence(path, report))
    return 0 if report.ok else 1


def _sentence(path: Path, report: Report) -> str:
    if report.finding is not None:
        found = report.finding
        which = f"record {found.seq}" if found.seq == found.upto else f"records {found.seq} to {found.upto}"
        return f"{path}: {which} {found.fault.value.replace('_', ' ')}: {found.why}"
    how = "chain, seals and signatures" if report.sealed else "chain (no key at hand: seals were not checked)"
    pruned = f", {report.pruned_upto} pruned by retention" if report.pruned_upto else ""
    alone = "" if report.head_file else "; without its head file an older copy in its place would pass"
    return f"{path}: {report.records} records in order, {how}; head {report.last}:{report.hash}{pruned}{alone}"


def run_export(options: argparse.Namespace) -> int:
    path = _path(options)
    with JournalReader(path) as reader:
        voids = reader.records(kinds=(Kind.VOID,))
        void = {(record.table, record.body["result_id"]): record.body["cause"] for record in voids}
        records = reader.records(table=options.table, kinds=(Kind.RESULT,), after=options.after, upto=options.upto)
        rows = (
            {**_row(record, evidence=False), "void": void.get((record.table, record.result_id))} for record in records
        )
        if options.json:
            return _json_document("results", rows)
        for row in rows:
            faces = " ".join(map(str, row["faces"]))
            ending = f"   void: {row['void']}" if row["void"] else ""
            print(f"{row['seq']:>8}  {row['at']}  {row['table']}  {row['result_id']}  {faces}  {row['total']}{ending}")
    return 0


def run_recall(options: argparse.Namespace) -> int:
    with JournalReader(_path(options)) as reader:
        rows = [_row(record, evidence=True) for record in reader.last(options.table, options.last, GAMES)]
    if options.json:
        return _json_document("games", iter(rows))
    for row in rows:
        what = f"{row['faces']} total {row['total']}" if row["kind"] == "result" else f"{row.get('text')}"
        print(f"{row['at']}  {row['table']}  spin {row['spin']}  {row['kind']}: {what}  ({row['result_id']})")
        for name in ("winning_areas", "opinions", "times", "flags", "rule", "evidence", "notes", "findings"):
            if row.get(name):
                print(f"    {name.replace('_', ' '):<14} {json.dumps(row[name])}")
    return 0


def run_show(options: argparse.Namespace) -> int:
    kinds = (Kind(options.kind),) if options.kind else None
    with JournalReader(_path(options)) as reader:
        records = reader.records(table=options.table, kinds=kinds, after=options.after, upto=options.upto)
        if options.json:
            return _json_document("records", (_whole(record) for record in records))
        for record in records:
            body = json.dumps(record.body, sort_keys=True)
            print(f"{record.seq:>8}  {_time(record.at_ms)}  {record.kind:<10}  {record.table or '-'}  {body}")
    return 0


def run_backup(options: argparse.Namespace) -> int:
    path = _path(options)
    report = backup(path, Path(options.target), _key(options, path))
    if options.json:
        print(json.dumps({"target": options.target, **report.as_json()}))
    else:
        print(f"{options.target}: {report.records} records up to {report.last}; keep the key apart from it")
    return 0


# --- printing ---------------------------------------------------------------------------------------------------------


def _json_document(name: str, rows: Iterator[dict[str, Any]]) -> int:
    """One document, written row by row: a journal of years must not have to fit into memory."""
    out, between = sys.stdout, ""
    out.write(f'{{"{name}": [')
    for row in rows:
        out.write(between + json.dumps(row))
        between = ",\n"
    out.write("]}\n")
    return 0


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _row(record: Record, *, evidence: bool) -> dict[str, Any]:
    """A game: its place in the chain, and its body; the raw message only where evidence is wanted."""
    body = {name: value for name, value in record.body.items() if evidence or name != "wire"}
    place = {"seq": record.seq, "hash": record.hash, "kind": record.kind.value, "at": _time(record.at_ms)}
    return {**place, "table": record.table, "result_id": record.result_id, **body}


def _whole(record: Record) -> dict[str, Any]:
    place = {"seq": record.seq, "hash": record.hash, "prev": record.prev, "kind": record.kind.value}
    who = {"at": _time(record.at_ms), "table": record.table, "result_id": record.result_id}
    return {**place, **who, "body": record.body}
