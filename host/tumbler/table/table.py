"""One table: joins the controller's link, the ledger, the game table and the commands, and speaks for it on MQTT.

A room of wiring: what each message leads to stands in a table here, how it is done stands in the room it is handed to.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from dicewire import messages as wire
from dicewire.declared.linkcodes import BULK_KINDS

from tumbler.config import TableConfig, read_key
from tumbler.journal import Journal, Kind, Record
from tumbler.log import Log
from tumbler.rules.bookfile import load_book
from tumbler.rules.gametable import compile_book
from tumbler.rules.playeredge import player_edges
from tumbler.rules.tableplay import Play
from tumbler.table import payloads
from tumbler.table.access import Access, Sender
from tumbler.table.authority import wire_role
from tumbler.table.commands import Commands, OrderRefused, Refusal
from tumbler.table.evidence import BadEvidence, keep
from tumbler.table.gamesend import GameSend, Stage
from tumbler.table.health import Rates, Watch
from tumbler.table.holds import Hold, Holds
from tumbler.table.ledger import Ledger, Limits, wall_ms
from tumbler.table.payloads import Identity
from tumbler.table.requests import Requests
from tumbler.table.session import Connection, LinkState
from tumbler.table.spin import no_spin_from, result_from
from tumbler.table.updates import Updates
from tumbler.table.validator import BY_NAME, CLOCK_EPOCH_MS

TIME_EVERY_S = 60.0
CLOCK_JUMP_MS = 2000
ACCESS_EVENT_EVERY_S = 1.0  # refused commands are counted; no more of them than this are journalled
VOIDS_LOOKED_AT = 500

Watcher = Callable[[str, Mapping[str, Any]], None]


class Broker(Protocol):
    """The way out, as far as a table needs it beside the journal's outbox."""

    def publish_retained(self, leaf: str, payload: Mapping[str, Any], *, expiry_s: int | None = None) -> None: ...

    def publish(self, leaf: str, payload: Mapping[str, Any]) -> bool:
        """At most once: for what must not wait and may be lost."""


