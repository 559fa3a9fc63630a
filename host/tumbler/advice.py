"""What to do about each code that a table, its line or its daemon can show. Words for people, for docs and tools.

The codes themselves are declared elsewhere (dicewire's tables, the validator's checks, the journal's errors, the limits of
`health`); a test holds this file against them, so that no code is without advice.
"""

from __future__ import annotations

from typing import NamedTuple

FAULTS = {
    "motor_stall": "Look for something that blocks the tumbler; then `tumbler diag motor 500 1500`.",
    "motor_current": "Switch off. Look for a blocked tumbler or a short at the bridge before you switch on again.",
    "tachometer": "Clean or set the sensor at the crank; `tumbler diag motor 500 1500` must show 150 to 700 rpm.",
    "cover_switch": "`tumbler diag inputs` with the cover open and closed; exchange the switch if it does not follow.",
    "tag_reader": "Look at the ribbon to the reader; `tumbler diag tags` must list every die. Exchange the reader.",
    "camera": "Look at the camera's cable; clean the lens; `tumbler diag frame`.",
    "panel": "`tumbler diag inputs`: a key that is held without a finger is stuck. Else look at the panel's cable.",
    "accelerometer": "`tumbler diag accelerometer` must show about 1000 mg downwards. Exchange the sensor's board.",
    "lamps": "`tumbler diag lamps` names the dead ones. The dice decide, not the lamps (D5 7.3); exchange them after play.",
    "lamp_supply": "Measure the 5 V of the lamps; `tumbler diag current`.",
    "supply": "Measure the 24 V supply under load; `tumbler diag current`.",
    "flash": "The record cannot be kept: exchange the controller's board. Its last spins are in the daemon's journal.",
    "game_table": "The daemon sends it by itself. If it stays: `info` on MQTT says why the controller refused it.",
    "dice_map": "Teach the controller its dice: `tumbler provision dice`.",
    "die_tag": "A die has lost a tag: exchange the set and teach it anew.",
    "watchdog": "The program hung and was restarted. Save `tumbler diag log` for the makers; play may go on.",
    "memory": "Restart the controller between two rounds (`tumbler diag reset`) and save its log for the makers.",
    "key": "The controller has no key: provision it at the bench.",
    "program": "Save `tumbler diag log` for the makers, then restart the controller.",
    "door": "Close the service door. An inspector will want to know who opened it.",
    "tilt": "See who struck the table; level it; `tumbler diag test` shows the tilt.",
    "calibration": "`tumbler calibrate` with a few throws of the table's dice (calibration.md).",
}
LOCKS = {
    "none": "",
    "self_test": "`tumbler diag self-test` names the part; mend it, then unlock.",
    "motor": "See the motor's faults; after the repair an area manager unlocks.",
    "reader": "See the reader's faults; after the repair an area manager unlocks.",
    "dice": "Take strange dice out; exchange a defective die with its whole set, teach the set, then unlock.",
    "lamps": "Exchange the lamps that `tumbler diag lamps` names, then unlock.",
    "storage": "Exchange the controller's board.",
    "game_table": "Connect the daemon; it sends the table.",
    "tamper": "Look the table over together with an inspector, then unlock.",
    "supply": "Mend the supply, then unlock.",
    "commanded": "Ask who locked it (`event/access`).",
    "repeated_no_spin": "Look why the dice will not lie flat: plate, dice, level of the table.",
    "cover": "Mend the cover's switch, then unlock.",
    "panel": "Free or exchange the key, then unlock.",
    "entry": "The supervisor rules: the dice stand, or no spin.",
    "internal": "Save `tumbler diag log`, restart the controller, then unlock.",
}
REFUSALS = {
    "schema": "Daemon and firmware are of different versions: update the older, which the message names.",
    "key": "The wrong key file, or another table's controller on this port. A tamper event: find out which.",
    "limits": "Firmware of another kind: update it.",
    "unknown_message": "The controller is newer than the daemon: update the daemon. Nothing of the game is lost.",
    "bad_message": "A defect of the firmware: save its log for the makers.",
    "silent": "Is it the right port, is the controller powered, does it run (heartbeat lamp)?",
    "foreign": "Something else is on this port: name the controller by `usb:SERIAL`.",
    "no_proof": "The controller has no key or its program hangs: restart it, then provision it.",
}
JOURNAL = {
    "journal_error": "See the message; the table is held until the journal works.",
    "journal_unwritable": "Mend the permissions or the mount of the journal's folder. Play goes on by itself.",
    "journal_full": "Make room on the disk, or shorten `journal.keep_days`. Play goes on by itself.",
    "journal_corrupt": "Do not write over it: copy it away, `tumbler journal verify` names the first bad record.",
    "journal_foreign": "`journal.path` names a file that is something else.",
    "journal_locked": "Another daemon runs on this journal: stop it, or name another journal.",
    "journal_key": "The journal's key file is missing or another's: bring it back from the backup.",
    "journal_missing": "There is no journal at this path.",
    "journal_closed": "The daemon is ending.",
    "journal_duplicate": "The spin is there already; nothing is counted twice.",
}
LIMITS = {
    "link_down": "See `link` for the reason.",
    "link_errors": "Exchange the cable; keep it away from motors. Results are not lost, but the line will fail.",
    "link_slow": "See what else the PC does, and whether the controller's loop is slow.",
    "broker_down": "Results wait in the outbox. Look at the broker and the network.",
    "broker_slow": "Look at the broker's disk and load.",
    "outbox_old": "The broker does not take messages: look at its log.",
    "outbox_filling": "Bring the broker back before the table is held.",
    "ring_filling": "The daemon does not commit: look at the journal.",
    "ledger_waiting": "The disk is too slow for this many tables.",
    "result_slow": "Look at the disk, and at what else the PC does.",
    "journal_failing": "See the journal's code.",
    "journal_unread": "The disk is failing: look at its health, then `tumbler journal verify`.",
    "journal_slow": "The disk is failing or busy: look at its health.",
    "disk_low": "Make room before the table is held.",
    "events_dropped": "Events were lost while the disk failed; results were not.",
    "loop_slow": "Save `tumbler diag log` for the makers.",
    "heap_low": "Restart the controller between two rounds and save its log.",
    "camera_drift": "Clean the dome, look at the lamp and the lens, then `tumbler calibrate` ([calibration.md](calibration.md)).",
    "hot": "Look at the fan and what stands against the air inlet.",
    "flash_worn": "Plan to exchange the controller's board.",
}
CHECKS = {
    "not_authentic": "Someone else's frames on this cable: find out whose before you release the table.",
    "conflict": "The controller reports a spin that is in the journal with another content. An inspector decides; then `release`.",
    "goes_back": "A controller that was exchanged or restored from a copy: look at `info`, then `release`.",
    "gap": "Spins are missing: `tumbler diag recall N` reads them from the controller's ring.",
    "clock_absurd": "The host's clock was wrong when it set the controller's: mend NTP, then `release`.",
    "clock_skew": "Look at NTP on the PC.",
    "dice_number": "The reader fails: measure it, then `release`.",
    "faces_impossible": "The reader fails: measure it, then `release`.",
    "not_spun": "Spin again.",
    "spin_short": "Spin again; compare `min_spin_ms` with `spin_ms`.",
    "spin_weak": "Spin again; look at the belt if it comes often.",
    "uncovered": "Spin again, cover closed.",
    "bets_open": "Spin again; call no more bets first.",
    "times_impossible": "A defect of the firmware: save its log, then `release`.",
    "opinions": "The reader is not sure often enough: measure it, then `release`.",
    "readers": "Compare `reader` in the daemon's file with `tumbler diag info`: mend the reader or the file, then `release`.",
    "state_before": "Controller and journal stand at different points of the game. The supervisor: `game_start` or `release`.",
    "state_after": "The controller's game table is not the rules': compare the hashes in `info`.",
    "areas": "The controller's game table is not the rules': compare the hashes in `info`.",
    "collected": "The supervisor rules on the bonus bets, then `release`.",
}


