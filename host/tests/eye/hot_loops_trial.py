# ruff: noqa: UP031
"""Runs on MicroPython: every hot loop in viper and in plain Python on the same random frame; prints each that agreed."""

import sys
from array import array

from controller.reader import plate_plain, plate_viper, scan_plain, scan_viper, stretch_plain, stretch_viper

W = 61
H = 47
state = int(sys.argv[1]) * 7919 + 1


def rand(limit):
    global state
    state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return (state >> 8) % limit


def frame(n):
    """Smooth enough to have marks: runs of a level with steps and noise."""
    out = bytearray(n)
    level = 128
    for i in range(n):
        if rand(9) == 0:
            level = rand(256)
        out[i] = min(255, max(0, level + rand(9) - 4))
    return out


def both(name, *arguments):
    """Calls both with copies; their results and every buffer afterwards must be equal."""
    first = [copy(a) for a in arguments]
    second = [copy(a) for a in arguments]
    homes = ((stretch_viper, stretch_plain), (plate_viper, plate_plain), (scan_viper, scan_plain))
    viper, plain = next(home for home in homes if hasattr(home[1], name))
    one = getattr(viper, name)(*first)
    two = getattr(plain, name)(*second)
    if one != two:
        raise AssertionError("%s: viper says %r, plain says %r" % (name, one, two))
    for k in range(len(first)):
        if first[k] != second[k]:
            raise AssertionError("%s: argument %d differs afterwards" % (name, k))
    return first


def copy(a):
    if isinstance(a, bytearray):
        return bytearray(a)
    if isinstance(a, array):
        return array("H" if max(a) > 0x7FFFFFF0 else KINDS[id(a)], a)
    return a


KINDS = {}


def words(kind, n):
    out = array(kind, [0] * n)
    KINDS[id(out)] = kind
    return out


def main():
    p = frame(W * H)
    both("halve", p, W, H, bytearray((W // 2) * (H // 2)))
    print("halve")
    both("double", p, W, H, bytearray(4 * W * H))
    print("double")
    both("stretch", frame(3 * W * H), W, H, W * 9 // 8, H * 7 // 8, bytearray(3 * (W * 9 // 8) * (H * 7 // 8)))
    print("stretch")
    both("smooth", p, W, H, bytearray(2 * W))
    print("smooth")
    both("planes", frame(300), 100, bytearray(100), bytearray(100), bytearray(100))
    print("planes")
    smooth = both("smooth", p, W, H, bytearray(2 * W))[0]
    margin = 8
    ring = words("i", 16)
    for r in (0, 1):
        far = r + 2
        for k, (x, y) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))):
            ring[8 * r + k] = (far * y + margin) * W + far * x + margin
    for inv in (0, 255):
        found = both("seeds", smooth, W, H, margin, inv, 18, ring, 2, words("i", 400), 400)[8]
        for seed in found:
            if seed:
                at = seed >> 4
                level = (smooth[at] ^ inv) + 25
                both("grow", smooth, W, at, inv, level, 8, bytearray(289), words("H", 289), words("i", 6))
    print("seeds grow")
    for _ in range(300):
        both("blend", p, W, H, rand(W * 256 + 400) - 200, rand(H * 256 + 400) - 200)
    print("blend")
    both("tally", p, W, 5, 6, 40, 41, words("H", 64))
    print("tally")
    across = (W >> 3) + 1
    down = (H >> 3) + 1
    ground = frame(across * down)
    mask = both("depart", p, W, H, 3, across, ground, 30, bytearray(W * H))[7]
    print("depart")
    both("lift_shadow", frame(W * H), p, W, H, 3, across, frame(across * down), ground, mask)
    print("lift_shadow")
    three = [frame(W * H) for _ in range(3)]
    grounds = [frame(across * down) for _ in range(3)]
    both("apart", *three, W, H, 3, across, *grounds, 20, bytearray(W * H), bytearray(W * H))
    print("apart")
    homes = bytearray([rand(22) if rand(4) == 0 else 0 for _ in range(675)])
    rgb = frame(3 * W * H)
    for _ in range(20):
        both("probe", rgb, W, H, rand(W * 256), rand(H * 256), rand(400) - 200, rand(400) - 200, homes, words("i", 75))
    print("probe")
    both("count", mask, W, 3, 4, 50, 40)
    print("count")
    at = mask.find(b"\x01")
    both("flood", mask, W, H, at, words("i", 4000), 4000, words("i", 7))
    both("flood", mask, W, H, at, words("i", 8), 8, words("i", 7))
    print("flood")
    for inv in (0, 255):
        both("spots", smooth, W, H, margin, inv, 18, ring, 2, 4, words("i", 60), 60)
    print("spots")
    numbers = [rand(W) << 16, 20000, 3000, rand(99), rand(99) - 50, 7, rand(H) << 16, -3000, 20000, -40, 30, rand(9)]
    at = words("I", 12)
    points = words("H", 120)
    for k in range(12):
        at[k] = plate_plain.BIAS + numbers[k]
    for k in range(120):
        points[k] = plate_plain.MIDDLE + rand(500) - 250
    values = both("sample", p, W, H, at, points, 60, bytearray(60))[6]
    print("sample")
    both("fold", values, 6, 10, bytearray([rand(2) for _ in range(6)]), words("H", 10))
    print("fold")
    both("crop", p, W, 5, 7, bytearray(300), 20, 40)
    print("crop")
    both("darker", p, W, 5, 7, frame(300), 20, 40)
    print("darker")
    both("brighter", frame(200), frame(200), 190)
    print("brighter")
    profile = words("H", 40)
    for k in range(40):
        profile[k] = rand(2800)
    both("energy", profile, 5, 30)
    print("energy")
    both("coarse", p, W - 1, H - 3, bytearray(15 * 11))
    print("coarse")
    corners = words("H", 12)
    for k in range(12):
        corners[k] = rand(16 * 44)
    cells = frame(15 * 11)
    covered = both("cover", bytearray(15 * 11), 15, 11, corners, 6, 2)[0]
    covered = both("cover", covered, 15, 11, corners, 4, 1)[0]
    for value in (4, 8, 16):
        corners[rand(12)] = rand(16 * 44)
        covered = both("cover", covered, 15, 11, corners, 6, value)[0]
    print("cover")
    level = words("H", 15 * 11)
    for k in range(15 * 11):
        level[k] = 16 * (rand(250) if rand(5) else 0)
    strays = both("stray", cells, 15, 11, level, 200 + rand(100), covered, 160, 160)[5]
    print("stray")
    both("marked", strays, rand(20), len(strays))
    at = plate_plain.marked(strays, 0, len(strays))
    if at < len(strays):
        both("gather", strays, 15, 11, at, words("i", 400), 400, words("i", 4))
        both("gather", strays, 15, 11, at, words("i", 8), 8, words("i", 4))
    print("marked gather")
    both("steps", p, W, H, words("H", 64))
    print("steps")


main()
