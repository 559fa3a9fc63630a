# ruff: noqa: F821
"""The reader's hot loops in viper: the same answers as scan_plain.py, some fifty times faster. See there for what each does."""

import micropython


@micropython.viper
def halve(src: ptr8, w: int, h: int, dst: ptr8):
    hw = w >> 1
    for y in range(h >> 1):
        i = (y + y) * w
        o = y * hw
        for x in range(hw):
            k = i + x + x
            dst[o + x] = (src[k] + src[k + 1] + src[k + w] + src[k + w + 1] + 2) >> 2


@micropython.viper
def planes(rgb: ptr8, n: int, luma: ptr8, low: ptr8, high: ptr8):
    for i in range(n):
        k = i * 3
        r = rgb[k]
        g = rgb[k + 1]
        b = rgb[k + 2]
        luma[i] = (r * 77 + g * 150 + b * 29) >> 8
        if r > g:
            most = r
            least = g
        else:
            most = g
            least = r
        if b > most:
            most = b
        if b < least:
            least = b
        low[i] = least
        high[i] = most


@micropython.viper
def seeds(
    p: ptr8, w: int, h: int, margin: int, inv: int, contrast: int, ring: ptr32, rings: int, out: ptr32, room: int
) -> int:
    n = 0
    bias = margin * w + margin
    for y in range(margin, h - margin):
        i = y * w + margin
        end = y * w + w - margin
        while i < end:
            v = p[i] ^ inv
            if (
                v + contrast < 256
                and v < (p[i - 1] ^ inv)
                and v <= (p[i + 1] ^ inv)
                and v < (p[i - w] ^ inv)
                and v <= (p[i + w] ^ inv)
            ):
                limit = v + contrast
                r = 0
                while r < rings:
                    k = r << 3
                    stop = k + 8
                    while k < stop and (p[i - bias + ring[k]] ^ inv) >= limit:
                        k += 1
                    if k == stop:
                        if n < room:
                            out[n] = (i << 4) + r
                            n += 1
                        r = rings
                    r += 1
            i += 1
    return n


@micropython.viper
def blend(p: ptr8, w: int, h: int, x: int, y: int) -> int:
    x -= 128
    y -= 128
    if x < 0 or y < 0 or x >= (w - 1) << 8 or y >= (h - 1) << 8:
        return -1
    i = (y >> 8) * w + (x >> 8)
    fx = x & 255
    fy = y & 255
    top = p[i] * (256 - fx) + p[i + 1] * fx
    bottom = p[i + w] * (256 - fx) + p[i + w + 1] * fx
    return (top * (256 - fy) + bottom * fy + 32768) >> 16


@micropython.viper
def tally(p: ptr8, w: int, x0: int, y0: int, x1: int, y1: int, out: ptr16):
    for i in range(64):
        out[i] = 0
    for y in range(y0, y1):
        for i in range(y * w + x0, y * w + x1):
            k = p[i] >> 2
            out[k] = out[k] + 1


@micropython.viper
def depart(p: ptr8, w: int, h: int, shift: int, across: int, ground: ptr8, limit: int, mask: ptr8):
    for y in range(h):
        row = (y >> shift) * across
        i = y * w
        for x in range(w):
            d = p[i + x] - ground[row + (x >> shift)]
            if d > limit or d < 0 - limit:
                mask[i + x] = 1


@micropython.viper
def lift_shadow(
    low: ptr8, high: ptr8, w: int, h: int, shift: int, across: int, ground_low: ptr8, ground_high: ptr8, mask: ptr8
):
    for y in range(h):
        row = (y >> shift) * across
        i = y * w
        for x in range(w):
            if mask[i + x]:
                g = ground_high[row + (x >> shift)]
                v = high[i + x]
                if v < g and (v << 3) > g + g + g:
                    d = low[i + x] * g - v * ground_low[row + (x >> shift)]
                    if d < 14 * g and d > 0 - 14 * g:
                        mask[i + x] = 0


@micropython.viper
def count(mask: ptr8, w: int, x0: int, y0: int, x1: int, y1: int) -> int:
    n = 0
    for y in range(y0, y1):
        for i in range(y * w + x0, y * w + x1):
            n += mask[i]
    return n


@micropython.viper
def double(src: ptr8, w: int, h: int, dst: ptr8):
    for y in range(h + h):
        near = y >> 1
        far = near + 1 if y & 1 else near - 1
        if far < 0 or far >= h:
            far = near
        near *= w
        far *= w
        o = y * (w + w)
        for x in range(w + w):
            i = x >> 1
            j = i + 1 if x & 1 else i - 1
            if j < 0 or j >= w:
                j = i
            dst[o + x] = (9 * src[near + i] + 3 * src[near + j] + 3 * src[far + i] + src[far + j] + 8) >> 4


