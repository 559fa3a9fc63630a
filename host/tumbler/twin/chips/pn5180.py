"""PN5180, the tag reader under the plate, at its SPI host interface (data sheet PN5180A0xx/C3, chapter 11).

NSS frames a command; BUSY rises when the frame is in and falls when it is done; a command with an answer gives it in
the next frame. Radio takes no time here: an answer, or the end of timer 1, is there as soon as the request is out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from . import pn5180_registers as r
from .iso15693 import Heard, TagField
from .wrong_use import WrongUse

WORD = 0xFFFFFFFF


class Pn5180:
    """`tags(drive)` gives the UIDs that a field of that drive (0 to 1) powers."""

    def __init__(self, tags: Callable[[float], Iterable[bytes]], busy: Callable[[bool], None]) -> None:
        self._tags = tags
        self._busy = busy
        self.wrong_use = WrongUse("PN5180")
        self.dead = False  # fault: no supply; MISO floats high, BUSY stays low
        self.deaf = False  # fault: antenna broken; the chip answers, the tags never do
        self._field = TagField(self._powered)
        self._held = False  # RST low
        self._selected = False
        self.power_cycle()

    def power_cycle(self) -> None:
        self._reg = dict.fromkeys(range(r.LAST_REGISTER + 1), 0)
        self._reg[r.IRQ_STATUS] = r.IRQ_IDLE
        self._reg[r.SYSTEM_STATUS] = r.STATUS_BOOT_POR
        self._rf_on = False
        self._protocol = (r.NO_CHANGE, r.NO_CHANGE)
        self._state = r.IDLE
        self._frame = bytearray()
        self._answer: bytes | None = None
        self._given = 0
        self._received = b""
        self._field.power_off()
        self._busy(False)

    def reset_line(self, level: int, _t_us: int = 0) -> None:
        if self._held and level:
            self.power_cycle()
        self._held = not level

    # --- the bus ------------------------------------------------------------------------------------------------------

    def select(self) -> None:
        self._selected = True
        self._frame.clear()
        self._given = 0

    def exchange(self, out: bytes) -> bytes:
        if not self._selected or self.dead or self._held:
            return b"\xff" * len(out)
        self._frame += out
        back = b"\xff" * len(out)
        if self._answer is not None:
            back = self._answer[self._given : self._given + len(out)].ljust(len(out), b"\xff")
            self._given += len(out)
        self._busy(True)
        return back

    def deselect(self) -> None:
        if not self._selected:
            return
        self._selected = False
        if self.dead or self._held or not self._frame:
            return
        if self._answer is not None:
            if any(value != 0xFF for value in self._frame):
                self.wrong_use.note("a command was sent where an answer waited to be read: it is lost")
            self._answer = None
        else:
            self._run(bytes(self._frame))
        self._busy(False)

    # --- commands -----------------------------------------------------------------------------------------------------

    def _run(self, frame: bytes) -> None:
        code = frame[0]
        if code not in r.LENGTHS:
            self._refuse(r.STATUS_SYNTAX, f"command 0x{code:02x}")
            return
        fewest, most = r.LENGTHS[code]
        if not fewest <= len(frame) <= most:
            self._refuse(r.STATUS_SYNTAX, f"command 0x{code:02x} with {len(frame)} bytes")
            return
        _HANDLERS[code](self, frame[1:])

    def _refuse(self, status: int, what: str) -> None:
        self.wrong_use.note(what)
        self._reg[r.SYSTEM_STATUS] |= status
        self._raise(r.IRQ_GENERAL_ERROR)

    def _raise(self, irqs: int) -> None:
        self._reg[r.IRQ_STATUS] |= irqs

    def _write_register(self, args: bytes) -> None:
        self._store(args[0], lambda _old, new: new, args[1:])

    def _write_or(self, args: bytes) -> None:
        self._store(args[0], lambda old, new: old | new, args[1:])

    def _write_and(self, args: bytes) -> None:
        self._store(args[0], lambda old, new: old & new, args[1:])

    def _write_multiple(self, args: bytes) -> None:
        """Sets of register, action (1 write, 2 OR, 3 AND) and value."""
        actions = {1: self._write_register, 2: self._write_or, 3: self._write_and}
        if len(args) % 6:
            self._refuse(r.STATUS_SYNTAX, f"WRITE_REGISTER_MULTIPLE with {len(args)} bytes of sets")
            return
        for at in range(0, len(args), 6):
            action = actions.get(args[at + 1])
            if action is None:
                self._refuse(r.STATUS_PARAMETER, f"WRITE_REGISTER_MULTIPLE action {args[at + 1]}")
                return
            action(bytes((args[at],)) + args[at + 2 : at + 6])

    def _store(self, register: int, mix: Callable[[int, int], int], value: bytes) -> None:
        if register > r.LAST_REGISTER or register in r.READ_ONLY:
            self._refuse(r.STATUS_PARAMETER, f"write to register 0x{register:02x}")
            return
        word = mix(self._reg[register], int.from_bytes(value, "little")) & WORD
        if register == r.IRQ_CLEAR:
            self._reg[r.IRQ_STATUS] &= ~word
            return
        self._reg[register] = word
        if register == r.SYSTEM_CONFIG:
            transceive = word & r.COMMAND_BITS == r.COMMAND_TRANSCEIVE
            if not transceive:
                self._state = r.IDLE
            elif self._state == r.IDLE:
                self._state = r.WAIT_TRANSMIT

    def _read_register(self, args: bytes) -> None:
        self._answer = self._fetch(args[0])

    def _read_multiple(self, args: bytes) -> None:
        self._answer = b"".join(self._fetch(register) for register in args)

    def _fetch(self, register: int) -> bytes:
        if register > r.LAST_REGISTER:
            self._refuse(r.STATUS_PARAMETER, f"read of register 0x{register:02x}")
            return bytes(4)
        if register == r.RF_STATUS:
            word = self._state << r.STATE_SHIFT | (r.RF_FIELD_ON if self._rf_on else 0)
        else:
            word = self._reg[register]
        return word.to_bytes(4, "little")

    def _read_eeprom(self, args: bytes) -> None:
        start, count = args
        if start + count > len(r.EEPROM):
            self._refuse(r.STATUS_PARAMETER, f"READ_EEPROM {start}+{count}")
            count = max(0, len(r.EEPROM) - start)
        self._answer = r.EEPROM[start : start + count]

    def _load_rf_config(self, args: bytes) -> None:
        tx, rx = args
        if (tx not in r.TX_CONFIGS and tx != r.NO_CHANGE) or (rx not in r.RX_CONFIGS and rx != r.NO_CHANGE):
            self._refuse(r.STATUS_PARAMETER, f"LOAD_RF_CONFIG 0x{tx:02x} 0x{rx:02x}")
            return
        self._protocol = (tx, rx)
        if tx == r.ISO15693_TX:
            self._reg.update(r.ISO15693_LOADED)

    def _switch_on(self, _args: bytes) -> None:
        self._rf_on = True
        self._raise(r.IRQ_RF_ON)

    def _switch_off(self, _args: bytes) -> None:
        self._rf_on = False
        self._field.power_off()
        self._raise(r.IRQ_RF_OFF)

    def _send_data(self, args: bytes) -> None:
        bits, data = args[0], args[1:]
        if self._state != r.WAIT_TRANSMIT:
            self._refuse(r.STATUS_SEMANTIC, f"SEND_DATA in transceiver state {self._state}, it needs WaitTransmit")
            return
        with_data = bool(self._reg[r.TX_CONFIG] & r.TX_DATA_ENABLE)
        if with_data and not data:
            self._refuse(r.STATUS_SEMANTIC, "SEND_DATA without data")
            return
        if bits:
            self._refuse(r.STATUS_PARAMETER, f"ISO 15693 sends whole bytes, not {bits} bits of the last")
            return
        if not self._rf_on:
            self.wrong_use.note("SEND_DATA with the field off: no tag hears it")
        self._raise(r.IRQ_TX)
        self._receive(self._on_air(data, with_data))

    def _on_air(self, data: bytes, with_data: bool) -> Heard | None:
        if not self._rf_on or self.deaf or self._protocol != (r.ISO15693_TX, r.ISO15693_RX):
            return None
        return self._field.request(data) if with_data else self._field.end_of_frame()

    def _receive(self, heard: Heard | None) -> None:
        timer = self._reg[r.TIMER1_CONFIG]
        runs = timer & r.TIMER_ENABLE and timer & r.TIMER_ON_TX_END
        stopped = (
            heard is not None and timer & r.TIMER_STOP_ON_RX and self._reg[r.TIMER1_RELOAD] > r.ANSWER_STARTS_AFTER
        )
        if runs and not stopped:
            self._raise(r.IRQ_TIMER1)
        if heard is None:
            self._state = r.WAIT_RECEIVE
            return
        self._received = heard.frame
        status = len(heard.frame)
        if heard.collision_bit is not None:
            status |= r.RX_COLLISION | r.RX_INTEGRITY_ERROR | (heard.collision_bit & 0x7F) << r.RX_COLLISION_POSITION
        self._reg[r.RX_STATUS] = status
        self._state = r.WAIT_TRANSMIT
        self._raise(r.IRQ_RX | r.IRQ_RX_SOF)

    def _read_data(self, _args: bytes) -> None:
        if not self._received:
            self.wrong_use.note("READ_DATA with nothing received")
        self._answer = self._received

    def _powered(self) -> Iterable[bytes]:
        return self._tags(self.drive)

    @property
    def drive(self) -> float:
        """How hard the antenna is driven, 0 to 1, from the conductance and amplitude in DPC_CONFIG."""
        if not self._rf_on:
            return 0.0
        word = self._reg[r.DPC_CONFIG]
        amplitude = 1.0 if word & r.TO_MAX else r.AMPLITUDE_FACTOR[word >> r.AMPLITUDE_SHIFT & r.AMPLITUDE_BITS]
        return ((word >> r.GSN_SHIFT & r.GSN_BITS) + 1) / 16.0 * amplitude


_HANDLERS: dict[int, Callable[[Pn5180, bytes], None]] = {
    r.WRITE_REGISTER: Pn5180._write_register,
    r.WRITE_OR_MASK: Pn5180._write_or,
    r.WRITE_AND_MASK: Pn5180._write_and,
    r.WRITE_MULTIPLE: Pn5180._write_multiple,
    r.READ_REGISTER: Pn5180._read_register,
    r.READ_MULTIPLE: Pn5180._read_multiple,
    r.READ_EEPROM: Pn5180._read_eeprom,
    r.SEND_DATA: Pn5180._send_data,
    r.READ_DATA: Pn5180._read_data,
    r.LOAD_RF_CONFIG: Pn5180._load_rf_config,
    r.RF_ON: Pn5180._switch_on,
    r.RF_OFF: Pn5180._switch_off,
}
