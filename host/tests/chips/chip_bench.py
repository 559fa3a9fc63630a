"""A bench for drivers and chips in one process: the firmware's own drivers and board, the twin's own `machine`, its chips.

Only the wire between them is replaced: requests go to the twin's bus as calls. Time is the bench's and moves when the
firmware waits or a test says so. Not for what needs MicroPython itself: test_camera_on_micropython.py shows how.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
import types
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from tumbler.twin.bus import Bus, Op, Request, Seed
from tumbler.twin.chips.dice import DIE_EDGE_M, FACE_NORMALS, DiceSet
from tumbler.twin.chips.ov2640 import Scene
from tumbler.twin.chips.table import TableChips
from tumbler.twin.flash import Flash
from tumbler.twin.lines import Lines

ROOT = Path(__file__).resolve().parents[3]
FIRMWARE = ROOT / "firmware"
MACHINE = ROOT / "host" / "tumbler" / "twin" / "machine"
STEP_US = 1000
POLLS, POLL_US = 64, 100
TICKS_MASK = 0x3FFFFFFF

Matrix = tuple[tuple[float, float, float], ...]
UPRIGHT: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass
class Pose:
    """A die somewhere. `position` is its centre in metres."""

    position: Sequence[float]
    rotation: Matrix = UPRIGHT


def lying(face_down: int, x: float = 0.0, y: float = 0.0, tilt_degrees: float = 0.0, lift: float = 0.0) -> Pose:
    """A die on the plate with this face down; tilted, it stands on its lower edge. `lift` raises all of it, in metres."""
    half = DIE_EDGE_M / 2
    angle = math.radians(tilt_degrees)
    rotation = _times(_tilted(angle), _turned_down(face_down))
    return Pose((x, y, half * (math.cos(angle) + math.sin(angle)) + lift), rotation)


def _tilted(angle: float) -> Matrix:
    c, s = math.cos(angle), math.sin(angle)
    return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))


def _turned_down(face: int) -> Matrix:
    """Any rotation that takes this face's normal to straight down."""
    down = FACE_NORMALS[face]
    third = tuple(-float(v) for v in down)
    first = (0.0, 1.0, 0.0) if abs(down[1]) < 0.5 else (0.0, 0.0, 1.0)
    second = _cross(third, first)
    return (first, second, (third[0], third[1], third[2]))


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _times(a: Matrix, b: Matrix) -> Matrix:
    rows = [tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3)]
    return cast(Matrix, tuple(rows))


@dataclass
class BenchWorld:
    """What surrounds the chips: set it, then let time pass."""

    dice: list[Pose] = field(default_factory=list)
    keys: Collection[str] = ()
    cover_closed: bool = True
    door_closed: bool = True
    acceleration: tuple[float, float, float] = (0.0, 0.0, 1.0)
    shake: Callable[[float], tuple[float, float, float]] | None = None


class Cable:
    """The host's end of the serial line."""

    def __init__(self) -> None:
        self.to_controller = bytearray()
        self.from_controller = bytearray()
        self.plugged = True

    @property
    def waiting(self) -> int:
        return len(self.to_controller)

    def take(self, most: int) -> bytes:
        taken = bytes(self.to_controller[:most])
        del self.to_controller[:most]
        return taken

    def give(self, data: bytes) -> int:
        self.from_controller += data
        return len(data)


class Bench:
    """`bus`, `lines`, `chips` and `world` are the twin's side; `board` is the firmware's, built when first asked for."""

    def __init__(self, flash: Path, dice: int = 3, seed: int = 1, scene: Scene | None = None) -> None:
        self.lines = Lines()
        self.world = BenchWorld()
        self.cable = Cable()
        self.flash = Flash(flash, blocks=4)
        self.bus = Bus(self.lines, self.flash, self.cable, Seed(seed), bytes(range(8)))
        self.dice_set = DiceSet.made_from(seed, dice)
        self.chips = TableChips(self.bus, self.world, self.dice_set, seed, scene=scene)
        self.transfers: dict[Op, int] = {}
        self.on_step: list[Callable[[], None]] = []
        self.firmware = InProcessFirmware(self)
        self._board: Any = None

    @property
    def board(self) -> Any:
        if self._board is None:
            self._board = self.firmware.board()
        return self._board

    def advance(self, us: int) -> None:
        """Table time passes in steps of a millisecond, as the twin's world turns it."""
        end = self.lines.now_us + us
        while self.lines.now_us < end:
            step = min(STEP_US, end - self.lines.now_us)
            self.lines.now_us += step
            if self.world.shake is not None:
                self.world.acceleration = self.world.shake(self.lines.now_us / 1e6)
            self.chips.step_motor(step / 1e6)
            self.chips.advance(self.lines.now_us)
            for hook in self.on_step:
                hook()

    def wait_ms(self, ms: int) -> None:
        """As the firmware's own wait: edges reach their handlers."""
        self.firmware.wait_us(ms * 1000)

    def close(self) -> None:
        self.flash.close()


