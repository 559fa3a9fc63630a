"""An update of this program: when one may come in, that it is whole and ours, and its trial at the next start.

Comes only in service, with every record committed, and goes into the slot that does not run: until the last step the table
is the old one. Reasons go to the host as events, and in the answer to the request to apply. Loaded when the first update is
offered: a table that plays does not pay for it. What was written is proved by hashes from flash, never from memory.
"""

import hashlib
import os
import struct

from dicewire import codes
from dicewire.image import HEAD, Head
from dicewire.messages import PROTO

from controller import fitted
from controller.selftest import KEY_FILE
from controller.slotwriter import INDEX_FILE, Index, SlotWriter, is_folder
from controller.target import const

JOIN_S = const(120)
_JOIN_LEAST_S = const(1)
_JOIN_MOST_S = const(3600)
_APPLY = "<H8s"  # seconds in which a host must join, schema that it will speak
_PIECE = const(1024)
_PIECES_A_TURN = const(8)  # about 20 ms of hashing on an RP2040
_WASTE = const(2560)  # of the last block of each file and of the folders' blocks, on average
_SPARE = const(65536)  # for the ring, settings and game tables


class Update:
    def __init__(self, parts, session):
        self._parts = parts
        self._session = session
        self._slots = getattr(parts.board, "slots", None)
        self._writer = None
        self._received = False
        self._wiping = []  # folders and files still to be removed, deepest last
        self._refusal = ""
        self._check = None  # the examination under way

    # ---- receiving ----

    def offered(self, size, sha256, wire_now):
        """The transfer is accepted now, or as soon as the slot is empty."""
        why_not = self._why_not()
        if why_not:
            self._refuse(why_not)
            self._session.bulk_refuse(codes.BULK_CODE_BUSY, wire_now)
            return
        self._drop()
        slot = self._slots.spare()
        self._writer = SlotWriter(self._slots.folder(slot), size, sha256, self._admit)
        try:
            self._slots.unmark(slot)
            if self._writer.resume():
                self._session.bulk_accept(self._writer, wire_now)
                return
        except (OSError, ValueError) as e:
            self._refuse(str(e))
            self._session.bulk_refuse(codes.BULK_CODE_REFUSED, wire_now)
            return
        self._wiping = [self._slots.folder(slot)]

    def _why_not(self):
        parts = self._parts
        if self._slots is None:
            return "this board has no slots"
        if (
            fitted.readers(parts.files) & fitted.CAMERA
        ):  # receiving, and starting out of a slot, have not been tried in the heap that pictures leave
            return "a table with a camera is updated at the bench"
        if self._slots.trial:
            return "an update is on trial"
        if parts.round.phase != codes.PHASE_SERVICE:
            return "enter service first"
        if parts.store.pending:
            return f"{parts.store.pending} records are not committed yet"
        return ""

    def _admit(self, head):
        """From the first bytes: is it for this board, by this table's key, and is there room?"""
        board = self._parts.board.name
        if head.board != board:
            raise ValueError(f"for the board {head.board}, this is {board}")
        key = self._parts.files.load(KEY_FILE)
        if not key or not head.signed_by(key):
            raise ValueError("not signed with this table's key")
        room = self._parts.files.free_bytes() - _SPARE
        if not self._writer.have and head.size + head.count * _WASTE > room:
            raise ValueError(f"needs {(head.size + head.count * _WASTE) >> 10} KB, {room >> 10} KB are free")

    def step(self, wire_now):
        """One file is removed a turn: each takes the flash some ms."""
        if not self._wiping:
            return
        try:
            if not self._remove_one():
                return
            self._writer.begin()
        except OSError as e:
            self._wiping = []
            self._refuse(f"the slot can't be emptied: {e}")
            self._session.bulk_refuse(codes.BULK_CODE_STORE_FAILED, wire_now)
            return
        self._session.bulk_accept(self._writer, wire_now)

    def _remove_one(self):
        """-> whether the slot is empty now."""
        path = self._wiping[-1]
        try:
            folder = is_folder(path)
        except OSError:
            self._wiping.pop()  # it was never there
            return not self._wiping
        names = os.listdir(path) if folder else None
        if names:
            self._wiping.append(path + "/" + names[0])
            return False
        if folder:
            os.rmdir(path)
        else:
            os.remove(path)
        self._wiping.pop()
        return not self._wiping

    def received(self):
        self._received = True
        self._refusal = ""
        self._writer.close()
        self._parts.events.add(codes.EVENT_UPDATE_RECEIVED, self._writer.head.total, self._writer.head.count)

    def ended(self, code):
        """The transfer has failed. What was written serves the next try only where the host merely stopped."""
        if self._writer is not None and code != codes.BULK_CODE_CANCELLED:
            wrong_hash = code == codes.BULK_CODE_WRONG_HASH
            self._refuse("its hash is wrong" if wrong_hash else self._writer.why or "the flash can't be written")
            self._writer.forget()
        self._drop()

    def _drop(self):
        if self._writer is not None:
            self._writer.close()
        self._writer = self._check = None
        self._received = False
        self._wiping = []

    def _refuse(self, why):
        self._refusal = why
        self._parts.events.add(codes.EVENT_UPDATE_REFUSED, 0, 0, why)

    # ---- applying ----

    def apply(self, data):
        """Begins the examination. ValueError with the reason why not."""
        why_not = self._why_not()
        if not why_not and not self._received:
            why_not = "no update has been received" + (": " + self._refusal if self._refusal else "")
        if why_not:
            raise ValueError(why_not)
        join_s, schema = struct.unpack(_APPLY, data) if len(data) == struct.calcsize(_APPLY) else (0, b"")
        if not _JOIN_LEAST_S <= join_s <= _JOIN_MOST_S:
            raise ValueError(f"apply: seconds to join, {_JOIN_LEAST_S} to {_JOIN_MOST_S}, and the host's schema")
        self._refusal = ""
        self._check = self._examine(join_s, schema)

    def go_on(self):
        """-> the version that starts next, or None while the examination goes on. ValueError: refused, nothing has changed."""
        try:
            for version in self._check:
                return version
        except (OSError, ValueError) as e:
            self._drop()
            self._refuse(str(e))
            raise ValueError(str(e)) from None
        return None

    def _examine(self, join_s, schema):
        """A generator, a piece of work a turn: everything again, from flash, before anything is switched."""
        slots, slot = self._slots, self._slots.spare()
        folder = slots.folder(slot)
        with open(folder + INDEX_FILE, "rb") as f:
            head = Head(f.read(HEAD))
        self._admit(head)
        if head.proto != PROTO or head.schema != schema:
            raise ValueError("it speaks another version of the wire than the host")
        whole, room = hashlib.sha256(), memoryview(bytearray(_PIECE))
        with open(folder + INDEX_FILE, "rb") as f:
            f.seek(HEAD)
            for n in _pieces(f, room):
                whole.update(room[:n])
        index, turns = Index(folder, head), 0
        while index.next():
            own, size = hashlib.sha256(), 0
            with open(folder + "/" + index.name, "rb") as f:
                for n in _pieces(f, room):
                    own.update(room[:n])
                    whole.update(room[:n])
                    size += n
                    turns += 1
                    if turns % _PIECES_A_TURN == 0:
                        yield None
            if size != index.size or own.digest() != index.sha256:
                raise ValueError(f"{index.name} is not as it was packed")
        if whole.digest() != head.sha256:
            raise ValueError("the image is not as it was packed")
        slots.mark(slot)
        slots.try_out(slot, join_s)
        yield head.version


def _pieces(f, room):
    n = f.readinto(room)
    while n:
        yield n
        n = f.readinto(room)
