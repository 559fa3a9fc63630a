"""The table's board around a Raspberry Pi Pico: the pin map, and every chip's driver on it.

Building the board starts the watchdog and touches the pins; a chip that does not answer is found by its self-test, never
here, so that a table with a broken chip can still say which one. Not here: what the table does.
"""

import os
import select
import sys
import time

import machine
import slots
from dicewire import codes
from drivers.ina219 import Ina219
from drivers.lis3dh import Lis3dh
from drivers.mcp23017 import Mcp23017
from drivers.motor import Motor
from drivers.panel import INPUTS, Panel
from drivers.supply import Supply
from drivers.switch import Switch
from drivers.ws2812 import Lamps
from micropython import const

# What hangs on which GPIO. The twin's chips/table.py has the same numbers; its tests hold the two together.
PINS = {
    "camera_sda": 2,
    "camera_scl": 3,
    "i2c_sda": 4,
    "i2c_scl": 5,
    "panel_interrupt": 6,
    "lamps": 7,
    "motor_pwm": 8,
    "motor_direction": 9,
    "camera_sck": 10,
    "camera_mosi": 11,
    "camera_miso": 12,
    "camera_cs": 13,
    "cover": 14,
    "door": 15,
    "reader_miso": 16,
    "reader_nss": 17,
    "reader_sck": 18,
    "reader_mosi": 19,
    "reader_busy": 20,
    "reader_rst": 21,
    "tachometer": 22,
    "heartbeat": 25,
    "motor_sense": 26,
    "supply_sense": 27,
    "camera_lamp": 28,  # change-over of the camera's two lamps
}
ADDRESSES = {"panel": 0x20, "accelerometer": 0x18, "lamp_current": 0x40, "camera": 0x30}

_I2C_HZ = const(400000)
_SPI_HZ = const(4000000)  # the PN5180 takes up to 7 MHz
_CAMERA_HZ = const(8000000)  # the most that the ArduChip takes
_SCCB_HZ = const(100000)
_WATCHDOG_MS = const(8000)
_TICKS_MASK = const(0x3FFFFFFF)
_USB_PACKET = const(64)
_WHY_FILE = "/reset.why"  # one byte: the cause that the next start reports, because the RP2040 itself can't tell


class Clock:
    """Milliseconds that wrap at 2**30."""

    def ms(self) -> int:
        return time.ticks_ms() & _TICKS_MASK

    def wait(self, ms: int) -> None:
        time.sleep_ms(ms)


class UsbPort:
    """The wire to the host over the Pico's USB serial. It never blocks, and Ctrl-C is a byte like any other."""

    def __init__(self):
        import micropython

        micropython.kbd_intr(-1)
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sys.stdout, select.POLLOUT)
        self._byte = bytearray(1)

    def read_into(self, view) -> int:
        """Byte by byte: this port's readinto blocks until its buffer is full."""
        n = 0
        byte = self._byte
        while n < len(view):
            for _ in self._readable.ipoll(0):
                break
            else:
                return n
            self._in.readinto(byte)
            view[n] = byte[0]
            n += 1
        return n

    def write(self, view) -> int:
        """At most a USB packet at a time, and only while there is room: a host that has stopped reading costs nothing."""
        for _ in self._writable.ipoll(0):
            break
        else:
            return 0
        n = min(len(view), _USB_PACKET)
        return self._out.write(view[:n]) or 0


