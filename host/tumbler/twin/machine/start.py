"""Power-on of the controller on the unix port: take the bus, mount the flash, then boot.py and main.py as on the device.

Arguments: bus descriptor, flash image, number of blocks, mount point, firmware directory, and a directory of files that
were put into the flash when the table was provisioned (key, dice), or nothing.
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


mount(sys.argv[2], int(sys.argv[3]), sys.argv[4])
if sys.argv[6]:
    provision(sys.argv[6], sys.argv[4])
firmware = sys.argv[5]
sys.argv[:] = [firmware + "/main.py"]
sys.path.pop(0)  # this file's own directory stands there; it comes again, in its place, from MICROPYPATH
execfile(firmware + "/boot.py")  # noqa: F821  (a built-in of MicroPython)
execfile(firmware + "/main.py")  # noqa: F821
