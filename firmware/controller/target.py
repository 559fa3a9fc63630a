"""What differs between the Pythons that run the controller: MicroPython on the table, CPython in tests and simulations.

Nothing of the table's behaviour is here; a file that needs to know where it runs asks this one.
"""

import gc
import sys

try:
    from micropython import const
except ImportError:

    def const(value):
        return value


ON_MICROPYTHON = sys.implementation.name == "micropython"


def heap_free():
    """Bytes free on the heap after a collection; -1 where the heap has no fixed size (CPython)."""
    gc.collect()
    return gc.mem_free() if ON_MICROPYTHON else -1
