"""People's commands through the daemon (COMMAND): which role may, and what the round does.

The daemon has authorised the person; the level is looked at again here, because a daemon can be replaced and a table's key
can't tell who types. Levels are those of the wire's declaration; a test holds the two together.
"""

from dicewire import codes

from controller.target import const

PENDING = const(-1)  # the answer comes later: poll()

# by role: table, dealer, stickperson, higher duties dealer, boxperson, area manager, gaming supervisor, house, table games
# management, assistant casino manager, assistant gaming manager, gaming manager, inspector, technician, daemon
LEVELS = bytes((0, 10, 20, 20, 30, 40, 40, 40, 40, 50, 50, 60, 0, 0, 0))
_DEALER = const(10)
_HIGHER_DUTIES = const(20)
_AREA_MANAGER = const(40)


class Commands:
    def __init__(self, parts):
        self._round = parts.round
        self._events = parts.events
        self._unlocking = 0  # number of the request that waits for the self-test
        # op: least level, what is done; act(now, role, arg)
        self.table = {
            codes.COMMAND_NO_SPIN: (_DEALER, self._no_spin),
            codes.COMMAND_NO_MORE_BETS: (_DEALER, self._no_more_bets),
            codes.COMMAND_LOCK: (_AREA_MANAGER, self._lock),
            codes.COMMAND_UNLOCK: (_AREA_MANAGER, self._unlock),
            codes.COMMAND_CLOSE_TABLE: (_HIGHER_DUTIES, self._close_table),  # Sic Bo 9.8
            codes.COMMAND_OPEN_TABLE: (_AREA_MANAGER, self._open_table),
            codes.COMMAND_GAME_START: (_AREA_MANAGER, self._game_start),
            codes.COMMAND_SUPERVISOR_RULE: (_AREA_MANAGER, self._rule),
            codes.COMMAND_PAID: (_DEALER, self._paid),
            codes.COMMAND_SPIN: (_DEALER, self._spin),
            codes.COMMAND_SPIN_EMPTY: (_AREA_MANAGER, self._spin_empty),
        }

    def run(self, req, op, arg, role, now):
        """-> codes.ANSWER_*, or PENDING."""
        answer = self._try(op, arg, role, now)
        if op == codes.COMMAND_UNLOCK and answer == codes.ANSWER_DONE:
            self._unlocking = req
            return PENDING
        self._tell(op, role, answer)
        return answer

    def poll(self):
        """-> (request, answer) of a command that has come to its end, or None."""
        if not self._unlocking or self._round.unlock_answer < 0:
            return None
        req, self._unlocking = self._unlocking, 0
        return req, self._round.unlock_answer

    def session_ended(self):
        """Nobody waits for the answer any more."""
        self._unlocking = 0

    def _try(self, op, arg, role, now):
        row = self.table.get(op)
        if row is None:
            return codes.ANSWER_UNKNOWN
        least, act = row
        if role >= len(LEVELS) or LEVELS[role] < least:
            return codes.ANSWER_NO_AUTHORITY
        return act(now, role, arg)

    def _tell(self, op, role, answer):
        if answer == codes.ANSWER_DONE:
            self._events.add(codes.EVENT_COMMAND_DONE, op, role)
        else:
            self._events.add(codes.EVENT_COMMAND_REFUSED, op, answer)

    def _no_spin(self, now, role, arg):
        if arg > 255:
            return codes.ANSWER_BAD_ARGUMENT
        return self._round.call_no_spin(now, role, arg)

    def _no_more_bets(self, now, role, arg):
        return self._round.no_more_bets(now, role)

    def _lock(self, now, role, arg):
        return self._round.lock(now, role, codes.LOCK_COMMANDED)

    def _unlock(self, now, role, arg):
        return self._round.unlock(now, role)

    def _close_table(self, now, role, arg):
        return self._round.close_table(now, arg)

    def _open_table(self, now, role, arg):
        return self._round.open_table(now)

    def _game_start(self, now, role, arg):
        return self._round.game_start(now)

    def _rule(self, now, role, arg):
        return self._round.rule(now, role, arg)

    def _paid(self, now, role, arg):
        return self._round.paid(now, role)

    def _spin(self, now, role, arg):
        return self._round.start_spin(now, role)

    def _spin_empty(self, now, role, arg):
        return self._round.spin_empty(arg) if arg <= 100 else codes.ANSWER_BAD_ARGUMENT
