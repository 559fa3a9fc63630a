"""An update's image: the same files give the same bytes, and nothing in it can be changed unseen."""

from __future__ import annotations

import random
import re

import pytest
from dicewire.image import HEAD, Head, sound_name
from littlefs import LittleFS, UserContext
from tumbler.rigs.emulated.image import BLOCK, BLOCKS, DISK_VERSION, PAGE, firmware_files, littlefs
from tumbler.update import build
from tumbler.update.image import ImageError, pack, read, signed

FILES = {"controller/table.mpy": b"M\x06" * 40, "boards/twin.mpy": b"", "dicewire/link.py": b"x = 1\n"}
KEY = bytes(range(32))
WASTE, SPARE = 2560, 65536  # firmware/controller/update.py reckons with them
MADE_AT = 1  # MicroPython's attribute of a file


def test_what_is_packed_is_read_again_and_order_does_not_matter() -> None:
    data = pack(FILES, "twin", "1.2.3")
    found = read(data)
    assert found.files == FILES
    assert (found.head.board, found.head.version, found.head.count) == ("twin", "1.2.3", 3)
    assert pack(dict(reversed(FILES.items())), "twin", "1.2.3") == data


def test_a_changed_byte_or_a_missing_end_is_always_found() -> None:
    data = signed(pack(FILES, "twin", "1.2.3"), KEY)
    for at in range(len(data)):
        other = data[:at] + bytes((data[at] ^ (1 << random.Random(at).randrange(8)),)) + data[at + 1 :]
        try:
            head = read(other).head
        except ImageError:
            continue
        assert not head.signed_by(KEY)
        assert at < HEAD
    for end in range(len(data)):
        with pytest.raises(ImageError):
            read(data[:end])


def test_a_signature_is_of_one_key_and_is_not_replaced() -> None:
    data = pack(FILES, "twin", "1.2.3")
    assert not read(data).signed
    mine = signed(data, KEY)
    assert Head(mine).signed_by(KEY)
    assert not Head(mine).signed_by(bytes(32))
    assert not Head(data).signed_by(KEY)
    assert signed(mine, bytes(32)) == mine


@pytest.mark.parametrize(
    "name",
    ["boot.py", "/boot.py", "../state/key.py", "a/../b.py", "a//b.py", "a/b.txt", "a/B.py", "a/b c.py", "a/" + 64 * "b" + ".py"],
)  # fmt: skip
def test_a_file_outside_its_slot_or_that_is_no_program_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="the index has"):
        sound_name(name.encode())
    with pytest.raises(ImageError):
        pack({name: b""}, "twin", "1")


@pytest.mark.parametrize(("board", "version"), [("", "1"), ("twin", ""), (17 * "b", "1"), ("twin", 17 * "1")])
def test_a_word_that_does_not_fit_is_refused(board: str, version: str) -> None:
    with pytest.raises(ImageError, match="1 to 16 letters"):
        pack(FILES, board, version)


def test_the_shipped_program_is_all_packages_and_leaves_out_what_chooses_it() -> None:
    files = build.program_files("twin")
    assert {name.split("/")[0] for name in files} == {"boards", "controller", "drivers", "dicewire"}
    assert "controller/table.mpy" in files
    assert "controller/reader/scan_viper.py" in files  # the twin's machine compiles native code itself
    assert files == build.program_files("twin")


def test_nothing_that_is_shipped_imports_what_only_a_desk_has() -> None:
    for name, path in build.sources().items():
        for line in path.read_text("utf-8").splitlines():
            if "import" in line and "controller.reader" in line and "_plain as loops" not in line:
                assert not build.AT_DESK & set(re.findall(r"\w+", line.split("#")[0])), f"{name}: {line.strip()}"


def test_the_factorys_program_and_two_updates_fit_into_a_picos_flash_beside_what_a_table_keeps() -> None:
    program = build.program_files("pico")
    image = pack(program, "pico", "1.2.3")
    kept = {f"state/{n:08x}.seg": bytes(3900) for n in range(6)}  # a ring of a hundred spins
    flash = littlefs({**firmware_files(), **kept})
    context = UserContext(buffsize=len(flash))
    context.buffer[:] = flash
    as_micropython = {"read_size": 32, "prog_size": PAGE, "cache_size": 4 * PAGE, "lookahead_size": 32}
    disk = LittleFS(context=context, block_size=BLOCK, block_count=BLOCKS, disk_version=DISK_VERSION, **as_micropython)
    assert disk.listdir("controller")  # mounted, and not formatted anew
    for slot in ("slot_a", "slot_b"):
        before = disk.used_block_count
        write(disk, f"{slot}/index", image[: HEAD + Head(image).index_size])
        for name, data in program.items():
            write(disk, f"{slot}/{name}", data)
        taken = (disk.used_block_count - before) * BLOCK
        assert taken <= len(image) + len(program) * WASTE
    assert (BLOCKS - disk.used_block_count) * BLOCK >= SPARE


def write(disk: LittleFS, name: str, data: bytes) -> None:
    """As the controller does: every file and folder has the time of its making."""
    folder = name.rpartition("/")[0]
    disk.makedirs(folder, exist_ok=True)
    with disk.open(name, "wb") as out:
        out.write(data)
    for path in (folder, name):
        disk.setattr(path, MADE_AT, bytes(8))
