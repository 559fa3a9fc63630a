"""Every enumeration of the table's work that crosses the wire: number, name, text. Numbers are never reused.

Not here: the enumerations of the wire itself (refusals, downs, transfers), which are in `linkcodes`.
The constants of `dicewire.codes` (PHASE_SPINNING, CAUSE_NOT_FLAT, FAULT_FLASH ...) are made from these tables.
"""

from dicewire.declared.table import Code, Table

PHASES = Table(
    "phase",
    "PHASE",
    "Where the round of play stands. The names are the payload of the MQTT topic `round`.",
    (
        Code(0, "boot", "starting"),
        Code(1, "self_test", "testing itself; no play and no results before it has passed"),
        Code(2, "betting_open", "bets may be placed", "D5 5.1.1"),
        Code(3, "spinning", "covered and tumbling; bets may still be placed", "D5 5.1.2"),
        Code(4, "no_more_bets", "bets are closed", "D5 5.1.3"),
        Code(5, "reading", "uncovered; the dice are being read", "D5 5.1.4"),
        Code(6, "result", "result known, winning areas lit", "D5 5.1.5"),
        Code(7, "paid", "losing wagers taken, winning wagers paid", "D5 5.1.6"),
        Code(8, "no_spin", "the spin does not count; wagers stand, spin again", "D5 7.1"),
        Code(9, "locked", "a fault stays; no play until it is rectified", "D5 7.4"),
        Code(10, "closing", "closing after the announced number of spins"),
        Code(11, "service", "a technician works on the machine; no play"),
    ),
)

CAUSES = Table(
    "cause",
    "CAUSE",
    "Why a spin or a roll does not count. Up to 31 found by the table, from 32 declared by people at a craps table.",
    (
        Code(0, "none", "it counts"),
        Code(1, "not_flat", "a die is not lying flat", "D5 7.1.1"),
        Code(2, "missing", "fewer dice answer than the table has", "D5 7.1.1"),
        Code(3, "too_many", "more dice are seen than the table has", "D5 7.1.1"),
        Code(4, "exposed_early", "the dice were exposed before no more bets", "D5 7.1.3"),
        Code(5, "malfunction", "the dice tumbler malfunctioned", "D5 7.1.2"),
        Code(6, "called", "called by the dealer or above", "D5 7.1"),
        Code(7, "short_spin", "the spin was shorter than the minimum", "D5 7.1.2"),
        Code(8, "weak_spin", "the dice were not tumbled enough", "D5 7.1.2"),
        Code(9, "disturbed", "the table was moved while the dice were read", "D5 7.1.2"),
        Code(10, "disagree", "two opinions about the faces differ", "D5 7.1.2"),
        Code(11, "unreadable", "the faces could not be read", "D5 7.1.2"),
        Code(12, "power_cut", "the power failed during the spin", "D5 7.1.2"),
        Code(13, "cover_open", "the cover was open while the dice were tumbled", "D5 7.1.3"),
        Code(14, "too_many_tags", "one die shows more than one face to the tag reader", "D5 7.1.1"),
        Code(15, "entry_differs", "the dealer's entry differs and the supervisor ruled no spin", "D5 7.1"),
        Code(16, "foreign_object", "something that is no die lies in view", "D5 7.1.1"),
        Code(17, "not_at_rest", "the dice did not come to rest", "D5 7.1.1"),
        Code(18, "wrong_dice", "a die that is not of the table's set", "D5 7.1"),
        Code(19, "door_open", "the service door was opened during the spin", "D5 7.1.2"),
        Code(20, "not_uncovered", "the cover was not opened in time", "D5 7.1.2"),
        Code(21, "stored_badly", "the result could not be stored", "D5 7.1.2"),
        Code(32, "off_table", "a die left the table"),
        Code(33, "stacked", "one die came to rest on another"),
        Code(34, "in_float", "a die came to rest in the float"),
        Code(35, "in_bowl", "a die came to rest in the dice bowl"),
        Code(36, "on_rail", "a die came to rest on the rail"),
        Code(37, "cocked", "a die is cocked"),
        Code(38, "fraud", "the dice were thrown fraudulently"),
        Code(39, "unapproved_dice", "dice that are not approved were thrown"),
        Code(40, "not_simultaneous", "the dice were not thrown together"),
        Code(41, "no_wall", "a die did not reach the end wall"),
        Code(42, "irregular", "the throw was irregular"),
        Code(43, "out_of_view", "the dice left the dealers' sight"),
        Code(44, "face_dispute", "the face is disputed"),
        Code(45, "wrong_shooter", "someone other than the shooter threw"),
        Code(46, "face_undeterminable", "the face cannot be determined"),
    ),
)

