"""`machine` of an RP2040 for MicroPython's unix port: the part of its interface that our drivers use, with the twin behind it.

Values, limits and return types are those of the rp2 port, so that what runs here runs there. Not for use by anything but
drivers and boards; it has no table logic.
"""

import sys

import tablebus as bus
from micropython import const

PWRON_RESET = const(1)
WDT_RESET = const(3)

_identity = bytearray(9)
bus.call(bus.OP_BOOT, 0, 0, len(_identity), None, _identity)


def reset_cause():
    return _identity[0]


def unique_id():
    return bytes(_identity[1:])


def reset():
    """As on the RP2040 this goes through the watchdog; the twin kills this process, so it never returns."""
    bus.call(bus.OP_RESET)


def freq(hz=None):
    return 125000000


def idle():
    bus.wait_us(1000)


def disable_irq():
    return True


def enable_irq(state):
    pass


def _gpio(pin):
    if isinstance(pin, Pin):
        return pin.gpio
    if isinstance(pin, str) and pin.startswith("GP"):
        pin = int(pin[2:])
    if not isinstance(pin, int) or not 0 <= pin < 30:
        raise ValueError("invalid pin")
    return pin


class Pin:
    IN = const(0)
    OUT = const(1)
    OPEN_DRAIN = const(2)
    ALT = const(3)
    PULL_UP = const(1)
    PULL_DOWN = const(2)
    IRQ_FALLING = const(4)
    IRQ_RISING = const(8)

    def __init__(self, id, mode=-1, pull=-1, *, value=None, alt=None):
        self.gpio = _gpio(id)
        self._handler = None
        if mode != -1 or pull != -1 or value is not None:
            self.init(mode, pull, value=value)

    def init(self, mode=-1, pull=-1, *, value=None, alt=None):
        if mode == -1:
            mode = 0
        if pull is None or pull == -1:
            pull = 0
        bus.call(bus.OP_PIN_MODE, self.gpio, mode | pull << 4 | (0 if value is None else 0x100 | bool(value) << 9))

    def value(self, x=None):
        if x is None:
            return bus.levels() >> self.gpio & 1
        bus.call(bus.OP_PIN_OUT, self.gpio, 1 if x else 0)

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    high = on
    low = off

    def toggle(self):
        self.value(not self.value())

    def irq(self, handler=None, trigger=IRQ_FALLING | IRQ_RISING, *, priority=1, wake=None, hard=False):
        self._handler = handler
        self._trigger = trigger
        bus.handle(self.gpio, self._edge if handler is not None else None)
        bus.call(bus.OP_PIN_IRQ, self.gpio, trigger if handler is not None else 0)
        return self

    def _edge(self, level):
        try:
            self._handler(self)
        except Exception as error:  # a board prints it and takes the handler away; so do we
            sys.print_exception(error)
            bus.handle(self.gpio, None)


class PWM:
    def __init__(self, pin, *, freq=0, duty_u16=0, duty_ns=None, invert=False):
        self.gpio = _gpio(pin)
        self._freq = freq
        self._duty = duty_u16
        self._send()

    def _send(self):
        bus.call(bus.OP_PWM, self.gpio, self._duty, self._freq)

    def freq(self, hz=None):
        if hz is None:
            return self._freq
        if not 8 <= hz <= 62500000:
            raise ValueError("freq too small" if hz < 8 else "freq too large")
        self._freq = hz
        self._send()

    def duty_u16(self, duty=None):
        if duty is None:
            return self._duty
        self._duty = min(max(duty, 0), 65535)
        self._send()

    def deinit(self):
        self._duty = 0
        self._send()


class ADC:
    CORE_TEMP = 4  # the converter's own input behind the four pins: "GP30" on the bus

    def __init__(self, pin):
        gpio = pin + 26 if isinstance(pin, int) and pin <= 4 else _gpio(pin)
        if not 26 <= gpio <= 30:
            raise ValueError("Pin doesn't have ADC capabilities")
        self.gpio = gpio
        self._last = [0, -1]

    def read_u16(self):
        return bus.convert(self.gpio, self._last)


class I2C:
    def __init__(self, id, *, scl=None, sda=None, freq=400000, timeout=50000):
        if id not in (0, 1):
            raise ValueError("I2C(%s) doesn't exist" % id)
        self._id = id
        self._register = bytearray(2)

    def scan(self):
        return [address for address in range(8, 0x78) if self._answers(address)]

    def _answers(self, address):
        try:
            bus.call(bus.OP_I2C, self._id, address, 0, b"")
        except OSError:
            return False
        return True

    def writeto(self, addr, buf, stop=True):
        bus.transfer(bus.OP_I2C, self._id, addr, 0, buf, None)
        return len(buf)

    def writevto(self, addr, vector, stop=True):
        return self.writeto(addr, b"".join(vector), stop)

    def readfrom_into(self, addr, buf, stop=True):
        bus.transfer(bus.OP_I2C, self._id, addr, len(buf), None, buf)

    def readfrom(self, addr, nbytes, stop=True):
        buf = bytearray(nbytes)
        self.readfrom_into(addr, buf)
        return bytes(buf)

    def _address(self, memaddr, addrsize):
        if addrsize == 8:
            self._register[0] = memaddr
            return memoryview(self._register)[:1]
        self._register[0] = memaddr >> 8
        self._register[1] = memaddr & 0xFF
        return self._register

    def readfrom_mem_into(self, addr, memaddr, buf, *, addrsize=8):
        bus.transfer(bus.OP_I2C, self._id, addr, len(buf), self._address(memaddr, addrsize), buf)

    def readfrom_mem(self, addr, memaddr, nbytes, *, addrsize=8):
        buf = bytearray(nbytes)
        self.readfrom_mem_into(addr, memaddr, buf, addrsize=addrsize)
        return bytes(buf)

    def writeto_mem(self, addr, memaddr, buf, *, addrsize=8):
        self.writeto(addr, bytes(self._address(memaddr, addrsize)) + bytes(buf))


class SPI:
    MSB = const(1)
    LSB = const(0)

    def __init__(
        self, id, baudrate=1000000, *, polarity=0, phase=0, bits=8, firstbit=MSB, sck=None, mosi=None, miso=None
    ):
        if id not in (0, 1):
            raise ValueError("SPI(%s) doesn't exist" % id)
        self._id = id

    def init(self, **kw):
        pass

    def deinit(self):
        pass

    def write(self, buf):
        bus.transfer(bus.OP_SPI, self._id, 0, 0, buf, None)

    def readinto(self, buf, write=0):
        bus.transfer(bus.OP_SPI, self._id, 1 | write << 8, len(buf), None, buf)

    def read(self, nbytes, write=0):
        buf = bytearray(nbytes)
        self.readinto(buf, write)
        return bytes(buf)

    def write_readinto(self, write_buf, read_buf):
        if len(write_buf) != len(read_buf):
            raise ValueError("buffers must be the same length")
        bus.transfer(bus.OP_SPI, self._id, 2, len(read_buf), write_buf, read_buf)


class WDT:
    def __init__(self, id=0, timeout=5000):
        if not 1 <= timeout <= 8388:
            raise ValueError("timeout exceeds 8388")
        self._timeout = timeout
        bus.call(bus.OP_WDT, 1, 0, timeout)

    def feed(self):
        bus.call(bus.OP_WDT, 0)


def bitstream(pin, encoding, timing, data):
    """The pulse train of a WS2812 chain; the twin decodes it to pixels, so the timing is taken as right."""
    bus.call(bus.OP_PIXELS, _gpio(pin), 0, 0, data)
