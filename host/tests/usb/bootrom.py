"""An RP2040 in its bootloader, as its datasheet describes PICOBOOT: exclusive access, erase, write, read, reboot, stalls.

Only the standard library, because the umockdev server runs it with the system's Python. Knows nothing of how the packets
come: `fake_usb.py` brings them from pyusb, `umockdev_server.py` from libusb through the kernel's interface.
"""

import struct

MAGIC = 0x431FD10B
FLASH, FLASH_SIZE, SECTOR, PAGE = 0x10000000, 2 * 1024 * 1024, 4096, 256
OUT, IN = 0x03, 0x84
SERIAL = "E0C9125B0D9B"  # the same in every RP2040

DEVICE = struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0110, 0, 0, 0, 64, 0x2E8A, 0x0003, 0x0100, 1, 2, 3, 1)
_STORAGE = struct.pack("<9B", 9, 4, 0, 0, 2, 8, 6, 0x50, 0)
_STORAGE += struct.pack("<BBBBHB", 7, 5, 0x81, 2, 64, 0) + struct.pack("<BBBBHB", 7, 5, 0x02, 2, 64, 0)
_PICOBOOT = struct.pack("<9B", 9, 4, 1, 0, 2, 0xFF, 0, 0, 0)
_PICOBOOT += struct.pack("<BBBBHB", 7, 5, OUT, 2, 64, 0) + struct.pack("<BBBBHB", 7, 5, IN, 2, 64, 0)
_INTERFACES = _STORAGE + _PICOBOOT
CONFIGURATION = struct.pack("<BBHBBBBB", 9, 2, 9 + len(_INTERFACES), 2, 1, 0, 0x80, 250) + _INTERFACES
STRINGS = {1: "Raspberry Pi", 2: "RP2 Boot", 3: SERIAL}

OK, UNKNOWN_CMD, BAD_CMD_LENGTH, BAD_LENGTH, BAD_ADDRESS, BAD_ALIGNMENT, INTERLEAVED, REBOOTING = range(8)
# command: (length of its arguments, whether data follow)
COMMANDS = {0x01: (1, False), 0x02: (12, False), 0x03: (8, False), 0x84: (8, True), 0x05: (8, True), 0x06: (0, False)}
COMMANDS[0x07] = (0, False)


class Stall(Exception):
    """The endpoint halts until the host clears it."""


class BootRom:
    """`unplug_after`: gone after that many commands. `worn`: addresses whose lowest bit can't be erased to 1."""

    def __init__(self, unplug_after=None, worn=()):
        self.flash = bytearray(b"\xa5" * FLASH_SIZE)
        self.exclusive = False
        self.xip = True
        self.rebooted = None
        self.gone = False
        self.log = []
        self._unplug_after = unplug_after
        self._worn = set(worn)
        self._halted = set()
        self._status = (0, OK, 0)
        self._waits = None  # (command, address, bytes still to come from the host)
        self._out = b""
        self._in = []  # packets for the host

    # USB

    def control(self, kind, request, value, index, data):
        """Answer to a control transfer: bytes, or Stall."""
        if kind == 0x80 and request == 6 and value >> 8 == 3:
            number = value & 0xFF
            if number == 0:
                return b"\x04\x03\x09\x04"
            text = STRINGS[number].encode("utf-16-le")
            return bytes((len(text) + 2, 3)) + text
        if kind == 0x41 and request == 0x41 and index == 1:
            self._waits, self._in, self._halted = None, [], set()
            return b""
        if kind == 0xC1 and request == 0x42 and index == 1:
            token, code, command = self._status
            return struct.pack("<IIBB6x", token, code, command, 0)
        raise Stall

    def clear_halt(self, endpoint):
        self._halted.discard(endpoint)

    def bulk_out(self, data):
        if OUT in self._halted:
            raise Stall
        if self._waits is None:
            self._command(bytes(data))
            return
        command, address, left = self._waits
        if command == 0x84:  # the empty packet that ends a read
            self._waits = None
            return
        self._out += bytes(data)
        if len(data) > left:
            self._refuse(BAD_LENGTH)
        if len(data) == left:
            self._waits = None
            self._write(address, self._out)
            self._in.append(b"")
        else:
            self._waits = (command, address, left - len(data))

    def bulk_in(self, size):
        """The next packet, or None when the host has to wait."""
        if IN in self._halted:
            raise Stall
        if not self._in:
            return None
        packet = self._in.pop(0)
        if len(packet) > size:
            self._in.insert(0, packet[size:])
        return packet[:size]

    # PICOBOOT

    def _refuse(self, code):
        token, _, command = self._status
        self._status = (token, code, command)
        self._waits = None
        self._halted |= {OUT, IN}
        raise Stall

    def _command(self, packet):
        if len(packet) != 32:
            self._refuse(BAD_CMD_LENGTH)
        magic, token, command, size, _, length, arguments = struct.unpack("<IIBBHI16s", packet)
        self._status = (token, OK, command)
        if magic != MAGIC or command not in COMMANDS:
            self._refuse(UNKNOWN_CMD)
        if self.rebooted is not None:
            self._refuse(REBOOTING)
        if self._unplug_after is not None:
            self._unplug_after -= 1
            if self._unplug_after < 0:
                self.gone = True
                raise Stall
        wanted, has_data = COMMANDS[command]
        if size != wanted:
            self._refuse(BAD_CMD_LENGTH)
        if not has_data and length:
            self._refuse(BAD_LENGTH)
        self.log.append((command, arguments[:wanted]))
        if command == 0x01:
            self.exclusive = arguments[0] != 0
        elif command == 0x02:
            self.rebooted = struct.unpack_from("<III", arguments)
        elif command in (0x06, 0x07):
            self.xip = command == 0x07
        else:
            self._memory(command, length, *struct.unpack_from("<II", arguments))
            if command != 0x03:
                return
        self._in.append(b"")

    def _memory(self, command, length, address, size):
        inside = address >= FLASH and address + size <= FLASH + FLASH_SIZE
        if not inside:
            self._refuse(BAD_ADDRESS)
        at = address - FLASH
        if command == 0x03:
            if at % SECTOR or size % SECTOR:
                self._refuse(BAD_ALIGNMENT)
            if self.xip:
                self._refuse(BAD_ADDRESS)
            self.flash[at : at + size] = b"\xff" * size
        elif length != size:
            self._refuse(BAD_LENGTH)
        elif command == 0x05:
            if at % PAGE:
                self._refuse(BAD_ALIGNMENT)
            if not self.exclusive:
                self._refuse(INTERLEAVED)
            self._waits, self._out = (command, address, size), b""
        else:
            data = bytes(self.flash[at : at + size])
            self._in += [data[i : i + 64] for i in range(0, size, 64)]
            self._waits = (command, address, 0)

    def _write(self, address, data):
        """Flash can only turn ones to zeros."""
        at = address - FLASH
        for i, byte in enumerate(data):
            kept = self.flash[at + i] & byte
            self.flash[at + i] = kept & 0xFE if address + i in self._worn else kept