SIGHTS = Table(
    "sight",
    "SIGHT",
    "What the camera saw that forbids a result: NO_SPIN.detail is 256 plus this number where the camera refused.",
    (
        Code(1, "dark", "the picture is dark: the lamp"),
        Code(2, "blown_out", "the picture is blown out: too much light"),
        Code(3, "out_of_focus", "the picture is out of focus"),
        Code(4, "cover_closed", "the cover is closed"),
        Code(5, "covered", "something covers the plate or the lens"),
        Code(6, "frozen", "the camera repeats its last picture"),
        Code(7, "torn", "the picture is not whole"),
        Code(8, "dirty", "dome or plate are dirty"),
        Code(9, "moving", "something moves from picture to picture", "D5 7.1.1"),
        Code(10, "cocked", "a die is cocked", "D5 7.1.1"),
        Code(11, "stacked", "a die lies on another", "D5 7.1.1"),
        Code(12, "leaning", "a die leans against the dome", "D5 7.1.1"),
        Code(13, "missing", "fewer dice than the game has", "D5 7.1.1"),
        Code(14, "too_many", "more dice than the game has", "D5 7.1.1"),
        Code(15, "foreign", "something that is no die", "D5 7.1.1"),
        Code(16, "off_centre", "pips that aren't in the middle of their die"),
        Code(17, "unread", "something like a die that can't be read"),
        Code(18, "unexplained", "pips or symbols that belong to no die that was read"),
        Code(19, "no_dice", "no dice"),
        Code(20, "not_calibrated", "the camera is not calibrated"),
        Code(21, "crowded", "more things than the controller can look at"),
        Code(22, "no_answer", "the camera does not answer"),
        Code(23, "colour_differs", "a symbol's colour and its shape say different faces"),
        Code(24, "on_rim", "a die is outside the plate"),
        Code(25, "in_zone", "a die lies in a zone where it does not count"),
    ),
)

LOCKS = Table(
    "lock reason",
    "LOCK",
    "Why the table is locked. Kept in flash; unlocked by supervisor key or area manager once the fault is gone.",
    (
        Code(0, "none", "not locked"),
        Code(1, "self_test", "the self-test failed", "D5 7.4"),
        Code(2, "motor", "the tumbler's motor fails", "D5 7.4"),
        Code(3, "reader", "the dice reader fails", "D5 7.4"),
        Code(4, "dice", "a die or its tags are defective, or the set is not the table's", "D5 7.4"),
        Code(5, "lamps", "the layout's lamps fail", "D5 7.3"),
        Code(6, "storage", "results cannot be stored", "D5 7.4"),
        Code(7, "game_table", "no sound game table"),
        Code(8, "tamper", "the service door was opened or the table was struck"),
        Code(9, "supply", "the supply is out of range", "D5 7.4"),
        Code(10, "commanded", "locked by a supervisor"),
        Code(11, "repeated_no_spin", "the same no spin again and again", "D5 7.4"),
        Code(12, "cover", "the cover switch is implausible", "D5 7.4"),
        Code(13, "panel", "the dealer's panel fails", "D5 7.4"),
        Code(14, "entry", "the dealer's entry differs from the dice; the supervisor rules"),
        Code(15, "internal", "the controller's program failed", "D5 7.4"),
    ),
)

FAULTS = Table(
    "fault",
    "FAULT",
    "Faults that stand now, as bits of STATE.faults.",
    (
        Code(0, "motor_stall", "the motor is driven and does not turn"),
        Code(1, "motor_current", "the motor draws too much current"),
        Code(2, "tachometer", "the tachometer contradicts the motor"),
        Code(3, "cover_switch", "the cover switch is implausible"),
        Code(4, "tag_reader", "the tag reader does not answer"),
        Code(5, "camera", "the camera does not answer"),
        Code(6, "panel", "the panel's key expander does not answer, or a key is stuck"),
        Code(7, "accelerometer", "the accelerometer does not answer"),
        Code(8, "lamps", "lamps are dead: the lamp current is too low"),
        Code(9, "lamp_supply", "the lamp supply or its sensor fails"),
        Code(10, "supply", "the supply voltage is out of range"),
        Code(11, "flash", "the flash cannot be written"),
        Code(12, "game_table", "no sound game table is active"),
        Code(13, "dice_map", "no sound map of the dice tags"),
        Code(14, "die_tag", "a die's tag does not answer"),
        Code(15, "watchdog", "the last reset came from the watchdog"),
        Code(16, "memory", "memory is short"),
        Code(17, "key", "no link key is provisioned"),
        Code(18, "program", "a part of the program failed"),
        Code(19, "door", "the service door is open"),
        Code(20, "tilt", "the table is tilted or was struck"),
        Code(21, "calibration", "the camera is not calibrated"),
    ),
    bits=True,
)

