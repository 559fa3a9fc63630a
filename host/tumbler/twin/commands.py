"""What can be asked of a running twin over its control socket: one row a command, its fields checked, its answer a dict.

The list with every field is docs/twin.md. Not for the socket (control.py), nor for faults by chance (faults.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tumbler.twin.camera import TROUBLES
from tumbler.twin.chips.faults import ChipFault, NotFitted, break_chip, mend_chip
from tumbler.twin.chips.panel import KEY_BITS
from tumbler.twin.faults import KINDS, BoardFault, LineFault, PlayFault, lay
from tumbler.twin.lie import look
from tumbler.twin.line import Noise, Way
from tumbler.twin.physics import HALF, square

if TYPE_CHECKING:
    from tumbler.twin.twin import Twin

Answer = dict[str, Any]
RING = 0.02  # metres from the middle, where `place` with faces puts the dice
HOLD_MS = 80
OFF_MS = 300
WAYS = ("to_host", "from_host", "both")


class Refused(Exception):
    """A command that can't be obeyed; the message names the field and what it may be."""


def _number(body: Answer, name: str, default: float | None, least: float, most: float) -> float:
    value = body.get(name, default)
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise Refused(f"{name} {value!r}: must be a number from {least:g} to {most:g}")
    return value


def _flag(body: Answer, name: str, default: bool | None = None) -> bool:
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise Refused(f"{name} {value!r}: must be true or false")
    return value


def _one_of(body: Answer, name: str, choices: Any, default: str | None = None) -> str:
    value = body.get(name, default)
    if not isinstance(value, str) or value not in choices:
        raise Refused(f"{name} {value!r}: must be one of {', '.join(choices)}")
    return value


def _vector(body: Answer, name: str, length: int) -> list[float]:
    value = body.get(name)
    if not isinstance(value, list) or len(value) != length or not all(isinstance(v, int | float) for v in value):
        raise Refused(f"{name} {value!r}: must be {length} numbers")
    return [float(v) for v in value]


