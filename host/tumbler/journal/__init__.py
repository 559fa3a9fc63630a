"""The durable record, and the outbox that lives in it.

journal = Journal.open(path)                    # one writer; JournalError says what is wrong
record = journal.append("result", "t1", body, result_id=rid, publish=lambda record: [Publication(topic, payload)])
record = await journal.append_async(...)        # the same, with one sync for all that wait
journal.has_result("t1", rid), journal.last("t1", 20), journal.verify(), journal.retain(Retention(days=400))
journal.outbox                                  # for tumbler.mqtt
"""

from tumbler.journal.errors import (
    DuplicateResult,
    JournalClosed,
    JournalCorrupt,
    JournalError,
    JournalFull,
    JournalKeyError,
    JournalLocked,
    JournalMissing,
    JournalUnwritable,
    NotAJournal,
)
from tumbler.journal.journal import Journal
from tumbler.journal.outbox import Outbox, OutboxItem, Publication
from tumbler.journal.reader import JournalReader
from tumbler.journal.record import Kind, Record
from tumbler.journal.retention import Retention
from tumbler.journal.verify import Fault, Finding, Report

__all__ = [
    "DuplicateResult",
    "Fault",
    "Finding",
    "Journal",
    "JournalClosed",
    "JournalCorrupt",
    "JournalError",
    "JournalFull",
    "JournalKeyError",
    "JournalLocked",
    "JournalMissing",
    "JournalReader",
    "JournalUnwritable",
    "Kind",
    "NotAJournal",
    "Outbox",
    "OutboxItem",
    "Publication",
    "Record",
    "Report",
    "Retention",
]
