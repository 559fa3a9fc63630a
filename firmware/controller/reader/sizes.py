"""A picture file read at several sizes: what only one of them shows is not believed. For photographs, on the unix port.

How the pixels of a small die happen to fall decides whether its pips are found; a reading that hangs on that is a guess.
"""

import gc

from controller.reader import accord, picture, pool, scene
from controller.reader.pips import PipFinder
from controller.reader.stamps import Stamper
from controller.target import ON_MICROPYTHON

if ON_MICROPYTHON:
    from controller.reader.stretch_viper import stretch
else:
    from controller.reader.stretch_plain import stretch  # type: ignore[no-redef]

_SMALL = 4.5  # pixels: pips with a smaller radius are read again at double size
_LARGEST_DOUBLED = 720  # pixels of the longer side
_SIZES = ((1, 1), (7, 8), (9, 8), (15, 16))  # of a picture: what is read must not hang on how its pixels happen to fall
_ENOUGH = 2  # sizes that say the same
_SAME = 0.03  # of the longer side: so near to each other two readings of a die are
_GARBAGE = 24 << 20  # bytes between collections: a heap full of small things has no room for a plane


def read(w, h, rgb, dice):
    """(verdict, scale): what the first two sizes that read all of it say alike; else what all say together (pool.py)."""
    gc.threshold(_GARBAGE)
    finder = PipFinder(patient=True)
    read = []
    said = []
    for times, of in _SIZES:
        verdict, scale = _read_at(finder, w * times // of, h * times // of, sized(w, h, rgb, times, of), dice)
        gc.collect()
        scale *= times / of
        said.append(pool.Size(verdict, scale))
        if verdict.reason == scene.OK:
            read.append((verdict, scale))
            if len(read) == _ENOUGH and accord.same(*read[0], *read[1], _SAME * max(w, h)):
                return read[0]
    return pool.verdict(said, dice), 1


def sized(w, h, rgb, times, of):
    """Three bytes a pixel at times/of of the size."""
    if times == of:
        return rgb
    out = bytearray(3 * (w * times // of) * (h * times // of))
    stretch(rgb, w, h, w * times // of, h * times // of, out)
    return out


def _read_at(finder, w, h, rgb, dice):
    """(verdict, scale): at once, and where that fails or the dice are small at double size.

    Both pictures are made first: after a reading the heap is full of small things, and a large plane may find no room.
    """
    once = picture.of_colour(w, h, rgb)
    twice = picture.of_colour(w, h, rgb, True) if max(w, h) <= _LARGEST_DOUBLED else None
    verdict = scene.read(once, finder.find(once), dice)
    radii = sorted([face.pips[0].r for face in verdict.dice])
    small = not radii or radii[len(radii) // 2] < _SMALL
    if (verdict.reason == scene.OK and not small) or twice is None:
        return verdict, 1
    first = verdict
    verdict = scene.read(twice, finder.find(twice), dice)
    stamper = Stamper()
    lumps = stamper.read(once, rgb)
    if lumps is None or accord.fragments(verdict, 2, stamper.usual):
        return accord.with_first(verdict, 2, first), 2
    return accord.between(verdict, 2, lumps, stamper.usual, dice, first), 1
