"""Which tags lie in the reader's field: ISO/IEC 15693-3 inventory with 16 slots, and masks where answers collide.

Each tag answers in the slot that the next four bits of its UID name. Where a slot is garbled, the bits known so far become
a mask and only the tags behind it are asked again. 16 slots and not one: a near tag would drown out a far one. At low
power only a face that lies flat on the plate answers. Not here: whose tag it is (controller/dieset.py).
"""

import time

from micropython import const

from drivers.pn5180 import FULL, GARBLED, LOW, ReaderError

UID = const(8)
_HIGH_RATE_INVENTORY = const(0x06)
_INVENTORY = const(0x01)
_SLOTS = const(16)
_LEVELS = const(15)  # 60 bits of mask: below that only two tags with one UID could collide
_ANSWER = const(10)  # flags, DSFID, UID
_WAKE_MS = const(1)  # of a tag from field on
_OLDEST_FIRMWARE = const(0x0300)
REQUEST = const(11)
ANSWER = const(16)


class TagReader:
    def __init__(self, chip):
        """`chip` is a Pn5180 with room for REQUEST and ANSWER bytes."""
        self._chip = chip
        self._collided = [0] * (_LEVELS + 1)  # one bit a slot, by depth of the mask
        self._nibbles = bytearray(_LEVELS + 1)
        self._started = False
        self.garbled = 0  # slots that could not be read even alone
        self.fault = ""

    def inventory(self, power: int, uids_out) -> int:
        """Fill uids_out, 8 bytes a tag as printed (E0 first). -> how many; one more than fit means too many.

        Blocks for 20 ms with few tags, 120 ms with eighteen. ReaderError (an OSError) when the chip fails twice.
        """
        try:
            return self._inventory(power, uids_out)
        except ReaderError:
            self._started = False  # once more from a hard reset: a dip of the supply may have cost it its settings
            return self._inventory(power, uids_out)

    def _inventory(self, power: int, uids_out) -> int:
        chip = self._chip
        if not self._started:
            chip.start()
            self._started = True
        chip.field_on(power)
        time.sleep_ms(_WAKE_MS)
        try:
            return self._search(uids_out)
        finally:
            if self._started:
                chip.field_off()  # tags forget, the antenna stays cool

    def _search(self, out) -> int:
        """Depth first over the masks; a level's open slots are one bit each."""
        collided = self._collided
        found = self._round(0, out, 0)
        level = 0
        while level >= 0:
            if found * UID > len(out):
                return found
            open_slots = collided[level]
            if not open_slots:
                level -= 1
                continue
            slot = 0
            while not open_slots >> slot & 1:
                slot += 1
            collided[level] = open_slots & ~(1 << slot)
            if level == _LEVELS:
                self.garbled += 1  # nothing left to tell them apart by
                continue
            self._nibbles[level] = slot
            level += 1
            found = self._round(level, out, found)
        return found

    def _round(self, level: int, out, found: int) -> int:
        chip = self._chip
        chip.send(self._ask(level))
        collided = 0
        for slot in range(_SLOTS):
            if slot:
                chip.send_eof()
            n = chip.listen()
            if n == GARBLED:
                collided |= 1 << slot
            elif n == _ANSWER and not chip.answer[0] & 1:
                self._keep(out, found)
                found += 1
        self._collided[level] = collided
        return found

    def _ask(self, level: int) -> int:
        """The request for the tags whose UID ends with the nibbles chosen so far. -> its length."""
        request = self._chip.request
        request[0] = _HIGH_RATE_INVENTORY
        request[1] = _INVENTORY
        request[2] = 4 * level
        nibbles = self._nibbles
        nibbles[level] = 0
        for at in range((level + 1) // 2):
            low = nibbles[2 * at]
            high = nibbles[2 * at + 1] if 2 * at + 1 < level else 0
            request[3 + at] = low | high << 4
        return 3 + (level + 1) // 2

    def _keep(self, out, found: int) -> None:
        at = found * UID
        if at + UID <= len(out):
            answer = self._chip.answer
            for i in range(UID):
                out[at + i] = answer[_ANSWER - 1 - i]

    def selftest(self) -> bool:
        """Hard reset, versions, settings, field on and off. `fault` says what failed."""
        self.fault = ""
        self._started = False
        try:
            self._test()
        except ReaderError as error:
            self.fault = error.args[0]
        return not self.fault

    def _test(self) -> None:
        chip = self._chip
        chip.start()
        product, firmware = chip.version()
        if product == 0xFFFF or product == 0:
            self.fault = "tag reader: no chip"
            return
        if firmware < _OLDEST_FIRMWARE:
            self.fault = "tag reader: its firmware %d.%d is too old" % (firmware >> 8, firmware & 0xFF)
            return
        for power in (LOW, FULL):
            chip.field_on(power)
            if not chip.field_is_on():
                self.fault = "tag reader: no field"
            chip.field_off()
            if chip.field_is_on():
                self.fault = "tag reader: the field stays on"
        self._started = True
