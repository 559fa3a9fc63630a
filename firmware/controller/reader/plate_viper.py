# ruff: noqa: F821, RUF046
"""The table's own reader's hot loops in viper: the same answers as plate_plain.py. See there for what each does."""

import micropython


@micropython.viper
def smooth(p: ptr8, w: int, h: int, line: ptr8):
    for x in range(w):
        line[x] = p[x]
    k = w
    for _ in range(1, h - 1):
        left = p[k]
        line[0] = left
        k += 1
        here = p[k]
        x = 1
        while x < w - 1:
            right = p[k + 1]
            p[k] = ((here << 2) + left + right + line[x] + p[k + w] + 4) >> 3
            line[x] = here
            left = here
            here = right
            k += 1
            x += 1
        line[x] = here
        k += 1


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


@micropython.viper
def gather(mask: ptr8, w: int, h: int, at: int, stack: ptr32, room: int, sums: ptr32) -> int:
    stack[0] = at
    total = int(mask[at])
    mask[at] = 0
    depth = 1
    n = int(0)
    sx = int(0)
    sy = int(0)
    lost = 0
    while depth > 0:
        depth -= 1
        i = stack[depth]
        y = i // w
        x = i - y * w
        n += 1
        sx += x
        sy += y
        if depth + 4 > room:
            lost = 1
        else:
            for side in range(4):
                k = i
                if side == 0:
                    if x > 0:
                        k = i - 1
                elif side == 1:
                    if x < w - 1:
                        k = i + 1
                elif side == 2:
                    if y > 0:
                        k = i - w
                elif y < h - 1:
                    k = i + w
                if mask[k]:
                    total += mask[k]
                    mask[k] = 0
                    stack[depth] = k
                    depth += 1
    sums[0] = n
    sums[1] = sx
    sums[2] = sy
    sums[3] = total
    return -1 if lost else n


@micropython.viper
def sample(p: ptr8, w: int, h: int, m: ptr32, points: ptr16, n: int, out: ptr8):
    bias = 536870912
    cx = m[0] - bias
    ux = m[1] - bias
    vx = m[2] - bias
    uux = m[3] - bias
    uvx = m[4] - bias
    vvx = m[5] - bias
    cy = m[6] - bias
    uy = m[7] - bias
    vy = m[8] - bias
    uuy = m[9] - bias
    uvy = m[10] - bias
    vvy = m[11] - bias
    right = (w - 1 << 8) - 1
    low = (h - 1 << 8) - 1
    i = 0
    while i < n:
        u = points[i + i] - 1024
        v = points[i + i + 1] - 1024
        uu = u * u >> 8
        uv = u * v >> 8
        vv = v * v >> 8
        x = (cx + u * ux + v * vx + uu * uux + uv * uvx + vv * vvx >> 8) - 128
        y = (cy + u * uy + v * vy + uu * uuy + uv * uvy + vv * vvy >> 8) - 128
        if x < 0:
            x = 0
        elif x > right:
            x = right
        if y < 0:
            y = 0
        elif y > low:
            y = low
        k = (y >> 8) * w + (x >> 8)
        fx = x & 255
        fy = y & 255
        top = p[k] * (256 - fx) + p[k + 1] * fx
        bottom = p[k + w] * (256 - fx) + p[k + w + 1] * fx
        out[i] = top * (256 - fy) + bottom * fy + 32768 >> 16
        i += 1


@micropython.viper
def fold(values: ptr8, across: int, steps: int, use: ptr8, out: ptr16):
    k = 0
    for i in range(steps):
        total = 0
        for j in range(across):
            if use[j]:
                total += values[k]
            k += 1
        out[i] = total


