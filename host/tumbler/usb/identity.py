"""Which controller was on which port: keeps a table's identity while its controller is in the bootloader.

Every RP2040 in its bootloader has the same serial number, so there the port path has to say whose it is: the controller
that ran on that port last. Kept in a small file that is replaced as a whole. Not for finding devices: `devices`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from tumbler.usb.devices import Controller, Mode, UsbProblem


class PortMemory:
    """Port path -> serial of the controller that ran there last."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: dict[str, str] = {}
        try:
            read = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise UsbProblem(f"{file}: can't be read ({error}); remove it, it is written anew") from error
        if not isinstance(read, dict) or not all(isinstance(s, str) for pair in read.items() for s in pair):
            raise UsbProblem(f"{file}: is no table of ports; remove it, it is written anew")
        self._seen = read

    def look(self, there: Iterable[Controller]) -> None:
        """Remembers the running controllers. A controller that moved to another port takes its identity along."""
        seen = dict(self._seen)
        for controller in there:
            if controller.mode is Mode.RUNNING and controller.serial:
                seen = {path: serial for path, serial in seen.items() if serial != controller.serial}
                seen[controller.path] = controller.serial
        if seen != self._seen:
            self._seen = seen
            self._write()

    def serial_of(self, controller: Controller) -> str | None:
        """The controller's own serial; in the bootloader, that of the one that ran on its port last."""
        return controller.serial if controller.mode is Mode.RUNNING else self._seen.get(controller.path)

    def _write(self) -> None:
        new = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with new.open("w", encoding="utf-8") as out:
                json.dump(self._seen, out, indent=1, sort_keys=True)
                out.flush()
                os.fsync(out.fileno())
            os.replace(new, self._file)
        except OSError as error:
            raise UsbProblem(f"{self._file}: can't be written ({error.strerror})") from error


def default_memory() -> Path:
    """Beside the user's other caches: losing it costs a --path on the command line, nothing else."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "tumbler" / "ports.json"
