"""The program run in place: the code of a function stays in flash, where its file lies, and leaves the heap.

MicroPython loads a module's code into the heap and never changes it there: the same bytes are in the module's file. Right after
an import, when none of its functions runs, each of them is pointed at those bytes and the collector takes the copy. A function
is moved only where both are equal, byte for byte, so what runs is what was loaded. Which blocks of the flash a file has is
learned from the file system itself; a file of the running program is never written again (slots.py), so they stay.
On a MicroPython whose objects this file does not know, nothing is moved and all runs from the heap. Decision 0008.
"""

import builtins
import sys
from array import array
from struct import unpack, unpack_from

from machine import mem32
from micropython import const
from uctypes import bytearray_at

_MPY = const(0x306)  # bytecode 6.3
_MPY_VERSION = const(0x3FF)
_BLOCK = const(4096)
_WORD = const(4)
_XIP = const(0x10000000)
_FLASH_BYTES = const(2 * 1024 * 1024)  # a Pico's; its file system is at the end
_RAM = const(0x20000000)
_RAM_END = const(0x20042000)
# words of a function object, and of the code of a function inside another
_CHILDREN, _CODE = const(8), const(12)
_INNER_CODE, _INNER_CHILDREN = const(4), const(8)
_PROPERTY_FUNCTIONS = const(3)

# The end of a module's file (host/tumbler/update/inplace.py): names of modules, a byte out of each function, a row for each, and
# how many of all
_MARK = const(2)  # the third byte, which is the function's name
_ROW_FORM = "<HHB"  # where, length, functions inside it
_ROW = const(5)
_END_FORM = "<HB3s"
_END = const(6)
_MAGIC = b"ROW"
_FUNCTIONS = ("function", "generator")  # viper's are called so too
_LEAST = const(16)  # bytes that are compared to know that a block is the file's

_import = __import__
_disk: "Disk | None" = None  # kept from begin() to loaded(), then made when a module is loaded
# addresses of the heap's copies of this file's own code, which runs while it is moved: the collector sees them
_kept: "array | None" = array("I")


class Disk:
    """The flash, as the file system reads it: says which block a part of a file was read from."""

    def __init__(self, flash, file_system):
        self._flash = flash
        self.block = 0
        self._end = flash.ioctl(4, 0) * _BLOCK
        self._files = file_system(self, progsize=256)

    def readblocks(self, block, room, offset=0):
        self.block = block
        return self._flash.readblocks(block, room, offset)

    def writeblocks(self, block, data, offset=0):
        raise OSError(30)  # only read

    def ioctl(self, op, arg):
        return self._flash.ioctl(op, arg) if op in (4, 5) else 0

    def open(self, path):
        return self._files.open(path, "rb")

    def address(self, block):
        return _XIP + _FLASH_BYTES - self._end + block * _BLOCK


class Rows:
    """Where the functions of one module lie. OSError, ValueError where that can't be known."""

    def __init__(self, disk, path):
        # (first byte of the file in it, address of that byte), the last block first
        self._blocks: list[tuple[int, int]] = []
        with disk.open(path) as f:
            size = f.seek(0, 2)
            f.seek(size - _END)
            names, count, magic = unpack(_END_FORM, f.read(_END))
            if magic != _MAGIC:
                raise ValueError
            f.seek(size - _END - count * (_ROW + 1) - names)
            self.needs = f.read(names).decode().split("\n") if names else ()  # modules to be loaded before it
            self._marks = f.read(count)
            self._rows = f.read(count * _ROW)
            start = skip = number = 0
            while start < size:
                f.seek(start)
                head = f.read(_LEAST)
                at = disk.address(disk.block) + skip
                if bytearray_at(at, len(head)) != head:
                    raise ValueError  # a short file stands between others', and moves
                self._blocks.insert(0, (start, at))
                start += _BLOCK - skip
                number += 1
                skip = _pointers(number) * _WORD

    def place(self, code):
        """-> (address in flash, functions inside it) of the function whose code is here in the heap; (0, 0) for none."""
        mark = bytes(bytearray_at(code + _MARK, 1))
        row = self._marks.find(mark)
        while row >= 0:
            where, length, inside = unpack_from(_ROW_FORM, self._rows, row * _ROW)
            at = self._address(where)
            if bytearray_at(at, length) == bytearray_at(code, length):
                return at, inside
            row = self._marks.find(mark, row + 1)
        return 0, 0

    def _address(self, where):
        for start, at in self._blocks:
            if start <= where:
                return at + where - start
        return 0


