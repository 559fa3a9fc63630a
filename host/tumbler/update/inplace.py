"""A compiled module laid out so that a controller can run its functions where they lie in flash (firmware/boards/inplace.py).

Its files are littlefs's, in blocks: here no function crosses from one block into the next, native code begins at a word, and rows
at the file's end say where each function lies. MicroPython loads the file as any other and does not read the rows.
Room is made by writing a function's length with more leading zeroes, which costs flash and no heap. Decision 0008.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

BLOCK = 4096
WORD = 4
ROW = "<HHB"  # where it begins in the file, how long it is, how many functions it has inside it
ROW_BYTES = struct.calcsize(ROW)
MAGIC = b"ROW"
END = f"<HB{len(MAGIC)}s"  # bytes of names, count of rows, magic
END_BYTES = struct.calcsize(END)
MARK = 2  # which byte of a function the controller looks for first: the one that differs most, its name
ZERO = 0x80  # a leading zero of a number: seven bits a byte, all but the last have their top bit set
HEAD = 4
BYTECODE, NATIVE_PY, ASM = 0, 1, 3
PLAIN_OBJECTS = 4  # kinds of constants up to this one are a kind alone
TEXTS = (5, 6)  # those that end with a zero byte
TUPLE = 10


class NotMpy(Exception):
    """Not a module as mpy-cross 6.3 makes it; the message says where it is otherwise."""


@dataclass
class Code:
    """A function as it stands in the file, with those inside it."""

    kind: int
    body: bytes
    after: bytes  # numbers that native code has behind it
    children: list[Code] = field(default_factory=list)


def laid_out(module: bytes, needs: Sequence[str]) -> bytes:
    """The same module, its functions in place, and the rows. `needs` is what has to be loaded before it, in order."""
    at = _tables_end(module)
    code, end = _code(module, at)
    if end != len(module):
        raise NotMpy(f"{len(module) - end} bytes behind its code")
    out = bytearray(module[:at])
    rows: list[tuple[int, int, int]] = []
    _put(code, out, rows, outermost=True)
    if len(rows) > 255 or any(row[0] > 0xFFFF for row in rows):
        raise NotMpy("more than the rows can hold")
    names = "\n".join(needs).encode()
    marks = bytes(out[at + MARK] for at, _, _ in rows)
    table = b"".join(struct.pack(ROW, *row) for row in rows)
    return bytes(out) + names + marks + table + struct.pack(END, len(names), len(rows), MAGIC)


def rows_of(module: bytes) -> list[tuple[int, int, int]]:
    """(where, length, functions inside it) of each function in a module that was laid out."""
    _, count, _ = struct.unpack(END, module[-END_BYTES:])
    rows = module[len(module) - END_BYTES - count * ROW_BYTES : len(module) - END_BYTES]
    return [struct.unpack_from(ROW, rows, number * ROW_BYTES) for number in range(count)]


def load_order(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Path -> the modules among `sources` (by path) that it needs when it is imported, each after what it needs itself.

    Loaded in this order none is imported inside another's import: a chip's stack has no room for six of them.
    """
    paths = {_dotted(path): path for path in sources}
    direct = {path: [name for name in _imported(ast.parse(text)) if name in paths] for path, text in sources.items()}

    def gather(path: str, found: dict[str, None]) -> None:
        for name in direct[path]:
            if name not in found and paths[name] != path:
                gather(paths[name], found)
                found[name] = None

    order: dict[str, list[str]] = {}
    for path in sources:
        found: dict[str, None] = {}
        gather(path, found)
        order[path] = [name for name in found if paths[name] != path]
    return order


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(node: ast.AST) -> Iterator[str]:
    """By statements that run when the module does on a controller; not what it takes where something is missing."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(node, ast.If) and inner in node.orelse:
            continue
        if isinstance(inner, ast.Import):
            yield from (name.name for name in inner.names)
        elif isinstance(inner, ast.ImportFrom) and inner.module is not None:
            yield inner.module
            yield from (f"{inner.module}.{name.name}" for name in inner.names)
        elif not isinstance(inner, ast.FunctionDef | ast.Lambda | ast.ExceptHandler):
            yield from _imported(inner)


def block_start(number: int) -> tuple[int, int]:
    """(first byte of the file, where in the block it stands) of this block: all but the first begin with pointers to others."""
    start, skip = 0, 0
    for each in range(number):
        start += BLOCK - skip
        skip = WORD * ((each + 1 & -(each + 1)).bit_length())
    return start, skip


def block_of(at: int) -> int:
    number = 0
    while block_start(number + 1)[0] <= at:
        number += 1
    return number


def _put(code: Code, out: bytearray, rows: list[tuple[int, int, int]], outermost: bool = False) -> None:
    length = _number(len(code.body) << 3 | bool(code.children) << 2 | code.kind)
    if not outermost:  # the module's own code runs once, out of the heap
        at = len(out) + len(length)
        while not _sound(code, at):
            at += 1
        out += bytes((ZERO,)) * (at - len(out) - len(length))
        rows.append((at, len(code.body), len(code.children)))
    out += length + code.body + code.after
    if code.children:
        out += _number(len(code.children))
    for child in code.children:
        _put(child, out, rows)


def _sound(code: Code, at: int) -> bool:
    return (code.kind == BYTECODE or at % WORD == 0) and block_of(at) == block_of(at + len(code.body) - 1)


# --- the form of an .mpy file -----------------------------------------------------------------------------------------


def _number(value: int) -> bytes:
    out = [value & 0x7F]
    while value := value >> 7:
        out.insert(0, ZERO | value & 0x7F)
    return bytes(out)


def _read_number(module: bytes, at: int) -> tuple[int, int]:
    value = 0
    while True:
        byte = module[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if byte < ZERO:
            return value, at


def _tables_end(module: bytes) -> int:
    """Behind the names and constants."""
    if module[:2] != b"M\x06":
        raise NotMpy("its first bytes are not those of version 6")
    names, at = _read_number(module, HEAD)
    constants, at = _read_number(module, at)
    for _ in range(names):
        length, at = _read_number(module, at)
        if not length & 1:  # odd: a name that MicroPython has already
            at += (length >> 1) + 1
    for _ in range(constants):
        at = _constant_end(module, at)
    return at


def _constant_end(module: bytes, at: int) -> int:
    kind = module[at]
    at += 1
    if kind <= PLAIN_OBJECTS:
        return at
    length, at = _read_number(module, at)
    if kind == TUPLE:
        for _ in range(length):
            at = _constant_end(module, at)
        return at
    return at + length + (kind in TEXTS)


def _code(module: bytes, at: int) -> tuple[Code, int]:
    word, at = _read_number(module, at)
    kind, end = word & 3, at + (word >> 3)
    body, behind = module[at:end], end
    for _ in range(0 if kind == BYTECODE else 3 if kind == ASM else 1):
        _, end = _read_number(module, end)
    code, at = Code(kind, body, module[behind:end]), end
    if word & 4:
        count, at = _read_number(module, at)
        for _ in range(count):
            child, at = _code(module, at)
            code.children.append(child)
    return code, at
