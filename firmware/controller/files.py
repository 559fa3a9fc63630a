"""The controller's files in flash: append, replace whole, read. The seam where a test or simulator tears writes.

Knows nothing of what is in them. On littlefs an append is durable when the file is closed, and a rename is atomic; the
callers are written so that a torn append is recognised too.
"""

import os

_NEW = ".new"
_ABSENT = 2  # ENOENT
_DIRECTORY = 0x4000


class Files:
    def __init__(self, root):
        self.root = root
        self._make_root()
        for name in self.names(_NEW):  # a replacement that the power cut: the old file still stands
            self.remove(name)

    def _make_root(self):
        try:
            os.stat(self.root)
        except OSError:
            os.mkdir(self.root)

    def _path(self, name):
        return self.root + "/" + name

    def names(self, ending):
        """Names with this ending, sorted."""
        return sorted(n for n in os.listdir(self.root) if n.endswith(ending))

    def open(self, name):
        return open(self._path(name), "rb")

    def load(self, name):
        """The whole file, or None when there is none. One that is there and can't be read raises: it is not absent."""
        try:
            with self.open(name) as f:
                return f.read()
        except OSError as e:
            if e.args[0] != _ABSENT:
                raise
            return None

    def readable(self):
        """Whether every file can be read to its end."""
        room = bytearray(256)
        try:
            for name in self.names(""):
                if os.stat(self._path(name))[0] & _DIRECTORY:
                    continue
                with self.open(name) as f:
                    while f.readinto(room):
                        pass
        except OSError:
            return False
        return True

    def append(self, name, data):
        with open(self._path(name), "ab") as f:
            f.write(data)

    def replace(self, name, data):
        """Old content or new content after a cut at any moment, never a mixture."""
        with open(self._path(name + _NEW), "wb") as f:
            f.write(data)
        os.rename(self._path(name + _NEW), self._path(name))

    def remove(self, name):
        os.remove(self._path(name))

    def free_bytes(self):
        s = os.statvfs(self.root)
        return s[0] * s[3]
