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
def smooth(p: ptr8, w: int, h: int, line: ptr8):
    for x in range(w):
        line[x] = p[x]
    for y in range(1, h - 1):
        cur = (y & 1) * w
        old = w - cur
        i = y * w
        for x in range(w):
            line[cur + x] = p[i + x]
        for x in range(1, w - 1):
            k = i + x
            p[k] = ((line[cur + x] << 2) + line[cur + x - 1] + line[cur + x + 1] + line[old + x] + p[k + w] + 4) >> 3


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
def seeds(p: ptr8, w: int, h: int, margin: int, inv: int, contrast: int, ring: ptr32, rings: int, out: ptr32, room: int) -> int:
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
def grow(p: ptr8, w: int, at: int, inv: int, level: int, reach: int, work: ptr8, stack: ptr16, sums: ptr32) -> int:
    side = reach + reach + 1
    for i in range(side * side):
        work[i] = 0
    n = int(0)
    sx = int(0)
    sy = int(0)
    sxx = int(0)
    syy = int(0)
    sxy = int(0)
    mid = reach * side + reach
    work[mid] = 1
    stack[0] = mid
    depth = 1
    while depth > 0:
        depth -= 1
        c = stack[depth]
        cy = 0
        while c >= side:
            c -= side
            cy += 1
        x = c - reach
        y = cy - reach
        if x == reach or y == reach or x == 0 - reach or y == 0 - reach:
            return -1
        n += 1
        sx += x
        sy += y
        sxx += x * x
        syy += y * y
        sxy += x * y
        c = cy * side + c
        k = at + y * w + x
        if work[c - 1] == 0 and (p[k - 1] ^ inv) < level:
            work[c - 1] = 1
            stack[depth] = c - 1
            depth += 1
        if work[c + 1] == 0 and (p[k + 1] ^ inv) < level:
            work[c + 1] = 1
            stack[depth] = c + 1
            depth += 1
        if work[c - side] == 0 and (p[k - w] ^ inv) < level:
            work[c - side] = 1
            stack[depth] = c - side
            depth += 1
        if work[c + side] == 0 and (p[k + w] ^ inv) < level:
            work[c + side] = 1
            stack[depth] = c + side
            depth += 1
    sums[0] = n
    sums[1] = sx
    sums[2] = sy
    sums[3] = sxx
    sums[4] = syy
    sums[5] = sxy
    return n
