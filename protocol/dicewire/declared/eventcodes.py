"""The controller's events (EVENT.code): number, name, text, severity, and kind, the MQTT topic `event/{kind}`.

`{a}` and `{b}` in a text are the event's two integers, `{text}` its string.
"""

from dicewire.declared.table import Code, Table

INFO, WARNING, ERROR, CRITICAL = 0, 1, 2, 3

SEVERITIES = Table(
    "severity",
    "SEVERITY",
    "How much an event matters.",
    (
        Code(INFO, "info", "normal work"),
        Code(WARNING, "warning", "look at it when there is time"),
        Code(ERROR, "error", "something failed"),
        Code(CRITICAL, "critical", "play stopped"),
    ),
)

EVENTS = Table(
    "event",
    "EVENT",
    "What the controller reports beside results.",
    (
        Code(1, "boot", "started, reset cause {a}, boot {b}", level=INFO, kind="access"),
        Code(2, "self_test_passed", "self-test passed in {a} ms", level=INFO, kind="access"),
        Code(3, "self_test_failed", "self-test failed: {text} (fault bit {a})", level=CRITICAL, kind="fault"),
        Code(4, "program_failed", "a part of the program failed: {text}", level=ERROR, kind="fault"),
        Code(10, "fault_set", "fault bit {a} has come: {text}", level=ERROR, kind="fault"),
        Code(11, "fault_cleared", "fault bit {a} has gone: {text}", level=INFO, kind="fault"),
        Code(12, "locked", "table locked, reason {a}: {text}", level=CRITICAL, kind="fault"),
        Code(13, "unlocked", "table unlocked by role {a}", level=INFO, kind="access"),
        Code(14, "lamp_dead", "lamp current {a} mA where {b} mA were expected", level=WARNING, kind="fault"),
        Code(15, "memory_low", "heap down to {a} bytes", level=WARNING, kind="fault"),
        Code(16, "loop_slow", "the loop took {a} ms", level=WARNING, kind="fault"),
        Code(17, "hold", "no new spin, hold reason {a}", level=WARNING, kind="refused"),
        Code(18, "hold_over", "hold over", level=INFO, kind="refused"),
        Code(20, "spin_refused", "spin refused: cause {a}", level=INFO, kind="refused"),
        Code(21, "key_refused", "key {a} has no meaning in phase {b}", level=INFO, kind="refused"),
        Code(22, "entry_differs", "dealer entered {text}, the dice show {a}", level=WARNING, kind="refused"),
        Code(23, "command_refused", "command {a} refused, answer {b}", level=WARNING, kind="refused"),
        Code(24, "record_unsound", "record of spin {a} cannot be read", level=ERROR, kind="fault"),
        Code(25, "camera_drift", "the camera drifts from its calibration: {text}", level=WARNING, kind="fault"),
        Code(26, "evidence_lost", "the picture of spin {a} could not be kept: {text}", level=WARNING, kind="fault"),
        Code(30, "door_opened", "service door opened", level=WARNING, kind="tamper"),
        Code(31, "door_closed", "service door closed", level=INFO, kind="tamper"),
        Code(32, "struck", "table struck or tilted: {a} mg", level=WARNING, kind="tamper"),
        Code(33, "strange_tag", "a tag that is not of the table's set: {text}", level=WARNING, kind="tamper"),
        Code(34, "auth_failed", "a host failed to authenticate ({a} times)", level=WARNING, kind="tamper"),
        Code(35, "tag_failed", "{a} frames with a wrong tag", level=WARNING, kind="tamper"),
        Code(36, "supervisor_on", "supervisor key turned on", level=INFO, kind="access"),
        Code(37, "supervisor_off", "supervisor key turned off", level=INFO, kind="access"),
        Code(40, "host_up", "a daemon came into session", level=INFO, kind="access"),
        Code(41, "host_down", "the daemon's session ended, reason {a}", level=WARNING, kind="access"),
        Code(42, "settings_changed", "settings changed", level=INFO, kind="access"),
        Code(43, "game_changed", "game table {text} in use", level=INFO, kind="access"),
        Code(44, "game_refused", "game table refused: {text}", level=ERROR, kind="refused"),
        Code(45, "service_entered", "service entered", level=INFO, kind="access"),
        Code(46, "service_left", "service left", level=INFO, kind="access"),
        Code(47, "closing", "closing after {a} more spins", level=INFO, kind="access"),
        Code(48, "command_done", "command {a} done by role {b}", level=INFO, kind="access"),
        Code(49, "calibrated", "calibration {text} of the camera in use", level=INFO, kind="access"),
        Code(50, "update_received", "update received", level=INFO, kind="update"),
        Code(51, "update_applied", "update applied: {text}", level=INFO, kind="update"),
        Code(52, "update_refused", "update refused: {text}", level=ERROR, kind="update"),
        Code(53, "update_rolled_back", "update rolled back: {text}", level=ERROR, kind="update"),
        Code(54, "store_formatted", "store formatted, new epoch {text}", level=WARNING, kind="access"),
    ),
)

TABLES = (SEVERITIES, EVENTS)
