"""PN5180: the radio chip of the tag reader, at its SPI host interface. Commands, registers, one request and its answer.

The rule of the interface: bytes go while NSS is low; BUSY rises when the chip has them, then NSS may rise; BUSY falls when
the chip is done. An answer is fetched in a frame of its own. Registers are four bytes, low byte first; they are kept as
bytes, because half of them would be no small int on this processor. Not here: what is said to the tags (iso15693.py).
"""

import time

from micropython import const

_WRITE_AND_MASK = const(0x02)
_WRITE_MULTIPLE = const(0x03)
_READ_REGISTER = const(0x04)
_READ_EEPROM = const(0x07)

_IRQ_STATUS = const(0x02)
_TIMER1_RELOAD = const(0x0C)
_TIMER1_CONFIG = const(0x0F)
_TX_CONFIG = const(0x18)
_RF_STATUS = const(0x1D)

_RX_IRQ = const(0x0001)
_IDLE_IRQ = const(0x0004)
_TIMER1_IRQ = const(0x1000)
_RX_SOF_IRQ = const(0x4000)
_GENERAL_ERROR_IRQ = const(0x20000)
_RX_BAD = const(0x07)  # bits 16 to 18 of RX_STATUS: integrity, protocol, collision

_PRODUCT_VERSION = const(0x10)
_BUSY_US = const(10000)
_BOOT_MS = const(20)
_ANSWER_US = const(20000)  # the longest answer takes 4 ms

NOTHING = const(0)
GARBLED = const(-1)

# Each WRITE_REGISTER_MULTIPLE is rows of register, action (1 write, 2 OR, 3 AND) and value: one frame instead of four.
_IDLE_THEN_TRANSCEIVE = b"\x00\x03\xf8\xff\xff\xff\x00\x02\x03\x00\x00\x00\x03\x01\xff\xff\x0f\x00"
_SEND_EOF_ONLY = b"\x18\x03\x3f\xfb\xff\xff"  # no data, no start of frame
# Timer 1 starts when a request is out, stops when an answer begins: 1 ms of 13.56 MHz, three times what a tag takes.
_SLOT_TIMER = b"\x0c\x01\xf8\x34\x00\x00\x0f\x01\x01\x08\x10\x00"
# DPC_CONFIG, how hard the antenna is driven: the reader's fields cleared, then set.
LOW = const(0)
FULL = const(1)
_POWER = (
    b"\x27\x03\x01\xf0\xff\xff\x27\x02\x06\x00\x00\x00",  # least conductance, supply less 1 V
    b"\x27\x03\x01\xf0\xff\xff\x27\x02\xf8\x0f\x00\x00",  # most of both
)


class ReaderError(OSError):
    """The reader chip does not keep to its protocol: no supply, a broken wire, or reset by a dip of the supply."""


def _multiple(*rows):
    return bytearray(bytes((_WRITE_MULTIPLE,)) + b"".join(rows))


