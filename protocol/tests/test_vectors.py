"""One table of vectors and one stream of noise, on both interpreters; and nothing generated has drifted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
from dicewire.declared.__main__ import drifted
from dicewire.declared.messages import MESSAGES
from dicewire.declared.schema import schema

VECTORS = Path(__file__).resolve().parents[1] / "vectors.json"


def test_generated_files_are_what_the_declaration_gives() -> None:
    assert drifted() == [], "run `python -m dicewire.declared` (make docs)"


def test_every_vector_is_written_and_read_alike(trial: Callable[..., str]) -> None:
    table = json.loads(VECTORS.read_text())
    count = len(table["messages"]) + len(table["damaged"])
    assert trial("vector_trial.py", VECTORS).strip() == f"{count} vectors"


def test_noise_never_raises_and_never_grows(trial: Callable[..., str]) -> None:
    said = trial("noise_trial.py", 7, 24).split()
    assert said[:3] == ["bytes", "24576", "grown"]
    assert int(said[3]) <= 512


def test_vectors_cover_every_message_and_fit_the_schema() -> None:
    table = json.loads(VECTORS.read_text())
    assert {row["message"] for row in table["messages"]} == {m.name for m in MESSAGES}
    definitions = schema()
    for row in table["messages"]:
        jsonschema.validate(row["values"], definitions["$defs"][row["message"]])
