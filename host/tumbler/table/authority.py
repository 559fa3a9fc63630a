"""Who may order what at a table: the book's ladder of roles, and the lowest role that each duty of the machine needs.

The ladder and who may declare a spin void are the book's own data; which role the documents give the orders of this
machine to stands here, with their rule numbers. Two stand beside the ladder: an inspector reads everything and commands
nothing; a technician works on the machine and never on a result. Not for telling who is who: access.py.
"""

from __future__ import annotations

from enum import StrEnum

from dicewire.declared.codes import ROLES

from tumbler.rules.book import Book


class Duty(StrEnum):
    READ = "read"
    SERVICE = "service"
    DEAL = "deal"
    CALL_NO_SPIN = "call_no_spin"
    DIRECT = "direct"  # order spins without wagers
    RELEASE = "release"  # let play go on after a malfunction, a refused result or a dispute
    CLOSE_TABLE = "close_table"
    VOID_DISRUPTION = "void_disruption"
    VOID_FRAUD = "void_fraud"


INSPECTOR = "inspector"
TECHNICIAN = "technician"
BESIDE_THE_LADDER = {INSPECTOR: frozenset({Duty.READ}), TECHNICIAN: frozenset({Duty.READ, Duty.SERVICE})}
VOID_CAUSES = {Duty.VOID_DISRUPTION: "disruption", Duty.VOID_FRAUD: "fraud"}

# document -> duty -> (lowest role, rule); what a document is silent about is held as at the Sic Bo table
LEAST: dict[str, dict[Duty, tuple[str, str]]] = {
    "D5": {
        Duty.DEAL: ("dealer", "D5 5.2"),
        Duty.CALL_NO_SPIN: ("dealer", "D5 7.1"),
        Duty.DIRECT: ("tg_area_manager", "D5 5.1.7"),
        Duty.RELEASE: ("tg_area_manager", "D5 7.4"),
        Duty.CLOSE_TABLE: ("tg_higher_duties_dealer", "D5 9.8"),
    },
    "D1": {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("dealer", "D1 5.2"),
        Duty.DIRECT: ("tg_area_manager", ""),
        Duty.RELEASE: ("tg_area_manager", "D1 9.9"),
        Duty.CLOSE_TABLE: ("tg_higher_duties_dealer", "D1 9.7"),
    },
    "D2": {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickman", "D2 11(b)"),
        Duty.DIRECT: ("house", ""),
        Duty.RELEASE: ("house", "D2 14(j)"),
        Duty.CLOSE_TABLE: ("house", "D2 14(i)"),
    },
    "D3": {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickperson", "D3 5.1"),
        Duty.DIRECT: ("gaming_supervisor", ""),
        Duty.RELEASE: ("gaming_supervisor", ""),
        Duty.CLOSE_TABLE: ("gaming_supervisor", "D3 9.8"),
    },
    "D4": {
        Duty.DEAL: ("dealer", ""),
        Duty.CALL_NO_SPIN: ("stickperson", "D4 6.13"),
        Duty.DIRECT: ("table_games_management", ""),
        Duty.RELEASE: ("table_games_management", ""),
        Duty.CLOSE_TABLE: ("table_games_management", "D4 9.4"),
    },
}

# How a document's own word for a role is called on the wire, where it differs.
WIRE_ROLES = {"stickman": "stickperson", "boxman": "boxperson"}


class NoAuthority(Exception):
    """This role may not do this; the message names who may."""

    def __init__(self, text: str, rule: str) -> None:
        super().__init__(text)
        self.rule = rule


def least_role(book: Book, duty: Duty) -> tuple[str, str]:
    """(lowest role, rule) for a duty that the ladder holds."""
    if duty in VOID_CAUSES:
        void = next(one for one in book.voids if one.cause == VOID_CAUSES[duty])
        return void.by, f"{book.document} {void.rule}"
    return LEAST[book.document][duty]


def demand(book: Book, role: str, duty: Duty) -> str:
    """The rule under which this role holds the duty at a table that plays this book; NoAuthority when it doesn't."""
    beside = BESIDE_THE_LADDER.get(role)
    if duty is Duty.READ and (beside is not None or book.rank(role) is not None):
        return ""
    if duty is Duty.SERVICE:
        if beside is not None and duty in beside:
            return ""
        raise NoAuthority("only a technician works on the machine", "")
    words = duty.value.replace("_", " ")
    least, rule = least_role(book, duty) if duty is not Duty.READ else ("", "")
    if beside is not None:
        raise NoAuthority(f"{role} may not {words}", rule)
    if book.rank(role) is None:
        known = ", ".join((*(level.role for level in book.authority), *BESIDE_THE_LADDER))
        raise NoAuthority(f"{role!r} is no role of this book; one of {known}", "")
    if not book.may(role, least):
        raise NoAuthority(f"{words} needs {least} or above, not {role}", rule)
    return rule


def wire_role(role: str) -> int:
    """The number by which the controller knows a role."""
    return ROLES.number(WIRE_ROLES.get(role, role))
