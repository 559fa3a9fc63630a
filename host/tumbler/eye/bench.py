"""`make bench-reader`: how well the reader reads, on real photographs and on the twin's frames, with a report in pictures.

    python -m tumbler.eye.bench [--throws N] [--seed S] [--out DIR] [--only photographs|twin] [--transforms [N]]

Writes DIR/report.md and contact sheets of what was refused and what was wrong. Exit 1 where anything was read wrongly
on the twin, or more than one in a hundred photographs of the second half, or one in fifty of the changed ones.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tumbler.eye import peer
from tumbler.eye.changed import CHANGES, load_changed
from tumbler.eye.desk import Desk, DeskFailed, Reading
from tumbler.eye.frames import FrameReading, read_throws
from tumbler.eye.photographs import Photograph, all_photographs, folder
from tumbler.eye.pictures import load

THUMB = 240
SETS = ("white", "black", "red", "ivory")
DIFFICULTIES = ("easy", "normal", "hard")


def bounds(k: int, n: int) -> str:
    """k of n as a percentage with its 95 % interval (Wilson)."""
    if n == 0:
        return "none"
    z, p = 1.96, k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{k} of {n} = {100 * p:.1f} % ({100 * max(0.0, middle - half):.1f} to {100 * min(1.0, middle + half):.1f})"


def sheet(pictures: Sequence[tuple[Image.Image, str]], path: Path) -> None:
    columns = 6
    rows = max(1, math.ceil(len(pictures) / columns))
    page = Image.new("RGB", (columns * THUMB, rows * (THUMB + 16)), "#202020")
    pen = ImageDraw.Draw(page)
    for k, (picture, words) in enumerate(pictures):
        small = picture.convert("RGB")
        small.thumbnail((THUMB - 4, THUMB - 4))
        x, y = (k % columns) * THUMB, (k // columns) * (THUMB + 16)
        page.paste(small, (x, y))
        pen.text((x + 2, y + THUMB - 2), words, fill="yellow")
    page.save(path)


def confusion(pairs: Sequence[tuple[int, int]], path: Path) -> None:
    """Truth down, read across; dice of accepted pictures, matched in sorted order."""
    counts = Counter(pairs)
    page = Image.new("RGB", (7 * 56, 7 * 40), "white")
    pen = ImageDraw.Draw(page)
    for k in range(1, 7):
        pen.text((k * 56 + 20, 12), str(k), fill="black")
        pen.text((20, k * 40 + 12), str(k), fill="black")
        for j in range(1, 7):
            n = counts[(k, j)]
            colour = "#d8f0d8" if k == j and n else "#f4c0c0" if n else "white"
            pen.rectangle([j * 56, k * 40, j * 56 + 54, k * 40 + 38], fill=colour, outline="#c0c0c0")
            pen.text((j * 56 + 12, k * 40 + 12), str(n), fill="black")
    page.save(path)


def photographs(out: Path, say: Callable[[str], None]) -> bool:
    found = all_photographs()
    say("## Real photographs\n")
    if not found:
        say(f"Skipped: they are not on this machine ({folder()}).\n")
        return True
    desk = Desk()
    with ThreadPoolExecutor(2) as pool:
        readings = list(pool.map(lambda photograph: desk.read(load(photograph.path)), found))
    rows = list(zip(found, readings, strict=True))
    say(
        "Halves by the hash of the name. Failures of both were looked at while the reader was made, so neither is unseen.\n"
    )
    say("| half | source | exact | silently wrong | refused |\n| --- | --- | --- | --- | --- |")
    sources = sorted({photograph.source for photograph in found})
    for name, tuned in (("first", True), ("second", False)):
        for source in (*sources, None):
            part = [(p, r) for p, r in rows if p.tuned_on is tuned and source in (None, p.source)]
            exact = sum(r.ok and r.faces == p.faces for p, r in part)
            wrong = sum(r.ok and r.faces != p.faces for p, r in part)
            refused = len(part) - exact - wrong
            say(
                f"| {name} | {source or '**all**'} | {bounds(exact, len(part))} | {bounds(wrong, len(part))} | {refused} |"
            )
    say("")
    for p, r in rows:
        if r.ok and r.faces != p.faces:
            say(f"- wrong: `{p.path.name}` labelled {p.faces}, read {r.faces}")
    say("\nRefused, by reason: " + _reasons([r for _, r in rows]) + "\n")
    mean = sum(r.ms for r in readings) / len(readings)
    say(f"Time on this machine: {mean:.0f} ms a picture, at most {max(r.ms for r in readings)} ms.\n")
    sheet(_thumbs([(p, r) for p, r in rows if not r.ok]), out / "photographs-refused.png")
    sheet(_thumbs([(p, r) for p, r in rows if r.ok and r.faces != p.faces]), out / "photographs-wrong.png")
    pairs = [
        pair for p, r in rows if r.ok and len(r.faces) == len(p.faces) for pair in zip(p.faces, r.faces, strict=True)
    ]
    confusion(pairs, out / "photographs-confusion.png")
    _beside_opencv(found, say)
    unseen = [(p, r) for p, r in rows if not p.tuned_on]
    return sum(r.ok and r.faces != p.faces for p, r in unseen) <= max(1, len(unseen) // 100)


def transforms(say: Callable[[str], None], each: int = 1) -> bool:
    """The first half's photographs, each (or each third ...) changed in ways that leave its faces as they are."""
    found = [photograph for photograph in all_photographs() if photograph.tuned_on][::each]
    desk = Desk()
    say("### The first half, changed\n\n| change | exact | silently wrong | refused |\n| --- | --- | --- | --- |")
    every: list[tuple[str, Photograph, Reading]] = []
    for name, change in CHANGES.items():
        with ThreadPoolExecutor(2) as pool:
            readings = pool.map(lambda p, c=change: desk.read(load_changed(p.path, c)), found)
            every += [(name, p, r) for p, r in zip(found, readings, strict=True)]
    for chosen in (*CHANGES, None):
        part = [(p, r) for name, p, r in every if chosen in (None, name)]
        exact = sum(r.ok and r.faces == p.faces for p, r in part)
        wrong = sum(r.ok and r.faces != p.faces for p, r in part)
        say(f"| {chosen or '**all**'} | {bounds(exact, len(part))} | {bounds(wrong, len(part))} "
            f"| {len(part) - exact - wrong} |")  # fmt: skip
    say("")
    for name, p, r in every:
        if r.ok and r.faces != p.faces:
            say(f"- wrong: `{p.path.name}` {name}: labelled {p.faces}, read {r.faces}")
    say("")
    return sum(r.ok and r.faces != p.faces for _, p, r in every) <= len(every) // 50