class DaemonEvent(NamedTuple):
    code: str
    kind: str
    severity: str
    text: str
    advice: str


# Events that the daemon itself tells, beside one for each refusal of the line (`link_...`), failed check and passed limit.
EVENTS = (
    DaemonEvent(
        "link_in_use",
        "fault",
        "error",
        "another program holds the port",
        "Stop it: `fuser PORT` names it. One daemon a table.",
    ),
    DaemonEvent(
        "link_denied",
        "fault",
        "error",
        "the daemon may not open the port",
        "Install deploy/70-tumbler.rules; group dialout.",
    ),
    DaemonEvent(
        "link_not_serial", "fault", "error", "what `port` names is no serial port", "Mend `port`: usb:SERIAL is safest."
    ),
    DaemonEvent("link_closed", "fault", "error", "the port cannot be opened", "The text has the system's reason."),
    DaemonEvent(
        "evidence", "access", "info", "the picture of a no spin is kept; `file` names it", "Any viewer shows it."
    ),
    DaemonEvent(
        "evidence_lost", "fault", "warning", "the picture of a no spin could not be kept", "The text has the reason."
    ),
    DaemonEvent("clock_jump", "fault", "warning", "the host's clock jumped", "Look at NTP on the PC."),
    DaemonEvent("disk_full", "fault", "critical", "no new spin: the disk is nearly full", "Make room on the disk."),
    DaemonEvent("disk_full_over", "fault", "info", "there is room again; play may go on", ""),
    DaemonEvent(
        "outbox_full", "fault", "critical", "no new spin: too much waits for the broker", "Bring the broker back."
    ),
    DaemonEvent("outbox_full_over", "fault", "info", "the outbox has room again; play may go on", ""),
    DaemonEvent("journal_works", "fault", "info", "the journal works again", ""),
    DaemonEvent(
        "journal_recovered",
        "fault",
        "warning",
        "the journal was not as it was left: an unfinished write, a missing end",
        "Read the text; `tumbler journal verify`; tell an inspector if records are missing.",
    ),
    DaemonEvent(
        "game_table_refused", "refused", "critical", "the controller refused the game table", "Update the older side."
    ),
    DaemonEvent("update_started", "update", "info", "an update is sent to the controller; by whom, which", ""),
    DaemonEvent(
        "update_not_sent",
        "update",
        "warning",
        "an update was refused before it was sent, or did not get through; the old program goes on",
        "The text has the reason; docs/update.md.",
    ),
    DaemonEvent("command", "access", "info or warning", "an order was given, done or refused; by whom", ""),
    DaemonEvent("held", "access", "warning", "the table was held by order; by whom", "`cmd/release` lets it go on."),
    DaemonEvent("released", "access", "info", "a held table was released; by whom", ""),
    DaemonEvent("game_started", "access", "info", "the game starts at its first state", ""),
    DaemonEvent("void", "void", "warning", "a result was declared void; by whom and why", ""),
)
