"""The recorder's database, on SQLite and on PostgreSQL alike: a game once, gaps seen, nothing half done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tumbler.recorder.game import Game, Gap, NotAGame, Void, read
from tumbler.recorder.missing import FIRST_AGAIN_S, PATIENCE_S, Missing
from tumbler.recorder.store import Store, StoreFailed, StoreUnusable, open_store

Told = Callable[..., bytes]
RESULT = "tumbler/v1/north/t1/result"


def game(told: Told, spin: int, *, topic: str = RESULT, **more: Any) -> Game:
    made = read(topic, told(spin, **more))
    assert isinstance(made, Game)
    return made


def test_a_game_is_stored_once_however_often_it_comes(store: Store, where: str, told: Told) -> None:
    games = [game(told, n) for n in (1, 2, 3, 2, 1)]
    assert store.add(games).new == 3
    again = store.add(games)
    assert (again.new, again.repeated, again.conflicts) == (0, 5, 0)
    assert [row[0][-1] for row in store.results("north", "t1")] == ["1", "2", "3"]
    other = open_store(where)  # another instance on the same database
    assert other.add(games[:1]).repeated == 1
    assert other.count() == 3
    other.close()


def test_tables_and_sites_have_spins_of_their_own(store: Store, told: Told) -> None:
    topics = [RESULT, "tumbler/v1/north/t2/result", "tumbler/v1/south/t1/result"]
    assert store.add([game(told, 1, topic=topic) for topic in topics]).new == 3


def test_two_contents_for_one_id_are_both_kept_and_said(store: Store, told: Told) -> None:
    store.add([game(told, 1, faces=(1, 2, 3))])
    added = store.add([game(told, 1, faces=(6, 6, 6))])
    assert added.conflicts == 1
    assert store.results("north", "t1")[0][1] == "1 2 3"
    assert store.count("conflict") == 1


def test_a_void_finds_its_result_also_when_it_came_first(store: Store, told: Told) -> None:
    void = read("tumbler/v1/north/t1/event/void", b'{"result_id": "0badcafe-00000002", "cause": "fraud"}')
    assert void == Void("north", "t1", "0badcafe-00000002", "fraud", None)
    store.add([void, void])
    store.add([game(told, n) for n in (1, 2)])
    assert [row[3] for row in store.results("north", "t1")] == [None, "fraud"]


def test_missing_spins_are_seen_and_no_spins_fill_them(store: Store, told: Told) -> None:
    store.add([game(told, n) for n in (1, 2, 5, 6, 10)])
    assert store.gaps() == [Gap("north", "t1", "0badcafe", 3, 4, 10), Gap("north", "t1", "0badcafe", 7, 9, 10)]
    lost = {"result_id": "0badcafe-00000003", "spin": 3, "cause": "not_flat"}
    store.add([read("tumbler/v1/north/t1/event/no_spin", json.dumps(lost).encode()), game(told, 4)])
    assert [gap.first for gap in store.gaps()] == [7]


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        (RESULT, b"not JSON"),
        (RESULT, b"[]"),
        (RESULT, b"{}"),
        (RESULT, b'{"result_id": "nonsense", "faces": [1], "total": 1}'),
        (RESULT, b'{"result_id": "0badcafe-00000001", "faces": "123", "total": null}'),
        ("tumbler/v1/north/t1/round", b"{}"),
        ("elsewhere", b"{}"),
    ],
)
def test_what_is_no_game_is_refused(topic: str, payload: bytes) -> None:
    with pytest.raises(NotAGame):
        read(topic, payload)


def test_a_wrong_address_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="folder does not exist"):
        open_store(str(tmp_path / "nowhere" / "games.db"))
    with pytest.raises(StoreUnusable, match="neither a path nor"):
        open_store("mysql://here")
    (tmp_path / "text").write_text("this is not a database, though long enough to be one" * 50)
    with pytest.raises(StoreFailed, match="not a database"):
        open_store(str(tmp_path / "text"))


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreFailed) as failed:
        open_store(f"postgresql://kim:secret@localhost:1/games?host={tmp_path}")
    assert "secret" not in str(failed.value)


def test_a_database_that_was_away_is_used_again(postgres: Any, told: Told) -> None:
    store = open_store(postgres.address)
    store.add([game(told, 1)])
    before = store.count()
    postgres.stop()
    with pytest.raises(StoreFailed):
        store.add([game(told, 900)])
    postgres.start()
    store.add([game(told, 900)])
    assert store.count() == before + 1
    store.close()


# --- asking for what is missing ---------------------------------------------------------------------------------------


def test_a_gap_is_given_a_moment_then_asked_for_less_and_less(told: Told) -> None:
    missing = Missing("rec", "inspector", None)
    gaps = [Gap("north", "t1", "e", 3, 4, 10), Gap("north", "t1", "e", 7, 7, 10)]
    assert list(missing.requests(gaps, 0)) == []
    ((topic, payload),) = missing.requests(gaps, PATIENCE_S)  # one request a table brings both
    assert topic == "tumbler/v1/north/t1/cmd/recall"
    assert json.loads(payload)["args"] == {"n": 28}
    asked = [t / 2 for t in range(8, 200) if list(missing.requests(gaps[:1], t / 2))]
    assert asked == [PATIENCE_S + FIRST_AGAIN_S, PATIENCE_S + 3 * FIRST_AGAIN_S, PATIENCE_S + 7 * FIRST_AGAIN_S]


def test_a_gap_far_back_is_filled_from_its_end_a_piece_at_a_time() -> None:
    missing = Missing("rec", "inspector", None)
    long = Gap("north", "t1", "0badcafe", 3, 402, 900)
    list(missing.requests([long], 0))
    ((_, payload),) = missing.requests([long], PATIENCE_S)
    assert json.loads(payload)["args"] == {"n": 200, "before": "0badcafe-00000403"}
    rest = Gap("north", "t1", "0badcafe", 3, 202, 900)
    assert list(missing.requests([rest], PATIENCE_S + 1)) == []
    ((_, payload),) = missing.requests([rest], 2 * PATIENCE_S + 1)  # not as late as one that was asked for in vain
    assert json.loads(payload)["args"] == {"n": 200, "before": "0badcafe-00000203"}


def test_an_answer_counts_only_when_it_was_asked_for(told: Told) -> None:
    missing = Missing("rec", "inspector", b"k" * 32)
    gap = Gap("north", "t1", "e", 1, 1, 2)
    list(missing.requests([gap], 0))
    ((_, payload),) = missing.requests([gap], PATIENCE_S)
    command = json.loads(payload)
    assert len(command["sig"]) == 64
    data = [{"kind": "result", **json.loads(told(1)), "wire": {"x": 1}}]
    answer = {"id": command["id"], "ok": True, "code": "done", "text": "", "data": data}
    with pytest.raises(NotAGame):
        missing.answered(json.dumps({**answer, "id": "another"}).encode())
    (recalled,) = missing.answered(json.dumps(answer).encode())
    assert (recalled.site, recalled.table, recalled.faces) == ("north", "t1", "1 2 3")
    assert "wire" not in json.loads(recalled.body)
    with pytest.raises(NotAGame):
        missing.answered(json.dumps(answer).encode())  # once
