"""The game table in flash: received, checked, kept under its hash, and taken into use between two spins.

Not for what a table says: game.py. The one in use is named by the state's game_hash, so a table that was only half
received, or never activated, is nothing.
"""

import binascii
import hashlib

from dicewire import codes
from dicewire.bulk import MemorySink

from controller.game import MAX_SIZE, GameTable
from controller.target import const

CHOSEN_FILE = "game.use"  # the hash of a table, written by provisioning and by nothing else
_ENDING = ".game"
_HASH_LEN = const(32)
_NAME_LEN = const(8)  # bytes of the hash in the file's name; the content is checked against all 32


class GameFile:
    """Receives tables as the sink of a bulk transfer, and gives GameTable objects back."""

    def __init__(self, files):
        self._files = files
        self._sink = None
        self._refused = b""  # hash of a table that arrived whole and is not sound

    def sink(self, size):
        """Where an incoming table is gathered, or None when it is too large. Freed when it has been kept."""
        if size >= MAX_SIZE:
            return None
        self._sink = MemorySink(size)
        return self._sink

    def keep(self):
        """Store the table that has arrived whole. -> reason why not, empty when it is kept."""
        if self._sink is None:
            return "no table arrived"
        data = bytes(self._sink.data)
        self._sink = None
        try:
            table = GameTable(data)
        except ValueError as e:
            self._refused = hashlib.sha256(data).digest()
            return str(e)
        try:
            self._files.replace(_name(table.hash), data)
        except OSError as e:
            return f"not kept: {e}"
        return ""

    def load(self, wanted):
        """-> (GameTable, codes.GAME_OK) or (None, why not)."""
        data = self._files.load(_name(wanted))
        if data is None:
            return None, codes.GAME_UNSOUND if wanted == self._refused else codes.GAME_ABSENT
        try:
            table = GameTable(data)
        except ValueError:
            return None, codes.GAME_UNSOUND
        if table.hash != wanted:
            return None, codes.GAME_UNSOUND
        return table, codes.GAME_OK

    def chosen(self):
        """The hash of the table that provisioning put into a new controller's flash, to play without a host; else None."""
        digest = self._files.load(CHOSEN_FILE)
        return digest if digest and len(digest) == _HASH_LEN else None

    def forget_others(self, used):
        """The others take room and no more: one that can't be removed now goes at the next change."""
        for name in self._files.names(_ENDING):
            if name != _name(used):
                try:
                    self._files.remove(name)
                except OSError:
                    return


def _name(digest):
    return str(binascii.hexlify(digest[:_NAME_LEN]), "ascii") + _ENDING
