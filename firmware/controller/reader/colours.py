"""Colours of a picture file: one at a place between pixels, and the direction that tells two heaps of them apart."""

_NOISE = 50.0  # of a colour, squared


def colour_at(rgb, w, h, x, y):
    """Red, green and blue at a place; None outside the picture."""
    x -= 0.5
    y -= 0.5
    i = int(x)
    j = int(y)
    if x < 0 or y < 0 or i >= w - 1 or j >= h - 1:
        return None
    fx = x - i
    fy = y - j
    at = 3 * (j * w + i)
    down = at + 3 * w
    return [
        (rgb[at + k] * (1 - fx) + rgb[at + 3 + k] * fx) * (1 - fy)
        + (rgb[down + k] * (1 - fx) + rgb[down + 3 + k] * fx) * fy
        for k in (0, 1, 2)
    ]


def mean_of(heap):
    n = len(heap)
    return [sum([colour[k] for colour in heap]) / n for k in (0, 1, 2)]


def axis_of(ink, body):
    """Fisher's direction between two heaps of colours: where both are spread, as by a glare, it looks away."""
    m1 = mean_of(ink)
    m0 = mean_of(body)
    total = len(ink) + len(body)
    s = [[_NOISE if i == j else 0.0 for j in (0, 1, 2)] for i in (0, 1, 2)]
    for heap, mean in ((ink, m1), (body, m0)):
        for colour in heap:
            d = [colour[k] - mean[k] for k in (0, 1, 2)]
            for i in (0, 1, 2):
                for j in (0, 1, 2):
                    s[i][j] += d[i] * d[j] / total
    d = [m1[k] - m0[k] for k in (0, 1, 2)]
    (a, e, g), (_, b, q), (_, _, f) = s
    return (
        (b * f - q * q) * d[0] + (g * q - e * f) * d[1] + (e * q - b * g) * d[2],
        (g * q - e * f) * d[0] + (a * f - g * g) * d[1] + (e * g - a * q) * d[2],
        (e * q - b * g) * d[0] + (e * g - a * q) * d[1] + (a * b - e * e) * d[2],
    )
