"""The tag reader's chip at its host interface: what the data sheet allows, and what it refuses."""

from __future__ import annotations

import struct

import pytest
from tumbler.twin.chips import pn5180_registers as r
from tumbler.twin.chips.pn5180 import Pn5180

UID = bytes.fromhex("e004010203040506")


class Host:
    """Speaks frames to the chip, as an SPI master does, and remembers BUSY."""

    def __init__(self, *uids: bytes) -> None:
        self.busy: list[bool] = []
        self.drives: list[float] = []
        self.chip = Pn5180(lambda drive: self.drives.append(drive) or uids, self.busy.append)

    def frame(self, data: bytes) -> bytes:
        self.chip.select()
        back = self.chip.exchange(data)
        self.chip.deselect()
        return back

    def ask(self, data: bytes, n: int) -> bytes:
        self.frame(data)
        return self.frame(b"\xff" * n)

    def register(self, number: int) -> int:
        return struct.unpack("<I", self.ask(bytes((r.READ_REGISTER, number)), 4))[0]

    def write(self, number: int, value: int, action: int = r.WRITE_REGISTER) -> None:
        self.frame(bytes((action, number)) + struct.pack("<I", value))

    def ready_to_send(self) -> None:
        self.frame(bytes((r.LOAD_RF_CONFIG, r.ISO15693_TX, r.ISO15693_RX)))
        self.frame(bytes((r.RF_ON, 0)))
        self.transceive()

    def transceive(self) -> None:
        self.write(r.SYSTEM_CONFIG, 0xFFFFFFF8, r.WRITE_AND_MASK)
        self.write(r.SYSTEM_CONFIG, r.COMMAND_TRANSCEIVE, r.WRITE_OR_MASK)
        self.write(r.IRQ_CLEAR, 0xFFFFF)

    def send(self, data: bytes) -> None:
        self.frame(bytes((r.SEND_DATA, 0)) + data)


ONE_SLOT = b"\x26\x01\x00"


def test_busy_rises_with_the_bytes_and_falls_with_the_command() -> None:
    host = Host()
    host.busy.clear()
    host.chip.select()
    host.chip.exchange(bytes((r.RF_ON, 0)))
    assert host.busy == [True]
    host.chip.deselect()
    assert host.busy == [True, False]


def test_versions_are_in_the_eeprom() -> None:
    product_minor, product_major, minor, major = Host().ask(bytes((r.READ_EEPROM, 0x10, 4)), 4)
    assert (product_major, product_minor, major, minor) == (3, 4, 4, 0)


def test_or_and_and_masks_change_only_their_bits() -> None:
    host = Host()
    host.write(r.TX_CONFIG, 0x00FF00F0)
    host.write(r.TX_CONFIG, 0x0000000F, r.WRITE_OR_MASK)
    host.write(r.TX_CONFIG, 0xFF0FFFFF, r.WRITE_AND_MASK)
    assert host.register(r.TX_CONFIG) == 0x000F00FF


def test_many_registers_are_written_and_read_in_one_frame() -> None:
    host = Host()
    rows = bytes((r.TX_CONFIG, 1)) + struct.pack("<I", 0x730) + bytes((r.TX_CONFIG, 2)) + struct.pack("<I", 1)
    host.frame(bytes((r.WRITE_MULTIPLE,)) + rows)
    words = host.ask(bytes((r.READ_MULTIPLE, r.TX_CONFIG, r.SYSTEM_STATUS)), 8)
    assert struct.unpack("<II", words) == (0x731, r.STATUS_BOOT_POR)


def test_an_answer_comes_with_its_length_and_without_crc() -> None:
    host = Host(UID)
    host.ready_to_send()
    host.send(ONE_SLOT)
    assert host.register(r.IRQ_STATUS) & (r.IRQ_RX | r.IRQ_TX | r.IRQ_RX_SOF) == r.IRQ_RX | r.IRQ_TX | r.IRQ_RX_SOF
    assert host.register(r.RX_STATUS) == 10
    assert host.ask(bytes((r.READ_DATA, 0)), 10) == b"\x00\x00" + UID[::-1]
    assert host.chip.wrong_use.notes == []


def test_two_answers_collide_at_the_first_bit_that_differs() -> None:
    host = Host(UID, UID[:-1] + bytes((UID[-1] ^ 0x10,)))
    host.ready_to_send()
    host.send(ONE_SLOT)
    status = host.register(r.RX_STATUS)
    assert status & r.RX_COLLISION
    assert status >> r.RX_COLLISION_POSITION & 0x7F == 16 + 4  # after flags and DSFID