@micropython.viper
def spots(
    p: ptr8,
    w: int,
    h: int,
    margin: int,
    inv: int,
    contrast: int,
    ring: ptr32,
    rings: int,
    apart: int,
    out: ptr32,
    room: int,
) -> int:
    n = 0
    bias = margin * w + margin
    y = margin
    while y < h - margin:
        i = y * w + margin
        end = y * w + w - margin
        while i < end:
            v = p[i] ^ inv
            limit = v + contrast
            if limit < 256:
                r = 0
                while r < rings:
                    k = r << 3
                    stop = k + 8
                    while k < stop and (p[i - bias + ring[k]] ^ inv) >= limit:
                        k += 1
                    if k == stop:
                        x = i - y * w
                        k = 0
                        while k < n:
                            seed = out[k]
                            dx = (seed >> 4 & 255) - x
                            dy = (seed >> 12) - y
                            if dx < apart and dy < apart and 0 - dx < apart and 0 - dy < apart:
                                break
                            k += 1
                        if k == n and n < room:
                            out[n] = y << 12 | x << 4 | r
                            n += 1
                        r = rings
                    r += 1
            i += 1
        y += 2
    return n


@micropython.viper
def coarse(p: ptr8, w: int, h: int, out: ptr8):
    across = w >> 2
    for y in range(h >> 2):
        o = y * across
        for x in range(across):
            i = (y << 2) * w + (x << 2)
            total = 8
            for _ in range(4):
                total += p[i] + p[i + 1] + p[i + 2] + p[i + 3]
                i += w
            out[o + x] = total >> 4


@micropython.viper
def cover(mask: ptr8, w: int, h: int, corners: ptr16, n: int, value: int):
    for y in range(h):
        yy = (y << 4) + 8
        left = 32767
        right = 0
        i = 0
        while i < n:
            x0 = corners[i + i]
            y0 = corners[i + i + 1]
            j = i + 1
            while j < n:
                x1 = corners[j + j]
                y1 = corners[j + j + 1]
                if (y0 <= yy and yy < y1) or (y1 <= yy and yy < y0):
                    x = x0 + (x1 - x0) * (yy - y0) // (y1 - y0)
                    if x < left:
                        left = x
                    if x > right:
                        right = x
                j += 1
            i += 1
        if left <= right:
            i = left >> 4
            j = right >> 4
            if i < 0:
                i = 0
            while i <= j and i < w:
                mask[y * w + i] = mask[y * w + i] | value
                i += 1


@micropython.viper
def stray(cells: ptr8, w: int, h: int, ground: ptr16, gain: int, mask: ptr8, light: int, dark: int) -> int:
    n = 0
    for i in range(w * h):
        m = mask[i]
        bare = ground[i] * gain >> 8
        d = (cells[i] << 4) - bare
        off = 0
        if m & 1 == 0 and ground[i]:
            if d > light:
                if m & 4 == 0 or d > 6 * light:
                    off = d
            elif m & 10 != 10:
                if m & 16:
                    if d < 0 - dark - (bare >> 3):
                        off = 0 - d
                elif d < 0 - dark:
                    off = 0 - d
        if off:
            n += 1
            off = off >> 4
            if off > 255:
                off = 255
        mask[i] = off
    return n


@micropython.viper
def marked(mask: ptr8, at: int, n: int) -> int:
    while at < n and mask[at] == 0:
        at += 1
    return at


@micropython.viper
def steps(p: ptr8, w: int, h: int, out: ptr16):
    for i in range(64):
        out[i] = 0
    y = 2
    while y < h:
        i = y * w
        end = i + w - 1
        while i < end:
            d = p[i + 1] - p[i]
            if d < 0:
                d = 0 - d
            out[d >> 2] = out[d >> 2] + 1
            i += 1
        y += 4


@micropython.viper
def crop(strip: ptr8, width: int, rows: int, left: int, out: ptr8, at: int, w: int):
    i = left
    for _ in range(rows):
        k = 0
        while k < w:
            out[at + k] = strip[i + k]
            k += 1
        at += w
        i += width


@micropython.viper
def darker(strip: ptr8, width: int, rows: int, left: int, out: ptr8, at: int, w: int):
    i = left
    end = at
    for _ in range(rows):
        k = i
        end += w
        while at < end:
            new = strip[k]
            if new < out[at]:
                out[at] = new
            at += 1
            k += 1
        i += width


@micropython.viper
def brighter(cells: ptr8, other: ptr8, n: int):
    for k in range(n):
        if other[k] > cells[k]:
            cells[k] = other[k]


@micropython.viper
def energy(sums: ptr16, first: int, n: int) -> int:
    total = 0
    for k in range(first, first + n):
        d = int(sums[k + 2]) - int(sums[k])
        total += d * d >> 8
    return total
