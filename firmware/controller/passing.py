"""Modules that are needed now and then: loaded when something asks for them, forgotten when it is done.

A program in .mpy files lies in the heap, and what only a technician or the self-test needs would lie there all through play.
"""

import sys

from controller.target import ON_MICROPYTHON


def forget(name):
    """The next import loads it again. Whoever still holds something of it keeps that. CPython has room: nothing is done."""
    if not ON_MICROPYTHON or name not in sys.modules:
        return
    del sys.modules[name]
    package, _, inner = name.rpartition(".")
    if package in sys.modules and hasattr(sys.modules[package], inner):
        delattr(sys.modules[package], inner)
