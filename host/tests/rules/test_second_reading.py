"""The engine and a second reading of the documents agree on every event of every script."""

import json
from fractions import Fraction
from typing import Any

import pytest
from craps_scripts import BOOKS, scripts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from second_reading import SecondReading
from tumbler.rules.script import read_script
from tumbler.rules.settle import settle


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """What the engine answered, with amounts as fractions and without what the second reading does not say."""
    if not answer["ok"]:
        return {"ok": False}
    plain = {key: answer[key] for key in ("ok", "total", "point_before", "point_after") if key in answer}
    plain |= {key: Fraction(answer[key]) for key in ("commission", "back", "commission_back") if key in answer}
    if "outcomes" in answer:
        plain["outcomes"] = [
            (row["id"], row["outcome"], Fraction(row["pays"]), Fraction(row["back"])) for row in answer["outcomes"]
        ]
    return plain


def compare(script: dict[str, Any]) -> None:
    answers = settle(read_script(json.dumps(script).encode()))["events"]
    second = SecondReading(script["book"], script["sign"])
    for number, (event, answer) in enumerate(zip(script["events"], answers, strict=True)):
        mine, wanted = comparable(answer), second.answer(event)
        if event["do"] == "change":
            mine.pop("commission", None)  # of an increase; the contract leaves it open
        assert mine == wanted, (number, event, answer, script)


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_engine_and_second_reading_agree(book: str, data: st.DataObject) -> None:
    compare(data.draw(scripts(book)))
