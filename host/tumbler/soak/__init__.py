"""The real processes with every fault, by the hundred: `tumbler soak`. Afterwards truth, flash, journal and MQTT must agree.

Twin, firmware on MicroPython, daemon and Mosquitto as an operator starts them. The same faults in virtual time and by the
thousand a minute are tumbler.sim; here nothing is played but the table itself.
"""
