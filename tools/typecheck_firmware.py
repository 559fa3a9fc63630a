"""Type-checks what MicroPython runs (firmware/, protocol/dicewire) against the stubs of the Raspberry Pi Pico's port.

mypy with the MicroPython standard library in place of CPython's, so that a call which the board hasn't, or a wrong argument
of machine.Pin, is an error here and not on the table. Settings: firmware/mypy.ini. Not for host code: plain `mypy`.

    python tools/typecheck_firmware.py [FILE...]      all files without arguments; exit 0 clean, 1 errors, 2 cannot run
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "firmware" / "mypy.ini"
PORT_STUBS = "micropython-rp2-rpi_pico-stubs"
LIBRARY_STUBS = "micropython-stdlib-stubs"
# Not on the device: tests, and the host's half of the wire's declaration.
NOT_ON_DEVICE = ("tests", "declared", "__pycache__")


class NoStubs(Exception):
    """The stubs are not installed; the message says what to do."""


def device_files() -> list[Path]:
    """Every source that is copied to a controller's flash."""
    trees = (ROOT / "firmware", ROOT / "protocol" / "dicewire")
    found = (path for tree in trees for path in tree.rglob("*.py"))
    return sorted(path for path in found if not set(path.relative_to(ROOT).parts) & set(NOT_ON_DEVICE))


def lay_out(package: str, port: Path, library: Path) -> None:
    """The package's stubs in folders of their own: mypy takes no stubs of standard modules from site-packages."""
    try:
        files = metadata.files(package) or []
    except metadata.PackageNotFoundError:
        raise NoStubs(f"{package} is not installed; `make setup` brings it") from None
    for file in files:
        if file.suffix == ".pyi" or file.name == "VERSIONS":
            link = (library if file.parts[0] in ("stdlib", "stubs") else port) / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.locate())


def check(files: list[Path]) -> int:
    with tempfile.TemporaryDirectory(prefix="tumbler-stubs-") as folder:
        port = Path(folder) / "port"
        library = Path(folder) / "library"
        for package in (PORT_STUBS, LIBRARY_STUBS):
            lay_out(package, port, library)
        command = [sys.executable, "-m", "mypy", "--config-file", str(SETTINGS)]
        command += ["--custom-typeshed-dir", str(library), "--no-site-packages", "--cache-dir", f"{folder}/cache"]
        path = ":".join(str(part) for part in (port, ROOT / "firmware", ROOT / "protocol"))
        done = subprocess.run(
            [*command, *map(str, files)], env={"MYPYPATH": path, "PATH": "/usr/bin:/bin"}, cwd=ROOT, check=False
        )
    return done.returncode


def main(arguments: list[str]) -> int:
    files = [Path(name).resolve() for name in arguments] or device_files()
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        print(f"typecheck_firmware: no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    try:
        return check(files)
    except NoStubs as error:
        print(f"typecheck_firmware: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
