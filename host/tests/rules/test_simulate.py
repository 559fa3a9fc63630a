"""The simulator: the same dice again by seed, every wager against its exact edge, honest bounds, and its speed beside a peer."""

import json
from fractions import Fraction
from typing import Any

import pytest
from tumbler.cli.main import main
from tumbler.rules import simulatebench, simulatestats
from tumbler.rules.bookfile import book_ids, load_book
from tumbler.rules.edge import edge_of, find_stake, stakes
from tumbler.rules.edgechain import Result, Stake
from tumbler.rules.edgeview import label
from tumbler.rules.play import Outcome
from tumbler.rules.simulate import simulate
from tumbler.rules.simulatestats import Sample

A, B = "crown-melbourne-sicbo-a", "crown-melbourne-sicbo-b"
CRAPS, PERTH = "crown-melbourne-craps", "crown-perth-crapless"


def stake(book: str, text: str, odds: int = 0) -> Stake:
    return find_stake(load_book(book), text, odds=odds)


@pytest.mark.parametrize("book", book_ids())
def test_every_wager_of_a_book_played_two_million_rolls_fits_its_exact_edge(book: str) -> None:
    played = simulate(book, list(stakes(load_book(book), 1)), 2_000_000, seed=20)
    assert played.rolls >= 2_000_000
    for sample in played.samples:
        assert sample.agrees, (label(sample.edge.stake), sample.distance)


@pytest.mark.parametrize("wager", ["pass", "dont_pass", "come", "dont_come"])
@pytest.mark.parametrize("odds", [1, 3])
def test_a_wager_with_odds_behind_it_fits_the_edge_of_both_together(wager: str, odds: int) -> None:
    (sample,) = simulate(CRAPS, [stake(CRAPS, wager, odds)], 2_000_000, seed=3).samples
    assert sample.agrees


def test_the_other_reading_of_option_b_fits_its_own_edges() -> None:
    both = [stake(B, "single_colour:red"), stake(B, "specific_colour_double:red")]
    words = simulate(B, both, 500_000, seed=5)
    exact = simulate(B, both, 500_000, seed=5, option_b_exact=True)
    assert all(sample.agrees for sample in (*words.samples, *exact.samples))
    assert all(sample.hold < 0 for sample in words.samples)
    assert all(sample.hold > 0 for sample in exact.samples)


def test_a_seed_repeats_the_rolls_and_another_does_not() -> None:
    wagers = [stake(CRAPS, "pass"), stake(CRAPS, "field")]
    first, again, other = (simulate(CRAPS, wagers, 100_000, seed=seed) for seed in (1, 1, 2))
    assert [sample.counts for sample in first.samples] == [sample.counts for sample in again.samples]
    assert [sample.counts for sample in first.samples] != [sample.counts for sample in other.samples]


def test_wagers_at_one_table_are_decided_by_the_same_dice() -> None:
    passes, dont = simulate(CRAPS, [stake(CRAPS, "place_lose:6"), stake(CRAPS, "lay:6")], 100_000, seed=1).samples
    assert [count for _, count in sorted(passes.counts.items())] == [count for _, count in sorted(dont.counts.items())]


def test_a_run_of_one_roll_a_table_is_not_biased_towards_short_lives() -> None:
    # Dropping what is undecided after one roll would leave the naturals and craps: a hold of -1/3.
    (sample,) = simulate(CRAPS, [stake(CRAPS, "pass")], 200_000, seed=8, tables=200_000).samples
    assert sample.decided >= 200_000
    assert abs(sample.distance or 0) < 4


def test_a_wager_that_was_settled_by_other_rules_does_not_fit() -> None:
    (sample,) = simulate(PERTH, [stake(PERTH, "field")], 200_000, seed=1).samples
    assert sample.agrees
    assert Sample(edge_of(CRAPS, stake(CRAPS, "field")), sample.counts).agrees is False


