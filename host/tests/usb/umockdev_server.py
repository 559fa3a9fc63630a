"""Runs a command with an RP2040 in its bootloader on its USB: real libusb, the kernel's interface answered by umockdev.

    LD_PRELOAD=libumockdev-preload.so.0 /usr/bin/python3 umockdev_server.py FLASH-AFTERWARDS UNPLUG-AFTER COMMAND...

For the system's Python, which has umockdev's bindings. Ends with the command's exit code; writes the flash to a file.
"""

import os
import struct
import subprocess
import sys
import threading

import gi

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bootrom import CONFIGURATION, DEVICE, SERIAL, BootRom, Stall

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

EAGAIN, ENODEV, ENOTTY, ENODATA, EPIPE, ENOENT = 11, 19, 25, 61, 32, 2


def _number(direction, number, size):
    return direction << 30 | size << 16 | ord("U") << 8 | number


SUBMIT, DISCARD = _number(2, 10, 56), _number(0, 11, 0)
REAP, REAP_NOW = _number(1, 12, 8), _number(1, 13, 8)
CLAIM, RELEASE, CLEAR_HALT = _number(2, 15, 4), _number(2, 16, 4), _number(2, 21, 4)
CAPABILITIES, GET_DRIVER = _number(2, 26, 4), _number(1, 8, 260)
QUIET = {CLAIM, RELEASE, _number(2, 27, 268), _number(2, 5, 4), _number(0, 20, 0)}
URB = struct.Struct("<BB2xiI4xQiiiiiIQ")
CONTROL, BULK = 2, 3

DESCRIPTORS = (DEVICE + CONFIGURATION).hex().upper()
ATTRIBUTES = {
    "bConfigurationValue": "1", "bDeviceClass": "00", "bDeviceProtocol": "00", "bDeviceSubClass": "00",
    "bMaxPacketSize0": "64", "bNumConfigurations": "1", "bNumInterfaces": " 2", "bcdDevice": "0100", "busnum": "1",
    "devnum": "2", "devpath": "4", "idProduct": "0003", "idVendor": "2e8a", "manufacturer": "Raspberry Pi",
    "product": "RP2 Boot", "serial": SERIAL, "speed": "12", "version": " 1.10", "maxchild": "0",
}  # fmt: skip
PLUGGED = "\n".join(
    [
        "P: /devices/pci0000:00/0000:00:14.0/usb1/1-4",
        f"N: bus/usb/001/002={DESCRIPTORS}",
        "E: DEVNAME=/dev/bus/usb/001/002",
        "E: DEVTYPE=usb_device",
        "E: SUBSYSTEM=usb",
        "E: BUSNUM=001",
        "E: DEVNUM=002",
        "E: MAJOR=189",
        "E: MINOR=1",
        "E: PRODUCT=2e8a/3/100",
        f"H: descriptors={DESCRIPTORS}",
        *(f"A: {name}={value}" for name, value in ATTRIBUTES.items()),
        "",
        "",
    ]
)


class Kernel(UMockdev.IoctlBase):
    """usbfs for one device: transfers are taken, done by the model, and reaped."""

    def __init__(self, rom):
        super().__init__()
        self.rom = rom
        self.pending = []
        self.done = []

    def do_handle_ioctl(self, client):
        request, argument = client.get_request(), client.get_arg()
        answer = ENODEV if self.rom.gone and not self.done else self._ioctl(request, argument)
        client.complete(-1 if answer else 0, answer)
        return True

    def _ioctl(self, request, argument):
        if request in QUIET:
            return 0
        if request == GET_DRIVER:
            return ENODATA
        if request == CAPABILITIES:
            argument.resolve(0, 4).update(0, struct.pack("<I", 0x1D))
            return 0
        if request == CLEAR_HALT:
            self.rom.clear_halt(struct.unpack("<I", bytes(argument.resolve(0, 4).retrieve()))[0])
            return 0
        if request == SUBMIT:
            urb = argument.resolve(0, URB.size)
            kind, endpoint, _, _, _, length = URB.unpack(bytes(urb.retrieve()))[:6]
            self.pending.append((urb, kind, endpoint, length, urb.resolve(16, length) if length else None))
            return 0
        if request == DISCARD:
            if self.pending:
                self.done.append((self.pending.pop(0)[0], -ENOENT, 0))
            return 0
        return self._reap(argument) if request in (REAP, REAP_NOW) else ENOTTY

    def _reap(self, argument):
        for waiting in list(self.pending):
            try:
                actual = self._transfer(*waiting[1:])
            except Stall:
                self.done.append((waiting[0], -ENODEV if self.rom.gone else -EPIPE, 0))
            else:
                if actual is None:
                    continue
                self.done.append((waiting[0], 0, actual))
            self.pending.remove(waiting)
        if not self.done:
            return EAGAIN
        urb, status, actual = self.done.pop(0)
        urb.update(4, struct.pack("<i", status))
        urb.update(28, struct.pack("<i", actual))
        argument.resolve(0, 8).set_ptr(0, urb)
        return 0

    def _transfer(self, kind, endpoint, length, buffer):
        """Bytes moved, or None when the device has nothing to say yet."""
        if kind == CONTROL:
            raw = bytes(buffer.retrieve())
            setup, request, value, index, wanted = struct.unpack_from("<BBHHH", raw)
            answer = self.rom.control(setup, request, value, index, raw[8:])
            if setup & 0x80:
                buffer.update(8, answer[:wanted])
                return len(answer[:wanted])
            return wanted
        if endpoint & 0x80:
            got = b""
            while len(got) < length:
                packet = self.rom.bulk_in(length - len(got))
                if packet is None:
                    return None if not got else self._put(buffer, got)
                got += packet
                if len(packet) < 64:
                    break
            return self._put(buffer, got)
        data = bytes(buffer.retrieve()) if length else b""
        for at in range(0, length or 1, 64):
            self.rom.bulk_out(data[at : at + 64])
        return length

    @staticmethod
    def _put(buffer, data):
        if data:
            buffer.update(0, data)
        return len(data)


def main(flash_file, unplug_after, command):
    rom = BootRom(unplug_after=int(unplug_after) if unplug_after != "-" else None)
    testbed = UMockdev.Testbed.new()
    testbed.add_from_string(PLUGGED)
    testbed.attach_ioctl("/dev/bus/usb/001/002", Kernel(rom))
    loop = GLib.MainLoop()
    ended = []

    def run():
        try:
            env = dict(os.environ, UMOCKDEV_DIR=testbed.get_root_dir())
            ended.append(subprocess.call(command, env=env))
        finally:
            GLib.idle_add(loop.quit)

    threading.Thread(target=run, daemon=True).start()
    loop.run()
    with open(flash_file, "wb") as out:
        out.write(rom.flash)
    print(f"rebooted {rom.rebooted is not None}", file=sys.stderr)
    return ended[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
