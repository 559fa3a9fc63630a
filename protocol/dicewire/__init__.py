"""dicewire: the wire between the table's controller and its daemon. The same files run on CPython and on MicroPython.

Use `dicewire.session.Session`. Message numbers are in `dicewire.messages`, other numbers in `dicewire.codes`; what they
mean, for the host only, is in `dicewire.declared`. No I/O and no clock here: bytes and times in, events and bytes out.
"""
