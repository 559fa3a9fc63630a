"""The words of docs/protocol.md that no table can hold: frames, session, link, tags, bulk."""

INTRODUCTION = """
The wire joins a table's controller (MicroPython) and its daemon (CPython). Both run the same files, `protocol/dicewire`;
neither does I/O there: bytes and times go in, events and bytes come out. What both must write and read alike, byte for
byte, is in [`protocol/vectors.json`](../protocol/vectors.json), made by a second implementation.

## Frame

    COBS( kind u8 | seq u8 | ack u8 | session u16 | payload | [tag 8] | CRC-32 u32 ) 0x00

All numbers are little-endian. `kind` is the message's number; bit 7 is set in what the controller sends, so that a line
which echoes is known. A frame has at most 254 bytes before COBS and costs 11 bytes of framing, 19 with a tag. A reader that
meets damage drops everything up to the next zero byte and goes on from there; its memory is one buffer, whatever comes in.
The CRC finds noise (`crc_errors`), the tag finds tampering (`tag_errors`); they are counted apart.

## Session

    host                                 controller
    HELLO_REQ  version, nonce, limits ->
                                      <- HELLO    version, nonce, limits, identity, boot id
    AUTH       proof of the key       ->
                                      <- AUTH_OK  proof of the key

The host repeats what is not answered, from 100 ms on and at most once a second. The session's key is HMAC-SHA-256 of the
table's key over `"dicewire session"`, both nonces and the boot id; each proof is the first 16 bytes of an HMAC over the
role and the SHA-256 of both hellos as they crossed the wire, so that nobody can lower a limit in between. The session's
number in every frame keeps frames of an older session out. Proto and schema hash are the first nine bytes of every hello in
every version: a side that speaks another version answers REFUSE with a text that names both. A running session ends only
when a new one is proved, when the peer says BYE or NO_SESSION, or when it stays silent.

## Link

Messages from `0x10` on are sequenced. Each has a count in its session that never repeats; its low 8 bits are `seq`. `ack`
is the next count that the sender of the frame expects. A receiver keeps what comes after a gap, within its window, and asks
once for the gap by NAK. A sender repeats its oldest frame on NAK and by time-out: smoothed round-trip time plus four
deviations, at least 25 ms, doubled with every repetition up to 1 s. After 8 repetitions of one message, or 4 pings without
an answer, the session is down and everything not acknowledged is handed back to the owner.

Results go before commands, commands before bulk; order holds within each of the three. Some places in the queue and two in
the window are kept for results.

A tag is the first 8 bytes of HMAC-SHA-256 with the session's key over count (u32), kind and payload. It is on every result,
commit and command: none of them can be made, changed, repeated or moved in the order without the key.

## Bulk

The sender offers (BULK_START: kind, size, SHA-256), the receiver grants a window by offset (BULK_GRANT), pieces follow, and
the receiver has the last word (BULK_END). After a break the offer is made again and the grant says how much is already
there; the SHA-256 at the end covers all of it. There is one transfer each way at a time, and a piece is sent only while
nothing better waits.
"""
