"""Enumerations of the wire itself: refusals of a session, ends of a session, bulk transfers, game tables."""

from dicewire.declared.table import Code, Table

REFUSALS = Table(
    "refusal",
    "REFUSAL",
    "Why a session is not opened, or a message not taken. REFUSE.code and the REFUSED event.",
    (
        Code(1, "schema", "the two sides speak different versions"),
        Code(2, "key", "the proof does not match: the two sides hold different keys"),
        Code(3, "limits", "a frame or window limit that cannot be met"),
        Code(4, "unknown_message", "a message that this side does not know"),
        Code(5, "bad_message", "a message that does not fit its declaration"),
        Code(6, "silent", "nothing answers on the port"),
        Code(7, "foreign", "something answers on the port that is no dicewire controller"),
        Code(8, "no_proof", "the controller answers HELLO but not the proof"),
    ),
)

DOWNS = Table(
    "down reason",
    "DOWN",
    "Why a session ended. The DOWN event.",
    (
        Code(1, "silent", "the peer has not answered for too long"),
        Code(2, "no_progress", "a message could not be delivered however often it was sent"),
        Code(3, "peer_restarted", "the peer does not know this session any more"),
        Code(4, "replaced", "the peer opened a new session"),
        Code(5, "closed_by_peer", "the peer closed the session"),
        Code(6, "closed", "closed by this side"),
        Code(7, "port_lost", "the port is gone"),
    ),
)

BULK_KINDS = Table(
    "bulk kind",
    "BULK",
    "What a bulk transfer carries.",
    (
        Code(1, "game_table", "compiled game table, host to controller"),
        Code(2, "log", "the controller's log, controller to host"),
        Code(3, "frame", "camera frame, controller to host"),
        Code(4, "update", "firmware update, host to controller"),
        Code(
            5, "evidence", "the picture that a no spin was called by, controller to host; docs/camera.md has its head"
        ),
    ),
)

BULK_CODES = Table(
    "bulk code",
    "BULK_CODE",
    "How a bulk transfer ended.",
    (
        Code(0, "ok", "complete, the SHA-256 is right"),
        Code(1, "refused", "the receiver does not want it"),
        Code(2, "too_large", "larger than the receiver can hold"),
        Code(3, "wrong_hash", "complete, but the SHA-256 differs"),
        Code(4, "store_failed", "the receiver could not store it"),
        Code(5, "source_failed", "the sender could not read it"),
        Code(6, "cancelled", "cancelled"),
        Code(7, "out_of_order", "data at an offset that was not asked for"),
        Code(8, "busy", "another transfer in that direction is under way"),
    ),
)

GAME_CODES = Table(
    "game code",
    "GAME",
    "GAME_ACTIVE.code: whether the game table is in use.",
    (
        Code(0, "ok", "in use"),
        Code(1, "absent", "the controller has no table of that hash: send it"),
        Code(2, "unsound", "the table is not sound"),
        Code(3, "busy", "a spin is under way: ask again when betting is open"),
        Code(4, "too_large", "more pixels, areas or states than the controller has"),
    ),
)

TABLES = (REFUSALS, DOWNS, BULK_KINDS, BULK_CODES, GAME_CODES)
