"""How the controller is: HEALTH at an interval, and events when memory or the loop's time run short.

Only looks. The interval is the wire's time, because those who read it live there.
"""

from dicewire import codes

from controller import clock
from controller.store import UNCOMMITTED_MAX
from controller.target import const, heap_free

_EVERY_MS = const(5000)
_HEAP_LEAST = const(24576)  # below this a game table can't be received
_LOOP_MOST_MS = const(1000)
_U16 = const(0xFFFF)
_DRIFT_MOST = const(32000)
_LINK = ("frames_in", "frames_out", "crc_errors", "tag_errors", "retransmits", "naks", "dupes", "resyncs")


class Health:
    def __init__(self, parts, wire_now):
        self._parts = parts
        self._next_at = wire_now
        self._heap_free = self._heap_low = 0
        self._loop_max_ms = 0
        self._short = False

    def turned(self, took_ms):
        """A turn of the loop took so long."""
        if took_ms > self._loop_max_ms:
            self._loop_max_ms = took_ms

    def due(self, wire_now):
        return clock.diff(wire_now, self._next_at) >= 0

    def values(self, wire_now, counters):
        """HEALTH, and the interval begins anew. Collects garbage, which is why it is asked for between spins only."""
        parts = self._parts
        self._next_at = clock.add(wire_now, _EVERY_MS)
        self._look_at_heap()
        if self._loop_max_ms > _LOOP_MOST_MS:
            parts.events.add(codes.EVENT_LOOP_SLOW, self._loop_max_ms)
        values = {
            "uptime_ms": parts.uptime.uptime_u32(),
            "heap_free": max(0, self._heap_free),
            "heap_low": max(0, self._heap_low),
            "loop_max_ms": min(self._loop_max_ms, _U16),
            "flash_erases": parts.store.seq,
            "ring_used": parts.store.pending,
            "ring_size": UNCOMMITTED_MAX,
            "spins": parts.outcome.spins,
            "no_spins": parts.outcome.no_spins,
            "supply_mv": min(parts.board.supply.mv(), _U16),
            "lamp_ma": min(max(0, parts.lamps.measured_ma), _U16),
            "temperature": parts.board.temperature(),
            "rtt_ms": min(counters["rtt_ms"], _U16),
            "queue": min(counters["queue"], 255),
            "drift": 0,
            "drift_by": 0,
        }
        if parts.camera_reader and parts.camera_reader.watch.drift:
            values["drift"] = parts.camera_reader.watch.drift
            values["drift_by"] = max(-_DRIFT_MOST, min(parts.camera_reader.watch.amount, _DRIFT_MOST))
        for name in _LINK:
            values[name] = counters[name]
        self._loop_max_ms = 0
        return values

    def _look_at_heap(self):
        free = self._heap_free = heap_free()
        if not self._heap_low or free < self._heap_low:
            self._heap_low = free
        short = 0 <= free < _HEAP_LEAST
        if short and not self._short:
            self._parts.events.add(codes.EVENT_MEMORY_LOW, free)
            self._parts.faults.set(codes.FAULT_MEMORY, f"{free} bytes of heap are free")
        elif self._short and not short:
            self._parts.faults.clear(codes.FAULT_MEMORY)
        self._short = short
