"""The table around an emulated RP2040 (L2): official MicroPython in an instruction-level emulator, the shipped firmware on its
flash, the twin's physics and chips at its pins. Slow, but nothing of the controller is replaced.
"""
