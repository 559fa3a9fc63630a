"""A calibration as a picture: every frame with the plate and the dice that were found in it, and the figures in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from tumbler.eye.calibrate import HEIGHT, WIDTH, Frame, Lesson

COLUMNS = 4
TEXT_ROWS = 14
LINE = 14


def figures(lesson: Lesson) -> list[str]:
    """What was learned, for people."""
    known, plate = lesson.figures, lesson.plate
    return [
        f"calibration {lesson.hash}",
        f"plate      centre {plate.x:.1f}, {plate.y:.1f}, radius {plate.r:.1f} pixels",
        f"scale      {known['step']:.2f} pixels between two rows of pips, spread {100 * known['spread']:.1f} %",
        f"lens       bends by {known['bend']:.3f}, tilted by {known['tilt_degrees']:.1f} degrees",
        f"dice       {'light pips on dark' if known['light_pips'] else 'dark pips on light'}, pip radius "
        f"{known['radius']:.2f} pixels, contrast {known['contrast']:.0f}; {known['dice']} dice taught",
        f"light      plate {known['ground']}, brightest {known['bright']}",
        f"focus      steepest edge {known['sharp']} grey steps a pixel",
        "lamps      " + " and ".join(f"{x}, {y} mm" for x, y in known["lamps_mm"]) + " from the middle of the plate",
        f"outline    of a flat die within {max(known['slacks_mm']):.2f} mm",
    ]


def draw(frames: Sequence[Frame], lesson: Lesson, path: Path) -> None:
    rows = -(-len(frames) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * WIDTH, rows * HEIGHT + TEXT_ROWS * LINE), "#101010")
    pen = ImageDraw.Draw(page)
    plate = lesson.plate
    for k, frame in enumerate(frames):
        left, top = k % COLUMNS * WIDTH, k // COLUMNS * HEIGHT
        page.paste(Image.fromarray(frame).convert("RGB"), (left, top))
        x, y, r = left + plate.x, top + plate.y, plate.r
        pen.ellipse((x - r, y - r, x + r, y + r), outline="#30a0ff")
        pen.line((x - 4, y, x + 4, y), fill="#30a0ff")
        pen.line((x, y - 4, x, y + 4), fill="#30a0ff")
        for face, dx, dy, step in lesson.seen[k]:
            half = 1.85 * step
            colour = "#40ff60" if face > 3 else "#ffd040"  # faces of four and more teach
            box = (left + dx - half, top + dy - half, left + dx + half, top + dy + half)
            pen.rectangle(box, outline=colour)
            pen.text((box[0] + 2, box[1] - 11), str(face), fill=colour)
    for k, words in enumerate(figures(lesson)):
        pen.text((8, rows * HEIGHT + 6 + k * LINE), words, fill="white")
    page.save(path)
