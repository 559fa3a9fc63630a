"""The reader's hot loops in plain Python: what scan_viper.py must answer, byte for byte. Runs anywhere, slowly.

Each works on a grey plane of w x h bytes. `inv` is 0 to look for dark marks and 255 to look for light ones: a pixel is
always taken as value ^ inv, so that a mark is low and its surroundings are high.
"""


def halve(src, w, h, dst):
    """The plane at half size: each pixel the mean of four."""
    hw = w >> 1
    for y in range(h >> 1):
        i = (y + y) * w
        o = y * hw
        for x in range(hw):
            k = i + x + x
            dst[o + x] = (src[k] + src[k + 1] + src[k + w] + src[k + w + 1] + 2) >> 2


def planes(rgb, n, luma, low, high):
    """From n pixels of three bytes: luma, the least and the greatest channel."""
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


def seeds(p, w, h, margin, inv, contrast, ring, rings, out, room):
    """Where a mark may be: a lowest pixel with a ring of eight that are all `contrast` higher. `ring` holds eight offsets a
    radius, smallest first, counted from `margin` rows and pixels before (viper reads words unsigned). Writes
    index * 16 + number of the ring; gives how many, at most `room`."""
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


def blend(p, w, h, x, y):
    """The value at x, y (in 1/256 of a pixel, centres at 128) between its four neighbours; -1 outside."""
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


def tally(p, w, x0, y0, x1, y1, out):
    """How often each of 64 grey levels (value / 4) occurs in a rectangle."""
    for i in range(64):
        out[i] = 0
    for y in range(y0, y1):
        for i in range(y * w + x0, y * w + x1):
            k = p[i] >> 2
            out[k] = out[k] + 1


def depart(p, w, h, shift, across, ground, limit, mask):
    """Marks with 1 each pixel that is more than `limit` from its cell's ground; cells have 1 << shift pixels a side."""
    for y in range(h):
        row = (y >> shift) * across
        i = y * w
        for x in range(w):
            d = p[i + x] - ground[row + (x >> shift)]
            if d > limit or d < 0 - limit:
                mask[i + x] = 1


def lift_shadow(low, high, w, h, shift, across, ground_low, ground_high, mask):
    """Takes out of the mask what is only the ground under less light: the same colour, not below 3/8 of its brightness."""
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


def count(mask, w, x0, y0, x1, y1):
    """How many pixels of a rectangle are marked."""
    n = 0
    for y in range(y0, y1):
        for i in range(y * w + x0, y * w + x1):
            n += mask[i]
    return n


def double(src, w, h, dst):
    """The plane at twice the size, each new pixel between the four old ones nearest to it (9:3:3:1)."""
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


def apart(luma, low, high, w, h, shift, across, ground, ground_low, ground_high, limit, dist, mask):
    """How far each pixel is from its cell's ground in the plane that shows it best; 0 where it is only the ground under less
    light (see lift_shadow). Marks with 1 what is farther than `limit`."""
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


def probe(rgb, w, h, x, y, ux, uy, homes, sums):
    """Colours on a grid of 15 x 15 about x, y with steps (ux, uy) and (-uy, ux), in 1/256 of a pixel of three bytes.
    sums: 3 totals, 6 products (rr gg bb rg rb gb), then 3 for each spot; `homes` names up to three spots a grid place.
    Gives 0 where the grid leaves the picture."""
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


def flood(mask, w, h, at, stack, room, sums):
    """Takes the marked pixels that hang together with `at` out of the mask: sums = count, x, y, least and greatest x and y.
    Gives the count, or -1 where `stack` has no room."""
    stack[0] = at
    mask[at] = 0
    depth = 1
    n = sx = sy = 0
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
