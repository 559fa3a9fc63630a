# The game table and its interpreter: which areas win, where the game goes next, where the puck lies.
#
# The controller has no rules of its own: the host compiles a rule book into this table (docs/game-tables.md has the
# bytes) and an inspector signs off its SHA-256. Not here: where it is stored, lighting the lamps, the round of play.
# Runs on MicroPython and CPython. look_up() and collect() allocate nothing: they run in the spin loop.

import binascii
import hashlib
import struct

MAGIC = b"TGAM"
VERSION = 1
# magic, version, dice, states, areas, combinations, flags, bonus sets, pixels, win sets, length, length of the book id
HEADER = "<4sBBBBBBBBHHB"
HEADER_SIZE = struct.calcsize(HEADER)
CRC_SIZE = 4
MAX_SIZE = 8192
MAX_PIXELS = 160
MAX_AREAS = 255
NO_PIXEL = 255
PUCK_LAMPS = 13  # index 0 is OFF, then the totals; 1 and 7 have none
FLAG_SYMBOLS = 1
FLAG_TOGETHER = 2  # bonus bets are settled all together (crapless layouts 2 and 4)
COMBOS = {2: 21, 3: 56}
SEVEN = 7


def combo_indices(dice):
    """Index of every ordered throw (base 6, first die most significant) into the combinations in ascending order."""
    ranks = bytearray(6**dice)
    rank = 0
    if dice == 2:
        for a in range(6):
            for b in range(a, 6):
                ranks[a * 6 + b] = ranks[b * 6 + a] = rank
                rank += 1
    else:
        for a in range(6):
            for b in range(a, 6):
                for c in range(b, 6):
                    for x, y, z in ((a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)):
                        ranks[x * 36 + y * 6 + z] = rank
                    rank += 1
    return ranks


