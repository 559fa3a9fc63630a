"""Bulk transfers of a session, both ways: joins `bulk` (what a transfer is) with the link (when a message may go).

Not here: sources and sinks, and what a transfer is for; the session's owner has those.
"""

import struct

from dicewire.bulk import DATA_HEAD, BulkReceiver, BulkSender
from dicewire.codes import BULK_CODE_CANCELLED, BULK_CODE_OK
from dicewire.events import BULK_DONE, BULK_FAILED, BULK_OFFER
from dicewire.frame import CRC, HEAD
from dicewire.link import Link
from dicewire.messages import BULK_CANCEL, BULK_DATA, BULK_END, BULK_GRANT, BULK_START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_PRIORITY = 2


class Transfers:
    def __init__(
        self,
        link: Link,
        first: int,
        queue: "Callable[[int, dict[str, Any]], bool]",
        tell: "Callable[[tuple[Any, ...]], None]",
    ) -> None:
        self._link = link
        self._queue = queue
        self._tell = tell
        self.out = BulkSender(first)
        self.into = BulkReceiver()

    def cancel(self) -> bool:
        if not self.out.cancel(BULK_CODE_CANCELLED):
            return False
        self._tell((BULK_FAILED, self.out.kind, BULK_CODE_CANCELLED, True))
        return True

    def received(self) -> None:
        """The incoming transfer is over."""
        into = self.into
        self._over(into.kind, into.sha256, into.code, False)

    def data(self, view: memoryview) -> None:
        """A BULK_DATA payload, read without the codec: it is the one message that comes by the thousand."""
        if len(view) > DATA_HEAD:
            transfer, offset = struct.unpack_from("<BI", view, 0)
            if self.into.data(transfer, offset, view[DATA_HEAD:]):
                self.received()

    def message(self, number: int, values: "dict[str, Any]") -> None:
        """Any other bulk message."""
        out, into, transfer = self.out, self.into, values["transfer"]
        if number == BULK_START:
            kind = into.kind
            news = into.started(transfer, values["kind"], values["size"], values["sha256"])
            if news == 2:
                self._tell((BULK_FAILED, kind, BULK_CODE_CANCELLED, False))
            if news:
                self._tell((BULK_OFFER, values["kind"], values["size"], values["sha256"]))
        elif number == BULK_GRANT:
            out.granted(transfer, values["offset"], values["until"])
        elif number == BULK_END:
            sha256 = out.source.sha256 if out.source is not None else b""
            if out.ended(transfer):
                self._over(out.kind, sha256, values["code"], True)
        elif number == BULK_CANCEL and into.cancelled(transfer):
            self._tell((BULK_FAILED, into.kind, values["code"], False))

    def due(self) -> bool:
        """Whether step() or piece() has something to queue."""
        out, into = self.out, self.into
        owed = out.start_due or out.cancel_due or into.grant_due or into.end_due
        return (owed and self._link.room(1) > 0) or (out.has_data() and self._link.bulk_room())

    def step(self) -> None:
        """Queues what the transfers owe. What finds no slot now is owed still and goes at the next turn."""
        out, into = self.out, self.into
        if into.end_due:
            into.end_due = not self._queue(BULK_END, {"transfer": into.transfer, "code": into.code})
        if into.grant_due:
            grant = {"transfer": into.transfer, "offset": into.offset, "until": into.until()}
            into.grant_due = not self._queue(BULK_GRANT, grant)
        if out.cancel_due:
            out.cancel_due = not self._queue(BULK_CANCEL, {"transfer": out.transfer, "code": out.code})
        if out.start_due and out.source is not None:
            source = out.source
            start = {"transfer": out.transfer, "kind": out.kind, "size": source.size, "sha256": source.sha256}
            out.start_due = not self._queue(BULK_START, start)

    def piece(self) -> bool:
        """Makes one BULK_DATA when nothing better waits. Whether it did."""
        out, link = self.out, self._link
        if not out.has_data() or not link.bulk_room():
            return False
        slot = link.take(_PRIORITY)
        if slot is None:
            return False
        n = out.fill(slot.view[: link.max_frame - HEAD - CRC])
        if not n:
            link.drop(slot)
            self._tell((BULK_FAILED, out.kind, out.code, True))
            return False
        link.queue(slot, BULK_DATA, n, _PRIORITY, False)
        return True

    def _over(self, kind: int, sha256: bytes, code: int, outgoing: bool) -> None:
        if code == BULK_CODE_OK:
            self._tell((BULK_DONE, kind, sha256, outgoing))
        else:
            self._tell((BULK_FAILED, kind, code, outgoing))
