"""Every topic of a table, once: name, quality, retained or not, how long it lives, its schema and what it says.

The link sends by this table, docs/mqtt.md and docs/asyncapi.yaml are made from it (tumbler/mqttdocs.py), and the tests hold
every payload against its schema. Not for sending: link.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tumbler.mqtt import schemas
from tumbler.mqtt.schemas import Schema

PREFIX = "tumbler/v1"
DIAG_EXPIRY_S = 60


class Direction(StrEnum):
    OUT = "daemon to floor"
    IN = "floor to daemon"


@dataclass(frozen=True)
class Topic:
    name: str  # below tumbler/v1/{site}/{table}/; `{...}` stands for one level
    qos: int
    retained: bool
    schema: Schema
    text: str
    direction: Direction = Direction.OUT
    expiry_s: int | None = None  # message expiry; the sender may shorten or lengthen it where the text says so
    assured: bool = False  # goes through the outbox: kept until the broker has it, over restarts

    def matches(self, leaf: str) -> bool:
        pattern, given = self.name.split("/"), leaf.split("/")
        return len(pattern) == len(given) and all(
            want.startswith("{") or want == have for want, have in zip(pattern, given, strict=True)
        )


TOPICS: tuple[Topic, ...] = (
    Topic(
        "state", 1, True, schemas.STATE, "Daemon liveness. Offline is said by the stopping daemon or by its last will."
    ),
    Topic("link", 1, True, schemas.LINK, "Controller liveness, apart from the daemon's."),
    Topic("info", 1, True, schemas.INFO, "Versions, book, game table hash, identity of the controller."),
    Topic("health", 1, True, schemas.HEALTH, "Counters and gauges. Expires at twice its interval."),
    Topic("round", 1, True, schemas.ROUND, "Where the round of play stands."),
    Topic("result", 1, False, schemas.RESULT, "Every valid result, in order, once per `result_id`.", assured=True),
    Topic("result/last", 1, True, schemas.RESULT, "The newest result again, for those who come late."),
    Topic(
        "event/{kind}",
        1,
        False,
        schemas.EVENT,
        "What happened beside results: no_spin, refused, fault, void, tamper, access, update.",
        assured=True,
    ),
    Topic(
        "cmd/{name}",
        1,
        False,
        schemas.COMMAND,
        "An order to the table. Never retained: a retained one is refused.",
        direction=Direction.IN,
    ),
    Topic(
        "rsp/{name}",
        1,
        False,
        schemas.RESPONSE,
        "The answer to `cmd/{name}`, with its id; on the request's own response topic where it named one.",
    ),
    Topic(
        "diag/{what}",
        0,
        False,
        schemas.DIAG,
        "For technicians: `log` lines and `frame` pictures. Expiring, never assured.",
        expiry_s=DIAG_EXPIRY_S,
    ),
)


def topic_of(leaf: str) -> Topic:
    """The row of a leaf such as `event/no_spin`; ValueError when the design has no such topic."""
    for topic in TOPICS:
        if topic.matches(leaf):
            return topic
    raise ValueError(f"there is no topic {leaf!r}; one of {', '.join(topic.name for topic in TOPICS)}")


def full_name(site: str, table: str, leaf: str) -> str:
    for word in (site, table):
        if not word or any(character in word for character in "/+#\0"):
            raise ValueError(f"{word!r} cannot be a level of a topic")
    return f"{PREFIX}/{site}/{table}/{leaf}"
