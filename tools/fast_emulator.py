"""Builds the emulator's compiled parts for this very Python: five times faster than its wheel's, which serve any Python.

The wheel of rp2040py brings its C sources. Compiled without the limited API they go beside its own modules, and Python takes
those first. Without a C compiler or Python's headers nothing happens: the emulator runs, slowly. `make setup` calls this.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

JOBS = 2


def native() -> Path | None:
    """Where the emulator keeps its compiled modules; None where it is not installed."""
    found = importlib.util.find_spec("rp2040py")
    return Path(found.origin).parent / "native" if found is not None and found.origin else None


def build(source: Path, compiler: list[str], suffix: str) -> str:
    """Complaint of the compiler, empty when the module is there."""
    target = source.with_name(source.stem + suffix)
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return ""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        made = Path(folder) / target.name
        include = sysconfig.get_path("include")
        command = [*compiler, "-O2", "-fPIC", "-shared", "-w", "-I", include, "-o", str(made), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{source.name}: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}"
        made.replace(target)  # whole or not at all
    return ""


def main() -> int:
    folder = native()
    if folder is None:
        return 0
    compiler = shlex.split(os.environ.get("CC", "")) or [shutil.which("cc") or shutil.which("gcc") or ""]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    headers = Path(sysconfig.get_path("include")) / "Python.h"
    if not compiler[0] or not suffix or not headers.exists():
        print("emulator: no C compiler with Python's headers; it stays five times slower", file=sys.stderr)
        return 0
    with ThreadPoolExecutor(JOBS) as pool:
        complaints = [
            text for text in pool.map(lambda c: build(c, compiler, suffix), sorted(folder.glob("*.c"))) if text
        ]
    if complaints:  # a mixture of both kinds would not agree on its types
        for made in folder.glob("*" + suffix):
            made.unlink()
        print(f"emulator: {complaints[0]}; it stays five times slower", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
