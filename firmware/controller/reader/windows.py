"""Where to look closely: boxes around the things on the plate, and their pixels at full size, out of one pass of rows.

An RP2040 has no room for a frame and its reading, so a frame is kept at half size, to find things, and at full size only
where things were found in the frame before. Not for what is seen there: camera.py.
"""

ROOM = 32768  # pixels of all windows; three dice by themselves take 21 000, side faces in view
MOST = 6
_MARGIN = 12  # pixels around a thing: a pip needs eight, and the ground must be seen
_NEAR = 8  # so far another thing may reach into a window: none of its pips is looked at there
_RIM = 12  # pixels more, to the side where the plate's rim cuts what was found


class Window:
    """left, top, w, h in the frame; `plane` its pixels. `things` were found in it when it was planned."""

    __slots__ = ("h", "left", "plane", "things", "top", "w")

    def __init__(self, left, top, right, bottom, things):
        self.left = left
        self.top = top
        self.w = right - left
        self.h = bottom - top
        self.plane = None
        self.things = things

    def holds(self, thing, margin):
        """Is it inside, so far from the border?"""
        return (
            self.left + margin <= thing.left
            and thing.right <= self.left + self.w - margin
            and self.top + margin <= thing.top
            and thing.bottom <= self.top + self.h - margin
        )

    def spans(self, spot):
        return 0 <= spot.x - self.left < self.w and 0 <= spot.y - self.top < self.h


def plan(found, width, height, plate):
    """Windows for the things; [] where they take more room than there is. Sizes are even, as the half-size picture's."""
    windows = []
    for thing in found:
        cut = plate.cuts(thing)
        left = thing.left - _MARGIN - (_RIM if cut and thing.x < plate.x else 0)
        right = thing.right + _MARGIN + (_RIM if cut and thing.x > plate.x else 0)
        top = thing.top - _MARGIN - (_RIM if cut and thing.y < plate.y else 0)
        bottom = thing.bottom + _MARGIN + (_RIM if cut and thing.y > plate.y else 0)
        windows.append(
            Window(
                max(0, left) & ~1, max(0, top) & ~1, min(width, right + 1 & ~1), min(height, bottom + 1 & ~1), [thing]
            )
        )
    merged = True
    while merged:
        merged = False
        for i in range(len(windows)):
            for j in range(i + 1, len(windows)):
                # a die half in view would be a die not explained
                if _meets(windows[i], windows[j]):
                    windows[i] = _union(windows[i], windows.pop(j))
                    merged = True
                    break
            if merged:
                break
    return windows


def _meets(one, other):
    for window, things in ((one, other.things), (other, one.things)):
        for thing in things:
            if (
                thing.left < window.left + window.w - _NEAR
                and window.left + _NEAR < thing.right
                and thing.top < window.top + window.h - _NEAR
                and window.top + _NEAR < thing.bottom
            ):
                return True
    return False


def _union(one, other):
    return Window(
        min(one.left, other.left),
        min(one.top, other.top),
        max(one.left + one.w, other.left + other.w),
        max(one.top + one.h, other.top + other.h),
        one.things + other.things,
    )


def place(windows, block):
    """Gives each its part of the block; False where they don't fit."""
    at = 0
    for window in windows:
        n = window.w * window.h
        if at + n > len(block):
            return False
        window.plane = memoryview(block)[at : at + n]
        at += n
    return len(windows) <= MOST


def fill(windows, strip, width, first, rows):
    """Copies rows of the frame, `strip`, into each window that has some of them."""
    for window in windows:
        left, w = window.left, window.w
        for row in range(max(first, window.top), min(first + rows, window.top + window.h)):
            at = (row - first) * width + left
            to = (row - window.top) * w
            window.plane[to : to + w] = strip[at : at + w]