def test_hold_variance_and_bounds_by_hand() -> None:
    one = Fraction(1)
    win, lose = Result(one, one, Outcome.WIN), Result(-one, one, Outcome.LOSE)
    sample = Sample(edge_of(A, stake(A, "big")), {win: 40, lose: 60})
    assert sample.hold == Fraction(1, 5)
    assert sample.variance == pytest.approx(0.96)
    bounds = sample.hold_bounds(0.95)
    reach = 1.95996 * 0.0979796  # of the normal curve, times the root of 0.96 in 100
    assert (bounds.low, bounds.high) == (pytest.approx(0.2 - reach, abs=1e-5), pytest.approx(0.2 + reach, abs=1e-5))
    spread = sample.variance_bounds(0.95)
    assert spread.low < 0.96 < spread.high


def test_hold_is_of_all_that_was_put_up_odds_too() -> None:
    one = Fraction(1)
    sample = Sample(
        edge_of(CRAPS, stake(CRAPS, "pass", 2)),
        {Result(one, one, Outcome.WIN): 1, Result(-3 * one, 3 * one, Outcome.LOSE): 1},
    )
    assert sample.hold == Fraction(2, 4)


def test_few_decisions_tell_nothing() -> None:
    (sample,) = simulate(A, [stake(A, "specific_triple:1")], 500, seed=1).samples
    assert sample.agrees is None


def test_nineteen_of_twenty_bounds_hold_the_exact_edge() -> None:
    wager, edge = stake(CRAPS, "pass"), Fraction(7, 495)
    inside = 0
    for seed in range(300):
        (sample,) = simulate(CRAPS, [wager], 20_000, seed=seed, tables=1000).samples
        bounds = sample.hold_bounds(0.95)
        inside += bounds.low <= edge <= bounds.high
    assert 270 <= inside <= 298  # 285 expected; beyond four standard deviations either way something is wrong


def test_progress_goes_up_to_the_last_roll() -> None:
    seen: list[int] = []
    played = simulate(A, [stake(A, "big")], 1_000_000, seed=1, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == played.rolls
    assert len(seen) > 2


def test_it_is_two_hundred_times_as_fast_as_crapssim_on_the_same_strategy() -> None:
    pytest.importorskip("crapssim", reason="the peer comes with tumbler[bench]")
    (row,) = simulatebench.rows()
    assert row["ratio"] >= 200


def test_the_command_prints_hold_bounds_and_edge(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["simulate", CRAPS, "--rolls", "200000", "--seed", "4", "--wager", "pass", "--odds", "2", "--json"]) == 0
    )
    document: Any = json.loads(capsys.readouterr().out)
    assert (document["book"], document["seed"], document["rolls"] >= 200_000) == (CRAPS, 4, True)
    (row,) = document["rows"]
    assert (row["wager"], row["on"], row["odds"], row["edge"], row["agrees"]) == ("pass", None, 2, "1/165", True)
    assert row["hold_low"] < row["hold"] < row["hold_high"]
    assert row["variance_low"] < row["variance"] < row["variance_high"]
    assert main(["simulate", A, "--rolls", "1000", "--seed", "4", "--progress"]) == 0
    captured = capsys.readouterr()
    assert "100%" in captured.err
    assert "single:6" in captured.out
    assert "too few to tell" in captured.out


def test_rolls_that_do_not_fit_end_with_1_and_the_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(simulatestats, "FAR", 0.0)
    assert main(["simulate", A, "--rolls", "100000", "--seed", "4", "--wager", "big"]) == 1
    assert "do not fit the exact edge of big; seed 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such-book"], "no-such-book"),
        ([A, "--rolls", "0"], "--rolls"),
        ([A, "--rolls", "1e6"], "--rolls"),
        ([A, "--tables", "0"], "--tables"),
        ([A, "--seed", "-1"], "--seed"),
        ([A, "--confidence", "1"], "--confidence"),
        ([A, "--confidence", "nan"], "--confidence"),
        ([A, "--wager", "pass"], "'pass' is no wager"),
        ([CRAPS, "--odds", "2"], "--odds needs --wager"),
        ([CRAPS, "--wager", "field", "--odds", "2"], "takes no odds"),
        ([PERTH, "--list", "9"], "not 9"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["simulate", *arguments])
    except SystemExit as end:
        code = int(str(end.code))
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "")
    assert says in captured.err
    assert captured.err.count("\n") == 1
