"""What a simulation shows of one wager: hold and variance with confidence bounds, and whether they fit the exact edge."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

from tumbler.rules.edge import Edge
from tumbler.rules.edgechain import Result

FAR = 5.0  # standard errors: chance does that to one wager in two million
FEW = 20  # expected cases of the rarest way to end, below which the normal bounds mean nothing


@dataclass(frozen=True, slots=True)
class Bounds:
    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Sample:
    """The exact wager, and how often it ended in which way when it was played."""

    edge: Edge
    counts: dict[Result, int]

    @property
    def decided(self) -> int:
        return sum(self.counts.values())

    @property
    def hold(self) -> Fraction:
        """What the house kept of all that was put up; exact for these rolls."""
        staked = self._mean_staked
        net = sum((result.net * count for result, count in self.counts.items()), Fraction(0))
        return -net / (staked * self.decided) if staked else Fraction(0)

    @property
    def _mean_staked(self) -> Fraction:
        total = sum((result.staked * count for result, count in self.counts.items()), Fraction(0))
        return total / self.decided if self.decided else Fraction(0)

    def _moment(self, power: int) -> float:
        """Central moment of a result, in units put up on average, about what the hold takes of it."""
        hold, staked = self.hold, self._mean_staked
        about = ((result.net + hold * result.staked) ** power * count for result, count in self.counts.items())
        return float(sum(about, Fraction(0)) / self.decided / staked**power) if self.decided else 0.0

    @property
    def variance(self) -> float:
        return self._moment(2)

    def hold_bounds(self, confidence: float) -> Bounds:
        hold, reach = float(self.hold), _reach(confidence) * self.hold_error
        return Bounds(hold - reach, hold, hold + reach)

    def variance_bounds(self, confidence: float) -> Bounds:
        variance = self.variance
        error = sqrt(max(0.0, self._moment(4) - variance**2) / self.decided) if self.decided else 0.0
        reach = _reach(confidence) * error
        return Bounds(max(0.0, variance - reach), variance, variance + reach)

    @property
    def hold_error(self) -> float:
        """Standard error of the hold."""
        return sqrt(self.variance / self.decided) if self.decided else 0.0

    @property
    def distance(self) -> float | None:
        """From the exact edge in standard errors, by the exact variance where there is one; None without any."""
        exact = self.edge.variance
        error = sqrt(float(exact) / self.decided) if exact is not None and self.decided else self.hold_error
        return (float(self.hold) - float(self.edge.edge)) / error if error else None

    @property
    def agrees(self) -> bool | None:
        """Whether the rolls fit the exact edge; None when there are too few to tell."""
        distance = self.distance
        rarest = min(float(chance) for _, chance in self.edge.chances if chance)
        if distance is None or rarest * self.decided < FEW:
            return None
        return abs(distance) < FAR


def _reach(confidence: float) -> float:
    return NormalDist().inv_cdf(0.5 + confidence / 2)
