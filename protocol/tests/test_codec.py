"""Property tests of every codec: what is written is read back; what is not a message is a ValueError and nothing else."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest
from dicewire import cobs, codec
from dicewire.declared.layout import STRING, bounds, fixed_bytes, is_integer, layout
from dicewire.declared.messages import MESSAGES, Message
from dicewire.declared.vectors import stuffed
from dicewire.frame import ENCODED, HEAD, FrameReader, FrameWriter
from hypothesis import given
from hypothesis import strategies as st

BY_NAME = {m.name: m for m in MESSAGES}


def _text(limit: int) -> st.SearchStrategy[str]:
    return st.text(max_size=limit).filter(
        lambda t: len(t.encode("utf-8", "surrogatepass")) <= limit and t.isprintable()
    )


@st.composite
def values_of(draw: st.DrawFn, message: Message) -> dict[str, Any]:
    longest = {v.name: (v.limit, v.kind) for v in layout(message).variable}
    values: dict[str, Any] = {}
    for field in message.fields:
        if is_integer(field):
            values[field.name] = draw(st.integers(*bounds(field)))
        elif fixed_bytes(field):
            n = fixed_bytes(field)
            values[field.name] = draw(st.binary(min_size=n, max_size=n))
        else:
            limit, kind = longest[field.name]
            values[field.name] = draw(_text(limit) if kind == STRING else st.binary(max_size=limit))
    return values


any_message = st.sampled_from(MESSAGES).flatmap(lambda m: st.tuples(st.just(m), values_of(m)))


@given(any_message)
def test_what_is_written_is_read_back(case: tuple[Message, dict[str, Any]]) -> None:
    message, values = case
    payload = codec.encode(message.number, values)
    assert len(payload) <= layout(message).largest
    assert codec.decode(message.number, payload) == values


@given(st.sampled_from(MESSAGES), st.binary(max_size=260))
def test_any_bytes_are_a_message_or_a_value_error(message: Message, data: bytes) -> None:
    try:
        values = codec.decode(message.number, data)
    except ValueError:
        return
    assert codec.encode(message.number, values) == data


@given(any_message, st.data())
def test_a_number_that_does_not_fit_is_refused_and_not_cut(
    case: tuple[Message, dict[str, Any]], data: st.DataObject
) -> None:
    message, values = case
    numbers = [f for f in message.fields if is_integer(f)]
    if not numbers:
        return
    field = data.draw(st.sampled_from(numbers))
    low, high = bounds(field)
    wrong = data.draw(st.sampled_from([low - 1, high + 1, 1 << 70, None, "7", 0.5]))
    with pytest.raises(ValueError, match=f"{message.number:#04x}"):
        codec.encode(message.number, {**values, field.name: wrong})


@given(any_message)
def test_a_field_too_few_or_too_many_is_named(case: tuple[Message, dict[str, Any]]) -> None:
    message, values = case
    with pytest.raises(ValueError, match="unknown_field"):
        codec.encode(message.number, values | {"unknown_field": 1})
    for name in values:
        with pytest.raises(ValueError, match=name):
            codec.encode(message.number, {k: v for k, v in values.items() if k != name})


@given(st.binary(max_size=cobs.LONGEST))
def test_cobs_is_the_textbooks_cobs(data: bytes) -> None:
    buf = bytearray(b"\xaa" + data + b"\xaa")
    assert cobs.encode(buf, 0, len(data) + 1) == len(data) + 2
    assert bytes(buf) == stuffed(data)
    assert cobs.decode(buf, 0, len(data) + 1)
    assert bytes(buf[1 : len(data) + 1]) == data


def _reader() -> tuple[FrameReader, list[bytes], dict[str, int]]:
    counters = {name: 0 for name in ["bytes_in", "bytes_out", "frames_in", "frames_out", "crc_errors", "resyncs"]}
    got: list[bytes] = []
    return FrameReader(counters, 1024, lambda buf, a, b: got.append(bytes(buf[a:b]))), got, counters


@given(st.lists(st.binary(max_size=245), max_size=12), st.data())
def test_frames_come_through_whatever_the_pieces(bodies: list[bytes], data: st.DataObject) -> None:
    reader, got, counters = _reader()
    writer = FrameWriter(counters, 16)
    for i, body in enumerate(bodies):
        writer.put(0x41, i, 0, 1, body, len(body))
    stream = bytes(writer.view())
    while stream:
        n = data.draw(st.integers(1, len(stream)))
        reader.feed(stream[:n])
        stream = stream[n:]
    assert [frame[HEAD:] for frame in got] == bodies
    assert counters["crc_errors"] == counters["resyncs"] == 0


@given(st.lists(st.binary(max_size=700), max_size=8))
def test_after_any_noise_the_next_delimiter_ends_the_damage(noise: list[bytes]) -> None:
    reader, got, counters = _reader()
    for piece in noise:
        reader.feed(piece)
        assert len(reader._buf) == 1024  # its memory does not depend on what comes in
    reader.feed(b"\x00")
    before = len(got)
    writer = FrameWriter(counters, 2)
    writer.put(0x41, 0, 0, 1, b"sound", 5)
    reader.feed(writer.view())
    assert [frame[HEAD:] for frame in got[before:]] == [b"sound"]
    for frame in got[:before]:  # noise that came through has a right CRC-32 by chance or by design
        assert zlib.crc32(frame) is not None


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_frame_with_up_to_three_flipped_bits_never_comes_through(body: bytes, data: st.DataObject) -> None:
    reader, got, counters = _reader()
    writer = FrameWriter(counters, 2)
    writer.put(0x21, 3, 4, 5, body, len(body))
    sent = bytearray(writer.view())
    assert len(sent) <= ENCODED
    for bit in data.draw(st.sets(st.integers(0, (len(sent) - 1) * 8 - 1), min_size=1, max_size=3)):
        sent[bit // 8] ^= 1 << bit % 8
    reader.feed(sent)
    want = struct.pack("<BBBH", 0x21, 3, 4, 5) + body
    assert all(frame != want for frame in got) or bytes(sent) == bytes(writer.view())
    assert got == []
