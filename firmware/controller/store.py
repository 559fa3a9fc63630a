"""The flash ring: the last 100 spins and the state of the table, whole after a power cut at any byte.

An append-only log in segments of one flash block. A segment opens with a snapshot of the state, so older segments may
go; one goes only when 100 spins remain without it and every spin in it has been committed by the host. A torn tail is
never appended to: the next record opens a new segment. Spin numbers come from here and are never given twice.

Not for what the round does with a state (round.py), nor for the game table (gamefile.py) and settings (settings.py).
"""

import struct

from controller import records
from controller.records import CRC_SIZE, HEAD_SIZE, MAX_RECORD, NO_SPIN, RESULT, SNAPSHOT, START
from controller.target import const

SPINS_KEPT = const(100)
UNCOMMITTED_MAX = const(100)  # one more would have to push out a spin that the host has not journalled: hold instead
_SEGMENT_MAX = const(3900)  # with littlefs' own words it stays inside one block of 4096
_FREE_MIN = const(32768)  # below this no new spin is begun, so that its result always finds room
_SEGMENT = ".seg"

# What load() found; bits.
FORMATTED = const(1)
TORN = const(2)
CORRUPT = const(4)


class StoreError(Exception):
    """A record could not be made durable: what was to follow from it must not happen."""


class _Segment:
    def __init__(self, number):
        self.number = number
        self.name = f"{number:08x}{_SEGMENT}"
        self.first = 0  # first and last closed spin in it; 0 = none
        self.last = 0
        self.spins = 0
        self.size = 0
        self.ends_with_spin = False

    def count(self, spin):
        self.first = self.first or spin
        self.last = spin
        self.spins += 1

    def uncount(self):
        if self.ends_with_spin:
            self.spins -= 1
            self.last -= 1
            if not self.spins:
                self.first = self.last = 0


