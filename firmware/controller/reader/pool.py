"""What a picture's readings at several sizes say together, die by die, where no two of them read the whole of it alike.

At each size something else may go wrong: a mark of the ground counted there, a pip lost here. A die is believed where most
sizes read it alike and none reads it otherwise; what speaks against the rest counts where two sizes show it. Never a vote
between numbers. Where it is told how many dice there are, and just as many are believed, other marks are none.
Not for how one size is read: scene.py, accord.py.
"""

from math import sqrt

from controller.reader import scene
from controller.reader.accord import DISAGREE, Seen

_SAME = 0.3  # widths of a die: so near two sizes' readings are of one die
_ON = 0.75  # of its centre: so near a trouble is that die's own
_NEAR = 1.0  # so near two sizes' troubles are the same
_MOST = 3  # sizes that must read a die
_ONCE_AT_MOST = 3  # pips: a face of more that only one size sees is no accident


class Size:
    """What one size of the picture said, in the pixels of the picture as it was given."""

    def __init__(self, verdict, scale):
        self.dice = []
        for face in verdict.dice:
            wide = face.wide if isinstance(face, Seen) else scene.WIDE * sqrt(face.size())
            self.dice.append(Seen(face.number, face.x / scale, face.y / scale, face.sure, wide / scale))
        self.troubles = []
        self.doubts = []  # numbers of which a size was not sure
        self.denied = []  # what looks like a die and lies on no ground of theirs
        for reason, spot in verdict.troubles:
            number = spot.number if reason != scene.UNEXPLAINED and hasattr(spot, "number") else 0
            seen = Seen(number, spot.x / scale, spot.y / scale, 0.0)
            if reason == scene.OFF_CENTRE:  # part of another face, so no opinion
                self.dice = [die for die in self.dice if not _near(die, seen, _SAME * die.wide)]
            elif number:
                self.doubts.append(seen)
            elif reason == scene.UNEXPLAINED and getattr(spot, "number", 0):
                self.denied.append(seen)
            self.troubles.append((reason, seen))


class _Place:
    """A die as the sizes see it. `clean`: how many of those that read it have no trouble there."""

    def __init__(self, die):
        self.die = die
        self.numbers = [die.number]
        self.doubts = []
        self.clean = 0
        self.denied = False

    def believed(self, sizes):
        n = len(self.numbers)
        if self.denied:
            return False
        for number in self.numbers + self.doubts:
            if number != self.die.number:
                return False
        if n >= _MOST and self.clean >= _MOST - 1:
            return True
        return self.clean > 0 and n + len(self.doubts) >= sizes


def verdict(sizes, dice):
    """Of what all sizes said."""
    places = _places(sizes)
    believed = []
    troubles = []
    for place in places:
        if place.believed(len(sizes)):
            believed.append(place.die)
        elif len(place.numbers) > 1 or place.doubts or place.die.number > _ONCE_AT_MOST:
            troubles.append((DISAGREE, place.die))
    if not believed and not troubles:
        return scene.Verdict(scene.NO_DICE)
    lasting = _lasting(sizes, believed)
    if not dice or len(believed) != dice or [1 for _, spot in lasting if spot.number]:
        troubles += lasting  # else all dice that there are were read, and the rest is none
    return scene.judged(believed, troubles, dice)


def _places(sizes):
    places = []
    for size in sizes:
        for die in size.dice:
            for place in places:
                if _near(place.die, die, _SAME * place.die.wide):
                    place.numbers.append(die.number)
                    break
            else:
                place = _Place(die)
                places.append(place)
            if not [spot for _, spot in size.troubles if _near(spot, die, _ON * die.wide)]:
                place.clean += 1
    for size in sizes:
        for doubt in size.doubts:
            for place in places:
                if _near(place.die, doubt, _SAME * place.die.wide):
                    place.doubts.append(doubt.number)
        for spot in size.denied:
            for place in places:
                place.denied = place.denied or _near(place.die, spot, _SAME * place.die.wide)
    return places


def _lasting(sizes, believed):
    """Troubles that lie on no die that is believed: of a die that a size tried to read any, of other marks what two sizes have."""
    loose = []
    for size in sizes:
        loose.append(
            [
                (reason, spot)
                for reason, spot in size.troubles
                if not [die for die in believed if _near(die, spot, _ON * die.wide)]
            ]
        )
    widths = sorted([die.wide for die in believed])
    reach = _NEAR * widths[len(widths) // 2] if widths else 0.0
    found = []
    for k in range(len(loose)):
        for reason, spot in loose[k]:
            for other in range(len(loose)):
                if spot.number or not reach or (other != k and [1 for _, s in loose[other] if _near(spot, s, reach)]):
                    found.append((reason, spot))
                    break
    return found


def _near(one, other, reach):
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 < reach * reach
