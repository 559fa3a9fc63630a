"""The controller's end of the wire to the twin: one request, one reply, table time and pin levels in every reply.

MicroPython only. `machine`, `neopixel` and `time` here stand on it, and boards/twin.py takes the serial port, the clocks and
the entropy from it. Nothing above those four may import it: a driver that does would not run on a real board.

Table time moves only in `wait` (and in a poll that never waits, see `_poll`), so a seed repeats exactly. The last reply's
time and levels are kept, so reading the clock or an input costs no round trip. When the twin is gone the process ends at
once: a controller without a table must not live on.

Frames, little-endian, mirrored in tumbler/twin/bus.py:
    request  op u8, a u8, b u16, c u32, n u32, then n bytes
    reply    status u8, flags u8, irqs u16, levels u32, time_us u64, value u32, n u32, then n bytes
"""

import ffi
import uctypes
import utime
from micropython import const

OP_BOOT = const(1)
OP_WAIT = const(2)
OP_PIN_MODE = const(3)
OP_PIN_OUT = const(4)
OP_PIN_IRQ = const(5)
OP_PWM = const(6)
OP_ADC = const(7)
OP_I2C = const(8)
OP_SPI = const(9)
OP_PIXELS = const(10)
OP_PORT_READ = const(11)
OP_PORT_WRITE = const(12)
OP_ENTROPY = const(13)
OP_WDT = const(14)
OP_RESET = const(15)
OP_FLASH_PROGRAM = const(16)
OP_FLASH_ERASE = const(17)

_FLAG_SERIAL = const(1)
_FLAG_UNPLUGGED = const(2)
_ENODEV = const(19)
_IRQ_BYTES = const(16)
_IRQ_MAX = const(64)
# A loop that polls a pin, the clock or a chip without waiting still takes time on a real board. Every so many polls cost so much.
_POLLS = const(64)
_POLL_US = const(100)
_TICKS_MASK = const(0x3FFFFFFF)

_REQUEST = {
    "op": uctypes.UINT8 | 0,
    "a": uctypes.UINT8 | 1,
    "b": uctypes.UINT16 | 2,
    "c": uctypes.UINT32 | 4,
    "n": uctypes.UINT32 | 8,
}
_REPLY = {
    "status": uctypes.UINT8 | 0,
    "flags": uctypes.UINT8 | 1,
    "irqs": uctypes.UINT16 | 2,
    "levels": uctypes.UINT32 | 4,
    "time_us": uctypes.UINT64 | 8,
    "value": uctypes.UINT32 | 16,
    "n": uctypes.UINT32 | 20,
}
_IRQ = {"pin": uctypes.UINT8 | 0, "level": uctypes.UINT8 | 1, "time_us": uctypes.UINT64 | 8}

_libc = ffi.open(None)
_exit = _libc.func("v", "_exit", "i")
_libc.func("i", "prctl", "iiiii")(
    1, 9, 0, 0, 0
)  # PR_SET_PDEATHSIG, SIGKILL: also when hung and never asking the bus again

_out = bytearray(12)
_in = bytearray(24)
_request = uctypes.struct(uctypes.addressof(_out), _REQUEST, uctypes.LITTLE_ENDIAN)
_reply = uctypes.struct(uctypes.addressof(_in), _REPLY, uctypes.LITTLE_ENDIAN)
_irq_bytes = bytearray(_IRQ_BYTES * _IRQ_MAX)
_irq_view = memoryview(_irq_bytes)
_irqs = tuple(
    uctypes.struct(uctypes.addressof(_irq_bytes) + i * _IRQ_BYTES, _IRQ, uctypes.LITTLE_ENDIAN) for i in range(_IRQ_MAX)
)
_stream = None
_clock = [0, 0, 0]  # table time in microseconds, polls since it last moved, requests that may have changed anything
_handlers = {}


def connect(fd):
    """Take the inherited descriptor of the twin. Called once, by start.py, before any firmware runs."""
    global _stream
    _stream = open(fd, "r+b")


