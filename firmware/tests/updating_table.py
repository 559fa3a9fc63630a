"""A table on MicroPython that is updated: images of the firmware's own files, with one changed, sent as a host sends them."""

import functools
import struct
import time

from bench_table import KEY
from dicewire import codes
from dicewire import messages as wire
from dicewire.bulk import MemorySource
from micropython_table import MicropythonTable
from tumbler.twin.process import firmware_tree
from tumbler.update import build
from tumbler.update.image import pack, signed

NEW = "0.9.9"
SCHEMA = wire.SCHEMA_HASH
BLOCKS = 256


@functools.cache
def program():
    return build.program_files("twin")


@functools.cache
def sources():
    return build.as_shipped({name: path for name, path in build.sources().items() if "/" in name}, "")


def source(name):
    """Of a file as it is shipped."""
    return sources()[name]


def image(changes=(), version=NEW, board="twin", key=KEY, schema=SCHEMA):
    """The shipped program as version NEW; `changes` are (name, source) of files that differ."""
    files = dict(program())
    told = source("controller/version.py").replace(build.version(firmware_tree()), version)
    for name, text in (("controller/version.py", told), *changes):
        files.pop(name.removesuffix(".py") + ".mpy", None)
        files[name] = text.encode()
    return signed(pack(files, board, version, schema), key)


class UpdatingTable(MicropythonTable):
    def __init__(self, folder):
        super().__init__(folder, blocks=BLOCKS)

    def turn(self):
        """As ever, but a program that never asks the bus again is found by the clock on the wall."""
        if not self.board.running:
            self.board.step_off(10_000)
            return
        while self.board.running and not self.board.waiting:
            if self.board.asks(0.05):
                self.board.serve()
            else:
                self.board.check_hung()
        self.host.step(self._wall())
        if self.board.waiting:
            self.board.release()

    @property
    def firmware(self):
        """Of the program that is in session now, else nothing."""
        return self.host.session.peer["firmware"] if self.host.session.up else ""

    def service(self, op, data=b""):
        """(ok, answer); None where the session was lost over it."""
        host, ups = self.host, self.host.ups
        self.until(lambda: host.session.up, why="session up")
        req = host.next_req()
        host.send(wire.SERVICE_REQ, self._wall(), req=req, op=op, data=data)
        answers = lambda: [v for v in host.all(wire.SERVICE_RSP) if v["req"] == req]  # noqa: E731
        self.until(lambda: answers() or not host.session.up or host.ups != ups, why=f"SERVICE_RSP to {op}")
        return (answers()[0]["ok"], answers()[0]["data"]) if answers() else None

    def enter(self):
        """Into service, also where the self-test still runs."""
        end = time.monotonic() + 30
        while (self.service(codes.SERVICE_ENTER) or (0,))[0] != 1:
            assert time.monotonic() < end, "service was never entered"
            self.run(200)

    def send(self, data):
        """-> whether the transfer ended well; None where the session was lost over it."""
        host = self.host
        host.bulk_ends.clear()
        host.session.bulk_cancel(self._wall())
        self.run(50)
        host.bulk_ends.clear()
        ups = host.ups
        assert host.session.bulk_send(codes.BULK_UPDATE, MemorySource(data), self._wall())
        self.until(lambda: host.bulk_ends or host.ups != ups, seconds=60, why="update sent")
        return host.bulk_ends[-1][1] if host.bulk_ends else None

    def apply(self, join_s=60, schema=SCHEMA):
        return self.service(codes.SERVICE_UPDATE_APPLY, struct.pack("<H8s", join_s, schema))

    def told(self, code):
        return [event["text"] for event in self.host.events(code)]

    def until_told(self, code, seconds=60):
        self.until(lambda: self.told(code), seconds=seconds, why=f"event {code}")
        return self.told(code)[-1]

    def bring(self, data, join_s=60):
        """An update from end to end, up to the switch."""
        self.enter()
        assert self.send(data) is True, self.told(codes.EVENT_UPDATE_REFUSED)
        ok, answer = self.apply(join_s)
        assert ok, answer
        return answer
