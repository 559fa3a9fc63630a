"""A UART of the emulated RP2040 that sends at its programmed speed and interrupts when its FIFO drains, as the PL011 does.

Replaces the transmit side of rp2040py's, which asserts its interrupt again at every look (quirks.py). For a debug cable on
GP0 and GP1; the table's own link is USB.
"""

from __future__ import annotations

from collections import deque
from typing import Any

DATA, FLAGS, INTEGER_DIVISOR, FRACTION, INTERRUPT_CLEAR = 0x00, 0x18, 0x24, 0x28, 0x44
TX_INTERRUPT = 1 << 5
TX_FULL, RX_EMPTY, RX_FULL, TX_EMPTY, BUSY = 1 << 5, 1 << 4, 1 << 6, 1 << 7, 1 << 3
DEPTH = 32
BITS = 10  # start, eight data, stop
PERIPHERAL_HZ = 48_000_000  # what MicroPython clocks the peripherals with
FASTEST_GUESS = 115_200


def install(port: Any, clock: Any) -> None:
    """`port.host_send(bytes)` is what comes in on RX from now on; `port.on_byte` gets what goes out on TX."""
    waiting: deque[int] = deque()
    arriving: deque[int] = deque()
    read, write, reset = port.read_uint32, port.write_uint32, port.reset

    def byte_ns() -> float:
        return BITS * 1e9 / baud()

    def baud() -> float:
        divisor = read(INTEGER_DIVISOR) + read(FRACTION) / 64
        return PERIPHERAL_HZ / (16 * divisor) if divisor else FASTEST_GUESS

    def check() -> None:
        port.rp2040.set_interrupt(port.irq, bool(port._interrupt_status & port._interrupt_mask))

    def sent() -> None:
        byte = waiting.popleft()
        if port.on_byte is not None:
            port.on_byte(byte)
        if waiting:
            transmit.schedule(byte_ns())
        if len(waiting) in (0, DEPTH // 2):
            port._interrupt_status |= TX_INTERRUPT
            check()

    def arrived() -> None:
        byte = arriving.popleft()
        if port.rx_fifo.full:
            port.overruns += 1
        else:
            port.feed_byte(byte)
        if arriving:
            receive.schedule(byte_ns())

    def read_register(offset: int) -> int:
        if offset != FLAGS:
            return int(read(offset))
        seen = RX_FULL if port.rx_fifo.full else RX_EMPTY if port.rx_fifo.empty else 0
        return seen | (BUSY if waiting else TX_EMPTY) | (TX_FULL if len(waiting) >= DEPTH else 0)

    def write_register(offset: int, value: int) -> None:
        if offset != DATA:
            write(offset, value)
        elif len(waiting) < DEPTH:
            waiting.append(value & 0xFF)
            if len(waiting) == 1:
                transmit.schedule(byte_ns())

    def host_send(data: bytes) -> None:
        idle = not arriving
        arriving.extend(data)
        if idle and arriving:
            receive.schedule(byte_ns())

    def reset_port() -> None:
        waiting.clear()
        arriving.clear()
        transmit.cancel()
        receive.cancel()
        reset()

    transmit, receive = clock.create_alarm(sent), clock.create_alarm(arrived)
    port.overruns = 0
    port.check_interrupts = check
    port.read_uint32, port.write_uint32, port.reset = read_register, write_register, reset_port
    port.host_send, port.baud = host_send, baud