INPUTS = Table(
    "input",
    "INPUT",
    "Switches as bits of STATE.inputs.",
    (
        Code(0, "cover_closed", "the dome is covered"),
        Code(1, "door_closed", "the service door is closed"),
        Code(2, "supervisor", "the supervisor key is turned"),
        Code(3, "motor_on", "the motor is driven"),
        Code(4, "host_up", "a daemon is in session"),
        Code(5, "time_known", "the wall clock was received from the host"),
    ),
    bits=True,
)

READERS = Table(
    "reader",
    "READER",
    "Whose opinions made a result, as bits of RESULT.opinions.",
    (
        Code(0, "tags", "tag reader"),
        Code(1, "pips", "camera, pip components"),
        Code(2, "lattice", "camera, lattice of raw pixels"),
        Code(3, "symbols", "camera, symbols and colours"),
        Code(4, "dealer", "the dealer's entry"),
        Code(5, "supervisor", "the supervisor's ruling"),
    ),
    bits=True,
)

RESULT_FLAGS = Table(
    "result flag",
    "RESULT_FLAG",
    "Circumstances of a result, as bits of RESULT.flags.",
    (
        Code(0, "lamps_failed", "winning areas could not be lit correctly; pay by the dice", "D5 7.3"),
        Code(1, "entered", "the dealer entered the faces and they agree", "D5 5.1.5(a)"),
        Code(2, "offline", "no daemon was in session when the spin ended"),
        Code(3, "no_wagers", "spun without wagers by direction of an area manager", "D5 5.1.7"),
        Code(4, "restored", "read back from the ring after a restart"),
    ),
    bits=True,
)

ROLES = Table(
    "role",
    "ROLE",
    "Who acts. `level` orders authority across the documents: tg_area_manager or above is 40 or more.",
    (
        Code(0, "table", "the table itself"),
        Code(1, "dealer", "dealer", level=10),
        Code(2, "stickperson", "stickperson, stickman", "D2 D3 D4", level=20),
        Code(3, "tg_higher_duties_dealer", "higher duties dealer", "D1 D5", level=20),
        Code(4, "boxperson", "boxperson, boxman, table inspector", "D2 D3 D4", level=30),
        Code(5, "tg_area_manager", "area manager", "D1 D5", level=40),
        Code(6, "gaming_supervisor", "gaming supervisor", "D3", level=40),
        Code(7, "house", "the house", "D2", level=40),
        Code(8, "table_games_management", "table games management", "D4", level=40),
        Code(9, "tg_assistant_casino_manager", "assistant casino manager", "D1 D5", level=50),
        Code(10, "assistant_gaming_manager", "assistant gaming manager", "D3", level=50),
        Code(11, "gaming_manager", "gaming manager", "D3", level=60),
        Code(12, "inspector", "reads everything and commands nothing"),
        Code(13, "technician", "works on the machine and never on a result"),
        Code(14, "daemon", "the table's daemon"),
    ),
)

COMMANDS = Table(
    "command",
    "COMMAND",
    "COMMAND.op: what people ask of the table through the daemon. `level` is the least authority.",
    (
        Code(1, "no_spin", "call a no spin; arg is the cause", "D5 7.1", level=10),
        Code(2, "no_more_bets", "close the bets", "D5 5.1.3", level=10),
        Code(3, "lock", "lock the table", "D5 7.4", level=40),
        Code(4, "unlock", "unlock it, once the fault's self-test passes", "D5 7.4", level=40),
        Code(5, "close_table", "close after arg more spins", level=40),
        Code(6, "open_table", "take back a closing and open the table", level=40),
        Code(7, "game_start", "start at the come-out; wagers' memory is cleared", level=40),
        Code(8, "supervisor_rule", "decide a disputed entry: arg 1 the dice stand, 2 no spin", level=40),
        Code(9, "paid", "all wagers are taken and paid", "D5 5.1.6", level=10),
        Code(10, "spin", "activate the tumbler (cover closed)", "D5 5.1.2", level=10),
        Code(11, "spin_empty", "arg spins without wagers", "D5 5.1.7", level=40),
    ),
)

COMMAND_CODES = Table(
    "command answer",
    "ANSWER",
    "COMMAND_RSP.code: what became of a command.",
    (
        Code(0, "done", "done"),
        Code(1, "wrong_phase", "not in this phase of the round"),
        Code(2, "no_authority", "this role may not"),
        Code(3, "unknown", "no such command"),
        Code(4, "bad_argument", "the argument is out of range"),
        Code(5, "fault_stays", "the fault's self-test still fails"),
        Code(6, "locked", "the table is locked"),
        Code(7, "busy", "busy; ask again"),
        Code(8, "cover_open", "the cover is open"),
    ),
)

