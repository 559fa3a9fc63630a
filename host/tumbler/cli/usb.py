"""`tumbler usb`: which controllers are plugged in, in which mode; resets one that hangs."""

from __future__ import annotations

import argparse
import json

from tumbler.cli.exits import WorkFailed
from tumbler.usb import devices, restart
from tumbler.usb.identity import PortMemory, default_memory


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser("usb", help="controllers on USB")
    parser.add_argument("what", nargs="?", choices=("list", "reset", "bootloader"), default="list")
    parser.add_argument("--serial", help="the controller with this serial number")
    parser.add_argument("--path", help="the controller on this USB port")
    parser.add_argument("--port", help="serial port of the controller that shall go to its bootloader")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.set_defaults(func=run)


def run(options: argparse.Namespace) -> int:
    try:
        if options.what == "bootloader":
            return _into_bootloader(options)
        memory = PortMemory(default_memory())
        there = devices.controllers()
        memory.look(there)
        if options.what == "reset":
            one = devices.pick(there, serial=options.serial, path=options.path, known_as=memory.serial_of)
            done = restart.reset(one)
            print(json.dumps({"reset": one.path, "text": done}) if options.json else done)
            return 0
    except devices.UsbProblem as error:
        raise WorkFailed(str(error)) from error
    rows = [
        {
            "name": c.name,
            "mode": c.mode.value,
            "serial": memory.serial_of(c),
            "port": c.path,
            "vendor": f"{c.vendor:04x}",
            "product": f"{c.product:04x}",
            "trouble": c.trouble or None,
        }
        for c in there
    ]
    if options.json:
        print(json.dumps({"controllers": rows}))
    else:
        for c in there:
            print(c)
        if not there:
            print("no controller is plugged in")
    return 0


def _into_bootloader(options: argparse.Namespace) -> int:
    if not options.port:
        raise devices.UsbProblem("name the controller's serial port with --port")
    restart.into_bootloader(options.port)
    text = f"{options.port} was asked into its bootloader; `tumbler usb` shows when it is there"
    print(json.dumps({"port": options.port, "text": text}) if options.json else text)
    return 0