@micropython.viper
def apart(
    luma: ptr8,
    low: ptr8,
    high: ptr8,
    w: int,
    h: int,
    shift: int,
    across: int,
    ground: ptr8,
    ground_low: ptr8,
    ground_high: ptr8,
    limit: int,
    dist: ptr8,
    mask: ptr8,
):
    for y in range(h):
        row = (y >> shift) * across
        i = y * w
        for x in range(w):
            k = row + (x >> shift)
            d = luma[i + x] - ground[k]
            if d < 0:
                d = 0 - d
            e = low[i + x] - ground_low[k]
            if e < 0:
                e = 0 - e
            if e > d:
                d = e
            v = high[i + x]
            g = ground_high[k]
            e = v - g
            if e < 0:
                e = 0 - e
            if e > d:
                d = e
            if v < g and v + v > g:
                e = low[i + x] * g - v * ground_low[k]
                if e < 10 * g and e > 0 - 10 * g:
                    d = 0
            dist[i + x] = d
            mask[i + x] = 1 if d > limit else 0


@micropython.viper
def probe(rgb: ptr8, w: int, h: int, x: int, y: int, ux: int, uy: int, homes: ptr8, sums: ptr32) -> int:
    for k in range(75):
        sums[k] = 0
    x -= 128
    y -= 128
    place = 0
    for row in range(15):
        for column in range(15):
            px = x + (column - 7) * ux - (row - 7) * uy
            py = y + (column - 7) * uy + (row - 7) * ux
            if px < 0 or py < 0 or px >= (w - 1) << 8 or py >= (h - 1) << 8:
                return 0
            i = ((py >> 8) * w + (px >> 8)) * 3
            j = i + w + w + w
            fx = px & 255
            fy = py & 255
            a = (256 - fx) * (256 - fy)
            b = fx * (256 - fy)
            c = (256 - fx) * fy
            d = fx * fy
            red = (rgb[i] * a + rgb[i + 3] * b + rgb[j] * c + rgb[j + 3] * d) >> 16
            green = (rgb[i + 1] * a + rgb[i + 4] * b + rgb[j + 1] * c + rgb[j + 4] * d) >> 16
            blue = (rgb[i + 2] * a + rgb[i + 5] * b + rgb[j + 2] * c + rgb[j + 5] * d) >> 16
            sums[0] = sums[0] + red
            sums[1] = sums[1] + green
            sums[2] = sums[2] + blue
            sums[3] = sums[3] + red * red
            sums[4] = sums[4] + green * green
            sums[5] = sums[5] + blue * blue
            sums[6] = sums[6] + red * green
            sums[7] = sums[7] + red * blue
            sums[8] = sums[8] + green * blue
            for _ in range(3):
                k = homes[place]
                place += 1
                if k:
                    k = 6 + k + k + k
                    sums[k] = sums[k] + red
                    sums[k + 1] = sums[k + 1] + green
                    sums[k + 2] = sums[k + 2] + blue
    return 1


@micropython.viper
def flood(mask: ptr8, w: int, h: int, at: int, stack: ptr32, room: int, sums: ptr32) -> int:
    stack[0] = at
    mask[at] = 0
    depth = 1
    n = 0
    sx = 0
    sy = 0
    x0 = w
    y0 = h
    x1 = 0
    y1 = 0
    lost = 0
    while depth > 0:
        depth -= 1
        i = stack[depth]
        y = i // w
        x = i - y * w
        n += 1
        sx += x
        sy += y
        if x < x0:
            x0 = x
        if x > x1:
            x1 = x
        if y < y0:
            y0 = y
        if y > y1:
            y1 = y
        if depth + 4 > room:
            lost = 1
        else:
            if x > 0 and mask[i - 1]:
                mask[i - 1] = 0
                stack[depth] = i - 1
                depth += 1
            if x < w - 1 and mask[i + 1]:
                mask[i + 1] = 0
                stack[depth] = i + 1
                depth += 1
            if y > 0 and mask[i - w]:
                mask[i - w] = 0
                stack[depth] = i - w
                depth += 1
            if y < h - 1 and mask[i + w]:
                mask[i + w] = 0
                stack[depth] = i + w
                depth += 1
    sums[0] = n
    sums[1] = sx
    sums[2] = sy
    sums[3] = x0
    sums[4] = y0
    sums[5] = x1
    sums[6] = y1
    return -1 if lost else n
