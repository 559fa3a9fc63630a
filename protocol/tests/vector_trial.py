"""Runs on CPython and on MicroPython: every vector of protocol/vectors.json is written and read by dicewire itself.

Prints one line for each failure and "N vectors" at the end; exit 1 when there was a failure. Not a test module.
"""

import json
import sys
from binascii import unhexlify

from dicewire import auth, codec, messages
from dicewire.frame import CRC, HEAD, FrameReader, FrameWriter

failures = []


def check(what, got, want):
    if got != want:
        failures.append("%s: %r, not %r" % (what, got, want))


def counters():
    names = "bytes_in bytes_out frames_in frames_out crc_errors resyncs"
    return {name: 0 for name in names.split()}


def key_of(session):
    parts = [unhexlify(session[name]) for name in ("key", "host_nonce", "controller_nonce", "boot_id")]
    check("session number", auth.session_number(parts[1], parts[2]), session["number"])
    return auth.session_key(*parts)


def one(vector, key, count):
    name = vector["message"]
    number = getattr(messages, name)
    payload = unhexlify(vector["payload"])
    values = dict(vector["values"])
    for field in vector["bytes"]:
        values[field] = unhexlify(values[field])
    check(name + " encoded", codec.encode(number, values), payload)
    check(name + " decoded", codec.decode(number, payload), values)
    body = payload
    if vector["tagged"]:
        body = payload + key.tag(count, vector["kind"], payload)
    check(name + " tagged as declared", bool(messages.LAYOUTS[number][2]), vector["tagged"])
    writer = FrameWriter(counters(), 2)
    writer.put(vector["kind"], vector["seq"], vector["ack"], vector["session"], body, len(body))
    frame = unhexlify(vector["frame"])
    check(name + " framed", bytes(writer.view()), frame)
    overhead = len(frame) - len(payload)
    check(name + " within its overhead", overhead <= (20 if vector["tagged"] else 12), True)
    got = []
    tally = counters()
    reader = FrameReader(tally, 1024, lambda buf, start, end: got.append(bytes(buf[start:end])))
    for i in range(len(frame)):
        reader.feed(frame[i : i + 1])
    check(name + " read", [g[HEAD:] for g in got], [body])
    check(name + " clean", (tally["crc_errors"], tally["resyncs"]), (0, 0))
    return frame


def damaged(case, good):
    tally = counters()
    got = []
    reader = FrameReader(tally, 1024, lambda buf, start, end: got.append(bytes(buf[start - 1 : end + CRC + 1])))
    reader.feed(unhexlify(case["bytes"]))
    check(case["what"] + " comes through", len(got), 0)
    check(case["what"] + " counted", tally[case["counter"]], 1)
    reader.feed(good)
    check(case["what"] + ": the next frame", len(got), 1)


def main(path):
    with open(path) as file:
        table = json.load(file)
    check("version", table["proto"], messages.PROTO)
    key = key_of(table["session"])
    good = b""
    for vector in table["messages"]:
        good = one(vector, key, table["session"]["count"])
    for case in table["damaged"]:
        damaged(case, good)
    for failure in failures:
        print(failure)
    print("%d vectors" % (len(table["messages"]) + len(table["damaged"])))
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
