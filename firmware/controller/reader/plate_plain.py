"""The table's own reader's hot loops in plain Python: what plate_viper.py must answer, byte for byte. Runs anywhere, slowly.

Each works on a grey plane of w x h bytes. `inv` is 0 to look for dark marks and 255 to look for light ones: a pixel is
always taken as value ^ inv, so that a mark is low and its surroundings are high.
"""

from controller.reader.fixed import BIAS, MIDDLE


def smooth(p, w, h, line):
    """In place, each pixel with its four neighbours (4:1:1:1:1); the rim stays. `line` holds a row."""
    for x in range(w):
        line[x] = p[x]
    for y in range(1, h - 1):
        old = bytes(line[:w])
        i = y * w
        for x in range(w):
            line[x] = p[i + x]
        for x in range(1, w - 1):
            k = i + x
            p[k] = ((line[x] << 2) + line[x - 1] + line[x + 1] + old[x] + p[k + w] + 4) >> 3


def grow(p, w, at, inv, level, reach, work, stack, sums):
    """Everything below `level` that hangs together with pixel `at`, within `reach`. sums = count, x, y, xx, yy, xy about `at`.
    Gives the count, or -1 where it runs out of reach. `work` has (2 reach + 1)^2 bytes, `stack` as many words."""
    side = reach + reach + 1
    for i in range(side * side):
        work[i] = 0
    n = sx = sy = sxx = syy = sxy = 0
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


def gather(mask, w, h, at, stack, room, sums):
    """Takes the marked cells that hang together with `at` out of the mask: sums = count, x, y, sum of the marks. Gives the count,
    or -1 where `stack` has no room."""
    n = sx = sy = lost = 0
    total = mask[at]
    stack[0] = at
    mask[at] = 0
    depth = 1
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
            continue
        for inside, k in ((x > 0, i - 1), (x < w - 1, i + 1), (y > 0, i - w), (y < h - 1, i + w)):
            if inside and mask[k]:
                total += mask[k]
                mask[k] = 0
                stack[depth] = k
                depth += 1
    sums[0] = n
    sums[1] = sx
    sums[2] = sy
    sums[3] = total
    return -1 if lost else n


def sample(p, w, h, m, points, n, out):
    """The plane at n points: u, v in sixteenths of a millimetre plus MIDDLE, through the map m. A map is six numbers for x and six
    for y, each plus BIAS: 1, u, v, uu, uv, vv, in 65536ths of a pixel, for u and v in sixteenths of a millimetre and the products
    in square millimetres. A point outside takes the nearest pixel."""
    m = [number - BIAS for number in m]
    right = ((w - 1) << 8) - 1
    low = ((h - 1) << 8) - 1
    for i in range(n):
        u = points[i + i] - MIDDLE
        v = points[i + i + 1] - MIDDLE
        terms = (1, u, v, (u * u) >> 8, (u * v) >> 8, (v * v) >> 8)
        x = (sum([m[k] * terms[k] for k in range(6)]) >> 8) - 128
        y = (sum([m[6 + k] * terms[k] for k in range(6)]) >> 8) - 128
        x = max(0, min(right, x))
        y = max(0, min(low, y))
        k = (y >> 8) * w + (x >> 8)
        fx = x & 255
        fy = y & 255
        top = p[k] * (256 - fx) + p[k + 1] * fx
        bottom = p[k + w] * (256 - fx) + p[k + w + 1] * fx
        out[i] = (top * (256 - fy) + bottom * fy + 32768) >> 16


def fold(values, across, steps, use, out):
    """Sums of rows: `values` are `steps` rows of `across`, of which the columns with use[column] count."""
    for i in range(steps):
        out[i] = sum([values[i * across + j] for j in range(across) if use[j]])


