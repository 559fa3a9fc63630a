"""Updates of the real firmware on MicroPython and littlefs: applied, rolled back, refused, and cut at many bytes.

Whatever happens, the table that comes up is the old one or the new one, whole, with the state and the results it had.
"""

import shutil

import pytest
from dicewire import codes
from dicewire import messages as wire
from tumbler.twin import board as twin_board
from tumbler.update import build
from updating_table import BLOCKS, NEW, UpdatingTable, image, source

OLD = build.version()
THROWS = [(1, 2, 3), (2, 5, 6)]

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The flash of a table that has played two rounds."""
    folder = tmp_path_factory.mktemp("played")
    table = UpdatingTable(folder)
    table.bring_game()
    for faces in THROWS:
        table.play(*faces)
        table.pay()
    table.run(500)
    table.close()
    return folder / "flash.img"


@pytest.fixture
def table(played, tmp_path):
    shutil.copy(played, tmp_path / "flash.img")
    table = UpdatingTable(tmp_path)
    table.until_phase(codes.PHASE_BETTING_OPEN)
    yield table
    table.close()


def recalled(table, spin):
    ok, data = table.service(codes.SERVICE_RECALL, spin.to_bytes(4, "little"))
    assert ok, data
    return data


def plays_on(table, spin=3):
    """With the state it had: the next spin number, the game table, the dice, and the old results."""
    table.until_phase(codes.PHASE_BETTING_OPEN, codes.PHASE_SERVICE)
    if table.phase == codes.PHASE_SERVICE:
        assert table.service(codes.SERVICE_LEAVE)[0]
        table.until_phase(codes.PHASE_BETTING_OPEN)
    for number in range(1, len(THROWS) + 1):
        assert recalled(table, number)[0] == wire.RESULT
    table.play(4, 4, 5)
    result = table.host.last(wire.RESULT)
    assert (result["spin"], tuple(result["faces"])) == (spin, (4, 4, 5))
    table.pay()


def test_an_update_is_applied_and_the_table_plays_on_with_all_it_had(table):
    before = recalled(table, 2)
    assert table.bring(image()) == NEW.encode()
    assert table.until_told(codes.EVENT_UPDATE_APPLIED) == f"{NEW} in slot_a"
    assert table.firmware == NEW
    assert table.host.session.peer["reset_cause"] == codes.RESET_UPDATE
    assert recalled(table, 2) == before
    assert table.heap_free() > 64 * 1024
    plays_on(table)
    table.run(100)
    table.until(lambda: told_all(table), seconds=20, why="told")
    table.board.cut_power(200)  # and it stays
    table.until(lambda: table.host.ups == 3, seconds=40, why="back in session")
    assert table.firmware == NEW
    assert len(table.told(codes.EVENT_UPDATE_APPLIED)) == 1
    table.until_phase(codes.PHASE_BETTING_OPEN)
    assert table.bring(image(version="1.0.0")) == b"1.0.0"  # the next one goes into the other slot
    table.until(lambda: len(table.told(codes.EVENT_UPDATE_APPLIED)) == 2, seconds=60, why="applied again")
    assert table.told(codes.EVENT_UPDATE_APPLIED)[-1] == "1.0.0 in slot_b"
    plays_on(table, 4)
    assert table.chips.wrong_use == []


BROKEN = {
    "syntax error": ((("controller/table.py", "def (:\n"),), "SyntaxError"),
    "missing part": ((("controller/parts.py", "import nowhere\n"),), "ImportError"),
    "hangs when it is loaded": ((("controller/clock.py", "while True:\n    pass\n"),), "starts and none lasted"),
    "hangs in its loop": (
        (
            (
                "controller/outcome.py",
                source("controller/outcome.py").replace(
                    "    def changed(self):\n", "    def changed(self):\n        while True:\n            pass\n"
                ),
            ),
        ),
        "starts and none lasted",
    ),
    "crashes in every turn": (
        (("controller/table.py", source("controller/table.py").replace("def step(", "def stop(", 1)),),
        "AttributeError",
    ),
    "never joins": (
        (
            (
                "dicewire/messages.py",
                source("dicewire/messages.py") + "\nSCHEMA_HASH = bytes(8)\n",
            ),
        ),
        "no host joined in 3 s",
    ),
    "fails its self-test": (
        (
            (
                "controller/checks.py",
                source("controller/checks.py").replace("ma <= 200", "ma <= -1"),
            ),
        ),
        "self-test: ",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_program_is_rolled_back_by_itself_and_the_old_one_plays_on(table, how, monkeypatch):
    monkeypatch.setattr(twin_board, "HUNG_SECONDS", 0.5)
    changes, why = BROKEN[how]
    table.bring(image(changes), join_s=3)
    text = table.until_told(codes.EVENT_UPDATE_ROLLED_BACK, seconds=90)
    assert text.startswith(f"{NEW}: ")
    assert why in text
    assert table.firmware == OLD
    assert not table.told(codes.EVENT_UPDATE_APPLIED)
    plays_on(table)


def test_a_proven_slot_that_cannot_be_read_any_more_leaves_the_factory_program(table):
    table.bring(image())
    table.until_told(codes.EVENT_UPDATE_APPLIED)
    table.until_phase(codes.PHASE_BETTING_OPEN)
    table.run(100)
    table.board.off()
    damaged = image((("controller/table.py", "raise OSError(5)\n"),))  # as a bad block would make it
    with_image(table, damaged)
    table.board.power_on()
    table.until_told(codes.EVENT_UPDATE_ROLLED_BACK)
    assert table.firmware == OLD
    plays_on(table)


def with_image(table, data):
    """Lets slot A hold these files, whatever it held."""
    from littlefs import LittleFS, UserContext
    from tumbler.update.image import read

    path = table.flash.path
    context = UserContext(buffsize=BLOCKS * 4096)
    context.buffer[:] = path.read_bytes()
    disk = LittleFS(context=context, block_size=4096, block_count=BLOCKS, prog_size=256, mount=True)
    disk.remove("slot_a/controller/table.mpy")
    with disk.open("slot_a/controller/table.py", "wb") as out:
        out.write(read(data).files["controller/table.py"])
    disk.unmount()
    path.write_bytes(bytes(context.buffer))


def test_a_power_cut_anywhere_leaves_the_old_or_the_new_table_and_the_update_goes_on(table, played):
    """The cut walks through transfer, check, switch, first start, confirmation; each time the same update is sent again."""
    data, flash = image(), table.flash
    start = flash.bytes_written
    table.bring(data)
    switched = flash.bytes_written
    table.until_told(codes.EVENT_UPDATE_APPLIED)
    over = flash.bytes_written - start
    switch = switched - start
    table.board.off()
    points = [switch * i // 4 for i in range(1, 4)]  # of the transfer
    points += [switch - 9000, switch - 4500, switch - 200, switch + 100]  # the files' end, mark, record
    points += [switch + (over - switch) * i // 3 for i in range(1, 3)]  # the first start, confirmation
    came_up = []
    for number, point in enumerate(points):
        folder = flash.path.parent / f"cut{number}"
        folder.mkdir()
        shutil.copy(played, folder / "flash.img")
        came_up.append(cut_at(folder, data, point, number))
    assert set(came_up) <= {OLD, NEW}
    assert came_up.count(OLD) >= 4
    assert NEW in came_up


def told_all(table):
    """Whether the update is confirmed and the controller has nothing more to tell; asked of its flash."""
    from littlefs import LittleFS, UserContext

    context = UserContext(buffsize=BLOCKS * 4096)
    context.buffer[:] = table.flash.path.read_bytes()
    disk = LittleFS(context=context, block_size=4096, block_count=BLOCKS, prog_size=256, mount=True)
    records = []
    for name in ("slots.0", "slots.1"):
        with disk.open(name, "rb") as file:
            records.append(bytes(file.read()))
    newest = max(records, key=lambda record: int.from_bytes(record[4:8], "little"))
    return newest[10] == 0 and newest[12] == 0


def cut_at(folder, data, point, seed):
    """-> the firmware that came up after the cut."""
    table = UpdatingTable(folder)
    try:
        table.until_phase(codes.PHASE_BETTING_OPEN)
        table.flash.cut_after(point, seed)
        first = ""
        for _ in range(4):
            table.enter()
            sent, ups = table.send(data), table.host.ups
            if sent and (table.apply() or (0,))[0]:
                table.until(lambda ups=ups: table.host.ups > ups, seconds=40, why="in session after the switch")
            table.until(lambda: table.host.session.up, seconds=40, why="in session again")
            first = first or (table.firmware if table.board.power_cuts else "")
            if table.firmware == NEW:
                break
        table.until_told(codes.EVENT_UPDATE_APPLIED)
        table.until(lambda: table.host.session.up, seconds=40, why="in session at the end")
        assert table.firmware == NEW
        assert not table.told(codes.EVENT_UPDATE_ROLLED_BACK)
        assert table.board.power_cuts == 1
        plays_on(table)
        return first or NEW
    finally:
        table.close()


def test_a_transfer_goes_on_where_the_power_was_cut(table):
    data = image()
    table.enter()
    table.flash.cut_after(300_000)
    assert table.send(data) is None
    table.enter()
    written = table.flash.bytes_written
    assert table.send(data) is True
    assert table.flash.bytes_written - written < 700_000
    assert table.apply()[0]
    table.until_told(codes.EVENT_UPDATE_APPLIED)


REFUSED = {
    "wrong key": (lambda: image(key=bytes(32)), "not signed with this table's key"),
    "wrong board": (lambda: image(board="pico"), "for the board pico, this is twin"),
    "truncated": (lambda: image()[:-1000], "not whole"),
    "changed": (lambda: changed(image()), "is not as it was packed"),
    "not an image": (lambda: bytes(5000), "not an update image"),
}


def changed(data):
    at = len(data) - 5000
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]


@pytest.mark.parametrize("how", REFUSED)
def test_an_image_that_is_not_this_tables_is_refused_with_its_reason(table, how):
    make, why = REFUSED[how]
    table.enter()
    table.send(make())
    ok, answer = table.apply()
    assert not ok
    assert why in answer.decode()
    assert any(why in text for text in table.told(codes.EVENT_UPDATE_REFUSED))
    plays_on(table)
    assert table.firmware == OLD


def test_another_schema_than_the_hosts_is_refused_before_the_switch(table):
    table.enter()
    assert table.send(image(schema=bytes(8)))
    assert table.apply() == (0, b"it speaks another version of the wire than the host")
    plays_on(table)
    assert table.firmware == OLD