class Pn5180:
    def __init__(self, spi, nss, busy, rst, most_request: int, most_answer: int):
        self._spi = spi
        self._nss = nss
        self._busy = busy
        self._rst = rst
        self._send = bytearray(2 + most_request)
        self._send[0] = 0x09  # SEND_DATA; the 0 after it: all bits of the last byte count
        view = memoryview(self._send)
        self._sends = [view[: 2 + n] for n in range(most_request + 1)]
        self.request = view[2:]  # the caller writes here, then send(n)
        self.answer = bytearray(most_answer)
        view = memoryview(self.answer)
        self._answers = [view[:n] for n in range(most_answer + 1)]
        self._word = bytearray(4)
        self._two_words = bytearray(8)
        self._read = bytearray((_READ_REGISTER, 0))
        self._read_status = bytes((0x05, 0x02, 0x13))  # READ_REGISTER_MULTIPLE: IRQ_STATUS, RX_STATUS
        self._read_data = bytes((0x0A, 0x00))
        self._arm_data = _multiple(_IDLE_THEN_TRANSCEIVE, b"\x18\x01\x00\x00\x00\x00")
        self._arm_eof = _multiple(_IDLE_THEN_TRANSCEIVE, _SEND_EOF_ONLY)
        self._powers = tuple(_multiple(rows) for rows in _POWER)
        self._slot_timer = _multiple(_SLOT_TIMER)

    # --- frames -------------------------------------------------------------------------------------------------------

    def _wait_busy(self, level: int) -> None:
        if self._busy.value() == level:
            return
        start = time.ticks_us()
        while self._busy.value() != level:
            if time.ticks_diff(time.ticks_us(), start) > _BUSY_US:
                self._nss.value(1)
                raise ReaderError("tag reader: BUSY stays %s" % ("low" if level else "high"))

    def command(self, frame, answer=None) -> None:
        self._wait_busy(0)
        self._nss.value(0)
        self._spi.write(frame)
        self._wait_busy(1)
        self._nss.value(1)
        self._wait_busy(0)
        if answer is not None:
            self._nss.value(0)
            self._spi.readinto(answer, 0xFF)
            self._wait_busy(1)
            self._nss.value(1)
            self._wait_busy(0)

    def read_register(self, register: int):
        """Four bytes, low byte first, in the driver's own buffer."""
        self._read[1] = register
        self.command(self._read, self._word)
        return self._word

    # --- starting -----------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Hard reset, and wait until the chip says that it has started."""
        self._nss.value(1)
        self._rst.value(0)
        time.sleep_ms(1)
        self._rst.value(1)
        for _ in range(_BOOT_MS):
            time.sleep_ms(1)
            if self.read_register(_IRQ_STATUS)[0] & _IDLE_IRQ:
                return
        raise ReaderError("tag reader: does not start")

    def start(self) -> None:
        """ISO 15693 at 26 kbit/s both ways, one of four, full modulation, and the timer that ends an empty slot."""
        self.reset()
        self.command(b"\x11\x0d\x8d")
        self.command(self._slot_timer)
        self._arm_data[-4:] = self.read_register(_TX_CONFIG)

    def version(self):
        """(product, firmware), each major * 256 + minor; 0xFFFF where no chip drives the bus."""
        self.command(bytes((_READ_EEPROM, _PRODUCT_VERSION, 4)), self._word)
        word = self._word
        return word[1] << 8 | word[0], word[3] << 8 | word[2]

    # --- the field ----------------------------------------------------------------------------------------------------

    def field_on(self, power: int) -> None:
        self.command(self._powers[power])
        self.command(b"\x16\x00")

    def field_off(self) -> None:
        self.command(b"\x17\x00")

    def field_is_on(self) -> bool:
        return bool(self.read_register(_RF_STATUS)[2] & 0x02)

    # --- one request, one answer --------------------------------------------------------------------------------------

    def send(self, n: int) -> None:
        """The first n bytes of `request`, with the CRC that the chip adds."""
        self.command(self._arm_data)
        self.command(self._sends[n])

    def send_eof(self) -> None:
        """A bare end of frame: the next slot of an inventory."""
        self.command(self._arm_eof)
        self.command(self._sends[0])

    def listen(self) -> int:
        """Wait for the answer or the end of the slot. -> its length with the bytes in `answer`, NOTHING, or GARBLED."""
        start = time.ticks_us()
        status = self._two_words
        while True:
            self.command(self._read_status, status)
            irq = status[0] | status[1] << 8 | status[2] << 16
            if irq & _GENERAL_ERROR_IRQ:
                raise ReaderError("tag reader: the chip refused a command")
            if irq & _RX_IRQ:
                break
            if irq & _TIMER1_IRQ and not irq & _RX_SOF_IRQ:
                return NOTHING
            if time.ticks_diff(time.ticks_us(), start) > _ANSWER_US:
                raise ReaderError("tag reader: a slot does not end")
        n = status[4] | (status[5] & 1) << 8
        if status[6] & _RX_BAD or not 0 < n < len(self._answers):
            return GARBLED
        self.command(self._read_data, self._answers[n])
        return n