def spots(p, w, h, margin, inv, contrast, ring, rings, apart, out, room):
    """As seeds(), the first in a square of 2 apart - 1 and not the lowest: a mark half under a glare is lowest at its rim.
    Writes y * 4096 + x * 16 + number of the ring; w is at most 256."""
    n = 0
    bias = margin * w + margin
    for y in range(margin, h - margin, 2):
        for x in range(margin, w - margin):
            i = y * w + x
            v = p[i] ^ inv
            limit = v + contrast
            if limit >= 256:
                continue
            for r in range(rings):
                if min([p[i - bias + ring[8 * r + k]] ^ inv for k in range(8)]) < limit:
                    continue
                near = [1 for k in range(n) if abs((out[k] >> 4 & 255) - x) < apart and abs((out[k] >> 12) - y) < apart]
                if not near and n < room:
                    out[n] = y << 12 | x << 4 | r
                    n += 1
                break
    return n


def coarse(p, w, h, out):
    """The plane at a quarter of its size: each pixel the mean of sixteen."""
    across = w >> 2
    for y in range(h >> 2):
        for x in range(across):
            total = 8
            for row in range(4):
                i = (4 * y + row) * w + 4 * x
                total += sum(p[i : i + 4])
            out[y * across + x] = total >> 4


def cover(mask, w, h, corners, n, value):
    """Marks with `value` what the joins of these corners enclose; corners are x, y in sixteenths of a pixel, not negative."""
    for y in range(h):
        yy = (y << 4) + 8
        left = 32767
        right = 0
        for i in range(n):
            x0, y0 = corners[i + i], corners[i + i + 1]
            for j in range(i + 1, n):
                x1, y1 = corners[j + j], corners[j + j + 1]
                if (y0 <= yy and yy < y1) or (y1 <= yy and yy < y0):
                    x = x0 + (x1 - x0) * (yy - y0) // (y1 - y0)
                    left = min(left, x)
                    right = max(right, x)
        if left <= right:
            for i in range(max(0, left >> 4), min(w - 1, right >> 4) + 1):
                mask[y * w + i] |= value


def stray(cells, w, h, ground, gain, mask, light, dark):
    """Marks every cell that is not as bright as the bare plate, `ground`, times gain / 256, with how many grey steps it is off,
    and with 0 all others; gives how many. Limits and ground are sixteenths of a grey step. What mask has 1 for is not looked
    at, 2 and 8 both may be darker, 16 darker by an eighth, 4 brighter."""
    n = 0
    for i in range(w * h):
        m = mask[i]
        bare = ground[i] * gain >> 8
        d = (cells[i] << 4) - bare
        off = 0
        if ground[i] and not m & 1:
            if d > 0:
                off = d if d > (6 * light if m & 4 else light) else 0
            elif m & 10 != 10 and d < (-dark - (bare >> 3) if m & 16 else -dark):
                off = -d
        mask[i] = min(255, off >> 4)
        n += 1 if off else 0
    return n


def marked(mask, at, n):
    """The first cell from `at` on that is marked, n where there is none."""
    while at < n and not mask[at]:
        at += 1
    return at


def steps(p, w, h, out):
    """How many neighbours in every fourth row differ by how much: 64 counts, of four grey steps each."""
    for i in range(64):
        out[i] = 0
    for y in range(2, h, 4):
        for i in range(y * w, y * w + w - 1):
            out[abs(p[i + 1] - p[i]) >> 2] += 1


def crop(strip, width, rows, left, out, at, w):
    """Copies w pixels of each row of a strip, from column `left`, to `out` from index `at` on."""
    for row in range(rows):
        out[at + row * w : at + row * w + w] = strip[row * width + left : row * width + left + w]


def darker(strip, width, rows, left, out, at, w):
    """As crop, but of what is there and what comes the darker stays."""
    for row in range(rows):
        for k in range(w):
            out[at + row * w + k] = min(out[at + row * w + k], strip[row * width + left + k])


def brighter(cells, other, n):
    """Of two rows of cells the brighter stay in the first."""
    for k in range(n):
        cells[k] = max(cells[k], other[k])


def energy(sums, first, n):
    """How steep a profile is: the sum of the squares of its slopes, of n steps from `first` on, in 256ths."""
    return sum([(sums[k + 2] - sums[k]) ** 2 >> 8 for k in range(first, first + n)])
