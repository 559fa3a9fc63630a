"""`tumbler usb` and `tumbler flash` with real libusb: the kernel's side of USB is umockdev's, the rest is what ships."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .uf2_maker import contents, firmware

SYSTEM_PYTHON = "/usr/bin/python3"
SERVER = Path(__file__).parent / "umockdev_server.py"
PRELOAD = "libumockdev-preload.so.0"
PAGES = 24


def _usable() -> str:
    probe = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    try:
        done = subprocess.run([SYSTEM_PYTHON, "-c", probe], env=_env(), capture_output=True, text=True, timeout=30)
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no umockdev"])[-1]


def _env() -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": PRELOAD}


WHY_NOT = _usable()
pytestmark = pytest.mark.skipif(
    bool(WHY_NOT),
    reason=f"umockdev is not usable here ({WHY_NOT}); as root: apt-get install umockdev gir1.2-umockdev-1.0",
)


def _tumbler(
    tmp_path: Path, *arguments: str, unplug_after: str = "-"
) -> tuple[subprocess.CompletedProcess[str], bytes]:
    flash = tmp_path / "flash.bin"
    line = [SYSTEM_PYTHON, str(SERVER), str(flash), unplug_after, sys.executable, "-m", "tumbler", *arguments]
    env = _env() | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=100)
    return done, flash.read_bytes()


def test_a_bootloader_is_found_by_its_port(tmp_path: Path) -> None:
    done, _ = _tumbler(tmp_path, "usb", "--json")
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["controllers"]
    assert (one["mode"], one["port"], one["trouble"]) == ("bootloader", "1-4", None)


def test_a_controller_is_flashed_checked_and_started(tmp_path: Path) -> None:
    file = tmp_path / "micropython.uf2"
    file.write_bytes(firmware(PAGES))
    done, flash = _tumbler(tmp_path, "flash", str(file), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["flashed"] is True
    assert answer["port"] == "1-4"
    assert flash[: PAGES * 256] == contents(PAGES)
    assert "rebooted True" in done.stderr
    assert "checking 2/2 sectors" in done.stderr


def test_a_controller_unplugged_in_the_middle_is_no_success(tmp_path: Path) -> None:
    file = tmp_path / "micropython.uf2"
    file.write_bytes(firmware(PAGES))
    done, flash = _tumbler(tmp_path, "flash", str(file), unplug_after="4")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("tumbler flash: ")]
    assert len(lines) == 1
    assert "unplugged" in lines[0]
    assert "Traceback" not in done.stderr
    assert flash[:256] == b"\xff" * 256, "no boot block: it waits in its bootloader"


def test_a_file_for_another_chip_touches_nothing(tmp_path: Path) -> None:
    file = tmp_path / "other.uf2"
    file.write_bytes(firmware(PAGES, family=0xE48BFF59))
    done, flash = _tumbler(tmp_path, "flash", str(file))
    assert done.returncode == 2
    assert "RP2350" in done.stderr
    assert flash == b"\xa5" * len(flash)


def test_a_reset_takes_it_out_of_the_bootloader(tmp_path: Path) -> None:
    done, _ = _tumbler(tmp_path, "usb", "reset")
    assert done.returncode == 0, done.stderr
    assert "rebooted True" in done.stderr
