"""Breaking the table's chips on purpose: one row for each thing that breaks in a real table, with how to break and mend it.

Used by the twin's `--fault` and control, and by tests. Faults of play (a cocked die, a cover opened early) are not here:
those are the dealer's and the physics'. A `part` chooses among several of a kind: which lamp, which key.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arduchip import ArduChip
    from .ov2640 import Ov2640
    from .table import TableChips


class ChipFault(Enum):
    """What breaks, by the name it has on the command line."""

    LAMP_DEAD = "lamp_dead"
    LAMP_CHAIN_CUT = "lamp_chain_cut"
    KEY_STUCK = "key_stuck"
    KEY_WORN = "key_worn"
    MOTOR_STALLED = "motor_stalled"
    TACHOMETER_DEAD = "tachometer_dead"
    CURRENT_SENSE_OPEN = "current_sense_open"
    SUPPLY_LOW = "supply_low"
    READER_DEAD = "reader_dead"
    READER_DEAF = "reader_deaf"
    PANEL_GONE = "panel_gone"
    ACCELEROMETER_GONE = "accelerometer_gone"
    ACCELEROMETER_NOISY = "accelerometer_noisy"
    ACCELEROMETER_BROKEN = "accelerometer_broken"
    LAMP_SENSE_GONE = "lamp_sense_gone"
    COVER_SWITCH_STUCK = "cover_switch_stuck"
    CAMERA_GONE = "camera_gone"
    CAMERA_DEAD = "camera_dead"
    CAMERA_HUNG = "camera_hung"
    CAMERA_FROZEN = "camera_frozen"
    CAMERA_TORN = "camera_torn"
    CAMERA_DARK = "camera_dark"
    CAMERA_STUCK = "camera_stuck"
    CAMERA_LAMP = "camera_lamp"
    CAMERA_LAMP_STUCK = "camera_lamp_stuck"


class NotFitted(Exception):
    """The table has no such part."""


NOISY_G = 0.4
QUIET_G = 0.002
LOW_VOLTS = 17.0
FULL_VOLTS = 24.0


def _lamp(chips: TableChips, on: bool, part: str) -> None:
    pixel = int(part or 0)
    if on:
        chips.lamps.dead.add(pixel)
    else:
        chips.lamps.dead.discard(pixel)


def _chain(chips: TableChips, on: bool, part: str) -> None:
    chips.lamps.cut_at = int(part or 0) if on else None


def _stuck(chips: TableChips, on: bool, part: str) -> None:
    chips.panel.keys[part or "spin"].stuck = True if on else None


def _worn(chips: TableChips, on: bool, part: str) -> None:
    chips.panel.keys[part or "spin"].stuck = False if on else None


def _stalled(chips: TableChips, on: bool, _part: str) -> None:
    chips.bridge.motor.seized = on


def _tachometer(chips: TableChips, on: bool, _part: str) -> None:
    chips.bridge.tach_dead = on


def _sense(chips: TableChips, on: bool, _part: str) -> None:
    chips.bridge.sense_open = on


def _supply(chips: TableChips, on: bool, _part: str) -> None:
    chips.bridge.supply_volts = LOW_VOLTS if on else FULL_VOLTS


def _reader_dead(chips: TableChips, on: bool, _part: str) -> None:
    chips.reader.dead = on


def _reader_deaf(chips: TableChips, on: bool, _part: str) -> None:
    chips.reader.deaf = on


def _panel_gone(chips: TableChips, on: bool, _part: str) -> None:
    chips.expander.no_ack = on


def _accelerometer_gone(chips: TableChips, on: bool, _part: str) -> None:
    chips.accelerometer.no_ack = on


def _noisy(chips: TableChips, on: bool, _part: str) -> None:
    chips.accelerometer.noise_g = NOISY_G if on else QUIET_G


def _broken(chips: TableChips, on: bool, _part: str) -> None:
    chips.accelerometer.broken_cell = on


def _lamp_sense(chips: TableChips, on: bool, _part: str) -> None:
    chips.lamp_sense.no_ack = on


def _cover(chips: TableChips, on: bool, part: str) -> None:
    chips.cover.stuck = (part != "open") if on else None


def _sensor_of(chips: TableChips) -> Ov2640:
    if chips.image_sensor is None:
        raise NotFitted("this table has no camera to break")
    return chips.image_sensor


def _fifo_of(chips: TableChips) -> ArduChip:
    if chips.camera_fifo is None:
        raise NotFitted("this table has no camera to break")
    return chips.camera_fifo


def _camera_gone(chips: TableChips, on: bool, _part: str) -> None:
    _sensor_of(chips).no_ack = on


def _camera_dead(chips: TableChips, on: bool, _part: str) -> None:
    _fifo_of(chips).dead = on


def _camera_hung(chips: TableChips, on: bool, _part: str) -> None:
    _sensor_of(chips).hung = on


def _camera_frozen(chips: TableChips, on: bool, _part: str) -> None:
    _sensor_of(chips).frozen = on


def _camera_torn(chips: TableChips, on: bool, _part: str) -> None:
    _fifo_of(chips).torn = on


def _camera_dark(chips: TableChips, on: bool, _part: str) -> None:
    _sensor_of(chips).dark = on


def _camera_stuck(chips: TableChips, on: bool, part: str) -> None:
    """`part` is the data wire, 0 to 7."""
    _sensor_of(chips).stuck_bits = 1 << int(part or 6) if on else 0


def _camera_lamp(chips: TableChips, on: bool, part: str) -> None:
    """`part` is the lamp that is dead, 0 or 1."""
    lamp = int(part or 1)
    if on:
        chips.camera_lamp.dead.add(lamp)
    else:
        chips.camera_lamp.dead.discard(lamp)


def _camera_lamp_stuck(chips: TableChips, on: bool, _part: str) -> None:
    """The change-over stays with lamp 0."""
    chips.camera_lamp.stuck = on


_BREAK: dict[ChipFault, Callable[[TableChips, bool, str], None]] = {
    ChipFault.LAMP_DEAD: _lamp,
    ChipFault.LAMP_CHAIN_CUT: _chain,
    ChipFault.KEY_STUCK: _stuck,
    ChipFault.KEY_WORN: _worn,
    ChipFault.MOTOR_STALLED: _stalled,
    ChipFault.TACHOMETER_DEAD: _tachometer,
    ChipFault.CURRENT_SENSE_OPEN: _sense,
    ChipFault.SUPPLY_LOW: _supply,
    ChipFault.READER_DEAD: _reader_dead,
    ChipFault.READER_DEAF: _reader_deaf,
    ChipFault.PANEL_GONE: _panel_gone,
    ChipFault.ACCELEROMETER_GONE: _accelerometer_gone,
    ChipFault.ACCELEROMETER_NOISY: _noisy,
    ChipFault.ACCELEROMETER_BROKEN: _broken,
    ChipFault.LAMP_SENSE_GONE: _lamp_sense,
    ChipFault.COVER_SWITCH_STUCK: _cover,
    ChipFault.CAMERA_GONE: _camera_gone,
    ChipFault.CAMERA_DEAD: _camera_dead,
    ChipFault.CAMERA_HUNG: _camera_hung,
    ChipFault.CAMERA_FROZEN: _camera_frozen,
    ChipFault.CAMERA_TORN: _camera_torn,
    ChipFault.CAMERA_DARK: _camera_dark,
    ChipFault.CAMERA_STUCK: _camera_stuck,
    ChipFault.CAMERA_LAMP: _camera_lamp,
    ChipFault.CAMERA_LAMP_STUCK: _camera_lamp_stuck,
}


def break_chip(chips: TableChips, fault: ChipFault, part: str = "") -> None:
    """From now on. Mend it with the same fault and part."""
    _BREAK[fault](chips, True, part)


def mend_chip(chips: TableChips, fault: ChipFault, part: str = "") -> None:
    _BREAK[fault](chips, False, part)