def _pointers(number):
    """To blocks before it, that this block of a file begins with: one, and one more for each time that two divides its number."""
    n = 1
    while not number & 1:
        number >>= 1
        n += 1
    return n


class Mover:
    """Moves what one module defines."""

    def __init__(self, rows, keep=None):
        self._rows = rows
        self._keep = keep

    def names(self, names, classes=2):
        """`classes`: how deep they are looked into; two that name each other must not be looked into for ever."""
        for value in names.values():
            kind, at = type(value), id(value)
            if at < _RAM:
                continue  # MicroPython's own
            if kind is type:
                if classes:
                    self.names(value.__dict__, classes - 1)
            elif kind is property:
                for k in range(1, 1 + _PROPERTY_FUNCTIONS):
                    self._held(mem32[at + k * _WORD])
            elif kind is staticmethod or kind is classmethod:
                self._held(mem32[at + _WORD])
            elif kind.__name__ in _FUNCTIONS:
                self._function(at)

    def _held(self, at):
        """What a property has: a function, or None."""
        if _RAM <= at < _RAM_END and not at & 3 and mem32[at] == mem32[id(_known)]:
            self._function(at)

    def _function(self, at):
        inside = self._code(at + _CODE)
        self._inner(mem32[at + _CHILDREN], inside)

    def _code(self, word):
        """-> how many functions are inside the one whose code this word points at."""
        code = mem32[word]
        if not _RAM <= code < _RAM_END:
            return 0
        flash, inside = self._rows.place(code)
        if flash:
            if self._keep is not None:
                self._keep.append(code)
            mem32[word] = flash
        return inside

    def _inner(self, table, inside):
        for k in range(inside):
            at = mem32[table + k * _WORD]
            self._inner(mem32[at + _INNER_CHILDREN], self._code(at + _INNER_CODE))


def _known(n):
    return [n - k for k in range(n)]


def begin():
    """-> whether the code of what is imported from here on leaves the heap."""
    global _disk
    if sys.implementation._mpy & _MPY_VERSION != _MPY:
        return False
    _disk = _new_disk()
    _move(__name__, _rows(__name__), _kept)
    at = id(_known)
    if mem32[at + _CODE] >= _RAM or mem32[mem32[mem32[at + _CHILDREN]] + _INNER_CODE] >= _RAM or _known(2) != [2, 1]:
        _disk = None  # objects of another form: none of their words led to the same bytes, nothing has been changed
        return False
    if "slots" in sys.modules:
        _move("slots", _rows("slots"))
    builtins.__import__ = _loads
    return True


def loaded():
    """The program is: what it was moved with is given back. What is loaded later is moved as well."""
    global _disk
    _disk = None


def _loads(name, *rest):
    """What `import` calls from begin() on."""
    global _disk, _kept
    if "." in name and name not in sys.modules:  # the program's modules are in folders; MicroPython's own are not
        _kept = None  # what ran out of the heap has returned
        disk = _disk
        try:
            _disk = disk or _new_disk()
            rows = _rows(name)
            for needed in rows.needs if rows else ():
                if needed not in sys.modules:
                    load(needed, _rows(needed))
            load(name, rows)
        except MemoryError:
            pass  # the import alone may have room enough
        finally:
            _disk = disk
    return _import(name, *rest)


def load(name, rows):
    _import(name)
    _move(name, rows)


def _rows(name):
    """None for what is MicroPython's own, and for a module that has no rows or no block of its own: it is loaded as any."""
    path = "/" + name.replace(".", "/") + ".mpy"
    for folder in sys.path:
        try:
            return Rows(_disk, folder + path)
        except OSError:
            continue
        except ValueError:
            break
    return None


def _move(name, rows, keep=None):
    if rows:
        Mover(rows, keep).names(sys.modules[name].__dict__)


def _new_disk():
    from rp2 import Flash
    from vfs import VfsLfs2

    return Disk(Flash(), VfsLfs2)