SERVICE_OPS = Table(
    "service operation",
    "SERVICE",
    "SERVICE_REQ.op: the technician's requests.",
    (
        Code(1, "info", "versions, identity, limits"),
        Code(2, "self_test", "run the self-test; data names a part, empty for all"),
        Code(3, "motor", "drive the motor: permille i16, ms u16 (cover closed, no play)"),
        Code(4, "tags", "inventory of the tag reader: power u8"),
        Code(5, "lamps", "light a pixel or all: index u16 (65535 all), r g b u8"),
        Code(6, "inputs", "switches, keys and analogue values now"),
        Code(7, "accelerometer", "acceleration now"),
        Code(8, "recall", "record of a spin from the ring: spin u32"),
        Code(9, "log", "send the log as a bulk transfer"),
        Code(10, "frame", "send a camera frame as a bulk transfer"),
        Code(11, "dice_map", "write the map of the dice tags"),
        Code(12, "dice_map_read", "read the map of the dice tags"),
        Code(13, "reset", "restart the controller"),
        Code(14, "bootloader", "restart into the bootloader"),
        Code(15, "enter", "enter service (no play)"),
        Code(16, "leave", "leave service"),
        Code(17, "buzzer", "sound the buzzer: ms u16"),
        Code(18, "update_apply", "apply the received update at the next start"),
        Code(19, "format", "format the store; makes a new epoch (service only)"),
        Code(20, "current", "motor, lamp and supply readings now"),
        Code(21, "settings", "the settings in force"),
        Code(22, "calibration", "write the camera's calibration"),
        Code(23, "calibration_read", "read the camera's calibration"),
        Code(24, "readers", "say what reads the dice, as bits: 1 tags, 2 camera; none: ask"),
        Code(25, "symbols", "write a part of option B's symbols: offset u16, bytes"),
        Code(26, "symbols_read", "read a part of option B's symbols: offset u16"),
        Code(27, "zones", "write the zones of a craps table's picture; none: there are no zones"),
        Code(28, "zones_read", "read the zones of a craps table's picture"),
    ),
)

RESET_CAUSES = Table(
    "reset cause",
    "RESET",
    "Why the controller started.",
    (
        Code(0, "unknown", "unknown"),
        Code(1, "power_on", "power was applied"),
        Code(2, "watchdog", "the watchdog: the program hung"),
        Code(3, "commanded", "restarted by command"),
        Code(4, "crash", "restarted after a program failure"),
        Code(5, "update", "restarted to apply an update"),
        Code(6, "button", "the reset button"),
        Code(7, "soft", "soft reset"),
    ),
)

HOLDS = Table(
    "hold reason",
    "HOLD",
    "Why no new spin may start though nothing is defective.",
    (
        Code(0, "none", "not held"),
        Code(1, "ring_full", "the ring has no room for uncommitted records"),
        Code(2, "journal_failed", "the daemon cannot write its journal"),
        Code(3, "outbox_full", "the daemon cannot publish and its outbox is full"),
        Code(4, "result_refused", "the daemon refused a result; a supervisor rules"),
        Code(5, "no_game_table", "the game table is not the daemon's"),
        Code(6, "commanded", "held by a supervisor"),
        Code(7, "starting", "the daemon is not ready yet"),
        Code(8, "updating", "an update is being received"),
    ),
)

# Not among TABLES: the controller has no room for names that it doesn't use.
DRIFTS = Table(
    "drift",
    "DRIFT",
    "What the camera sees otherwise than at its calibration, slowly averaged; HEALTH.drift and EVENT.a of camera_drift.",
    (
        Code(0, "none", "as calibrated, or no camera"),
        Code(1, "light", "the plate is lighter or darker: lamp, or a dirty dome"),
        Code(2, "focus", "edges are softer or sharper: lens, or a misted dome"),
        Code(3, "scale", "dice are seen larger or smaller: camera or plate moved"),
        Code(4, "dirt", "the bare plate is less even: dust, scratches"),
    ),
)

ENTRIES = Table(
    "entry mode",
    "ENTRY",
    "SETTINGS.entry: whether the dealer enters the faces on the panel.",
    (
        Code(0, "off", "not asked"),
        Code(1, "required", "the dealer enters the faces and confirms", "D5 5.1.5(a)"),
    ),
)

TABLES = (
    PHASES,
    CAUSES,
    SIGHTS,
    LOCKS,
    FAULTS,
    INPUTS,
    READERS,
    RESULT_FLAGS,
    ROLES,
    COMMANDS,
    COMMAND_CODES,
    SERVICE_OPS,
    RESET_CAUSES,
    HOLDS,
    ENTRIES,
)
