"""Each quirk of the emulator: what goes wrong with its correction left out, and that it does not with it.

Small programs of their own on the emulated chip, no table around it. With `--rig emulated` only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tumbler.rigs.emulated import wiring
from tumbler.rigs.emulated.chip import Chip
from tumbler.rigs.emulated.image import firmware_files, littlefs
from tumbler.rigs.emulated.quirks import Quirk
from tumbler.rigs.emulated.table import EmulatedTable
from tumbler.rigs.emulated.uf2 import NoUf2, Uf2, find_uf2
from tumbler.twin.process import firmware_tree
from tumbler.twin.twin import Plan

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(600)]

SLICE_US = 2_000
LONGEST_S = 3.0
AFTER_ENUMERATION = "import time\ntime.sleep_ms(100)\n"  # what is printed before a host is there is lost
UID = bytes.fromhex("0123456789abcdef")


class Program:
    """A main.py on a bare chip, and what it printed."""

    def __init__(self, uf2: Uf2, source: str, without: Quirk | None, seed: int = 0) -> None:
        self.chip = Chip(uf2, uid=UID, seed=seed, without=() if without is None else (without,), fast=(wiring.PWM_PIN,))
        self.chip.files = littlefs({"main.py": (AFTER_ENUMERATION + source).encode()})
        self.said = b""
        self.chip.on_bytes = self._hear
        self.chip.power_on()

    def _hear(self, data: bytes) -> None:
        self.said += data

    @property
    def lines(self) -> list[str]:
        """Without the prompt that MicroPython shows where a program ends."""
        return self.said.decode(errors="replace").replace(">>> ", "").splitlines()

    def until(self, seen: Callable[[], bool], seconds: float = LONGEST_S) -> bool:
        """Within so much emulated time."""
        end = self.chip.now_us + round(seconds * 1_000_000)
        while not seen() and self.chip.now_us < end:
            self.chip.run(SLICE_US)
        return seen()

    def says(self, line: str, seconds: float = LONGEST_S) -> bool:
        return self.until(lambda: line in self.lines, seconds)


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Callable[..., Program]:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes a minute: --rig emulated (make hil-emulated)")
    try:
        uf2 = find_uf2()
    except NoUf2 as error:
        pytest.skip(f"no emulated controller: {error}")
    return lambda source, without=None, seed=0: Program(uf2, source, without, seed)


Make = Callable[..., Program]


def test_an_idle_host_lets_the_core_sleep(program: Make) -> None:
    source = "print('begin')\ntime.sleep_ms(100)\nprint('end')\n"
    cycles = {}
    for without in (None, Quirk.OUT_STORM):
        run = program(source, without)
        assert run.says("begin")
        began = run.chip.cycles
        assert run.says("end")
        cycles[without] = run.chip.cycles - began
    assert cycles[Quirk.OUT_STORM] > 5 * cycles[None]


EDGES = """
import machine, time
seen = 0
def edge(pin):
    global seen
    seen += 1
