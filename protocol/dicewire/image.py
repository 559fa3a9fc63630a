"""An update's image, as it lies in a file and crosses the wire as a bulk transfer: head, index, then the files' contents.

    head    magic, format, proto, board, version, schema hash, count of files, bytes of index, bytes of contents,
            SHA-256 of index and contents, HMAC-SHA-256 of all of that under the table's key
    index   for each file: SHA-256, size u32, length of its name u8, name; in the order of the names

The HMAC covers everything through the two levels of hashes, and is known after the first 150 bytes: an image of another
table, board or version is refused before its contents are sent. Same files, same bytes. Not here: how the files are
built (the host), where they are kept (the controller).
"""

import struct

from dicewire.auth import Key, same

MAGIC = b"TMBU"
FORMAT = 1
UNSIGNED = bytes(32)
FIXED = ("boot", "main", "slots")  # what chooses the program is no part of a program: an update never has it
_HEAD = "<4sBB16s16s8sHII32s"
_MAC = 32
_LABEL = b"tumbler update"
HEAD = struct.calcsize(_HEAD) + _MAC
_ENTRY = "<32sIB"
ENTRY = struct.calcsize(_ENTRY)
_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789_/."
_LONGEST_NAME = 64
_ENDINGS = (".mpy", ".py")


class Head:
    """The first HEAD bytes. ValueError, in words for a person, where they are not the head of an image."""

    def __init__(self, data: "bytes | bytearray | memoryview") -> None:
        if len(data) < HEAD or bytes(data[:4]) != MAGIC:
            raise ValueError("not an update image")
        row = struct.unpack_from(_HEAD, data)
        if row[1] != FORMAT:
            raise ValueError(f"image of format {row[1]}, this is {FORMAT}")
        self.proto: int = row[2]
        self.board = _word(row[3])
        self.version = _word(row[4])
        self.schema: bytes = row[5]
        self.count: int = row[6]
        self.index_size: int = row[7]
        self.total: int = row[8]
        self.sha256: bytes = row[9]
        self.mac = bytes(data[HEAD - _MAC : HEAD])
        self._signed = bytes(data[: HEAD - _MAC])

    @property
    def size(self) -> int:
        """Of the whole image."""
        return HEAD + self.index_size + self.total

    def signed_by(self, secret: bytes) -> bool:
        return same(self.mac, Key(secret).mac(_LABEL, self._signed))


def make_head(
    board: str, version: str, proto: int, schema: bytes, count: int, index_size: int, total: int, sha256: bytes
) -> bytes:
    """A head without a signature. ValueError where a word does not fit."""
    words = (board.encode(), version.encode())
    for word in words:
        if not 0 < len(word) <= 16:
            raise ValueError(f"{word.decode()!r} must have 1 to 16 letters")
    fixed = struct.pack(_HEAD, MAGIC, FORMAT, proto, *words, schema, count, index_size, total, sha256)
    return fixed + UNSIGNED


def sign_head(head: bytes, secret: bytes) -> bytes:
    return head[: HEAD - _MAC] + Key(secret).mac(_LABEL, head[: HEAD - _MAC])


def make_entry(name: str, size: int, sha256: bytes) -> bytes:
    word = name.encode()
    return struct.pack(_ENTRY, sha256, size, len(word)) + word


def entry_start(data: "bytes | memoryview") -> "tuple[bytes, int, int]":
    """(SHA-256, size, length of the name that follows) from the first ENTRY bytes of an entry."""
    if len(data) < ENTRY:
        raise ValueError("the index is cut short")
    sha256, size, letters = struct.unpack_from(_ENTRY, data)
    return sha256, size, letters


def sound_name(word: bytes) -> str:
    """A file's name, or ValueError: it must lie in a folder of the slot, and nowhere else."""
    name = str(word, "ascii") if all([b in _LETTERS for b in word]) else ""
    parts = name.split("/")
    if len(word) > _LONGEST_NAME or len(parts) < 2 or "" in parts or "." in parts or ".." in parts:
        raise ValueError("the index has an unsound name")
    if not name.endswith(_ENDINGS):
        raise ValueError(f"the index has {name}, which is no program")
    return name


def _word(field: bytes) -> str:
    return str(field.rstrip(b"\0"), "utf-8")
