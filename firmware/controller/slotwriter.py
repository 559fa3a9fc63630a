"""An update's image on its way into a slot: the sink of the bulk transfer. Each file is written where it will be started from.

Nothing is held in memory but the head and the piece under way. What was received before a power cut is found again in flash
(every file that is whole), so a transfer goes on where it stood. Not for whether an image may come, nor for checking it
afterwards: update.py.
"""

import os
import struct

from dicewire.image import ENTRY, HEAD, Head, entry_start, sound_name

INDEX_FILE = "/index"
OFFER_FILE = "/offer"  # hash and size of the image that this slot is for
_DIRECTORY = 0x4000


def is_folder(path):
    return os.stat(path)[0] & _DIRECTORY != 0


def make_folder(path):
    try:
        os.mkdir(path)
    except OSError:
        os.stat(path)  # there already, or it raises


class Index:
    """Walks through the index in flash: `next()` sets name, size, sha256 and where the file's content starts in the image."""

    def __init__(self, folder, head):
        self._path = folder + INDEX_FILE
        self._head = head
        self._at = HEAD
        self.number = 0
        self.start = HEAD + head.index_size
        self.name, self.size, self.sha256 = "", 0, b""

    def next(self):
        """-> whether there was one more. ValueError where the index is not sound."""
        if self.number == self._head.count:
            return False
        self.start += self.size
        with open(self._path, "rb") as f:
            f.seek(self._at)
            self.sha256, self.size, letters = entry_start(f.read(ENTRY))
            self.name = sound_name(f.read(letters))
        self._at += ENTRY + letters
        self.number += 1
        if self._at > HEAD + self._head.index_size or self.start + self.size > self._head.size:
            raise ValueError("the index does not fit its image")
        return True


class SlotWriter:
    """`check(head)` raises ValueError, with the reason, where this image may not come in."""

    def __init__(self, folder, size, sha256, check):
        self._folder = folder
        self._size = size
        self._check = check
        self._offer = sha256 + struct.pack("<I", size)
        self.head = None
        self.have = 0
        self._start = b""  # of the head, while it is not whole
        self._file = None
        self._left = 0  # bytes of the file under way
        self._index = None
        self.why = ""  # what the last write failed of
        self._again = None
        self._reading = (
            None  # (file, where it starts in the image, where it ends), for the hash of what is there already
        )

    # ---- beginning, and going on ----

    def begin(self):
        """An empty slot for this image."""
        make_folder(self._folder)
        with open(self._folder + OFFER_FILE, "wb") as f:
            f.write(self._offer)

    def resume(self):
        """-> whether this slot holds a part of the same image; `have` says how much."""
        try:
            with open(self._folder + OFFER_FILE, "rb") as f:
                if f.read() != self._offer:
                    return False
            with open(self._folder + INDEX_FILE, "rb") as f:
                head = Head(f.read(HEAD))
            if os.stat(self._folder + INDEX_FILE)[6] != HEAD + head.index_size:
                return False
        except (OSError, ValueError):
            return False
        self._check(head)
        self.head = head
        self._index = Index(self._folder, head)
        self.have = self._index.start
        self._next_file(True)
        return True

    # ---- what comes in ----

    def write(self, view):
        at = 0
        try:
            while at < len(view):
                at += self._take(view[at:])
        except (OSError, ValueError) as e:
            self.why = str(e)
            raise
        self.have += at

    def _take(self, view):
        if self.head is None:
            return self._take_head(view)
        if not self._left:
            raise ValueError("the image is longer than its index says")
        n = min(len(view), self._left)
        self._file.write(view[:n])
        self._left -= n
        if not self._left:
            self._file.close()
            self._file = None
            if self._index is None:
                self._index = Index(self._folder, self.head)
            self._next_file(False)
        return n

    def _take_head(self, view):
        n = min(len(view), HEAD - len(self._start))
        self._start += bytes(view[:n])
        if len(self._start) == HEAD:
            head = Head(self._start)
            if head.size != self._size or not head.count:
                raise ValueError("the image is not whole")
            self._check(head)
            self.head = head
            self._file = open(self._folder + INDEX_FILE, "wb")
            self._file.write(self._start)
            self._left = head.index_size
        return n

    def _next_file(self, resuming):
        """Opens the next file that has something to receive. Those that are whole already count as received."""
        index = self._index
        while index.next():
            path = self._folder + "/" + index.name
            if resuming and _size_of(path) == index.size:
                self.have += index.size
                continue
            resuming = False
            self._make_folders(index.name)
            self._file = open(path, "wb")
            self._left = index.size
            if index.size:
                return
            self._file.close()
            self._file = None

    def _make_folders(self, name):
        path = self._folder
        for part in name.split("/")[:-1]:
            path += "/" + part
            make_folder(path)

    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None
        self._stop_reading()

    def forget(self):
        """What is here is of no use: the next transfer begins at its first byte."""
        self.close()
        try:
            os.remove(self._folder + OFFER_FILE)
        except OSError:
            return  # there was none yet

    # ---- what is there already ----

    def read_into(self, offset, view):
        """In rising order from 0, as the transfer's hash wants it."""
        if not offset:
            self._stop_reading()
            self._again = Index(self._folder, self.head)
            self._reading = (open(self._folder + INDEX_FILE, "rb"), 0, self._again.start)
        while offset >= self._reading[2]:
            if not self._again.next():
                return 0
            self._stop_reading()
            start = self._again.start
            self._reading = (open(self._folder + "/" + self._again.name, "rb"), start, start + self._again.size)
        n = min(len(view), self._reading[2] - offset)
        return self._reading[0].readinto(view[:n])

    def _stop_reading(self):
        if self._reading is not None:
            self._reading[0].close()
            self._reading = None


def _size_of(path):
    try:
        return os.stat(path)[6]
    except OSError:
        return -1
