"""Values to payload and back, by the layouts of `dicewire.messages`. Strict: a value that doesn't fit, a field too many
or too few, a byte left over is a ValueError that names the message. Not here: frames, order, keys.
"""

import struct

from dicewire.messages import LAYOUTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STRING = 1
_REST = 2
# MicroPython's struct has no exception of its own: it raises TypeError and ValueError.
_UNPACKABLE = (getattr(struct, "error", TypeError), TypeError, AttributeError, OverflowError)


def encode_into(number: int, values: "dict[str, Any]", buf: bytearray, limit: int) -> int:
    """Writes the payload to the start of buf, at most `limit` bytes. Its length."""
    _, _, _, form, size, names, variables = LAYOUTS[number]
    if len(values) != len(names) + len(variables):
        raise ValueError(_wrong_fields(number, values))
    try:
        fixed = tuple([values[name] for name in names])
        if size > limit:
            raise ValueError(f"message {number:#04x} does not fit a frame of this session")
        struct.pack_into(form, buf, 0, *fixed)
        # MicroPython cuts a number that is too large without a word: what was packed must read back the same.
        if struct.unpack_from(form, buf, 0) != fixed:
            raise ValueError(_wrong_value(number, values))
        for name, longest, kind in variables:
            value = values[name]
            data = value.encode() if kind == _STRING else value
            n = len(data)
            if n > longest:
                raise ValueError(f"message {number:#04x}: {name} has {n} bytes, at most {longest} fit")
            counted = 0 if kind == _REST else 1
            if size + counted + n > limit:
                raise ValueError(f"message {number:#04x} does not fit a frame of this session")
            if counted:
                buf[size] = n
                size += 1
            buf[size : size + n] = data
            size += n
    except KeyError:
        raise ValueError(_wrong_fields(number, values)) from None
    except _UNPACKABLE:
        raise ValueError(_wrong_value(number, values)) from None
    return size


def encode(number: int, values: "dict[str, Any]") -> bytes:
    buf = bytearray(256)
    return bytes(buf[: encode_into(number, values, buf, 245)])


def decode(number: int, data: "bytes | bytearray | memoryview") -> "dict[str, Any]":
    """The values in a payload. Bytes fields are bytes, strings are str, the rest are ints."""
    layout = LAYOUTS.get(number)
    if layout is None:
        raise ValueError(f"message {number:#04x} is unknown")
    _, _, _, form, size, names, variables = layout
    n = len(data)
    if n < size:
        raise ValueError(f"message {number:#04x} has {n} bytes, at least {size} belong to it")
    values: dict[str, Any] = dict(zip(names, struct.unpack_from(form, data, 0)))  # noqa: B905 (MicroPython has no strict)
    for name, longest, kind in variables:
        length = n - size
        if kind != _REST:
            length = data[size] if size < n else n
            size += 1
        if length > longest or size + length > n:
            raise ValueError(f"message {number:#04x}: {name} does not end inside the message")
        piece = bytes(data[size : size + length])
        values[name] = str(piece, "utf-8") if kind == _STRING else piece
        size += length
    if size != n:
        raise ValueError(f"message {number:#04x} has {n - size} bytes too many")
    return values


def _wrong_fields(number: int, values: "dict[str, Any]") -> str:
    _, _, _, _, _, names, variables = LAYOUTS[number]
    want = list(names) + [v[0] for v in variables]
    missing = [name for name in want if name not in values]
    unknown = [name for name in values if name not in want]
    return f"message {number:#04x}: missing {missing}, unknown {unknown}"


def _wrong_value(number: int, values: "dict[str, Any]") -> str:
    return f"message {number:#04x}: a value does not fit its field: {values}"
