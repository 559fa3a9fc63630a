"""Files that lose power: the same files as the controller's, on a disk of the host, with a budget of bytes.

When the budget is spent, the write under way stops at that byte and PowerCut goes up through the controller, past every
`except Exception`, as the end of power does. A rename or a remove costs one: it happens whole or not at all.
"""

import os
import random

from controller.files import Files


class PowerCut(BaseException):
    pass


class CutFiles(Files):
    def __init__(self, root, budget=None):
        self.budget = budget
        self.spent = 0
        super().__init__(root)

    def _afford(self, n):
        """How many of n bytes still reach the flash."""
        self.spent += n
        if self.budget is None:
            return n
        can = min(n, self.budget)
        self.budget -= can
        return can

    def _write(self, name, mode, data):
        with open(self._path(name), mode) as f:  # the file itself may already be there, empty
            can = self._afford(len(data))
            f.write(data[:can])
        if can < len(data):
            raise PowerCut

    def append(self, name, data):
        self._write(name, "ab", data)

    def replace(self, name, data):
        self._write(name + ".new", "wb", data)
        if not self._afford(1):
            raise PowerCut
        os.rename(self._path(name + ".new"), self._path(name))

    def remove(self, name):
        if not self._afford(1):
            raise PowerCut
        super().remove(name)


class FailingFiles(Files):
    """Appends that fail with EIO at a seeded rate, after none, part or all of the data has landed."""

    def __init__(self, root, seed, rate):
        super().__init__(root)
        self._random = random.Random(seed)
        self.rate = rate
        self.failures = 0

    def append(self, name, data):
        if self._random.random() >= self.rate:
            super().append(name, data)
            return
        self.failures += 1
        super().append(name, data[: self._random.choice((0, 1, len(data) // 2, len(data) - 1, len(data)))])
        raise OSError(5, "EIO")