class Commands:
    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._table: dict[str, Callable[[Answer], Answer | None]] = {
            "status": lambda _: twin.status(),
            "press": self._press,
            "hold": self._hold,
            "release": self._release,
            "cover": lambda body: twin.world.cover(_flag(body, "closed")),
            "door": lambda body: twin.world.door(_flag(body, "closed")),
            "bump": self._bump,
            "place": self._place,
            "lay": self._lay,
            "age": self._age,
            "trouble": self._trouble,
            "tidy": lambda _: twin.faults.tidy(),
            "look": self._look,
            "break": self._break,
            "mend": self._mend,
            "next": self._next,
            "rate": self._rate,
            "noise": self._noise,
            "stall": self._stall,
            "unplug": self._unplug,
            "plug": lambda _: twin.plug_in(),
            "power_cut": self._power_cut,
            "power": self._power,
            "crash": lambda _: twin.cause(BoardFault.CRASH, 0.0),
            "flash_cut": self._flash_cut,
            "speed": self._speed,
            "dealer": self._dealer,
            "stop": lambda _: twin.stop(),
        }

    def obey(self, body: Answer) -> Answer:
        act = self._table.get(body["do"])
        if act is None:
            names = ", ".join((*self._table, "poses", "watch"))
            return {"ok": False, "why": f"there is no command {body['do']!r}; there are: {names}"}
        try:
            return {"ok": True, **(act(body) or {})}
        except Refused as error:
            return {"ok": False, "why": str(error)}

    # --- hands --------------------------------------------------------------------------------------------------

    def _press(self, body: Answer) -> None:
        ms = _number(body, "ms", HOLD_MS, 1, 60_000)
        self._twin.world.press(_one_of(body, "key", KEY_BITS), round(ms * 1000))

    def _hold(self, body: Answer) -> None:
        self._twin.world.hold(_one_of(body, "key", KEY_BITS))

    def _release(self, body: Answer) -> None:
        self._twin.world.release(_one_of(body, "key", KEY_BITS))

    def _bump(self, body: Answer) -> None:
        self._twin.world.bump(_number(body, "g", 0.8, 0, 16), round(_number(body, "ms", 60, 1, 10_000) * 1000))

    def _die(self, body: Answer) -> int:
        return int(_number(body, "die", 0, 0, self._twin.world.physics.expected - 1))

    def _place(self, body: Answer) -> Answer:
        physics = self._twin.world.physics
        if "faces" in body:
            faces = _vector(body, "faces", physics.expected)
            if not all(face in range(1, 7) for face in faces):
                raise Refused(f"faces {body['faces']!r}: must be 1 to 6")
            turn = _number(body, "turn", 0.0, -10.0, 10.0)  # radians about the middle of the plate
            for die, face in enumerate(faces):
                angle = turn + 2 * math.pi * die / physics.expected
                at = (RING * math.cos(angle), RING * math.sin(angle), HALF)
                physics.place(die, at, square(int(face), angle))
        else:
            wedged = _flag(body, "wedged", False)
            position, quaternion = _vector(body, "position", 3), _vector(body, "quaternion", 4)
            if not any(quaternion):
                raise Refused("quaternion: must not be all zero")
            physics.place(self._die(body), position, quaternion, wedged=wedged)
            if wedged:
                return self._look(body)
        physics.settle()
        return self._look(body)

    def _lay(self, body: Answer) -> Answer:
        names = [fault.value for fault in PlayFault]
        lay(self._twin.world.physics, PlayFault(_one_of(body, "how", names)), self._die(body))
        return self._look(body)

    def _age(self, body: Answer) -> Answer:
        """What years do to the camera: share of the light that is left, pixels of blur, specks of dust more."""
        age = self._twin.scene.age
        age.light = _number(body, "light", age.light, 0.0, 4.0)
        age.blur = _number(body, "blur", age.blur, 0.0, 20.0)
        age.dust = int(_number(body, "dust", age.dust, 0, 1000))
        return {"light": age.light, "blur": age.blur, "dust": age.dust}

    def _trouble(self, body: Answer) -> Answer:
        """Pictures that nobody should read from; "none" ends it."""
        name = _one_of(body, "picture", ["none", *TROUBLES])
        self._twin.scene.suffer(TROUBLES.get(name))
        return {}

    def _look(self, _: Answer) -> Answer:
        throw = look(self._twin.world.physics)
        why_not = throw.why_not
        return {
            "faces": throw.faces,
            "lies": [lie.value for lie in throw.lies],
            "tilts": throw.tilts,
            "why_not": why_not.value if why_not is not None else None,
        }

    # --- faults -------------------------------------------------------------------------------------------------

    def _break(self, body: Answer) -> None:
        self._chip(body, break_chip)

    def _mend(self, body: Answer) -> None:
        self._chip(body, mend_chip)

    def _chip(self, body: Answer, act: Callable[..., None]) -> None:
        fault = ChipFault(_one_of(body, "fault", [fault.value for fault in ChipFault]))
        part = str(body.get("part", ""))
        try:
            act(self._twin.chips, fault, part)
        except (KeyError, ValueError) as error:
            raise Refused(f"part {part!r}: {fault.value} has no such part") from error
        except NotFitted as error:
            raise Refused(f"fault {fault.value!r}: {error}") from error

    def _next(self, body: Answer) -> None:
        """This fault falls into the next spin."""
        names = [name for name, kind in KINDS.items() if not isinstance(kind, LineFault)]
        self._twin.faults.next.add(KINDS[_one_of(body, "fault", names)])

    def _rate(self, body: Answer) -> None:
        kind = KINDS[_one_of(body, "fault", KINDS)]
        self._twin.set_rate(kind, _number(body, "rate", None, 0, 1))

    def _noise(self, body: Answer) -> Answer:
        """Replaces the noise of one or both ways; a field that isn't given is none."""
        fields = {
            name: _number(body, name, 0.0, 0.0, 1.0 if name not in ("delay", "jitter") else 60.0)
            for name in Noise.__dataclass_fields__
        }
        way, line = _one_of(body, "way", WAYS, "both"), self._twin.line
        chosen: list[Way] = [getattr(line, way)] if way != "both" else [line.to_host, line.from_host]
        for one in chosen:
            one.noise = Noise(**fields)
        return {way: vars(getattr(line, way).counts) for way in WAYS[:2]}

    def _stall(self, body: Answer) -> None:
        self._twin.line.stall(time.monotonic() + _number(body, "seconds", 1.0, 0, 600))

    def _unplug(self, body: Answer) -> None:
        seconds = _number(body, "seconds", 0, 0, 600)
        self._twin.pull_out(seconds or None)

    def _power_cut(self, body: Answer) -> None:
        self._twin.board.cut_power(int(_number(body, "off_ms", OFF_MS, 1, 600_000)))

    def _power(self, body: Answer) -> None:
        if _flag(body, "on"):
            self._twin.board.restore()
        else:
            self._twin.board.cut_power(None)

    def _flash_cut(self, body: Answer) -> None:
        """The power fails at this byte of programming or erasing from now on; the seed picks the torn bits."""
        after = int(_number(body, "after", None, 0, 1 << 30))
        self._twin.flash.cut_after(after, int(_number(body, "seed", 0, 0, 1 << 62)))

    # --- the twin itself ----------------------------------------------------------------------------------------

    def _speed(self, body: Answer) -> None:
        self._twin.set_speed(_number(body, "x", None, 0, 1000))

    def _dealer(self, body: Answer) -> None:
        if self._twin.dealer is None:
            raise Refused("there is no dealer: start the twin with --auto")
        self._twin.dealer.paused = not _flag(body, "on")
