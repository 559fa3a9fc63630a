"""The daemon warns the operator of wagers on which the player has the edge, and of no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tumbler.bench.peer import ControllerPeer
from tumbler.bench.processes import Daemon, Subscriber

Run = Callable[..., Daemon]
OPTION_A, OPTION_B = 'book = "crown-melbourne-sicbo-a"', 'book = "crown-melbourne-sicbo-b"'


def warned(floor: Subscriber) -> list[str]:
    return [event["text"] for event in floor.of("t1/event/fault") if event["code"] == "player_edge"]


def test_option_b_as_printed_is_told_at_the_start(
    run: Run, peer: ControllerPeer, floor: Subscriber, config: Path
) -> None:
    config.write_text(config.read_text().replace(OPTION_A, OPTION_B))
    run()
    floor.wait(lambda at: len(warned(at)) == 2)
    assert {text.split("(")[1].split(")")[0] for text in warned(floor)} == {"single_colour", "specific_colour_double"}


def test_option_b_read_exactly_is_no_warning(run: Run, peer: ControllerPeer, floor: Subscriber, config: Path) -> None:
    config.write_text(config.read_text().replace(OPTION_A, f"{OPTION_B}\noption_b_exact = true"))
    run()
    floor.wait_for("t1/state", lambda state: state["state"] == "online")
    floor.wait_for("t1/link", lambda link: link["state"] == "up")  # told after the warnings would have been
    assert not warned(floor)
