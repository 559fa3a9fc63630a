"""The table's chips, modelled at their buses: one chip a file. The firmware's own drivers talk to them.

The seam to the rest of the twin is small. A chip on I2C has `address`, `write(data) -> acknowledged` and `read(n) ->
bytes`; a chip on SPI has `select()`, `deselect()` and `exchange(out) -> bytes`; pins are callbacks. A chip whose answer
depends on time has `advance(now_us)`. `table.TableChips` puts all of them on the pins of firmware/boards/pico.py and is
what the twin builds; `faults.py` breaks them on purpose. Not here: dice mechanics, time, the wire to MicroPython.
"""