def _reasons(readings: Sequence[Reading]) -> str:
    counts = Counter(r.reason for r in readings if not r.ok)
    return ", ".join(f"{reason} {n}" for reason, n in counts.most_common()) or "none"


def _thumbs(rows: Sequence[tuple[Photograph, Reading]]) -> list[tuple[Image.Image, str]]:
    return [(Image.open(p.path), f"{p.faces} {r.faces or r.reason}") for p, r in rows]


def _beside_opencv(found: Sequence[Photograph], say: Callable[[str], None]) -> None:
    try:
        rows = [(photograph, *peer.read(photograph.path)) for photograph in found]
    except ImportError:
        say("OpenCV is not installed (extra `bench-reader`): no comparison.\n")
        return
    exact = sum(faces == p.faces for p, faces, _ in rows)
    none = sum(not faces for _, faces, _ in rows)
    mean = sum(ms for *_, ms in rows) / len(rows)
    say(f"OpenCV's blob detector with blobs grouped by distance, same photographs: exact {bounds(exact, len(rows))}, "
        f"silently wrong {bounds(len(rows) - exact - none, len(rows))}, {mean:.0f} ms.\n")  # fmt: skip


TABLE = 200  # throws at one table; the next has another lens, lamp and dome


def _at_table(job: tuple[str, str, int, int]) -> list[FrameReading] | str:
    difficulty, die_set, throws, seed = job
    try:
        return read_throws(difficulty, die_set, throws * 2 // 3, throws - throws * 2 // 3, seed)
    except DeskFailed as error:
        return str(error)


def twin(out: Path, throws: int, seed: int, say: Callable[[str], None]) -> bool:
    share = max(10, throws // (len(SETS) * len(DIFFICULTIES)))
    tables = max(1, round(share / TABLE))
    say(f"## The twin's camera\n\n320 x 240 luma, three dice, a frame by each of two lamps, heap of 192 KB, seed {seed}, "
        f"{tables} tables of {share // tables} throws for each row. Moving dice are seen by several frames and not by one, "
        "and are not in this table. `Shown`: the picture shows, by geometry and light alone (shown.py), that the throw "
        "isn't flat.\n")  # fmt: skip
    say("| difficulty | dice | flat and read | wrong faces accepted | not flat and refused | of those shown, refused |\n"
        "| --- | --- | --- | --- | --- | --- |")  # fmt: skip
    every: list[FrameReading] = []
    rows = [(difficulty, die_set) for difficulty in DIFFICULTIES for die_set in SETS]
    jobs = [
        (difficulty, die_set, share // tables, seed * 100_003 + 1_000 * k + n)
        for k, (difficulty, die_set) in enumerate(rows)
        for n in range(tables)
    ]
    lost = []
    with ProcessPoolExecutor(2) as pool:
        results = pool.map(_at_table, jobs)
        for difficulty, die_set in rows:
            part: list[FrameReading] = []
            for _ in range(tables):
                read = next(results)
                if isinstance(read, str):
                    lost.append(read)
                else:
                    part += read
            every += part
            _say_row(difficulty, die_set, part, say)
    for difficulty in DIFFICULTIES:
        _say_row(difficulty, "**all**", [r for r in every if r.difficulty == difficulty], say)
    for words in lost:
        say(f"\nNot calibrated: {words}")
    accepted = [r for r in every if r.accepted and r.lie.value != "flat"]
    say(f"\nAccepted though not flat: {_lies(accepted)}; of those that the picture shows: "
        f"{_lies([r for r in accepted if r.shown])}\n")  # fmt: skip
    if every:
        mean = sum(r.us for r in every) / len(every) / 1000
        say(f"Time of a frame on this machine {mean:.1f} ms; largest heap in use {max(r.heap for r in every) // 1024} KB "
            f"of 64-bit objects in a heap of {2 * 192} KB (192 KB of 32-bit ones).\n")  # fmt: skip
    _frames_beside_opencv([r for r in every if r.lie.value == "flat" and r.difficulty == "normal"], say)
    for name, chosen in (
        ("wrong", [r for r in every if r.wrong]),
        ("refused", [r for r in every if r.lie.value == "flat" and not r.accepted]),
        ("accepted-not-flat", [r for r in every if r.lie.value != "flat" and r.accepted]),
    ):
        sheet(
            [(_beside(r), f"{r.lie.value} {r.truth} {r.faces} {r.reason}") for r in chosen[:60]],
            out / f"twin-{name}.png",
        )
    confusion(
        [
            pair
            for r in every
            if r.accepted and len(r.truth) == len(r.faces)
            for pair in zip(r.truth, r.faces, strict=True)
        ],
        out / "twin-confusion.png",
    )
    return not any(r.wrong for r in every)


def _beside(reading: FrameReading) -> Image.Image:
    """The plate by one lamp, and by the other."""
    page = Image.new("L", (480, 240))
    for k, frame in enumerate(reading.frames):
        page.paste(Image.frombytes("L", (320, 240), frame).crop((40, 0, 280, 240)), (240 * k, 0))
    return page


def _say_row(difficulty: str, die_set: str, part: Sequence[FrameReading], say: Callable[[str], None]) -> None:
    flat = [r for r in part if r.lie.value == "flat"]
    lying = [r for r in part if r.lie.value != "flat"]
    shown = [r for r in lying if r.shown]
    say(f"| {difficulty} | {die_set} | {bounds(sum(r.accepted for r in flat), len(flat))} "
        f"| {bounds(sum(r.wrong for r in part), len(part))} | {bounds(sum(not r.accepted for r in lying), len(lying))} "
        f"| {bounds(sum(not r.accepted for r in shown), len(shown))} |")  # fmt: skip


def _frames_beside_opencv(flat: Sequence[FrameReading], say: Callable[[str], None]) -> None:
    try:
        rows = [(r, *peer.count(np.frombuffer(r.frames[0], np.uint8).reshape(240, 320))) for r in flat]
    except ImportError:
        say("OpenCV is not installed (extra `bench-reader`): no comparison.\n")
        return
    if not rows:
        return
    exact = sum(faces == r.truth for r, faces, _ in rows)
    ours = sum(r.accepted and r.faces == r.truth for r in flat)
    mean, own = sum(ms for *_, ms in rows) / len(rows), sum(r.us for r in flat) / len(flat) / 1000
    say(f"OpenCV's blob detector on the same {len(rows)} flat frames at normal difficulty: exact "
        f"{bounds(exact, len(rows))}, all the others silently wrong, {mean:.1f} ms; the reader: exact "
        f"{bounds(ours, len(rows))}, {own:.1f} ms, the others refused.\n")  # fmt: skip


def _lies(readings: Sequence[FrameReading]) -> str:
    return ", ".join(f"{name} {n}" for name, n in Counter(r.lie.value for r in readings).most_common()) or "none"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How well the reader reads, with a report in pictures.")
    parser.add_argument("--throws", type=int, default=1_200, help="of the twin, over all (20000: the full run)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("reports/reader"))
    parser.add_argument(
        "--transforms",
        type=int,
        nargs="?",
        const=1,
        default=0,
        metavar="N",
        help="the first half's photographs also changed, in fifteen ways; with N only each Nth of them",
    )
    parser.add_argument("--only", choices=("photographs", "twin"))
    options = parser.parse_args(words)
    options.out.mkdir(parents=True, exist_ok=True)
    good = True
    with (options.out / "report.md").open("w") as report:

        def say(line: str) -> None:
            print(line, flush=True)
            report.write(line + "\n")

        say("# The reader, measured\n")
        if options.only != "twin":
            good = photographs(options.out, say) and good
        if options.transforms:
            good = transforms(say, options.transforms) and good
        if options.only != "photographs":
            good = twin(options.out, options.throws, options.seed, say) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
