"""The page in a real browser, against a real daemon: what a person at the table would see."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect
from tumbler.console.layout import describe
from tumbler.rules.bookfile import load_book
from tumbler.rules.gametable import compile_book
from tumbler.twin.chips.dice import FACE_NORMALS

BOOKS = (
    "crown-melbourne-sicbo-a",
    "crown-melbourne-sicbo-b",
    "crown-melbourne-craps",
    "crown-melbourne-mini-craps",
    "skycity-adelaide-craps",
    "nsw-craps",
    "crown-perth-crapless",
)
LIT = "[...document.querySelectorAll('.area.lit')].map(area => area.dataset.area).sort()"


def lit(page: Page) -> list[str]:
    return list(page.evaluate(LIT))


def test_a_round_is_followed_from_bets_to_lamps(rig, page: Page) -> None:
    page.goto(rig.start())
    expect(page.locator("#phase")).to_have_text("Place your bets")
    expect(page.locator("#result")).to_have_text("No result yet")
    rig.phase("spinning", "cover_closed", "door_closed")
    expect(page.locator("#phase")).to_have_text("Spinning")
    expect(page.locator(".cover")).to_have_class("cover closed")
    rig.phase("no_more_bets", "cover_closed", "door_closed")
    expect(page.locator("#phase")).to_have_text("No more bets")
    assert lit(page) == []

    areas = rig.spin(3, 4, 5)
    rig.phase("result", "door_closed")
    expect(page.locator("#phase")).to_have_text("Result")
    expect(page.locator(".area.lit").first).to_be_visible()
    assert lit(page) == sorted(areas)
    expect(page.locator("#result .sum b")).to_have_text("12")
    expect(page.locator("#result .sum span")).to_have_text("big, even")
    expect(page.locator("#dome svg")).to_have_attribute("data-faces", "3 4 5")
    expect(page.locator("[data-area='total:12']")).to_have_attribute("aria-label", re.compile("wins$"))
    expect(page).to_have_title("Result · t1 · Tumbler")

    rig.phase("betting_open", "door_closed")
    expect(page.locator("#phase")).to_have_text("Place your bets")
    assert lit(page) == []
    expect(page.locator("[data-area='total:12']")).to_have_class(re.compile("won"))


def test_last_games_say_what_fell_and_what_did_not_count(rig, page: Page) -> None:
    url = rig.start()
    rig.spin(1, 1, 1)
    rig.peer.no_spin(1)
    rig.spin(2, 3, 6)
    page.goto(url)
    games = page.locator("#road .game")
    expect(games).to_have_count(3)
    expect(games.nth(0).locator(".total")).to_have_text("11")
    expect(games.nth(1)).to_contain_text("NO SPIN")
    expect(games.nth(1)).to_contain_text("not flat")
    expect(games.nth(2)).to_contain_text("triple 1")
    expect(page.locator("#road-note")).to_have_text("big 1 · small 0 · triple 1 · 1 no spin")
    expect(page.locator("#events")).to_contain_text("no spin")


def test_a_void_result_is_struck_out_while_the_page_is_open(rig, page: Page) -> None:
    page.goto(rig.start())
    rig.spin(2, 2, 5)
    expect(page.locator("#road .game")).to_have_count(1)
    result_id = page.locator("#road .game").get_attribute("data-result")
    order = {"id": 1, "by": "me", "role": "tg_area_manager", "args": {"result_id": result_id, "cause": "disruption"}}
    rig.floor.publish("t1/cmd/void", order)
    expect(page.locator("#road .game")).to_have_class("game void")
    expect(page.locator("#result")).to_contain_text("void: disruption")
    page.reload()
    expect(page.locator("#road .game")).to_have_class("game void")


def test_a_lock_is_said_with_its_reason_and_who_may_lift_it(rig, page: Page) -> None:
    page.goto(rig.start())
    rig.phase("locked", "supervisor", lock="motor")
    expect(page.locator("#phase")).to_have_text("Locked")
    expect(page.locator(".chip[data-part=Table]")).to_have_class(re.compile("bad"))
    authority = page.locator("#authority")
    expect(authority).to_contain_text("TG Area Manager or above (D5 7.4)")
    expect(authority).to_contain_text("turned")
    assert page.evaluate("document.body.dataset.phase") == "locked"


def test_health_of_controller_broker_and_journal_is_seen(rig, page: Page) -> None:
    page.goto(rig.start())
    for part in ("Controller", "Broker", "Journal", "Table"):
        expect(page.locator(f".chip[data-part={part}]")).to_have_class(re.compile("good"))
    rig.peer.unplug()
    expect(page.locator(".chip[data-part=Controller]")).to_have_class(re.compile("bad"))
    expect(page.locator("#phase")).to_have_text("No controller")
    rig.broker.stop()
    expect(page.locator(".chip[data-part=Broker]")).to_have_class(re.compile("bad"))
    rig.peer.plug()
    expect(page.locator(".chip[data-part=Controller]")).to_have_class(re.compile("good"))
    expect(page.locator("#health")).to_contain_text("peer on pty")


def test_a_daemon_that_was_killed_is_said_and_then_found_again(make_rig, port: int, page: Page, complaints) -> None:
    complaints.allowed = "WebSocket connection|ERR_CONNECTION"
    rig = make_rig(console=f'listen = "127.0.0.1:{port}"')
    page.goto(rig.start())
    rig.spin(1, 2, 3)
    expect(page.locator("#road .game")).to_have_count(1)
    rig.daemons[-1].kill()
    expect(page.locator("#alarm")).to_contain_text("No connection to the daemon")
    rig.spin(4, 5, 6)
    rig.start()
    expect(page.locator("#alarm")).to_be_hidden()
    expect(page.locator("#road .game")).to_have_count(2)


def test_nothing_is_fetched_from_elsewhere(rig, page: Page, complaints) -> None:
    url = rig.start()
    page.goto(url)
    expect(page.locator(".area").first).to_be_visible()
    hosts = {urlsplit(request).netloc for request in complaints.requests}
    assert hosts == {urlsplit(url).netloc}
    assert len(complaints.requests) > 10
    for file in Path(__file__).parents[2].joinpath("tumbler/console/static").rglob("*.*"):
        outside = re.findall(r"https?://(?!www\.w3\.org/2000/svg)[^\s\"']+", file.read_text())
        assert outside == [], file.name


def test_what_the_controller_says_never_becomes_markup(rig, page: Page) -> None:
    page.goto(rig.start())
    rig.peer.event(4, severity=2, text="<img src=x onerror=alert(1)>")
    expect(page.locator("#events")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#events img").count() == 0


@pytest.mark.parametrize("width", [360, 768, 1024, 1920])
def test_the_page_fits_every_screen(rig, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(rig.start())
    expect(page.locator(".area").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_area_of_every_book_has_its_place(rig, page: Page) -> None:
    page.goto(rig.start())
    lay = """async (table) => {
        const { Felt } = await import("/static/js/felt.js");
        const parent = document.createElement("div");
        new Felt(parent).lay(table);
        const names = (found) => [...found].map((area) => [area.dataset.area, area.getAttribute("aria-label"), area.textContent]);
        return { all: names(parent.querySelectorAll(".area")), others: names(parent.querySelectorAll(".others .area")) };
    }"""
    for book in BOOKS:
        table = describe(load_book(book), compile_book(book).areas)
        laid = page.evaluate(lay, table)
        assert sorted(row[0] for row in laid["all"]) == sorted(area["id"] for area in table["areas"]), book
        assert laid["others"] == [], book
        for area, label, _ in laid["all"]:
            assert re.search(r"pays \S", label), (book, area)


def test_an_area_that_no_layout_knows_still_gets_a_lamp(rig, page: Page) -> None:
    page.goto(rig.start())
    table = describe(load_book(BOOKS[0]), compile_book(BOOKS[0]).areas)
    table["areas"].append({**table["areas"][0], "id": "new_wager", "wager": "new_wager", "name": "New Wager"})
    others = page.evaluate("""async (table) => (await import("/static/js/layouts.js")).layoutOf(table).at(-1)""", table)
    assert others == {"kind": "others", "title": "Others", "ids": ["new_wager"]}


def test_craps_shows_puck_point_and_calls(make_rig, page: Page) -> None:
    rig = make_rig("crown-melbourne-craps")
    page.goto(rig.start())
    rig.spin(2, 4)
    rig.phase("result", puck=6)
    expect(page.locator("#result .sum span")).to_have_text("point is 6")
    expect(page.locator(".column", has_text="Place").locator(".puck:visible")).to_have_count(1)
    expect(page.locator("#felt")).to_have_attribute("data-puck", "6")
    areas = rig.spin(1, 5)
    rig.phase("result")
    expect(page.locator("#result .sum span")).to_have_text("point made")
    assert "pass" in areas
    assert lit(page) == sorted(areas)
    expect(page.locator(".puck:visible")).to_have_count(0)


def test_dice_of_the_page_have_the_faces_where_the_twins_have_them(rig, page: Page) -> None:
    page.goto(rig.start())
    got = page.evaluate(
        """async () => {
            const { FACES } = await import("/static/js/dome.js");
            const { FACE_UP, rotate } = await import("/static/js/turn.js");
            return Object.keys(FACES).map((face) => [Number(face), FACES[face][0], rotate(FACE_UP[face], FACES[face][0])]);
        }"""
    )
    assert {face: tuple(normal) for face, normal, _ in got} == FACE_NORMALS
    for _, _, up in got:
        assert up == pytest.approx([0, 0, 1], abs=1e-9)


class PoseServer:
    """Speaks as a twin's control socket does when it is asked for poses."""

    def __init__(self, path: Path) -> None:
        self.asked: list[Any] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._stop = threading.Event()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        with client, client.makefile("rwb") as stream:
            self.asked.append(json.loads(stream.readline()))
            for n in range(100_000):
                if self._stop.wait(1 / 30):
                    return
                dice = [
                    {"p": [0.02 * die - 0.02, 0.0, 0.008 + 0.0001 * (n % 50)], "q": [1, 0, 0, 0]} for die in range(3)
                ]
                stream.write(json.dumps({"t": n / 30, "cover": True, "rpm": 0.0, "dice": dice}).encode() + b"\n")
                stream.flush()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self._listener.close()


@pytest.fixture
def poses(tmp_path: Path) -> Iterator[PoseServer]:
    server = PoseServer(tmp_path / "twin.sock")
    yield server
    server.stop()


def test_dice_lie_as_the_twin_says_while_it_says_so(
    make_rig: Callable[..., Any], tmp_path: Path, page: Page, poses: PoseServer
) -> None:
    rig = make_rig(console='listen = "127.0.0.1:0"\nposes = "twin.sock"')
    page.goto(rig.start())
    dome = page.locator("#dome svg")
    expect(dome).to_have_attribute("data-source", "twin")
    assert poses.asked == [{"do": "poses", "hz": 30}]
    expect(page.locator(".cover")).to_have_class("cover closed")
    face = "document.querySelector('.cube g:not([display=none])').getAttribute('transform')"
    before = page.evaluate(face)
    page.wait_for_function(f"(before) => {face} !== before", arg=before)
    poses.stop()
    expect(dome).to_have_attribute("data-source", "results")
