"""The 24 V supply behind its divider of 1 to 11, in millivolts."""

from machine import ADC
from micropython import const

_MV_FULL_SCALE = const(36300)  # 3.3 V * 11
_LEAST_MV = const(21600)
_MOST_MV = const(26400)


class Supply:
    def __init__(self, gpio: int):
        self._adc = ADC(gpio)
        self.fault = ""

    def mv(self) -> int:
        # in two steps: 65535 * 36300 is no small int on a 32-bit board
        return (self._adc.read_u16() >> 4) * _MV_FULL_SCALE // 4095

    def selftest(self) -> bool:
        """Within ten percent; a motor on less shakes the dice weakly and hides it."""
        mv = self.mv()
        self.fault = "" if _LEAST_MV <= mv <= _MOST_MV else "supply: %d mV, 24000 expected" % mv
        return not self.fault
