"""What the rendered picture shows is what lies there: pips counted in pixels, places, colours, light, troubles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tumbler.twin.camera import (
    EASY,
    NORMAL,
    PRESETS,
    SETS,
    TROUBLES,
    Foreign,
    ForeignKind,
    Lie,
    render,
    render_frames,
    stage,
)
from tumbler.twin.camera.boxes import HALF, Pose, face_up, pose_at, turned
from tumbler.twin.camera.symbols import SYMBOLS

Picture = npt.NDArray[np.uint8]
PIPPED = ["white", "black", "red", "ivory"]


def flat(face: int, x: float = 0.0, y: float = 0.0, degrees: float = 20.0) -> Pose:
    return pose_at(x, y, HALF, turned((0.0, 0.0, 1.0), np.radians(degrees)) @ face_up(face))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def spots(mask: npt.NDArray[np.bool_]) -> Iterator[int]:
    """Sizes of connected areas."""
    left = {(int(r), int(c)) for r, c in zip(*np.nonzero(mask), strict=True)}
    while left:
        edge, size = [left.pop()], 1
        while edge:
            r, c = edge.pop()
            for near in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                if near in left:
                    left.remove(near)
                    edge.append(near)
                    size += 1
        yield size


def top_face(picture: Picture, pose: Pose, view) -> tuple[Picture, npt.NDArray[np.bool_]]:  # type: ignore[no-untyped-def]
    """The pixels of the upper face, without its rounded edges, as a mask over the whole picture."""
    rows, columns = np.mgrid[0 : picture.shape[0], 0 : picture.shape[1]]
    x, y, _ = pose.position
    ups = pose.matrix[:2, :]
    sides = [ups[:, axis] for axis in range(3) if abs(pose.matrix[2, axis]) < 0.5]
    middle, one, two = view.project([(x, y, 2 * HALF), *((x + s[0] * HALF, y + s[1] * HALF, 2 * HALF) for s in sides)])
    basis = np.linalg.inv(np.stack((one - middle, two - middle), axis=1))
    u = basis[0, 0] * (columns - middle[0]) + basis[0, 1] * (rows - middle[1])
    v = basis[1, 0] * (columns - middle[0]) + basis[1, 1] * (rows - middle[1])
    return picture, (np.abs(u) < 0.82) & (np.abs(v) < 0.82)


@pytest.mark.parametrize("name", PIPPED)
@pytest.mark.parametrize("face", range(1, 7))
def test_a_face_shows_as_many_pips_as_its_number(name: str, face: int) -> None:
    pose = flat(face, 0.012, -0.008)
    conditions = EASY.draw(rng())
    picture, inside = top_face(render([pose], SETS[name], conditions, rng()), pose, conditions.fitting.view)
    levels = picture[inside].astype(int)
    middle = (levels.min() + levels.max()) / 2
    light_pips = sum(SETS[name].pip) > sum(SETS[name].body)
    pips = inside & ((picture > middle) == light_pips)
    assert len([size for size in spots(pips) if size > 12]) == face


@pytest.mark.parametrize("value", range(1, 7))
def test_a_symbol_has_its_colour(value: int) -> None:
    pose = flat(value)
    conditions = EASY.draw(rng())
    picture, inside = top_face(
        render([pose], SETS["symbols"], conditions, rng(), colour=True), pose, conditions.fitting.view
    )
    inked = picture[inside].astype(int)
    inked = inked[(inked.max(axis=1) - inked.min(axis=1)) > 60]
    _, colour, _ = SYMBOLS[value]
    assert len(inked) > 100
    assert inked.mean(axis=0).argmax() == int(np.argmax(colour))


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.025, 0.01), (-0.02, 0.022), (0.0, -0.03)])
def test_a_die_is_where_the_lens_puts_it(place: tuple[float, float]) -> None:
    pose = flat(1, *place)
    askew = replace(EASY, tilt_degrees=(2.0, 2.0), shift_pixels=(5.0, 5.0), turn_degrees=(4.0, 4.0), barrel=(0.3, 0.3))
    conditions = askew.draw(rng(3))
    view = conditions.fitting.view
    picture, inside = top_face(render([pose], SETS["white"], conditions, rng()), pose, view)
    rows, columns = np.nonzero(inside & (picture < 110))
    assert len(rows) > 30  # the one pip of this face
    expected = view.project([(*place, 2 * HALF)])[0]
    assert np.hypot(columns.mean() - expected[0], rows.mean() - expected[1]) < 0.7


def test_the_same_seed_gives_the_same_picture_and_frames_of_a_spin_differ_in_noise() -> None:
    throw = stage(Lie.FLAT, 3, rng())
    assert (render(throw.poses, SETS["red"], NORMAL, rng(5)) == render(throw.poses, SETS["red"], NORMAL, rng(5))).all()
    conditions = NORMAL.draw(rng(5))
    chance = rng(6)
    first, second = (render(throw.poses, SETS["red"], conditions, chance).astype(int) for _ in range(2))
    together = render_frames(throw.poses, SETS["red"], conditions, rng(6), 2)
    assert [(frame == one).all() for frame, one in zip(together, (first, second), strict=True)] == [True, True]
    assert (first != second).any()
    assert np.abs(first - second).mean() < 6.0


def test_luma_and_colour_show_the_same_scene() -> None:
    throw = stage(Lie.FLAT, 3, rng(8))
    conditions = EASY.draw(rng(8))
    luma = render(throw.poses, SETS["white"], conditions, rng()).astype(float)
    colour = render(throw.poses, SETS["white"], conditions, rng(), colour=True).astype(float)
    assert colour.shape == (240, 320, 3)
    assert np.abs(luma - colour @ (0.299, 0.587, 0.114)).mean() < 4.0


def test_a_die_throws_its_shadow_away_from_the_lamp() -> None:
    conditions = replace(EASY, lamp_aside=(0.12, 0.12)).draw(rng(2))
    lamp = np.array(conditions.fitting.lamps[0][:2])
    away = -lamp / np.linalg.norm(lamp)
    picture = render([flat(1, degrees=0.0)], SETS["black"], conditions, rng()).astype(float)
    behind, before = (
        conditions.fitting.view.project([(*(away * 0.0145), 0.0), (*(-away * 0.0145), 0.0)]).round().astype(int)
    )
    assert picture[behind[1], behind[0]] < picture[before[1], before[0]] - 8


def test_the_nearer_die_hides_the_lower_one() -> None:
    lower, upper = flat(6), pose_at(0.0, 0.0, 3 * HALF, face_up(1))
    conditions = EASY.draw(rng())
    both = [render(order, SETS["white"], conditions, rng()) for order in ([lower, upper], [upper, lower])]
    assert (both[0] == both[1]).all()


def test_a_moving_die_is_smeared() -> None:
    still = flat(5)
    after = pose_at(0.006, 0.0, HALF, still.matrix)
    conditions = EASY.draw(rng())
    sharp = render([still], SETS["white"], conditions, rng()).astype(float)
    smeared = render([still], SETS["white"], conditions, rng(), poses_after=[after]).astype(float)
    assert np.abs(np.diff(smeared, axis=1)).max() < np.abs(np.diff(sharp, axis=1)).max() * 0.75


@pytest.mark.parametrize("kind", list(ForeignKind))
def test_a_foreign_thing_is_seen(kind: ForeignKind) -> None:
    conditions = EASY.draw(rng())
    size = 0.02 if kind is ForeignKind.HAIR else 0.006
    name = "black" if kind is ForeignKind.HAIR else "white"
    clean = render([], SETS[name], conditions, rng()).astype(int)
    dirty = render([], SETS[name], conditions, rng(), foreign=[Foreign(kind, 0.01, 0.0, size)]).astype(int)
    assert (np.abs(dirty - clean) > 25).sum() > 20


def test_troubles_look_like_trouble() -> None:
    throw = stage(Lie.FLAT, 3, rng(4))
    means = {name: render(throw.poses, SETS["white"], t, rng(4)).mean() for name, t in TROUBLES.items()}
    usual = render(throw.poses, SETS["white"], NORMAL, rng(4)).astype(float)
    assert means["dark"] < usual.mean() / 3
    assert means["covered"] < 8
    assert means["blown"] > 200
    blurred = render(throw.poses, SETS["white"], TROUBLES["defocused"], rng(4)).astype(float)
    assert np.abs(np.diff(blurred)).max() < np.abs(np.diff(usual)).max() / 2


def test_harder_pictures_are_noisier() -> None:
    corner = {name: render([], SETS["white"], level, rng(7))[:20, :20].std() for name, level in PRESETS.items()}
    assert corner["easy"] < corner["normal"] < corner["hard"]


@pytest.mark.parametrize("size", [(160, 120), (640, 480), (321, 241)])
def test_other_sizes(size: tuple[int, int]) -> None:
    picture = render(stage(Lie.FLAT, 2, rng()).poses, SETS["white"], NORMAL, rng(), size=size)
    assert picture.shape == (size[1], size[0])
    assert picture.max() > 150
