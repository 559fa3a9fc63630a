"""What several sizes of one picture say together: a die that most read alike is believed, a stray mark of one size is nothing."""

import pytest
from controller.reader import accord, pool, scene

DICE = ((4, 100.0, 100.0), (2, 200.0, 120.0), (6, 150.0, 220.0))


def size(*dice, troubles=(), scale=1.0):
    """`troubles`: reason, the number that was thought of or 0, and the place."""
    seen = [accord.Seen(number, x * scale, y * scale, 0.9, 30.0 * scale) for number, x, y in dice]
    spots = [(reason, accord.Seen(number, x * scale, y * scale, 0.0, 30.0)) for reason, number, x, y in troubles]
    return pool.Size(scene.judged(seen, spots, 0), scale)


def together(*sizes, dice=0):
    verdict = pool.verdict(list(sizes), dice)
    return verdict.reason, sorted(die.number for die in verdict.dice)


def test_each_size_may_see_a_stray_mark_of_its_own():
    marks = [(scene.UNEXPLAINED, 0, 20.0 + 60 * k, 300.0) for k in range(4)]
    assert together(*[size(*DICE, troubles=(mark,)) for mark in marks]) == (scene.OK, [2, 4, 6])


def test_a_mark_that_two_sizes_see_is_not_explained_away():
    mark = (scene.UNEXPLAINED, 0, 20.0, 300.0)
    reason, _ = together(size(*DICE, troubles=(mark,)), size(*DICE), size(*DICE, troubles=(mark,)), size(*DICE))
    assert reason == scene.UNEXPLAINED


def test_a_die_that_a_single_size_could_not_read_is_not_left_out():
    unsure = (scene.UNREAD, 3, 20.0, 300.0)
    reason, _ = together(size(*DICE, troubles=(unsure,)), size(*DICE), size(*DICE), size(*DICE))
    assert reason == scene.UNREAD


def test_a_die_that_one_size_lost_is_read_by_the_others():
    lost = size(*DICE[:2], troubles=((scene.UNREAD, 0, 150.0, 220.0),), scale=2.0)
    assert together(lost, size(*DICE), size(*DICE, scale=1.125), size(*DICE)) == (scene.OK, [2, 4, 6])


@pytest.mark.parametrize("sure", [True, False])
def test_two_numbers_for_one_die_are_never_settled_by_vote(sure):
    doubt = (accord.DISAGREE, 5, 151.0, 221.0)
    other = size(*DICE[:2], (5, 151.0, 221.0)) if sure else size(*DICE[:2], troubles=(doubt,))
    reason, _ = together(size(*DICE), other, size(*DICE), size(*DICE))
    assert reason == accord.DISAGREE


def test_a_die_that_only_two_sizes_read_is_refused():
    reason, _ = together(size(*DICE), size(*DICE), size(*DICE[:2]), size(*DICE[:2]))
    assert reason == accord.DISAGREE


def test_part_of_a_face_found_off_its_dies_centre_is_no_opinion():
    part = size(*DICE, troubles=((scene.OFF_CENTRE, 6, 150.0, 220.0),))
    assert together(part, size(*DICE), size(*DICE), size(*DICE)) == (scene.OK, [2, 4, 6])
    assert together(part, part, size(*DICE), size(*DICE))[0] == accord.DISAGREE


def test_where_the_number_of_dice_is_known_marks_beside_them_do_not_matter_but_dice_do():
    mark = (scene.UNEXPLAINED, 0, 20.0, 300.0)
    marked = [size(*DICE, troubles=(mark,)) for _ in range(4)]
    assert together(*marked, dice=3) == (scene.OK, [2, 4, 6])
    assert together(*marked, dice=4)[0] == scene.UNEXPLAINED
    assert together(*[size(*DICE)] * 4, dice=2)[0] == scene.TOO_MANY
    assert together(*[size(*DICE)] * 4, dice=4)[0] == scene.MISSING


def test_nothing_seen_is_no_dice():
    assert together(size(), size(), size(), size()) == (scene.NO_DICE, [])