def _fill(view):
    n = len(view)
    got = _stream.readinto(view)
    if got != n:
        _exit(70)


def call(op, a=0, b=0, c=0, data=None, into=None):
    """One round trip. Returns the reply's value; a payload goes to `into`, which must be as long as what was asked for."""
    _request.op = op
    _request.a = a
    _request.b = b
    _request.c = c
    _request.n = 0 if data is None else len(data)
    try:
        _stream.write(_out)
        if data is not None:
            _stream.write(data)
    except OSError:
        _exit(70)
    _fill(_in)
    _clock[0] = _reply.time_us
    if op != OP_ADC:
        _clock[2] += 1
    n = _reply.n
    if n:
        if into is None or n > len(into):
            raise RuntimeError("the twin answered %d bytes to op %d, more than asked for" % (n, op))
        _fill(into if n == len(into) else memoryview(into)[:n])
    if _reply.status:
        raise OSError(_reply.status)
    return _reply.value


def levels():
    """Levels of all pins, bit n is GPn, as of now in table time."""
    _poll()
    return _reply.levels


def _poll():
    polls = _clock[1] + 1
    _clock[1] = polls
    if polls >= _POLLS:
        wait_us(_POLL_US)


def transfer(op, a, b, c, data, into):
    """A bus transaction that a driver may poll with: it counts as a poll."""
    _poll()
    return call(op, a, b, c, data, into)


def convert(gpio, last):
    """One conversion. `last` keeps [value, state of the table]: while nothing can have changed it is the same voltage, and a
    driver that averages sixteen of them costs one round trip."""
    _poll()
    if last[1] != _clock[2]:
        last[0] = call(OP_ADC, gpio)
        last[1] = _clock[2]
    return last[0]


def handle(pin_id, handler):
    """Let handler(pin) run on edges of a pin, in the wait in which they fall. None takes it away."""
    if handler is None:
        _handlers.pop(pin_id, None)
    else:
        _handlers[pin_id] = handler


def wait_us(us):
    """Let table time pass. Handlers of edges that fell in it run in order, each with the clock at its edge."""
    _clock[1] = 0
    call(OP_WAIT, 0, 0, us, None, _irq_view)
    count = _reply.irqs
    if count:
        end = _clock[0]
        for i in range(count):
            edge = _irqs[i]
            handler = _handlers.get(edge.pin)
            if handler is not None:
                _clock[0] = edge.time_us
                handler(edge.level)
        _clock[0] = end
        _clock[1] = 0


def wait(ms):
    """board.clock.wait: at least one millisecond of table time. Host bytes shorten the sleep against the wall clock, not this."""
    wait_us(ms * 1000 if ms > 0 else 1000)


def ms():
    """board.clock.ms: table time since power-on, wrapping as ticks do on an RP2040."""
    _poll()
    return (_clock[0] // 1000) & _TICKS_MASK


def us():
    _poll()
    return _clock[0] & _TICKS_MASK


def seconds():
    return _clock[0] // 1000000


def wire_ms():
    """board.wire_clock.ms: real time, because the daemon at the other end of the line lives in real time."""
    return utime.ticks_ms() & _TICKS_MASK


def port_read_into(view):
    """Bytes from the host, 0 when there are none. Never blocks. OSError (ENODEV) while the cable is out."""
    if _reply.flags & _FLAG_UNPLUGGED:
        raise OSError(_ENODEV)
    if not _reply.flags & _FLAG_SERIAL:
        return 0
    return call(OP_PORT_READ, 0, 0, len(view), None, view)


def port_write(view):
    """How many of the bytes the line took; 0 when its buffer is full. OSError (ENODEV) while the cable is out."""
    return call(OP_PORT_WRITE, 0, 0, 0, view)


def entropy(n):
    """n bytes from the twin's seed. One stream for each n, so that how often a session is made anew moves no spin."""
    view = bytearray(n)
    call(OP_ENTROPY, 0, 0, n, None, view)
    return bytes(view)
