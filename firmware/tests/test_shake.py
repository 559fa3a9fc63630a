"""The shake: its strength, start, length and way vary at random within limits, so that no player can time the dice."""

import random

from controller import spin
from controller.settings import FIELDS


class Drive:
    """Records what the motor was told; turns as told."""

    def __init__(self):
        self.told = []
        self._pulses = 0.0

    def drive(self, permille, forward=True):
        self.told.append((permille, forward))
        self._pulses += permille * 0.9 / 60 * 12 * 0.005

    def stop(self):
        self.told.append((0, True))

    def pulses(self):
        return int(self._pulses)

    def current_ma(self):
        return 1000


class Shaken:
    def activity(self):
        return 3


class Fixed:
    def __init__(self, **changed):
        for name, default, _, _ in FIELDS:
            setattr(self, name, changed.get(name, default))


def shaken(entropy, **settings):
    """(when the motor started, how long it was driven, levels after the ramp, forward)."""
    motor = Drive()
    one = spin.Spin(motor, Shaken(), entropy, Fixed(**settings))
    one.start(0)
    now = started = 0
    while one.state in (spin.DELAY, spin.DRIVE):
        now += 5
        one.step(now)
        if one.state == spin.DRIVE and not started:
            started = now
    levels = [level for level, _ in motor.told if level]
    return started, now - started, levels[200:], motor.told[10][1]


def test_no_two_spins_are_driven_alike_and_all_keep_the_limits():
    chance = random.Random(5)
    spins = [shaken(chance.randbytes) for _ in range(60)]
    assert len({started for started, _, _, _ in spins}) > 20
    assert len({length for _, length, _, _ in spins}) > 30
    assert {forward for _, _, _, forward in spins} == {True, False}
    nominal = 700 * 1000 // 900
    for started, length, levels, _ in spins:
        assert 0 < started <= 310
        assert 2700 <= length <= 2700 + 1510
        assert len(set(levels)) > 3  # the strength changes within a spin, too
        assert min(levels) >= nominal * 80 // 100 - 20
        assert max(levels) <= min(950, nominal * 110 // 100 + 20)


def test_a_spin_is_never_planned_shorter_than_what_would_count():
    _, length, _, _ = shaken(bytes, min_spin_ms=4000, spin_ms=1000)
    assert length >= 4000 + 700
