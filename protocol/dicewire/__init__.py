"""dicewire: the wire between the table's controller and its daemon. The same files run on CPython and on MicroPython.

Use `dicewire.session.Session`; message numbers are in `dicewire.messages`, other numbers in `dicewire.codes`, and what they
mean, for the host only, in `dicewire.declared`. No I/O and no clock here: bytes and times go in, events and bytes come out.
"""
