"""The shaker: H-bridge by PWM and direction, tachometer by counting edges, current by the bridge's sense voltage.

Not here: the profile of a spin, what is a stall (controller/spin.py). Nothing allocates after the start, the interrupt
least of all.
"""

from machine import PWM, Pin
from micropython import const

_PWM_HZ = const(20000)  # above hearing
_FULL = const(65535)
_SENSE_MA_FULL_SCALE = const(6600)  # 3.3 V at 0.5 V an ampere
_COUNT_MASK = const(0x3FFFFFFF)
_SAMPLES = const(4)


class Motor:
    def __init__(self, pwm_pin, direction_pin, tachometer_pin, sense_adc):
        self._direction = direction_pin
        self._pwm = PWM(pwm_pin, freq=_PWM_HZ, duty_u16=0)
        self._sense = sense_adc
        self._forward = True
        self._duty = 0
        self._pulses = 0
        self._direction.value(1)
        self._tachometer = tachometer_pin
        self._on_edge = self._edge  # bound once: binding in the interrupt would allocate
        tachometer_pin.irq(handler=self._on_edge, trigger=Pin.IRQ_RISING)

    def _edge(self, _pin) -> None:
        self._pulses = (self._pulses + 1) & _COUNT_MASK

    def drive(self, permille: int, forward: bool = True) -> None:
        """0 to 1000. The direction changes only while the bridge is off: both in one step would short its supply."""
        if not 0 <= permille <= 1000:
            raise ValueError("motor: %d permille" % permille)
        if forward != self._forward:
            self._set(0)
            self._direction.value(1 if forward else 0)
            self._forward = forward
        self._set(permille * _FULL // 1000)

    def stop(self) -> None:
        """No duty: the bridge shorts the motor, which brakes it."""
        self._set(0)

    def _set(self, duty: int) -> None:
        if duty != self._duty:
            self._duty = duty
            self._pwm.duty_u16(duty)

    def pulses(self) -> int:
        """Edges of the tachometer since the start, 12 a turn; wraps at 2**30."""
        return self._pulses

    def current_ma(self) -> int:
        """Mean of four readings: one alone may fall into the PWM's ripple."""
        total = 0
        for _ in range(_SAMPLES):
            total += self._sense.read_u16()
        return (total // _SAMPLES) * _SENSE_MA_FULL_SCALE // _FULL