class Store:
    def __init__(self, files, entropy):
        self._files = files
        self._entropy = entropy
        self.state = records.State()
        self.seq = 0  # of the last record; as each costs about one erased block, also the measure of wear
        self.committed = 0
        self._segments = []
        self._tail_torn = False
        self._loaded = False  # what was not read must not be written over
        self._buf = bytearray(MAX_RECORD)

    # ---- start-up ----

    def load(self):
        """Read everything back; make a new store where there is none. -> FORMATTED | TORN | CORRUPT.

        Raises OSError where it can't be read: then nothing of it counts, and nothing is written until the next start.
        """
        try:
            return self._load()
        except OSError:
            self._segments.clear()
            self.state = records.State()
            self.seq = self.committed = 0
            raise

    def _load(self):
        found = 0
        for name in self._files.names(_SEGMENT):
            found |= self._load_segment(name)
        if not self._segments:
            found |= FORMATTED
            self.state.epoch = bytes(self._entropy(4))
            self._open_segment()
        oldest = self._segments[0].first
        if oldest and self.committed < oldest - 1:
            self.committed = oldest - 1  # it went, so it had been committed
        self._loaded = True
        return found

    def _load_segment(self, name):
        segment = _Segment(int(name[: -len(_SEGMENT)], 16))
        found = 0
        with self._files.open(name) as f:
            while True:
                kind, size = self._read_record(f, segment.size)
                if kind == 0:
                    break
                if kind < 0:  # not a record: the torn end, or damage with good records behind it
                    skipped = self._resync(f, segment.size)
                    if not skipped:
                        found |= TORN
                        self._tail_torn = True
                        break
                    found |= CORRUPT
                    segment.size += skipped
                    continue
                found |= self._follow(segment, kind)
                segment.size += size
                self._tail_torn = False
            length = f.seek(0, 2)
        if segment.size == 0:  # cut while it was being born: nothing in it was ever relied upon
            self._files.remove(name)
            return TORN if length <= MAX_RECORD else CORRUPT
        self._segments.append(segment)
        return found

    def _read_record(self, f, offset):
        """-> (kind, size) with the record in the buffer; (0, 0) at the end of the file; (-1, 0) for no record."""
        f.seek(offset)
        got = f.readinto(self._buf)
        if not got:
            return 0, 0
        head = records.parse_head(self._buf) if got >= HEAD_SIZE else None
        if head is None:
            return -1, 0
        size = HEAD_SIZE + head[1] + CRC_SIZE
        if size > got or not records.sound(self._buf, size):
            return -1, 0
        return head[0], size

    def _resync(self, f, start):
        """Bytes from the damage to the next good record, 0 when none follows. Slow, and only ever run on damage."""
        offset = start
        kind = -1
        while kind < 0:
            offset += 1
            kind, _ = self._read_record(f, offset)
        return offset - start if kind else 0

    def _follow(self, segment, kind):
        _, length, seq, committed = records.parse_head(self._buf)
        body = memoryview(self._buf)[HEAD_SIZE : HEAD_SIZE + length]
        gap = 0
        if seq == self.seq and segment.size == 0 and self._segments:
            # The record before was reported as not written, landed all the same, and was written again after this.
            self._segments[-1].uncount()
        elif self.seq and seq != self.seq + 1:
            gap = CORRUPT
        self.seq = seq
        self.committed = max(self.committed, committed)
        self.state.apply(kind, body)
        segment.ends_with_spin = kind in (RESULT, NO_SPIN)
        if segment.ends_with_spin:
            segment.count(struct.unpack_from("<I", body)[0])
        return gap

    # ---- writing ----

    def _append(self, kind, body):
        if not self._loaded:
            raise StoreError("flash: it could not be read at the start")
        segment = self._segments[-1]
        if self._tail_torn or segment.size + HEAD_SIZE + len(body) + CRC_SIZE > _SEGMENT_MAX:
            self._open_segment()
            segment = self._segments[-1]
        data = records.seal(kind, self.seq + 1, self.committed, body)
        try:
            self._files.append(segment.name, data)
        except OSError as e:
            self._tail_torn = True  # how much of it arrived is unknown
            raise StoreError(f"flash: record not written: {e}") from None
        self.seq += 1
        segment.size += len(data)
        self.state.apply(kind, body)
        return segment

    def _open_segment(self):
        segment = _Segment(self._segments[-1].number + 1 if self._segments else 1)
        data = records.seal(SNAPSHOT, self.seq + 1, self.committed, self.state.pack())
        try:
            if segment.name in self._files.names(_SEGMENT):
                self._files.remove(segment.name)
            self._files.append(segment.name, data)
        except OSError as e:
            raise StoreError(f"flash: segment {segment.name} not opened: {e}") from None
        self.seq += 1
        segment.size = len(data)
        self._segments.append(segment)
        self._tail_torn = False
        self._drop_old()

    def _drop_old(self):
        kept = sum(s.spins for s in self._segments)
        while len(self._segments) > 1:
            oldest = self._segments[0]
            if kept - oldest.spins < SPINS_KEPT or oldest.last > self.committed:
                return
            try:
                self._files.remove(oldest.name)
            except OSError as e:
                raise StoreError(f"flash: old segment {oldest.name} not removed: {e}") from None
            self._segments.pop(0)
            kept -= oldest.spins

    def save_state(self):
        """Make the state as it stands durable (lock, paid, closing, game in use)."""
        self._append(SNAPSHOT, self.state.pack())

    def begin_spin(self):
        """Take the next spin number. Durable before the motor turns: a number seen once is never given again."""
        if self.state.open_spin:
            raise StoreError(f"spin {self.state.open_spin} has not ended")
        spin = self.state.next_spin
        self._append(START, struct.pack("<I", spin))
        return spin

    def end_spin(self, kind, values):
        """Store a RESULT or NO_SPIN. Only when this returns may lamps be lit or anything be sent."""
        self._append(kind, records.pack(kind, values)).count(values["spin"])

    def commit(self, spin):
        """The host has journalled this spin. Only the oldest uncommitted one counts; True when it was that one."""
        if spin != self.committed + 1 or spin > self.state.last_spin:
            return False
        self.committed = spin
        return True

    def close(self):
        """Nothing is stored any more, so nothing is played, until the next start."""
        self._loaded = False

    def erase(self):
        """Forget everything. Nothing can be stored until the next start, which makes a new epoch."""
        self.close()
        for name in self._files.names(_SEGMENT):
            self._files.remove(name)

    # ---- looking ----

    @property
    def pending(self):
        return self.state.last_spin - self.committed

    def has_room(self):
        return self.pending < UNCOMMITTED_MAX and self._files.free_bytes() >= _FREE_MIN

    def spins_kept(self):
        return sum(s.spins for s in self._segments)

    def oldest_spin(self):
        for segment in self._segments:
            if segment.first:
                return segment.first
        return 0

    def fetch(self, spin):
        """-> (RESULT or NO_SPIN, values) of a spin still in the ring, else None."""
        for segment in self._segments:
            if segment.first and segment.first <= spin <= segment.last:
                return self._fetch_from(segment, spin)
        return None

    def _fetch_from(self, segment, spin):
        offset = 0
        with self._files.open(segment.name) as f:
            while True:
                kind, size = self._read_record(f, offset)
                if kind == 0:
                    return None
                if kind in (RESULT, NO_SPIN) and struct.unpack_from("<I", self._buf, HEAD_SIZE)[0] == spin:
                    return kind, records.unpack(kind, memoryview(self._buf)[HEAD_SIZE : size - CRC_SIZE])
                offset += size if kind > 0 else 1
