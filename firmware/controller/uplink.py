"""The wire to the host: bytes between the port and the dicewire session, and what each message of the host leads to.

Play never waits for it: a host that is gone, slow or foreign costs a few microseconds a turn. Not for what is sent by itself
(outbox.py), nor for what a command or a service request does (commands.py, service.py).
"""

from dicewire import codes
from dicewire import messages as wire
from dicewire import session as dw
from dicewire.codec import decode

from controller.commands import PENDING
from controller.target import const
from controller.version import FIRMWARE

_READ = const(256)
_READS_A_TURN = const(8)  # a host that sends without end gets 2 KB of a turn and no more
_WRITES_A_TURN = const(4)
_ANSWERS_MAX = const(8)  # more questions at once than this are a host gone wrong, and go unanswered
KEY_SIZE = const(32)


class Uplink:
    def __init__(self, parts, outbox, commands, service, key, now):
        self._port = parts.board.port
        self._parts = parts
        self._round = parts.round
        self._events = parts.events
        self._outbox = outbox
        self._commands = commands
        self._service = service
        self._gone = False
        self._view = memoryview(bytearray(_READ))
        self._answers = []  # (message number, values) that wait for a place in the session's queue
        self._settings = None  # SETTINGS that wait for the end of the spin under way
        self._auth_errors = self._tag_errors = 0
        board = parts.board
        hello = {
            "boot_id": board.entropy(8),
            "epoch": parts.store.state.epoch,
            "reset_cause": board.reset_cause,
            "game_hash": bytes(32),
            "dice": 0,
            "firmware": FIRMWARE,
            "board": board.name,
            "uid": "".join([f"{b:02x}" for b in board.uid]),
        }
        # Without a key of its own it takes one that nobody has: a host is then told why it is refused, by a code.
        secret = key if key and len(key) == KEY_SIZE else board.entropy(16) + board.entropy(16)
        self.session = dw.Session(dw.CONTROLLER, secret, hello, now, board.entropy)
        service.session = self.session
        self._on_message = {
            wire.COMMIT: self._commit,
            wire.TIME: self._time,
            wire.HOLD: self._hold,
            wire.COMMAND: self._command,
            wire.SETTINGS: self._take_settings,
            wire.SERVICE_REQ: self._service_request,
            wire.GAME_USE: self._game_use,
        }

    # ---- a turn: receive() before the table's own parts, send() after them ----

    def receive(self, now, wire_now):
        session, view = self.session, self._view
        self._know_game()
        try:
            for _ in range(_READS_A_TURN):
                n = self._port.read_into(view)
                if not n:
                    break
                session.receive(view[:n], wire_now)
                self._take_events(now, wire_now)
        except OSError:
            self._port_gone(wire_now)
        else:
            self._gone = False
        session.step(wire_now)
        self._take_events(now, wire_now)

    def send(self, now, wire_now):
        session = self.session
        self._apply_settings(now)
        if session.up:
            self._send_answers(now, wire_now)
            self._outbox.fill(session, wire_now)
        try:
            for _ in range(_WRITES_A_TURN):
                if session.next_deadline(wire_now) > 0:  # asked first, because a view costs memory
                    break
                view = session.to_send(wire_now)
                length = len(view)
                if not length:
                    break
                taken = self._port.write(view)
                session.sent(taken)
                if taken < length:
                    break
        except OSError:
            self._port_gone(wire_now)
        self._take_events(now, wire_now)

    def _port_gone(self, wire_now):
        if not self._gone:
            self._gone = True
            self.session.port_lost(wire_now)

    def _know_game(self):
        """HELLO says which game is in use."""
        game = self._round.game
        if game is not None and self.session.hello["game_hash"] != game.hash:
            self.session.hello["game_hash"] = game.hash
            self.session.hello["dice"] = game.dice

    # ---- what the session tells ----

    def _take_events(self, now, wire_now):
        event = self.session.next_event()
        while event is not None:
            kind = event[0]
            if kind == dw.MESSAGE:
                act = self._on_message.get(event[1])
                if act:
                    act(event[2], now, wire_now)
            elif kind == dw.UP:
                self._up()
            elif kind == dw.DOWN:
                self._down(event[1], event[2])
            elif kind == dw.REFUSED:
                self._refused(event[1])
            elif kind == dw.BULK_OFFER:
                self._offered(event[1], event[2], event[3], wire_now)
            elif kind == dw.BULK_DONE and not event[3]:
                self._received(event[1])
            elif (kind == dw.BULK_DONE or kind == dw.BULK_FAILED) and event[3] and event[1] == codes.BULK_EVIDENCE:
                self._parts.evidence.ended(kind == dw.BULK_DONE)
            elif kind == dw.BULK_FAILED and not event[3] and event[1] == codes.BULK_UPDATE:
                self._service.update.ended(event[2])
            event = self.session.next_event()

    def _up(self):
        self._round.host_up = True
        self._outbox.session_up()
        self._events.add(codes.EVENT_HOST_UP)

    def _down(self, reason, lost):
        self._round.host_up = False
        self._answers.clear()
        self._commands.session_ended()
        self._service.session_ended()
        for _, number, payload in reversed(lost):
            if number == wire.EVENT:
                self._events.put_back(decode(number, payload))
        self._events.add(codes.EVENT_HOST_DOWN, reason)

    def _refused(self, code):
        counters = self.session.counters
        if code == codes.REFUSAL_KEY and counters["auth_errors"] != self._auth_errors:
            self._auth_errors = counters["auth_errors"]
            self._events.add(codes.EVENT_AUTH_FAILED, self._auth_errors)

    def _offered(self, kind, size, sha256, wire_now):
        if kind == codes.BULK_UPDATE:
            self._service.update.offered(size, sha256, wire_now)
            return
        if kind != codes.BULK_GAME_TABLE:
            self.session.bulk_refuse(codes.BULK_CODE_REFUSED, wire_now)
            return
        sink = self._parts.game_file.sink(size)
        if sink is None:
            self.session.bulk_refuse(codes.BULK_CODE_TOO_LARGE, wire_now)
        else:
            self.session.bulk_accept(sink, wire_now)

    def _received(self, kind):
        if kind == codes.BULK_UPDATE:
            self._service.update.received()
        elif kind == codes.BULK_GAME_TABLE:
            why_not = self._parts.game_file.keep()
            if why_not:
                self._events.add(codes.EVENT_GAME_REFUSED, 0, 0, why_not)

    # ---- messages of the host ----

    def _commit(self, values, now, wire_now):
        self._parts.store.commit(values["spin"])

    def _time(self, values, now, wire_now):
        self._parts.uptime.set_wall(values["wall_ms"])

    def _hold(self, values, now, wire_now):
        hold = (values["reason"] or codes.HOLD_COMMANDED) if values["on"] else codes.HOLD_NONE
        self._round.held_by_host(hold, now)

    def _command(self, values, now, wire_now):
        req = values["req"]
        answer = self._commands.run(req, values["op"], values["arg"], values["role"], now)
        if answer != PENDING:
            self._answer(wire.COMMAND_RSP, {"req": req, "code": answer})

    def _service_request(self, values, now, wire_now):
        self._service.ask(values["req"], values["op"], values["data"], now)

    def _game_use(self, values, now, wire_now):
        code = self._round.use_game(values["hash"], now)
        self._know_game()
        answer = {"hash": values["hash"], "ok": 1 if code == codes.GAME_OK else 0, "code": code}
        self._answer(wire.GAME_ACTIVE, answer)

    def _take_settings(self, values, now, wire_now):
        why_not = self._parts.settings.refusal(values)
        if why_not:
            self._events.add(codes.EVENT_COMMAND_REFUSED, wire.SETTINGS, codes.ANSWER_BAD_ARGUMENT, why_not)
        else:
            self._settings = values

    def _apply_settings(self, now):
        """Never inside a spin: it is judged by what stood at its start."""
        if self._settings is None or self._round.in_spin:
            return
        values, self._settings = self._settings, None
        try:
            if self._parts.settings.apply(values):
                self._events.add(codes.EVENT_SETTINGS_CHANGED)
        except OSError as e:
            self._parts.faults.set(codes.FAULT_FLASH, f"settings not kept: {e}")

    # ---- answers ----

    def _answer(self, number, values):
        if len(self._answers) < _ANSWERS_MAX:
            self._answers.append((number, values))

    def _send_answers(self, now, wire_now):
        done = self._commands.poll()
        if done:
            self._answer(wire.COMMAND_RSP, {"req": done[0], "code": done[1]})
        answer = self._service.poll(now)
        if answer:
            self._answer(wire.SERVICE_RSP, answer)
        # Whoever hears "done" or "refused" looks at the table next: what the answer made of it must be there by then.
        while self._answers and self._outbox.standing_told(self.session, wire_now):
            if not self.session.send(self._answers[0][0], self._answers[0][1], wire_now):
                break
            self._answers.pop(0)
        errors = self.session.counters["tag_errors"]
        if errors != self._tag_errors:
            self._tag_errors = errors
            self._events.add(codes.EVENT_TAG_FAILED, errors)
