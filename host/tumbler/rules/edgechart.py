"""The edges of all books as one picture (SVG): a line a wager, a dot a book and edge. Drawn by hand, so that it never drifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tumbler.rules.book import Book, GameKind
from tumbler.rules.edge import Edge

Books = Sequence[tuple[Book, Sequence[Edge]]]

COLOURS = {
    "crown-melbourne-craps": "#1f6fb2",
    "crown-melbourne-mini-craps": "#7fb3dc",
    "skycity-adelaide-craps": "#c8553d",
    "nsw-craps": "#3a8f5c",
    "crown-perth-crapless": "#8a5a9e",
    "crown-melbourne-sicbo-a": "#1f6fb2",
    "crown-melbourne-sicbo-b": "#c8553d",
}
OTHER = "#555555"
WIDTH, LEFT, RIGHT = 860, 190, 30
ROW, TOP, GAP = 19, 60, 90
DOT = 3.6


def chart(books: Books) -> str:
    parts: list[str] = []
    y = TOP
    for game, title, low, high, step in (
        (GameKind.CRAPS, "Craps: house edge in percent", 0, 22, 2),
        (GameKind.SICBO, "Sic Bo: house edge in percent; left of zero the player has it", -45, 20, 5),
    ):
        panel = [(book, rows) for book, rows in books if book.game is game]
        drawn, height = _panel(panel, title, y, low, high, step)
        parts += drawn
        y += height + GAP
    height = y - GAP + 24
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="12">'
    )
    # XML allows no two hyphens in a comment, so the option is not spelt out here.
    note = "<!-- Made by the docs option of `tumbler edge`; change the program, not this file. -->"
    return "\n".join([head, note, f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *parts, "</svg>", ""])


def _panel(books: Books, title: str, top: int, low: int, high: int, step: int) -> tuple[list[str], int]:
    names = list(dict.fromkeys(row.stake.wager.id for _, rows in books for row in rows))
    bottom = top + ROW * len(names)
    scale = (WIDTH - LEFT - RIGHT) / (high - low)
    parts = [f'<text x="20" y="{top - 36}" font-size="15" font-weight="bold">{escape(title)}</text>']
    parts += _legend(books, top - 18)
    for value in range(low, high + 1, step):
        x = LEFT + (value - low) * scale
        colour = "#888888" if value == 0 else "#e4e4e4"
        parts.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle" fill="#555555">{value}</text>')
    for place, name in enumerate(names):
        y = top + ROW * place + ROW / 2
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#f1f1f1"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        parts += _dots(books, name, y, low, scale)
    return parts, ROW * len(names)


def _legend(books: Books, y: int) -> Iterator[str]:
    x = 20
    for book, _ in books:
        yield f'<circle cx="{x + 4}" cy="{y - 4}" r="{DOT}" fill="{COLOURS.get(book.id, OTHER)}"/>'
        yield f'<text x="{x + 12}" y="{y}" fill="#333333">{escape(book.id)}</text>'
        x += 24 + int(6.2 * len(book.id))


def _dots(books: Books, name: str, y: float, low: int, scale: float) -> Iterator[str]:
    """One dot for each different edge of a wager in a book; books a little above each other, so that none hides another."""
    spread = min(4.0, (ROW - 2 * DOT) / max(1, len(books) - 1))
    for place, (book, rows) in enumerate(books):
        mine = dict.fromkeys(row.edge for row in rows if row.stake.wager.id == name)
        for edge in mine:
            x = LEFT + (float(edge * 100) - low) * scale
            at = y + (place - (len(books) - 1) / 2) * spread
            colour = COLOURS.get(book.id, OTHER)
            yield (
                f'<circle cx="{x:.1f}" cy="{at:.1f}" r="{DOT}" fill="{colour}" fill-opacity="0.85">'
                f"<title>{escape(f'{book.id} {name}: {edge}')}</title></circle>"
            )
