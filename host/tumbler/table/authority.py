"""Who may order what at a table: the ladder of roles of each rule document, and the role that each duty needs.

Taken from the documents, with their rule numbers; `least` is the lowest role that holds a duty, and all above it.
Two stand beside the ladder: an inspector reads everything and commands nothing; a technician works on the machine and
never on a result. Not for telling who is who: access.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dicewire.declared.codes import ROLES


class Duty(StrEnum):
    READ = "read"
    SERVICE = "service"
    DEAL = "deal"
    CALL_NO_SPIN = "call_no_spin"
    DIRECT = "direct"  # order spins without wagers
    RELEASE = "release"
    CLOSE_TABLE = "close_table"
    VOID_DISRUPTION = "void_disruption"
    VOID_FRAUD = "void_fraud"


INSPECTOR = "inspector"
TECHNICIAN = "technician"
BESIDE_THE_LADDER = {INSPECTOR: frozenset({Duty.READ}), TECHNICIAN: frozenset({Duty.READ, Duty.SERVICE})}


@dataclass(frozen=True)
class Document:
    """Roles lowest first; duty -> (least role, rule)."""

    roles: tuple[str, ...]
    least: dict[Duty, tuple[str, str]]


MELBOURNE = ("dealer", "tg_higher_duties_dealer", "tg_area_manager", "tg_assistant_casino_manager")
SIC_BO = Document(
    MELBOURNE,
    {
        Duty.DEAL: ("dealer", "D5 5.1"),
        Duty.CALL_NO_SPIN: ("dealer", "D5 7.1"),
        Duty.DIRECT: ("tg_area_manager", "D5 5.1.7"),
        Duty.RELEASE: ("tg_area_manager", "D5 7.4"),
        Duty.CLOSE_TABLE: ("tg_higher_duties_dealer", "D5 9.8"),
        Duty.VOID_DISRUPTION: ("tg_higher_duties_dealer", "D5 9.4"),
        Duty.VOID_FRAUD: ("tg_assistant_casino_manager", "D5 9.3"),
    },
)
MELBOURNE_CRAPS = Document(
    MELBOURNE,
    {
        Duty.DEAL: ("dealer", "D1 5.1"),
        Duty.CALL_NO_SPIN: ("dealer", "D1 5.2"),
        Duty.DIRECT: ("tg_area_manager", ""),
        Duty.RELEASE: ("tg_area_manager", ""),
        Duty.CLOSE_TABLE: ("tg_higher_duties_dealer", "D1 9.7"),
        Duty.VOID_DISRUPTION: ("tg_area_manager", "D1 9.3"),
        Duty.VOID_FRAUD: ("tg_area_manager", "D1 9.3"),
    },
)
ADELAIDE = Document(
    ("dealer", "stickman", "boxman", "house"),
    {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickman", "D2 11(b)"),
        Duty.DIRECT: ("house", ""),
        Duty.RELEASE: ("house", ""),
        Duty.CLOSE_TABLE: ("house", "D2 14(i)"),
        Duty.VOID_DISRUPTION: ("house", "D2 14(a)"),
        Duty.VOID_FRAUD: ("house", "D2 14(a)"),
    },
)
NEW_SOUTH_WALES = Document(
    ("dealer", "stickperson", "boxperson", "gaming_supervisor", "assistant_gaming_manager", "gaming_manager"),
    {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickperson", "D3 5.1"),
        Duty.DIRECT: ("gaming_supervisor", ""),
        Duty.RELEASE: ("gaming_supervisor", ""),
        Duty.CLOSE_TABLE: ("gaming_supervisor", "D3 9.8"),
        Duty.VOID_DISRUPTION: ("gaming_supervisor", "D3 9.4"),
        Duty.VOID_FRAUD: ("gaming_supervisor", "D3 9.4"),
    },
)
PERTH = Document(
    ("dealer", "stickperson", "boxperson", "table_games_management"),
    {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickperson", "D4 6.14"),
        Duty.DIRECT: ("table_games_management", ""),
        Duty.RELEASE: ("table_games_management", ""),
        Duty.CLOSE_TABLE: ("table_games_management", "D4 9.4"),
        Duty.VOID_DISRUPTION: ("table_games_management", ""),
        Duty.VOID_FRAUD: ("table_games_management", ""),
    },
)

# How a document's own word for a role is called on the wire, where it differs.
WIRE_ROLES = {"stickman": "stickperson", "boxman": "boxperson"}

DOCUMENTS = {
    "crown-melbourne-sicbo-a": SIC_BO,
    "crown-melbourne-sicbo-b": SIC_BO,
    "crown-melbourne-craps": MELBOURNE_CRAPS,
    "crown-melbourne-mini-craps": MELBOURNE_CRAPS,
    "skycity-adelaide-craps": ADELAIDE,
    "nsw-craps": NEW_SOUTH_WALES,
    "crown-perth-crapless": PERTH,
}


class NoAuthority(Exception):
    """This role may not do this; the message names the rule and who may."""

    def __init__(self, text: str, rule: str) -> None:
        super().__init__(text)
        self.rule = rule


def demand(book: str, role: str, duty: Duty) -> str:
    """The rule under which this role holds the duty at a table that plays this book; NoAuthority when it doesn't."""
    document = DOCUMENTS[book]
    beside = BESIDE_THE_LADDER.get(role)
    if beside is not None:
        if duty in beside:
            return ""
        raise NoAuthority(f"{role} may not {duty.value.replace('_', ' ')}", document.least.get(duty, ("", ""))[1])
    if role not in document.roles:
        known = ", ".join((*document.roles, *BESIDE_THE_LADDER))
        raise NoAuthority(f"{role!r} is no role of this book; one of {known}", "")
    if duty is Duty.READ:
        return ""
    if duty is Duty.SERVICE:
        raise NoAuthority("only a technician works on the machine", "")
    least, rule = document.least[duty]
    if document.roles.index(role) < document.roles.index(least):
        raise NoAuthority(f"{duty.value.replace('_', ' ')} needs {least} or above, not {role}", rule)
    return rule


def wire_role(role: str) -> int:
    """The number by which the controller knows a role."""
    return ROLES.number(WIRE_ROLES.get(role, role))
