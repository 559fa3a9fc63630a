"""The picture that a no spin was called by: sent to the host as a bulk transfer out of the camera's own memory.

The frame stays in the camera's FIFO until the next one is taken, so keeping it costs the controller nothing. A new reading
takes it away: what has not gone by then is told as lost. Not for a technician's picture of now: service.py, same source.
"""

import binascii
import hashlib
import struct

from dicewire import codes

_HEAD = "<4sIHHHH"
_MAGIC = b"TEV1"
_STRIP = 8


class FrameSource:
    """The frame in the camera's FIFO as bytes to send, after `head`; read again from its first row as often as needed."""

    def __init__(self, camera, strip, head=b""):
        self._camera = camera
        self._strip = strip
        self._head = head
        self._row = -1  # first row in the strip; -1: none
        self.size = len(head) + camera.width * camera.height
        total = hashlib.sha256(head)
        crc = 0
        camera.rewind()
        for row in range(0, camera.height, _STRIP):
            camera.read_rows_into(strip, row, _STRIP)
            total.update(strip)
            crc = binascii.crc32(strip, crc)
        if crc != camera.crc:
            raise OSError("camera: its memory gives another picture than before")
        self.sha256 = total.digest()
        camera.rewind()

    def read_into(self, offset, view):
        head = len(self._head)
        if offset < head:
            n = min(len(view), head - offset)
            view[:n] = self._head[offset : offset + n]
            return n
        width = self._camera.width
        at = offset - head
        row = at // width // _STRIP * _STRIP
        if row != self._row:
            if row < self._row:
                self._camera.rewind()
            self._camera.read_rows_into(self._strip, row, _STRIP)
            self._row = row
        at -= row * width
        n = min(len(view), _STRIP * width - at)
        view[:n] = memoryview(self._strip)[at : at + n]
        return n


class Evidence:
    """keep() at a refusal; step() offers it once a session is up; drop() before the camera takes another picture."""

    def __init__(self, camera, strip, events):
        self._camera = camera
        self._strip = strip
        self._events = events
        self.session = None
        self._spin = 0  # whose picture waits
        self._head = b""
        self._source = None
        self.sent = self.lost = 0

    def keep(self, spin, cause, detail):
        self._spin = spin
        self._head = struct.pack(_HEAD, _MAGIC, spin, self._camera.width, self._camera.height, cause, detail)

    def drop(self):
        """The camera is needed: an unfinished transfer ends, and is told."""
        if not self._spin:
            return
        if self._source is not None:
            self.session.bulk_cancel(0)
        self._lose("another spin was read first")

    def _lose(self, why):
        self.lost += 1
        self._events.add(codes.EVENT_EVIDENCE_LOST, self._spin, 0, why)
        self._spin = 0
        self._source = None

    def step(self, now):
        if not self._spin or self._source is not None or self.session is None or not self.session.up:
            return
        try:
            source = FrameSource(self._camera, self._strip, self._head)
        except OSError as e:
            self._lose(str(e))
            return
        if self.session.bulk_send(codes.BULK_EVIDENCE, source, now):
            self._source = source

    def ended(self, well):
        """The transfer is over."""
        if self._source is None:
            return
        if well:
            self.sent += 1
            self._spin = 0
            self._source = None
        else:
            self._lose("the host did not take it")
