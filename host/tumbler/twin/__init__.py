"""The digital twin of a table: dice, dome, motor, chips, dealer, flash and serial line around the real firmware.

Start at twin.py, which turns table time; docs/twin.md says how the parts stand to each other.
"""
