"""What every rig has. What only some can do stands in Capability; calling it on another raises RigFailed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from tumbler.rigs.capability import Capability


class RigFailed(Exception):
    """The rig did not do its part; the message says what."""


class Rig(ABC):
    name: ClassVar[str]
    capabilities: ClassVar[frozenset[Capability]]
    slowness: ClassVar[float] = 1.0  # than a twin: what is waited for is given so much longer

    @property
    @abstractmethod
    def port(self) -> Path:
        """Where the controller's serial port is while its cable is in."""

    @property
    @abstractmethod
    def key(self) -> bytes: ...

    @abstractmethod
    def start(self) -> None:
        """Power on. The controller waits for a daemon."""

    @abstractmethod
    def stop(self) -> None:
        """Leave nothing behind."""

    def absent(self) -> str:
        """Why this rig can't be had on this machine, in words; empty where it can."""
        return ""

    def missing(self, needed: set[Capability]) -> list[str]:
        """What of this the rig cannot do, in words."""
        return sorted(one.value for one in needed - self.capabilities)

    # --- dealing (DEALER) ---------------------------------------------------------------------------------------------

    def wait_spins(self, number: int, seconds: float = 60.0) -> None:
        """Until the dice of so many spins have come to rest."""
        raise RigFailed(f"{self.name} does not play by itself")

    def wait_played(self, seconds: float = 120.0) -> None:
        """Until all spins asked for are played and the host has taken every record."""
        raise RigFailed(f"{self.name} does not play by itself")

    def truth(self) -> list[dict[str, Any]]:
        """How the dice lay, spin by spin (TRUTH)."""
        raise RigFailed(f"{self.name} does not know how the dice lie")

    # --- a spin by hand (KEYS) ----------------------------------------------------------------------------------------

    def rested(self) -> int:
        """How many spins' dice have come to rest so far, for wait_rest."""
        return 0

    def wait_rest(self, rested: int) -> None:
        """Until the dice of the spin under way lie still; `rested` as it was before."""
        raise RigFailed(f"{self.name} does not see the dice")

    def lit(self) -> list[int]:
        """The lamps that are lit, by their place on the chain (LAMPS)."""
        raise RigFailed(f"{self.name} does not see the lamps")

    def picture(self) -> bytes | None:
        """What lies in the dome, as a PNG, for the report of a failure; None where the rig sees nothing."""
        return None

    # --- hands --------------------------------------------------------------------------------------------------------

    def control(self, do: str, **fields: Any) -> dict[str, Any]:
        """A command to the rig's actuators."""
        raise RigFailed(f"{self.name} has no actuators: {do}")
