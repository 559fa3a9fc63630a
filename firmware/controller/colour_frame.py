"""A picture in colour as bytes to send: luma, then U and V of every fourth pixel and row. For teaching option B's symbols.

Like evidence.py's FrameSource it reads luma again out of the camera's own memory; chroma is kept, 9.6 KB.
"""

import binascii
import hashlib

_STRIP = 8
_CHROMA = 4800


class ColourSource:
    def __init__(self, camera, strip, u=None, v=None):
        self._camera = camera
        self._strip = strip
        self._row = -1
        self._u = u or bytearray(_CHROMA)
        self._v = v or bytearray(_CHROMA)
        self._luma = camera.width * camera.height
        self.size = self._luma + 2 * _CHROMA
        total = hashlib.sha256()
        crc = 0
        camera.rewind()
        for row in range(0, camera.height, _STRIP):
            camera.read_rows_into(strip, row, _STRIP, self._u, self._v)
            total.update(strip)
            crc = binascii.crc32(strip, crc)
        if crc != camera.crc:
            raise OSError("camera: its memory gives another picture than before")
        total.update(self._u)
        total.update(self._v)
        self.sha256 = total.digest()
        camera.rewind()

    def read_into(self, offset, view):
        for start, plane in ((self._luma, self._u), (self._luma + _CHROMA, self._v)):
            if start <= offset < start + _CHROMA:
                n = min(len(view), start + _CHROMA - offset)
                view[:n] = memoryview(plane)[offset - start : offset - start + n]
                return n
        width = self._camera.width
        row = offset // width // _STRIP * _STRIP
        if row != self._row:
            if row < self._row:
                self._camera.rewind()
            self._camera.read_rows_into(self._strip, row, _STRIP)
            self._row = row
        at = offset - row * width
        n = min(len(view), _STRIP * width - at)
        view[:n] = memoryview(self._strip)[at : at + n]
        return n
