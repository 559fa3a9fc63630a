"""Tables to test on: a twin here, a real one on a bench. A rig says what it can do; a test says what it needs."""

from tumbler.rigs.capability import Capability
from tumbler.rigs.choice import BadRig, choose
from tumbler.rigs.rig import Rig, RigFailed

__all__ = ["BadRig", "Capability", "Rig", "RigFailed", "choose"]