class Board:
    name = "pico"
    state_dir = "/state"

    def __init__(self):
        self.watchdog = machine.WDT(timeout=_WATCHDOG_MS)
        self.uid = machine.unique_id()
        self.slots = slots.here
        self.clock, self.wire_clock, self.port = self._connect()
        self.reset_cause = self._why_reset()
        pin = machine.Pin
        self._led = pin(PINS["heartbeat"], pin.OUT, value=0)
        self.motor = Motor(
            pin(PINS["motor_pwm"], pin.OUT, value=0),
            pin(PINS["motor_direction"], pin.OUT, value=1),
            pin(PINS["tachometer"], pin.IN, pin.PULL_DOWN),
            machine.ADC(PINS["motor_sense"]),
        )
        self.cover = Switch(PINS["cover"])
        self.door = Switch(PINS["door"])
        self.supply = Supply(PINS["supply_sense"])
        self._core = self._thermometer()
        self.lamps = Lamps(pin(PINS["lamps"], pin.OUT, value=0))
        self._on_i2c()
        self._tags = self._camera = None

    def _on_i2c(self) -> None:
        i2c = machine.I2C(0, sda=machine.Pin(PINS["i2c_sda"]), scl=machine.Pin(PINS["i2c_scl"]), freq=_I2C_HZ)
        expander = Mcp23017(i2c, ADDRESSES["panel"], INPUTS)
        self.panel = Panel(expander, machine.Pin(PINS["panel_interrupt"], machine.Pin.IN, machine.Pin.PULL_UP))
        self.accel = Lis3dh(i2c, ADDRESSES["accelerometer"])
        self.lamp_current = Ina219(i2c, ADDRESSES["lamp_current"])
        self.absent: list[str] = []  # chips that did not answer at the start; their self-tests say so again
        self._start("panel", self.panel.start, self.clock.ms())
        self._start("accelerometer", self.accel.start)
        self._start("lamp_current", self.lamp_current.start)

    def _start(self, name, start, *args) -> None:
        try:
            start(*args)
        except OSError:
            self.absent.append(name)

    # A table has tags, a camera or both (controller/fitted.py): each driver is loaded by whoever first asks for it.

    @property
    def tags(self):
        if self._tags is None:
            from drivers import iso15693
            from drivers.pn5180 import Pn5180

            pin = machine.Pin
            chip = Pn5180(
                self._spi(0, _SPI_HZ, "reader"),
                pin(PINS["reader_nss"], pin.OUT, value=1),
                pin(PINS["reader_busy"], pin.IN),
                pin(PINS["reader_rst"], pin.OUT, value=1),
                iso15693.REQUEST,
                iso15693.ANSWER,
            )
            self._tags = iso15693.TagReader(chip)
        return self._tags

    @property
    def camera(self):
        """Built here, started by whoever reads with it."""
        if self._camera is None:
            from drivers.arducam import ArduCam

            pin = machine.Pin
            spi = self._spi(1, _CAMERA_HZ, "camera")
            sccb = machine.I2C(1, sda=pin(PINS["camera_sda"]), scl=pin(PINS["camera_scl"]), freq=_SCCB_HZ)
            lamps = pin(PINS["camera_lamp"], pin.OUT, value=0)
            self._camera = ArduCam(spi, pin(PINS["camera_cs"], pin.OUT, value=1), sccb, ADDRESSES["camera"], lamps)
        return self._camera

    def _spi(self, bus, hz, user):
        pin = machine.Pin
        return machine.SPI(
            bus,
            baudrate=hz,
            polarity=0,
            phase=0,
            sck=pin(PINS[user + "_sck"]),
            mosi=pin(PINS[user + "_mosi"]),
            miso=pin(PINS[user + "_miso"]),
        )

    def _connect(self):
        """Clock of the table, clock of the wire's time-outs (here they are one), and the wire to the host."""
        clock = Clock()
        return clock, clock, UsbPort()

    def _thermometer(self):
        return machine.ADC(machine.ADC.CORE_TEMP)

    def entropy(self, n: int) -> bytes:
        return os.urandom(n)

    def temperature(self) -> int:
        """Of the RP2040 itself, in tenths of a degree; 0 where it is not known."""
        # 27 degrees at 0.706 V, 1.721 mV less for each degree more; all in microvolts, which stay small ints
        microvolts = (self._core.read_u16() >> 4) * 3300 // 4095 * 1000
        return 270 - (microvolts - 706000) * 10 // 1721

    def bootloader(self) -> None:
        """The Pico as a drive of its own, for a technician to flash it. Does not return."""
        machine.bootloader()

    def heartbeat(self, on: bool) -> None:
        self._led.value(1 if on else 0)

    def reset(self, cause: int = codes.RESET_COMMANDED) -> None:
        """Start anew, and let the next start say why. Does not return."""
        try:
            with open(self.state_dir + _WHY_FILE, "wb") as f:
                f.write(bytes((cause,)))
        finally:  # a full flash must not keep a table from starting anew
            machine.reset()

    def crashed(self) -> None:
        """Start anew after a defect. Does not return."""
        self.reset(codes.RESET_CRASH)

    def _why_reset(self) -> int:
        """machine.reset() goes through the watchdog: only the file tells a reset on purpose from a bite."""
        path = self.state_dir + _WHY_FILE
        try:
            with open(path, "rb") as f:
                noted = f.read(1)
            os.remove(path)
        except OSError:  # none was left, which is the rule
            noted = b""
        if machine.reset_cause() == machine.PWRON_RESET:
            return codes.RESET_POWER_ON
        return noted[0] if noted else codes.RESET_WATCHDOG
