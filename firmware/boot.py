"""First thing after power-on: how memory is kept in order, and which program is started (slots.py).

Not for anything that can fail: an error here would leave a table that never reaches its self-test. Whatever goes wrong, the
factory's program beside this file starts. The watchdog starts with the board; a program out of a slot is watched from
its first line, because it may never get as far as its board.
"""

import gc
import sys

import micropython

if hasattr(micropython, "alloc_emergency_exception_buf"):  # so that an error in the tachometer's interrupt can be told
    micropython.alloc_emergency_exception_buf(100)
gc.threshold(16384)  # collect early and often: many short pauses of a few ms, and a heap that does not crumble

try:
    import slots

    slots.here = slots.Slots("/flash" if sys.platform == "linux" else "")  # type: ignore[assignment]
    _folder = slots.here.choose()  # type: ignore[attr-defined]
    if _folder:
        import machine

        machine.WDT(timeout=8000)
        sys.path.insert(0, _folder)
except Exception as error:
    sys.print_exception(error)