class GameTable:
    """A game table that has been proved sound; ValueError says what is wrong with one that is not."""

    def __init__(self, data):
        if len(data) < HEADER_SIZE + CRC_SIZE:
            raise ValueError(f"game table: {len(data)} bytes are too few for a header")
        if len(data) >= MAX_SIZE:
            raise ValueError(f"game table: {len(data)} bytes, the most is {MAX_SIZE - 1}")
        head = struct.unpack_from(HEADER, data, 0)
        magic, version, dice, states, areas, combos, flags, bonus, pixels, sets, length, named = head
        if magic != MAGIC:
            raise ValueError(f"game table: starts with {bytes(magic)}, not {MAGIC}")
        if version != VERSION:
            raise ValueError(f"game table: format {version}, this firmware reads format {VERSION}")
        if length != len(data):
            raise ValueError(f"game table: says {length} bytes, has {len(data)}")
        view = memoryview(data)
        if binascii.crc32(view[: length - CRC_SIZE]) != struct.unpack_from("<I", data, length - CRC_SIZE)[0]:
            raise ValueError("game table: CRC is wrong, send it again")
        if COMBOS.get(dice) != combos:
            raise ValueError(f"game table: {dice} dice with {combos} combinations")
        if not states or not areas or areas > MAX_AREAS or not sets or pixels > MAX_PIXELS:
            raise ValueError(f"game table: {states} states, {areas} areas, {sets} win sets, {pixels} pixels")
        self.dice = dice
        self.states = states
        self.areas = areas
        self.pixels = pixels
        self.symbols = bool(flags & FLAG_SYMBOLS)
        self.size = length
        self._data = data
        self._together = bool(flags & FLAG_TOGETHER)
        self._combos = combos
        self._sets = sets
        self._bonus = bonus
        self._width = (areas + 7) // 8
        self._lay_out(named)
        self.book = str(bytes(view[HEADER_SIZE : HEADER_SIZE + named]), "ascii")
        self.hash = hashlib.sha256(data).digest()
        self._ranks = combo_indices(dice)
        self._lit = bytearray(self._width)
        self.lit = memoryview(self._lit)
        self.next_state = 0
        self.puck = 0
        self.completed = 0  # bit i: bonus set i was completed by the last collect()
        self._check()

    def _lay_out(self, named):
        self._pucks = HEADER_SIZE + named
        self._entries = self._pucks + self.states
        self._bitmaps = self._entries + self.states * self._combos * 3
        self._lamps = self._bitmaps + self._sets * self._width
        self._puck_lamps = self._lamps + self.areas * 2
        self._bonuses = self._puck_lamps + PUCK_LAMPS
        self._names = self._bonuses + self._bonus * 4
        if self._names + self.areas > self.size - CRC_SIZE:
            raise ValueError(f"game table: its parts end after its {self.size} bytes")

    def _check(self):
        data = self._data
        for at in range(self._pucks, self._entries):
            if data[at] == 1 or data[at] == SEVEN or data[at] >= PUCK_LAMPS:
                raise ValueError(f"game table: puck on {data[at]}")
        for at in range(self._entries, self._bitmaps, 3):
            if data[at] >= self.states:
                raise ValueError(f"game table: next state {data[at]} of {self.states}")
            if data[at + 1] | data[at + 2] << 8 >= self._sets:
                raise ValueError(f"game table: win set out of range at byte {at + 1}")
        for at in range(self._lamps, self._puck_lamps, 2):
            if data[at] + data[at + 1] > self.pixels:
                raise ValueError(f"game table: lamp out of range at byte {at}")
        for at in range(self._puck_lamps, self._bonuses):
            if data[at] != NO_PIXEL and data[at] >= self.pixels:
                raise ValueError(f"game table: puck lamp out of range at byte {at}")
        self.bonus_bits = 0
        for i in range(self._bonus):
            at = self._bonuses + i * 4
            totals = data[at] | data[at + 1] << 8
            count = 0
            for total in range(16):
                count += totals >> total & 1
            if totals & ~0x1F7C or not count or count != data[at + 3] or data[at + 2] + count > self.pixels:
                raise ValueError(f"game table: bonus set {i} is not sound")
            self.bonus_bits += count
        if self.bonus_bits > 30:  # the collected numbers must stay one small int
            raise ValueError(f"game table: {self.bonus_bits} bonus numbers, the most is 30")
        end = self._names
        for _ in range(self.areas):
            end += 1 + data[end] if end < self.size else 1
        if end != self.size - CRC_SIZE:
            raise ValueError(f"game table: area names end at byte {end} of {self.size - CRC_SIZE}")

    def look_up(self, state, faces):
        """Sets next_state, puck and lit (bit i of byte i // 8 is area i) for these dice in any order."""
        if not 0 <= state < self.states:
            raise ValueError("no such game state")
        if len(faces) != self.dice:
            raise ValueError("wrong number of dice")
        throw = 0
        for i in range(self.dice):
            face = faces[i]
            if not 1 <= face <= 6:
                raise ValueError("no such face")
            throw = throw * 6 + face - 1
        data = self._data
        at = self._entries + (state * self._combos + self._ranks[throw]) * 3
        self.next_state = data[at]
        self.puck = data[self._pucks + data[at]]
        width = self._width
        start = self._bitmaps + (data[at + 1] | data[at + 2] << 8) * width
        lit = self._lit
        for i in range(width):
            lit[i] = data[start + i]

    def puck_at(self, state):
        """Where the puck lies in a state: a total, 0 for OFF."""
        return self._data[self._pucks + state]

    def collect(self, mask, faces):
        """The bonus bets' collected numbers after these dice; `completed` says which sets they completed.

        One bit a number, set after set, ascending. A 7 loses them all. A completed set starts again at once where each
        bet goes by itself, and stays until all are complete where they go together.
        """
        self.completed = 0
        total = 0
        for i in range(len(faces)):
            total += faces[i]
        if total == SEVEN or not self._bonus:
            return 0
        data = self._data
        shift = 0
        whole = 0
        for i in range(self._bonus):
            at = self._bonuses + i * 4
            totals = data[at] | data[at + 1] << 8
            count = data[at + 3]
            full = (1 << count) - 1 << shift
            whole |= full
            if totals >> total & 1:
                below = 0
                for lower in range(total):
                    below += totals >> lower & 1
                was = mask & full
                mask |= 1 << shift + below
                if was != full and mask & full == full:
                    self.completed |= 1 << i
                    if not self._together:
                        mask &= ~full
            shift += count
        return 0 if mask & whole == whole else mask

    def area_pixels(self, area):
        """(first pixel, how many) of an area."""
        at = self._lamps + area * 2
        return self._data[at], self._data[at + 1]

    def area_first(self, area):
        return self._data[self._lamps + area * 2]

    def area_count(self, area):
        return self._data[self._lamps + area * 2 + 1]

    def puck_pixel(self, puck):
        """The pixel that shows the puck there, -1 when the layout has none."""
        pixel = self._data[self._puck_lamps + puck]
        return -1 if pixel == NO_PIXEL else pixel

    def bonus_pixel(self, bit):
        """The pixel of one bit of collect()'s mask, -1 past the last."""
        for i in range(self._bonus):
            at = self._bonuses + i * 4
            count = self._data[at + 3]
            if bit < count:
                return self._data[at + 2] + bit
            bit -= count
        return -1

    def area_name(self, area):
        """For diagnostics; it allocates."""
        at = self._names
        for _ in range(area):
            at += 1 + self._data[at]
        return str(bytes(memoryview(self._data)[at + 1 : at + 1 + self._data[at]]), "ascii")
