"""A table on a bench that labgrid looks after: cable, power and key actuators from a labgrid target, as a rig for this suite.

`imports:` this file in a labgrid environment (hil_tests/bench/labgrid.yaml) and give the target a TumblerTableDriver. Needs
the `labgrid` extra. Not for where the bench is built and wired: docs/hil.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attr
from labgrid import Environment
from labgrid.driver.common import Driver
from labgrid.exceptions import InvalidConfigError, NoDriverFoundError, NoResourceFoundError, NoSupplierFoundError
from labgrid.factory import target_factory
from labgrid.protocol import DigitalOutputProtocol, PowerProtocol
from labgrid.resource.serialport import RawSerialPort
from labgrid.resource.udev import USBSerialPort

from tumbler.rigs.bench import BenchRig
from tumbler.rigs.capability import Capability
from tumbler.rigs.rig import RigFailed

HOLD_S = 0.1  # a finger on a key
OFF_S = 0.3
UNUSABLE = (
    InvalidConfigError,
    NoDriverFoundError,
    NoResourceFoundError,
    NoSupplierFoundError,
)  # what labgrid finds wrong
DEALER_KEYS = ("spin", "no_more_bets", "no_spin", "confirm")
MOVES = ("cover", "door")


@target_factory.reg_driver
@attr.s(eq=False)
class TumblerTableDriver(Driver):  # type: ignore[misc]
    """`outputs`: key, `cover` or `door` -> name of the labgrid digital output that presses or closes it."""

    bindings = {"cable": {RawSerialPort, USBSerialPort}, "power": {PowerProtocol, None}}  # noqa: RUF012 labgrid reads it so
    key_file: str = attr.ib(validator=attr.validators.instance_of(str))
    outputs: dict[str, str] = attr.ib(factory=dict, validator=attr.validators.instance_of(dict))

    @Driver.check_active  # type: ignore[untyped-decorator, unused-ignore]
    def port(self) -> str:
        return str(self.cable.port)

    @Driver.check_active  # type: ignore[untyped-decorator, unused-ignore]
    def cut_power(self, seconds: float) -> None:
        if self.power is None:
            raise RigFailed("this bench has no power driver: bind one to TumblerTableDriver in its environment file")
        self.power.off()
        time.sleep(seconds)
        self.power.on()

    @Driver.check_active  # type: ignore[untyped-decorator, unused-ignore]
    def output(self, what: str, on: bool) -> None:
        self.target.get_driver(DigitalOutputProtocol, name=self.outputs[what]).set(on)


class LabgridRig(BenchRig):
    """`environment` is the YAML file; `target` a name in it. What has no actuator falls back to the person, if there is one."""

    name = "labgrid"

    def __init__(self, environment: Path, ask: Callable[[str], object] | None, target: str = "main") -> None:
        if not environment.is_file():
            raise RigFailed(f"--rig labgrid:{environment}: there is no such environment file")
        try:
            self._environment = Environment(str(environment))
            self._target: Any = self._environment.get_target(target)
            if self._target is None:
                raise RigFailed(f"--rig labgrid:{environment}: it has no target {target!r}")
            self._driver: Any = self._target.get_driver(TumblerTableDriver)
        except UNUSABLE as error:
            raise RigFailed(f"--rig labgrid:{environment}: {error}") from error
        super().__init__(self._driver.port(), Path(self._driver.key_file), ask)

    def missing(self, needed: set[Capability]) -> list[str]:
        able = set()
        if self._driver.power is not None:
            able.add(Capability.POWER)
        if all(key in self._driver.outputs for key in (*DEALER_KEYS, *MOVES)):
            able.add(Capability.KEYS)
        return super().missing(needed - able)

    def control(self, do: str, **fields: Any) -> dict[str, Any]:
        outputs = self._driver.outputs
        if do == "power_cut" and self._driver.power is not None:
            self._driver.cut_power(float(fields.get("off_ms", OFF_S * 1000)) / 1000)
        elif do == "press" and fields.get("key") in outputs:
            self._driver.output(fields["key"], True)
            time.sleep(HOLD_S)
            self._driver.output(fields["key"], False)
        elif do in MOVES and do in outputs:
            self._driver.output(do, bool(fields["closed"]))
        else:
            return super().control(do, **fields)
        return {"ok": True}

    def stop(self) -> None:
        self._target.cleanup()
