"""Private data of the firmware has the same few short names in every file; whatever anyone else may ask for keeps its own."""

import subprocess
import sys

from tumbler.update import build
from tumbler.update.shortname import shortened


def alone(text: str, **others: str) -> str:
    return shortened({"one.py": text, **{f"{name}.py": other for name, other in others.items()}}, {})["one.py"]


def test_data_that_one_file_names_is_short() -> None:
    text = "_TABLE = (1, 2)\n\nclass A:\n\n    def f(self):\n        self._deadline = _TABLE\n        return self._deadline\n"
    assert alone(text) == "_a = (1, 2)\n\nclass A:\n\n    def f(self):\n        self._b = _a\n        return self._b\n"


def test_two_files_have_the_same_short_names() -> None:
    made = shortened({"one.py": "_first = open\n", "two.py": "_second = open\n"}, {})
    assert made == {"one.py": "_a = open\n", "two.py": "_a = open\n"}


def test_a_class_and_its_base_never_have_one_name_for_two_things() -> None:
    base = "class Rest:\n\n    def f(self):\n        self._entered = 1\n"
    child = "from rest import Rest\n\nclass Round(Rest):\n\n    def g(self):\n        self._reading = 2\n"
    made = shortened({"rest.py": base, "round.py": child}, {})
    assert "self._a = 1" in made["rest.py"]
    assert "self._b = 2" in made["round.py"]


def test_what_two_files_name_keeps_its_name() -> None:
    assert alone("class A:\n\n    def f(self):\n        self._x = 1\n", two="print(a._x)\n").count("_x") == 1


def test_a_function_is_short_too_and_can_be_looked_up() -> None:
    assert alone("def _count():\n    return 1\n_count()\n") == "def _a():\n    return 1\n_a()\n"
    names = build.short_names()["controller/round.py"]
    words = [sys.executable, "-m", "tumbler.update.shortname", "round", names["_begin_reading"]]
    assert (
        subprocess.run(words, capture_output=True, text=True, check=True).stdout
        == "controller/round.py: _begin_reading\n"
    )


def test_arguments_words_and_what_is_public_keep_their_names() -> None:
    text = "def read(_port):\n    return getattr(_port, '_line')\n\nclass A:\n\n    def f(self):\n        self._line = read\n"
    assert alone(text) == text


def test_what_is_set_on_another_object_keeps_its_name() -> None:
    text = "def f(other):\n    other._mark = 1\n"
    assert alone(text) == text


def test_a_short_name_is_never_one_that_is_there() -> None:
    assert alone("_deadline = _a = open\n", two="_a = open\n") == "_b = _a = open\n"


def test_what_a_fixed_file_names_keeps_its_name() -> None:
    text = "_here = open\n"
    assert shortened({"one.py": text}, {"main.py": "import one\none._here\n"})["one.py"] == text