pin = machine.Pin(14, machine.Pin.IN)
pin.irq(edge, machine.Pin.IRQ_RISING)
print('ready')
time.sleep_ms(60)
print('edges', seen)
"""


def test_a_pin_held_at_its_level_gives_one_edge(program: Make) -> None:
    edges = {}
    for without in (None, Quirk.SAME_LEVEL_EDGE):
        run = program(EDGES, without)
        run.chip.drive(14, False)
        assert run.says("ready")
        for _ in range(3):
            run.chip.drive(14, True)
            run.until(lambda: False, 0.005)
        assert run.until(lambda: any(line.startswith("edges") for line in run.lines))  # noqa: B023
        edges[without] = next(line for line in run.lines if line.startswith("edges"))
    assert edges == {None: "edges 1", Quirk.SAME_LEVEL_EDGE: "edges 3"}


def test_an_output_reads_as_it_is_driven(program: Make) -> None:
    source = "import machine\np = machine.Pin(2, machine.Pin.OUT)\np.value(1)\nprint('high', p.value())\n"
    assert program(source).says("high 1")
    assert program(source, Quirk.OUTPUT_READS_LOW).says("high 0")


ENTROPY = "import os, time\nprint('drew', ''.join('%02x' % b for b in os.urandom(8)))\nprint('end')\n"


def test_every_boot_draws_other_numbers(program: Make) -> None:
    drawn = {}
    for without in (None, Quirk.NO_ENTROPY):
        run = program(ENTROPY, without)
        assert run.says("end")
        run.chip.power_off()
        run.chip.idle(1000)
        run.chip.power_on()
        assert run.until(lambda: run.lines.count("end") == 2)  # noqa: B023
        drawn[without] = [line for line in run.lines if line.startswith("drew")]
    assert len(set(drawn[None])) == 2
    assert len(set(drawn[Quirk.NO_ENTROPY])) == 1


def test_the_board_has_its_own_serial_number(program: Make) -> None:
    source = "import machine\nprint('uid', ''.join('%02x' % b for b in machine.unique_id()))\n"
    assert program(source).says(f"uid {UID.hex()}")
    other = program(source, Quirk.NO_UNIQUE_ID)
    assert other.until(lambda: any(line.startswith("uid") for line in other.lines))
    assert UID.hex() not in other.lines[-1]


PWM = """
import machine, time
pwm = machine.PWM(machine.Pin(8), freq=20000, duty_u16=16384)
print('on')
time.sleep_ms(50)
print('end')
"""


def test_pwm_is_read_from_its_registers_and_costs_nothing(program: Make) -> None:
    waves = {}
    for without in (None, Quirk.PWM_WAVES):
        run = program(PWM, without)
        channel = run.chip.mcu.pwm.channels[4]
        calls, inner = [0], channel.set_a

        def counted(value: bool, calls: list[int] = calls, inner: Callable[[bool], None] = inner) -> None:
            calls[0] += 1
            inner(value)

        channel.set_a = counted
        assert run.says("on")
        frequency, duty = wiring._pwm_of(run.chip)
        assert frequency == pytest.approx(20_000, rel=0.01)
        assert duty == pytest.approx(16_384, abs=40)
        assert run.says("end")
        waves[without] = calls[0]
    assert waves[None] == 0
    assert waves[Quirk.PWM_WAVES] > 1000


def test_unused_state_machines_cost_nothing_and_a_reset_still_finds_them(program: Make) -> None:
    source = "print('up')\n"
    run = program(source)
    assert run.says("up")
    assert list(run.chip.mcu.pio) == []
    run.chip.power_off()
    run.chip.power_on()
    assert run.until(lambda: run.lines.count("up") == 2)
    assert len(program(source, Quirk.IDLE_PIO).chip.mcu.pio) == 2


UART = """
import machine, time
uart = machine.UART(0, 9600, tx=machine.Pin(0), rx=machine.Pin(1))
uart.write('table')
print('made')
got = b''
for _ in range(200):
    got += uart.read() or b''
    if len(got) >= 4:
        break
    time.sleep_ms(1)
print('got', got.decode())
"""


def test_a_uart_can_be_made_and_keeps_its_speed(program: Make) -> None:
    run = program(UART)
    sent: list[tuple[int, int]] = []
    port = run.chip.mcu.uart[0]
    port.on_byte = lambda byte: sent.append((byte, run.chip.now_us))
    assert run.says("made")
    port.host_send(b"ping")
    assert run.says("got ping")
    assert bytes(byte for byte, _ in sent) == b"table"
    assert port.baud() == pytest.approx(9600, rel=0.01)
    assert sent[-1][1] - sent[0][1] == pytest.approx(4 * 10 * 1_000_000 / 9600, rel=0.05)
    assert not program(UART, Quirk.UART_STORM).says("made", 1.0)


QUIET = """
import select, sys
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
print('ready')
print('heard', len(poll.poll(100)))
"""


def test_nothing_is_typed_into_a_port_that_has_just_come(program: Make) -> None:
    """rp2040py's MicroPythonDevice sends CR LF there: two bytes of garbage to a frame reader, a prompt to a REPL."""
    assert program(QUIET).says("heard 0")
    typed = program(QUIET)
    assert typed.says("ready")
    typed.chip.send(b"\r\n")
    assert typed.says("heard 1")


def test_an_idle_chip_does_not_run_ahead_of_the_clock(program: Make, tmp_path: Path) -> None:
    (tmp_path / "flash.img").write_bytes(littlefs({"main.py": b"import time\ntime.sleep(3600)\n"}))
    plan = Plan(tmp_path / "link", tmp_path / "truth", tmp_path, bytes(32), 3, 1, speed=1.0)
    table = EmulatedTable(plan, find_uf2())
    table.start()
    for _ in range(200):
        table.turn()  # it boots: behind the clock, as always while it works
        if table.chip.now_us > 400_000:
            break
    began, emulated = time.monotonic(), table.chip.now_us
    while time.monotonic() - began < 0.5:
        table.turn()
    assert table.chip.now_us - emulated < 650_000
    table.close()


def test_the_firmware_leaves_the_second_core_alone() -> None:
    """`_thread` hangs in the emulator, and the table has no need of it."""
    sources = [path for path in firmware_tree().rglob("*.py") if "tests" not in path.parts]
    assert sources
    assert [path.name for path in sources if "_thread" in path.read_text()] == []


def test_the_shipped_files_are_bytecode_and_small() -> None:
    files = firmware_files()
    assert {name for name in files if name.endswith(".py")} == {"boot.py", "main.py"}
    assert all(data[:2] == b"M\x06" for name, data in files.items() if name.endswith(".mpy"))  # bytecode version 6
    assert sum(map(len, files.values())) < 400_000
