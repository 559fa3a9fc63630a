"""The journal's file: its tables, its pragmas and how it is opened. The only place that knows SQL for its shape.

WAL lets anyone read while the daemon writes; synchronous=FULL makes a commit mean "on disk" (one sync of the log).
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from tumbler.journal.errors import JournalCorrupt, JournalMissing, JournalUnwritable, NotAJournal, from_sqlite

APPLICATION_ID = 0x54554D42  # "TUMB", so that `file` and a careless operator can tell
FORMAT = 1

# record.game: the result_id, where this record is what its spin ended in; so a spin is in the journal once.
# meta.head: the signed end of the chain, written in the transaction of the last record.
# meta.base: the signed statement that stands in for a pruned beginning (see retention.py).
SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE record (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  tbl TEXT NOT NULL,
  game TEXT,
  at_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  seal BLOB NOT NULL
);
CREATE UNIQUE INDEX record_game ON record (tbl, game);
CREATE INDEX record_by_kind ON record (kind, tbl, seq);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tbl TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  topic TEXT NOT NULL,
  payload BLOB NOT NULL,
  qos INTEGER NOT NULL,
  expiry_s INTEGER
);
CREATE INDEX outbox_by_table ON outbox (tbl, id);
"""

CACHE_KIB = 512  # each of the daemon's two connections; reads are by key, a bigger cache buys nothing
WAL_PAGES = 1000  # about 4 MB of log before it is folded into the file


def open_writer(path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    """The connection that writes; makes the file when it is not there. The caller holds the writer's lock."""
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=factory)
    except sqlite3.Error as error:
        raise from_sqlite(error, path) from error
    try:
        check_format(db, path, may_be_empty=True)  # before anything is written: it may be someone else's database
        for pragma in (
            "synchronous=FULL",
            f"cache_size=-{CACHE_KIB}",
            f"wal_autocheckpoint={WAL_PAGES}",
            "temp_store=MEMORY",
        ):
            db.execute(f"PRAGMA {pragma}")
        if db.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise JournalUnwritable(f"journal {path}: the file system has no write-ahead log; use a local disk")
    except sqlite3.Error as error:
        db.close()
        raise from_sqlite(error, path) from error
    except BaseException:
        db.close()
        raise
    return db


def create(db: sqlite3.Connection) -> None:
    """The tables, inside the caller's transaction: a journal is born with its first record or not at all."""
    for statement in SCHEMA.split(";"):
        if statement.strip():
            db.execute(statement)
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={FORMAT}")


def is_empty(db: sqlite3.Connection) -> bool:
    return int(db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]) == 0


def check_format(db: sqlite3.Connection, path: Path, *, may_be_empty: bool) -> None:
    if may_be_empty and is_empty(db):
        return
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise NotAJournal(f"journal {path}: is a database, but not a journal of Tumbler; check the path")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != FORMAT:
        raise JournalCorrupt(
            f"journal {path}: has format {version}, this program knows {FORMAT}; use the newer program"
        )


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, beside a running daemon or on a copy on a read-only disk."""
    if not path.is_file():
        what = "is not a file" if path.exists() else "there is no such file"
        raise JournalMissing(f"journal {path}: {what}")
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    if not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        uri += "&immutable=1"  # SQLite would want to make a shared-memory file beside it
    try:
        db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise from_sqlite(error, path) from error
    try:
        db.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
        check_format(db, path, may_be_empty=False)
    except sqlite3.Error as error:
        db.close()
        raise from_sqlite(error, path) from error
    except BaseException:
        db.close()
        raise
    return db


def sync_folder(path: Path) -> None:
    """So that the names of new files survive a power cut too."""
    fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