class Table:
    def __init__(
        self, config: TableConfig, site: str, version: str, journal: Journal, broker: Broker, access: Access
    ) -> None:
        self.config = config
        self.rules = load_book(config.book)
        self.play = Play(config.book, layout=config.layout, option_b_exact=config.option_b_exact)
        self.image = compile_book(config.book, config.layout, option_b_exact=config.option_b_exact)
        self.identity = Identity(site, config.id, config.book, self.image.hash.hex())
        self.hello: Mapping[str, Any] = {}
        self.state: Mapping[str, Any] = {}  # the last STATE
        self.controller_health: Mapping[str, Any] = {}
        self.refused_commands = 0
        self.shown: dict[str, Mapping[str, Any]] = {}  # what stands on each retained topic
        self._version, self._journal, self._broker = version, journal, broker
        self._log = Log("tumbler.table", table=config.id)
        self._watchers: list[Watcher] = []
        self._requests = Requests()
        self._clock_offset_ms = wall_ms() - time.monotonic_ns() // 1_000_000
        self._tag_errors = 0
        self._rates = Rates()
        self._limits = Watch()
        self._access_event_at = 0.0
        settings = config.settings
        self.holds = Holds(self._send_hold)
        key = read_key(config.key_file)
        self.link = Connection(config.id, config.port, key, self)
        self.updates = Updates(self.link, self.service, key, self._update_told)
        limits = Limits(settings.min_spin_ms, settings.min_tumbles, settings.still_reads, config.reader)
        self.ledger = Ledger(self.identity, journal, self.play, self.image, limits, self.holds, self)
        self.game = GameSend(self.image, self)
        self.commands = Commands(self, access)
        self._on_message = {
            wire.RESULT: lambda values: self.ledger.offer(result_from(values, self.epoch)),
            wire.NO_SPIN: lambda values: self.ledger.offer(no_spin_from(values, self.epoch)),
            wire.STATE: self._state_came,
            wire.EVENT: self._event_came,
            wire.HEALTH: self._health_came,
            wire.GAME_ACTIVE: self.game.answered,
            wire.SERVICE_RSP: self._requests.answered,
            wire.COMMAND_RSP: self._requests.answered,
        }

    @property
    def book(self) -> str:
        return self.config.book

    @property
    def epoch(self) -> bytes:
        return bytes(self.hello["epoch"])

    async def run(self) -> None:
        self._show_start()
        self._warn_of_player_edges()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.ledger.run(), name=f"{self.config.id} ledger")
            tasks.create_task(self.link.run(), name=f"{self.config.id} link")
            tasks.create_task(self._keep_time(), name=f"{self.config.id} time")
            tasks.create_task(self.updates.run(), name=f"{self.config.id} updates")

    # --- speaking -----------------------------------------------------------------------------------------------------

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher(leaf, payload)` for everything this table says from now on; returns how to stop that."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def show(self, leaf: str, payload: Mapping[str, Any], expiry_s: int | None = None) -> None:
        """Put on a retained topic; the latest stands, and is sent again on every connection to the broker."""
        self.shown[leaf] = payload
        self._broker.publish_retained(leaf, payload, expiry_s=expiry_s)
        self._tell_watchers(leaf, payload)

    def _tell_watchers(self, leaf: str, payload: Mapping[str, Any]) -> None:
        for watcher in list(self._watchers):
            watcher(leaf, payload)

    def _show_start(self) -> None:
        self._show_link(LinkState.ABSENT, "starting", "not tried yet")
        self._show_info()
        last = self.ledger.history.last_result
        if last is not None and last.result_id is not None:
            self.show(
                "result/last", payloads.spin_payload(last.body, self.identity, last.result_id, last.seq, last.at_ms)
            )

    def _warn_of_player_edges(self) -> None:
        """The operator hears at every start of a wager that the document, as it is read here, pays too well."""
        for row in player_edges(self.rules.id, self.config.option_b_exact):
            self._log.warning(row.text)
            body = {"source": "daemon", "code": "player_edge", "severity": "warning", "text": row.text}
            self.ledger.offer_event("fault", body)

    def _show_link(self, state: LinkState, code: str, text: str) -> None:
        up = state is LinkState.UP
        body = {"state": "up" if up else "down", "link": state.value, "code": code, "reason": None if up else text}
        self.show("link", {**self.identity.stamp(wall_ms()), **body, "port": self.link.path or self.config.port})

    def _show_info(self) -> None:
        controller = payloads.controller_identity(self.hello) if self.hello else None
        body = {"version": self._version, "book": self.book, "game_hash": self.identity.game_hash}
        areas = {"areas": list(self.image.areas), "dice": self.play.dice}
        game = {"game_table": self.game.stage.value, "controller": controller}
        self.show("info", {**self.identity.stamp(wall_ms()), **body, **game, **areas})

    # --- the link -----------------------------------------------------------------------------------------------------

    def link_changed(self, state: LinkState, code: str, text: str) -> None:
        self._show_link(state, code, text)
        if state in (LinkState.FOREIGN, LinkState.SILENT, LinkState.REFUSED, LinkState.CLOSED):
            kind = "tamper" if code == "key" else "fault"
            self._daemon_event(kind, f"link_{code}", "error", text)

    def link_up(self, hello: Mapping[str, Any]) -> None:
        self.hello = dict(hello)
        self.ledger.begin_again(self.epoch.hex())
        self._send_time()
        self._send_settings()
        self._send_hold()
        self.game.up(hello)
        self._requests.session_began()
        self.updates.link_up(hello)
        self._show_info()

    def link_down(self) -> None:
        self._requests.session_ended()
        self.game.down()

    def link_message(self, number: int, values: Mapping[str, Any]) -> None:
        self._on_message[number](values)

    def message_refused(self, code: str, text: str) -> None:
        self._daemon_event("refused", f"link_{code}", "error", text)

    def bulk_sent(self, kind: int, code: int) -> None:
        if BULK_KINDS.name(kind) == "game_table":
            self.game.sent(code)
        self.updates.bulk_sent(kind, code)

    def bulk_received(self, kind: int, data: bytes) -> None:
        """The picture of a no spin, or a log or camera frame that a technician asked for."""
        if BULK_KINDS.name(kind) == "evidence":
            self._keep_evidence(data)
            return
        content = {"kind": BULK_KINDS.name(kind), "frame": base64.b64encode(data).decode("ascii")}
        self._broker.publish(f"diag/{BULK_KINDS.name(kind)}", {**self.identity.stamp(wall_ms()), **content})

    def _keep_evidence(self, data: bytes) -> None:
        """The file first, then the event that names it. A full disk costs a picture and no result."""
        folder = self.config.evidence or self._journal.path.parent / "evidence"
        try:
            kept = keep(folder / self.config.id, self.epoch, data)
        except (BadEvidence, OSError) as error:
            self._daemon_event("fault", "evidence_lost", "warning", f"the picture of a no spin was not kept: {error}")
            return
        seen = kept.sight or kept.cause
        more = {"spin": kept.spin, "result_id": kept.result_id, "cause": kept.cause, "sight": kept.sight}
        text = f"picture of spin {kept.spin} ({seen}) kept as {kept.file}"
        self._daemon_event("access", "evidence", "info", text, file=str(kept.file), sha256=kept.sha256, **more)

    def _state_came(self, values: Mapping[str, Any]) -> None:
        self.state = dict(values)
        self.show("round", payloads.round_payload(values, self.identity, wall_ms()))
        self.game.phase(int(values["phase"]))

    def _event_came(self, values: Mapping[str, Any]) -> None:
        self.ledger.offer_event(*payloads.controller_event(values))
        self.updates.event(values)

    def _update_told(self, code: str, severity: str, text: str, **more: Any) -> None:
        self._daemon_event("update", code, severity, text, **more)

    def _health_came(self, values: Mapping[str, Any]) -> None:
        self.controller_health = dict(values)

    def _send_time(self) -> None:
        now = wall_ms()
        if now >= CLOCK_EPOCH_MS:  # a host whose clock was never set must not set another's
            self.link.post(wire.TIME, {"wall_ms": now})

    def _send_settings(self) -> None:
        settings = self.config.settings
        names = (
            "min_spin_ms",
            "min_tumbles",
            "auto_paid_ms",
            "spin_ms",
            "spin_rpm",
            "still_reads",
            "lock_after",
            "brightness",
        )
        values = {name: getattr(settings, name) for name in names}
        self.link.post(wire.SETTINGS, {**values, "entry": int(settings.entry)})

    def _send_hold(self) -> None:
        self.link.post(wire.HOLD, self.holds.message())

    async def _keep_time(self) -> None:
        while True:
            await asyncio.sleep(TIME_EVERY_S)
            self.look_at_clock()
            self._send_time()

    # --- the game table -----------------------------------------------------------------------------------------------

    def use_game(self, digest: bytes) -> None:
        self.link.post(wire.GAME_USE, {"hash": digest})

    def send_game(self, data: bytes) -> None:
        self.link.send_bulk(BULK_KINDS.number("game_table"), data)

    def game_stage(self, stage: Stage, why: str) -> None:
        self._log.info(f"game table {stage}", reason=why, hash=self.identity.game_hash[:16])
        if stage is Stage.ACTIVE:
            self.holds.lift(Hold.NO_GAME_TABLE)
        else:
            self.holds.add(Hold.NO_GAME_TABLE)
        if stage is Stage.REFUSED:
            self._daemon_event(
                "refused", "game_table_refused", "critical", f"the controller refused the game table: {why}"
            )
        self._show_info()

    # --- the ledger ---------------------------------------------------------------------------------------------------

    def commit(self, epoch: str, spin: int) -> None:
        if self.link.up and epoch == self.epoch.hex():
            self.link.post(wire.COMMIT, {"spin": spin})

    def recorded(self, record: Record) -> None:
        if record.result_id is None:
            payload = payloads.event_payload(record.body, self.identity, record.at_ms, record.seq)
            self._tell_watchers(f"event/{record.body['kind']}", payload)
            return
        payload = payloads.spin_payload(record.body, self.identity, record.result_id, record.seq, record.at_ms)
        if record.kind is Kind.RESULT:
            self.show("result/last", payload)
            self._tell_watchers("result", payload)
        else:
            self._tell_watchers(f"event/{record.kind}", payload)

    def tell(self, kind: str, payload: Mapping[str, Any]) -> None:
        self._broker.publish(f"event/{kind}", payload)
        self._tell_watchers(f"event/{kind}", payload)

    def _daemon_event(self, kind: str, code: str, severity: str, text: str, **more: Any) -> None:
        body = {"source": "daemon", "code": code, "severity": severity, "text": text, **more}
        self.ledger.offer_event(kind, body)

    # --- what is looked at now and then -------------------------------------------------------------------------------

    def look_at_clock(self) -> None:
        """A wall clock that jumped is an event, and the controller is told the new time."""
        offset = wall_ms() - time.monotonic_ns() // 1_000_000
        jump, self._clock_offset_ms = offset - self._clock_offset_ms, offset
        if abs(jump) > CLOCK_JUMP_MS:
            self._daemon_event("fault", "clock_jump", "warning", f"the host's clock jumped by {jump / 1000:+.1f} s")
            self._send_time()

    def look_at_tags(self) -> None:
        """Frames with a wrong tag never became messages; that there were some is told here."""
        errors = self.link.counters["tag_errors"]
        if errors > self._tag_errors:
            check = BY_NAME["not_authentic"]
            text = f"{errors - self._tag_errors} frames from the controller: {check.text}"
            self._daemon_event("tamper", check.name, "error", text, number=check.code)
        self._tag_errors = errors

    def look_at_room(self, free_mb: int, hold_mb: int, waiting: int | None, most: int) -> None:
        """Back-pressure: no new spin while there is no room for what it would bring. Room again is twice the limit."""
        looked = [(Hold.DISK_FULL, free_mb < hold_mb, free_mb >= 2 * hold_mb, f"{free_mb} MB of disk are left")]
        if waiting is not None:  # known only where the journal can be read
            text = f"{waiting} messages wait for the broker"
            looked.append((Hold.OUTBOX_FULL, waiting > most, waiting <= most // 2, text))
        for hold, full, room, text in looked:
            if full and self.holds.add(hold):
                self._log.error("the table is held", hold=hold.value, reason=text)
                self._daemon_event("fault", hold.value, "critical", f"no new spin: {text}")
            elif room and self.holds.lift(hold):
                self._daemon_event("fault", f"{hold.value}_over", "info", f"play may go on: {text}")

    def show_health(self, now: Mapping[str, Any], expiry_s: int) -> None:
        """Tell how the table is, and each limit that was passed or came back since the last time."""
        self.show("health", {**self.identity.stamp(wall_ms()), **now}, expiry_s=expiry_s)
        for limit, row in self._limits.changes(now):
            if not limit.told:
                continue
            self._log.warning(limit.text, limit=limit.name, now=row["now"], bound=row["limit"], beyond=row["beyond"])
            measured = f"{row['now']:g} {limit.unit}, limit {row['limit']:g}"
            text = f"{limit.text} ({measured})" if row["beyond"] else f"good again: {limit.name} ({measured})"
            self._daemon_event("fault", limit.name, "warning" if row["beyond"] else "info", text, **row)

    def gauges(self) -> dict[str, Any]:
        """This table's part of `health`."""
        counters = self.link.counters
        link = {"state": self.link.state.value, "connects": self.link.connects, **counters}
        slowest, self.ledger.slowest_ms = self.ledger.slowest_ms, 0.0
        return {
            "link": {**link, "error_rate": self._rates.error_rate(counters)},
            "pending": int(self.state.get("pending", 0)),
            "waiting": self.ledger.waiting,
            "recorded_ms": round(slowest, 3),
            "holds": self.holds.names,
            "refused_results": self.ledger.refused,
            "refused_commands": self.refused_commands,
            "dropped_events": self.ledger.dropped_events,
        }

    # --- commands -----------------------------------------------------------------------------------------------------

    async def command(self, op: int, arg: int, role: str, timeout_s: float, *, again: bool) -> int:
        values = {"op": op, "arg": arg, "role": wire_role(role)}
        answer = await self._requests.ask(
            lambda req: self.link.post(wire.COMMAND, {"req": req, **values}), timeout_s, again=again
        )
        return int(answer["code"])

    async def service(self, op: int, data: bytes, timeout_s: float) -> tuple[bool, bytes]:
        values = {"op": op, "data": data}
        answer = await self._requests.ask(
            lambda req: self.link.post(wire.SERVICE_REQ, {"req": req, **values}), timeout_s
        )
        return bool(answer["ok"]), bytes(answer["data"])

    async def release(self, sender: Sender, rule: str) -> dict[str, Any]:
        settled = await self.ledger.release(sender.by, sender.role, rule)
        return {"contested": settled, "holds": self.holds.names}

    async def hold(self, sender: Sender, rule: str) -> dict[str, Any]:
        await self.ledger.hold(sender.by, sender.role, rule)
        return {"holds": self.holds.names}

    async def void(self, sender: Sender, rule: str, result_id: str, cause: str) -> dict[str, Any]:
        found = self._journal.has_result(self.config.id, result_id)
        if found is None or found.kind is not Kind.RESULT:
            raise OrderRefused(Refusal.NOT_FOUND, f"there is no result {result_id} at this table")
        voids = self._journal.last(self.config.id, VOIDS_LOOKED_AT, (Kind.VOID,))
        if any(record.body["result_id"] == result_id for record in voids):
            raise OrderRefused(Refusal.BAD_ARGUMENT, f"result {result_id} is void already", rule)
        text = f"result {result_id} declared void: {cause}"
        body = {"source": "daemon", "code": "void", "severity": "warning", "text": text, "rule": rule}
        who = {"by": sender.by, "role": sender.role, "cause": cause, "result_id": result_id}
        record = await self.ledger.write_event("void", {**body, **who, "spin": found.body["spin"]}, Kind.VOID)
        return {"seq": record.seq}

    def recall(self, n: int, before: str) -> list[dict[str, Any]]:
        found = self._journal.has_result(self.config.id, before) if before else None
        if before and found is None:
            raise OrderRefused(Refusal.NOT_FOUND, f"there is no spin {before} at this table")
        games = self._journal.reader.games(self.config.id, n, found.seq if found is not None else None)
        return [{"result_id": one.result_id, "kind": one.kind, "seq": one.seq, **one.body} for one in games]

    def status(self) -> dict[str, Any]:
        standing = {leaf: self.shown.get(leaf) for leaf in ("link", "round", "info", "health")}
        return {**standing, "holds": self.holds.names, "counters": self.link.counters, "waiting": self.ledger.waiting}

    def game_started(self) -> None:
        self.ledger.history.restart_game()
        self._daemon_event("access", "game_started", "info", "the game starts at its first state")

    def ordered(self, name: str, sender: Sender, args: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        if not answer["ok"]:
            self.refused_commands += 1
            now = time.monotonic()
            if now - self._access_event_at < ACCESS_EVENT_EVERY_S:
                return
            self._access_event_at = now
        text = f"{name} by {sender.by} ({sender.role}): {answer['code']}"
        more = {
            "command": name,
            "by": sender.by,
            "role": sender.role,
            "args": dict(args),
            "rule": answer.get("rule", ""),
        }
        self._daemon_event(
            "access", "command", "info" if answer["ok"] else "warning", text, answer=answer["code"], **more
        )
