# ruff: noqa: F821
"""A picture at another size, for picture files only: a table's controller does not load it. The twin of stretch_plain.py."""

import micropython


@micropython.viper
def stretch(src: ptr8, w: int, h: int, nw: int, nh: int, dst: ptr8):
    for y in range(nh):
        py = ((y + y + 1) * h * 128) // nh - 128
        if py < 0:
            py = 0
        if py > (h - 1) << 8:
            py = (h - 1) << 8
        fy = py & 255
        near = (py >> 8) * w
        far = near + w if (py >> 8) < h - 1 else near
        for x in range(nw):
            px = ((x + x + 1) * w * 128) // nw - 128
            if px < 0:
                px = 0
            if px > (w - 1) << 8:
                px = (w - 1) << 8
            fx = px & 255
            i = px >> 8
            j = i + 1 if i < w - 1 else i
            a = (256 - fx) * (256 - fy)
            b = fx * (256 - fy)
            c = (256 - fx) * fy
            d = fx * fy
            o = (y * nw + x) * 3
            for k in range(3):
                dst[o + k] = (
                    src[(near + i) * 3 + k] * a
                    + src[(near + j) * 3 + k] * b
                    + src[(far + i) * 3 + k] * c
                    + src[(far + j) * 3 + k] * d
                    + 32768
                ) >> 16
