"""`tumbler flash UF2`: writes MicroPython to a controller in its bootloader, reads it back, starts it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tumbler.cli.exits import BadInput, WorkFailed
from tumbler.usb import devices, flashing, uf2
from tumbler.usb.identity import PortMemory, default_memory
from tumbler.usb.picoboot import Picoboot


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("flash", help="write a UF2 to a controller in its bootloader")
    parser.add_argument("uf2", type=Path, help="MicroPython for the Raspberry Pi Pico, a UF2 file")
    parser.add_argument("--serial", help="the controller that ran with this serial number on that port last")
    parser.add_argument("--path", help="the controller on this USB port, as `tumbler usb` shows it: 1-1.4")
    parser.add_argument("--check", action="store_true", help="only check the file; touch no controller")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(func=run)


def _show(what: str, done: int, total: int) -> None:
    if sys.stderr.isatty():
        width = 40 * done // total
        end = "\n" if done == total and what == "checking" else ""
        print(f"\r{what:<9} [{'#' * width:<40}] {done}/{total} sectors", end=end, file=sys.stderr, flush=True)
    elif done in (1, total) or done % 64 == 0:
        print(f"{what} {done}/{total} sectors", file=sys.stderr, flush=True)


def run(options: argparse.Namespace) -> int:
    try:
        image = uf2.read(options.uf2)
    except uf2.Uf2Error as error:
        raise BadInput(str(error)) from error
    answer = {"file": str(options.uf2), "sectors": len(image.sectors), "bytes": image.size, "flashed": False}
    if not options.check:
        try:
            memory = PortMemory(default_memory())
            there = devices.controllers()
            memory.look(there)
            chosen = devices.pick(
                there,
                serial=options.serial,
                path=options.path,
                mode=devices.Mode.BOOTLOADER,
                known_as=memory.serial_of,
            )
            with Picoboot(chosen.device) as boot:
                done = flashing.flash(boot, image, _show)
        except devices.UsbProblem as error:
            raise WorkFailed(str(error)) from error
        answer |= {"flashed": True, "port": chosen.path, "serial": memory.serial_of(chosen), "sha256": done.sha256}
    if options.json:
        print(json.dumps(answer))
    elif options.check:
        print(f"{options.uf2}: {len(image.sectors)} sectors for an RP2040, all there")
    else:
        print(f"{options.uf2}: {len(image.sectors)} sectors written, read back and started on port {answer['port']}")
    return 0
