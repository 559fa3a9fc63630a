"""`neopixel` as frozen into the rp2 port, for the unix port. A chain of WS2812 is driven through machine.bitstream."""

from machine import Pin, bitstream


class NeoPixel:
    ORDER = (1, 0, 2, 3)

    def __init__(self, pin, n, bpp=3, timing=1):
        self.pin = pin
        self.n = n
        self.bpp = bpp
        self.buf = bytearray(n * bpp)
        self.timing = (400, 850, 800, 450) if timing == 1 else (800, 1700, 1600, 900)
        pin.init(Pin.OUT)

    def __len__(self):
        return self.n

    def __setitem__(self, i, colour):
        offset = i * self.bpp
        for k in range(self.bpp):
            self.buf[offset + self.ORDER[k]] = colour[k]

    def __getitem__(self, i):
        offset = i * self.bpp
        return tuple(self.buf[offset + self.ORDER[k]] for k in range(self.bpp))

    def fill(self, colour):
        for i in range(self.n):
            self[i] = colour

    def write(self):
        bitstream(self.pin, 0, self.timing, self.buf)