class InProcessFirmware:
    """The twin's `machine`, `neopixel` and `time` and the firmware's modules, loaded for one bench and no other."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._handlers: dict[int, Callable[[int], None]] = {}
        self._polls = 0
        self._loaded: dict[str, types.ModuleType] = {}

    def board(self) -> Any:
        """With its drivers loaded, which a board does when they are first asked for."""
        made = self.module("boards.twin").Board()
        with self._as_on_device():
            assert made.tags is not None
            assert made.camera is not None
        return made

    def module(self, name: str) -> types.ModuleType:
        """A firmware module by its name on the device, for instance drivers.pn5180."""
        with self._as_on_device():
            return importlib.import_module(name)

    @contextmanager
    def _as_on_device(self) -> Iterator[None]:
        mine = ("machine", "neopixel", "time", "tablebus", "micropython", "drivers", "boards", "controller")
        kept = {name: module for name, module in sys.modules.items() if name.split(".")[0] in mine}
        for name in kept:
            del sys.modules[name]
        path = list(sys.path)
        sys.path[:0] = [str(FIRMWARE)]
        try:
            if not self._loaded:
                self._load_machine()
            sys.modules.update(self._loaded)
            yield
            self._loaded = {name: module for name, module in sys.modules.items() if name.split(".")[0] in mine}
        finally:
            for name in [name for name in sys.modules if name.split(".")[0] in mine]:
                del sys.modules[name]
            sys.modules.update(kept)
            sys.path[:] = path

    def _load_machine(self) -> None:
        micropython = types.ModuleType("micropython")
        vars(micropython).update(const=lambda value: value, kbd_intr=lambda _char: None)
        tablebus = types.ModuleType("tablebus")
        vars(tablebus).update({f"OP_{op.name}": int(op) for op in Op})
        vars(tablebus).update(
            call=self.call,
            transfer=self.transfer,
            convert=lambda gpio, _last: self.transfer(Op.ADC, gpio, 0, 0, None, None),
            levels=self.levels,
            handle=self.handle,
            wait_us=self.wait_us,
            wait=lambda ms: self.wait_us(max(1, ms) * 1000),
            ms=lambda: self._now() // 1000 & TICKS_MASK,
            us=lambda: self._now() & TICKS_MASK,
            wire_ms=lambda: self._now() // 1000 & TICKS_MASK,
            seconds=lambda: self._now() // 1_000_000,
            port_read_into=lambda view: self.call(Op.PORT_READ, 0, 0, len(view), None, view),
            port_write=lambda view: self.call(Op.PORT_WRITE, 0, 0, 0, view),
            entropy=self.entropy,
        )
        sys.modules.update(micropython=micropython, tablebus=tablebus)
        for name in ("time", "machine", "neopixel"):
            spec = importlib.util.spec_from_file_location(name, MACHINE / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
        self._loaded = {name: sys.modules[name] for name in ("micropython", "tablebus", "time", "machine", "neopixel")}

    # --- what tablebus.py offers on the device ------------------------------------------------------------------------

    def call(self, op: int, a: int = 0, b: int = 0, c: int = 0, data: Any = None, into: Any = None) -> int:
        bench = self._bench
        bench.transfers[Op(op)] = bench.transfers.get(Op(op), 0) + 1
        answer = bench.bus.answer(Request(Op(op), a, b, c, b"" if data is None else bytes(data)))
        if answer.data:
            into[: len(answer.data)] = answer.data
        if answer.status:
            raise OSError(answer.status)
        return answer.value

    def transfer(self, op: int, a: int, b: int, c: int, data: Any, into: Any) -> int:
        self._poll()
        return self.call(op, a, b, c, data, into)

    def levels(self) -> int:
        self._poll()
        return self._bench.lines.levels

    def handle(self, gpio: int, handler: Callable[[int], None] | None) -> None:
        if handler is None:
            self._handlers.pop(gpio, None)
        else:
            self._handlers[gpio] = handler

    def wait_us(self, us: int) -> None:
        self._polls = 0
        self._bench.advance(us)
        for edge in self._bench.lines.take_edges(1 << 20):
            handler = self._handlers.get(edge.gpio)
            if handler is not None:
                handler(edge.level)

    def entropy(self, n: int) -> bytes:
        view = bytearray(n)
        self.call(Op.ENTROPY, 0, 0, n, None, view)
        return bytes(view)

    def _now(self) -> int:
        self._poll()
        return self._bench.lines.now_us

    def _poll(self) -> None:
        self._polls += 1
        if self._polls >= POLLS:
            self.wait_us(POLL_US)
