"""An update's image on the host: packed from files, read and checked, signed with a table's key. The form is dicewire.image's."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from dicewire.image import (
    ENTRY,
    HEAD,
    UNSIGNED,
    Head,
    entry_start,
    make_entry,
    make_head,
    sign_head,
    sound_name,
)
from dicewire.messages import PROTO, SCHEMA_HASH

MOST_BYTES = 1024 * 1024


class ImageError(Exception):
    """Not an image that may be sent; the message says why."""


@dataclass(frozen=True)
class Image:
    head: Head
    files: dict[str, bytes]

    @property
    def signed(self) -> bool:
        return self.head.mac != UNSIGNED


def pack(files: Mapping[str, bytes], board: str, version: str, schema: bytes = SCHEMA_HASH) -> bytes:
    """Without a signature: `signed` puts it in for one table. The same files give the same bytes."""
    names = sorted(files)
    index = b"".join(make_entry(name, len(files[name]), hashlib.sha256(files[name]).digest()) for name in names)
    contents = b"".join(files[name] for name in names)
    digest = hashlib.sha256(index + contents).digest()
    try:
        for name in names:
            sound_name(name.encode())
        head = make_head(board, version, PROTO, schema, len(names), len(index), len(contents), digest)
    except ValueError as error:
        raise ImageError(str(error)) from error
    return head + index + contents


def signed(image: bytes, key: bytes) -> bytes:
    """For the table that has this key. One that was signed at its packing stays as it is."""
    return image if Head(image).mac != UNSIGNED else sign_head(image[:HEAD], key) + image[HEAD:]


def read(data: bytes) -> Image:
    """Everything but the signature is checked."""
    try:
        head = Head(data)
        if head.size != len(data):
            raise ImageError(f"has {len(data)} bytes, {head.size} belong to it: it is cut short or damaged")
        if hashlib.sha256(data[HEAD:]).digest() != head.sha256:
            raise ImageError("is not as it was packed: its hash is wrong")
        files: dict[str, bytes] = {}
        at, start = HEAD, HEAD + head.index_size
        for _ in range(head.count):
            digest, size, letters = entry_start(data[at : at + ENTRY])
            name = sound_name(data[at + ENTRY : at + ENTRY + letters])
            files[name] = data[start : start + size]
            if hashlib.sha256(files[name]).digest() != digest:
                raise ImageError(f"{name} is not as it was packed")
            at, start = at + ENTRY + letters, start + size
    except ValueError as error:
        raise ImageError(str(error)) from error
    if start != len(data):
        raise ImageError("its index does not fit its contents")
    return Image(head, files)
