"""A few of the real photographs, chosen by nothing but their order: none may be read wrongly. `make bench-reader` has all."""

from __future__ import annotations

from tumbler.eye.desk import Desk
from tumbler.eye.photographs import Photograph
from tumbler.eye.pictures import load


def test_no_photograph_of_the_quick_choice_is_misread(photographs: list[Photograph]) -> None:
    chosen = photographs[4::13]
    exact = 0
    desk = Desk()
    for photograph in chosen:
        reading = desk.read(load(photograph.path))
        assert not reading.ok or reading.faces == photograph.faces, photograph.path.name
        exact += reading.ok
    assert exact >= len(chosen) * 0.6, f"only {exact} of {len(chosen)} were read"