def test_an_empty_slot_ends_with_timer_1() -> None:
    host = Host()
    host.ready_to_send()
    host.write(r.TIMER1_RELOAD, 13560)
    host.write(r.TIMER1_CONFIG, r.TIMER_ENABLE | r.TIMER_ON_TX_END | r.TIMER_STOP_ON_RX)
    host.send(ONE_SLOT)
    irq = host.register(r.IRQ_STATUS)
    assert irq & r.IRQ_TIMER1
    assert not irq & r.IRQ_RX


def test_a_timer_shorter_than_a_tag_s_pause_ends_before_the_answer() -> None:
    host = Host(UID)
    host.ready_to_send()
    host.write(r.TIMER1_RELOAD, 1000)
    host.write(r.TIMER1_CONFIG, r.TIMER_ENABLE | r.TIMER_ON_TX_END | r.TIMER_STOP_ON_RX)
    host.send(ONE_SLOT)
    assert host.register(r.IRQ_STATUS) & r.IRQ_TIMER1


def test_nobody_answers_without_a_field() -> None:
    host = Host(UID)
    host.frame(bytes((r.LOAD_RF_CONFIG, r.ISO15693_TX, r.ISO15693_RX)))
    host.transceive()
    host.send(ONE_SLOT)
    assert not host.register(r.IRQ_STATUS) & r.IRQ_RX
    assert "field off" in host.chip.wrong_use.notes[0]


def test_nobody_answers_in_another_protocol() -> None:
    host = Host(UID)
    host.frame(bytes((r.LOAD_RF_CONFIG, 0x00, 0x80)))  # ISO 14443 A
    host.frame(bytes((r.RF_ON, 0)))
    host.transceive()
    host.write(r.TX_CONFIG, r.TX_DATA_ENABLE)
    host.send(ONE_SLOT)
    assert not host.register(r.IRQ_STATUS) & r.IRQ_RX


def test_drive_follows_the_transmitter_s_conductance_and_amplitude() -> None:
    host = Host(UID)
    host.ready_to_send()
    for word in (0x006, 0xFF8):
        host.write(r.DPC_CONFIG, word)
        host.transceive()
        host.send(ONE_SLOT)
    low, full = host.drives
    assert low == pytest.approx(0.05)
    assert full == 1.0


@pytest.mark.parametrize(
    ("frame", "status"),
    [
        (b"\x30\x00", r.STATUS_SYNTAX),  # no such command
        (bytes((r.WRITE_REGISTER, 0, 0)), r.STATUS_SYNTAX),  # too short
        (bytes((r.READ_REGISTER, 0x44)), r.STATUS_PARAMETER),  # no such register
        (bytes((r.WRITE_REGISTER, r.RX_STATUS, 0, 0, 0, 0)), r.STATUS_PARAMETER),  # read-only
        (bytes((r.LOAD_RF_CONFIG, 0x40, 0x80)), r.STATUS_PARAMETER),
        (bytes((r.SEND_DATA, 0)) + ONE_SLOT, r.STATUS_SEMANTIC),  # not in transceive
        (bytes((r.WRITE_MULTIPLE, r.TX_CONFIG, 4, 0, 0, 0, 0)), r.STATUS_PARAMETER),
        (bytes((r.READ_EEPROM, 0xFE, 9)), r.STATUS_PARAMETER),
    ],
)
def test_wrong_use_is_refused_and_noted(frame: bytes, status: int) -> None:
    host = Host()
    host.frame(frame)
    if host.chip._answer is not None:
        host.frame(b"\xff")
    assert host.register(r.SYSTEM_STATUS) & status
    assert host.register(r.IRQ_STATUS) & r.IRQ_GENERAL_ERROR
    assert host.chip.wrong_use.count == 1


def test_a_second_request_needs_a_new_transceive_when_nobody_answered() -> None:
    host = Host()
    host.ready_to_send()
    host.send(ONE_SLOT)
    host.send(ONE_SLOT)
    assert host.register(r.SYSTEM_STATUS) & r.STATUS_SEMANTIC


def test_a_reset_forgets_everything() -> None:
    host = Host(UID)
    host.ready_to_send()
    host.chip.reset_line(0)
    assert host.frame(bytes((r.READ_REGISTER, 0))) == b"\xff\xff"
    host.chip.reset_line(1)
    assert host.register(r.RF_STATUS) == 0
    assert host.register(r.IRQ_STATUS) == r.IRQ_IDLE


def test_a_dead_chip_leaves_the_bus_high() -> None:
    host = Host()
    host.chip.dead = True
    host.busy.clear()
    assert host.ask(bytes((r.READ_EEPROM, 0x10, 4)), 4) == b"\xff" * 4
    assert True not in host.busy
