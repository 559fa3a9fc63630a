"""First thing after power-on: how memory is kept in order. The watchdog starts with the board, in main.py.

Not for anything that can fail: an error here would leave a table that never reaches its self-test.
"""

import gc

import micropython

if hasattr(micropython, "alloc_emergency_exception_buf"):  # so that an error in the tachometer's interrupt can be told
    micropython.alloc_emergency_exception_buf(100)
gc.threshold(16384)  # collect early and often: many short pauses of a few ms, and a heap that does not crumble
