"""Power-on of the controller on the unix port: take the bus, mount the flash, then boot.py and main.py as on the device.

Arguments: bus descriptor, flash image, number of blocks, mount point, firmware directory, and a directory of files that
were put into the flash when the table was provisioned (key, dice), or nothing; and an image of the firmware that is run in
place, as a board runs what is frozen into its flash, or nothing.
"""

import os
import sys

import tablebus
import vfs

tablebus.connect(int(sys.argv[1]))

from blockflash import BlockFlash  # noqa: E402  (needs the connected bus)


def mount(image, blocks, where):
    flash = BlockFlash(image, blocks)
    try:
        system = vfs.VfsLfs2(flash, progsize=256)
    except OSError:  # new, or lost beyond repair: an empty one, as the rp2 port does at its first start
        vfs.VfsLfs2.mkfs(flash, progsize=256)
        system = vfs.VfsLfs2(flash, progsize=256)
    vfs.mount(system, where)


def provision(source, where):
    for name in os.listdir(source):
        with open(source + "/" + name, "rb") as f:
            wanted = f.read()
        try:
            with open(where + "/" + name, "rb") as f:
                if f.read() == wanted:
                    continue
        except OSError:
            pass  # not there yet
        with open(where + "/" + name, "wb") as f:
            f.write(wanted)


def map_rom(path, where):
    """The image in memory that is not the heap's, as flash is: the code in it runs where it lies."""
    import ffi
    import uctypes

    libc = ffi.open(None)
    size = os.stat(path)[6]
    descriptor = libc.func("i", "open", "si")(path, 0)
    address = libc.func("P", "mmap", "PLiiil")(0, size, 1, 2, descriptor, 0)  # to read, private
    libc.func("i", "close", "i")(descriptor)
    vfs.mount(vfs.VfsRom(uctypes.bytearray_at(address, size)), where)


mount(sys.argv[2], int(sys.argv[3]), sys.argv[4])
if sys.argv[6]:
    provision(sys.argv[6], sys.argv[4])
firmware = sys.argv[5]
rom = sys.argv[7]
sys.argv[:] = [firmware + "/main.py"]
sys.path.pop(0)  # this file's own directory stands there; it comes again, in its place, from MICROPYPATH
if rom:
    map_rom(rom, "/rom")
    sys.path.insert(1, "/rom")
execfile(firmware + "/boot.py")  # noqa: F821  (a built-in of MicroPython)
execfile(firmware + "/main.py")  # noqa: F821
