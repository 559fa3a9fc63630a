"""The shipped program is the written one with its numbers in place: less to keep in memory, nothing that behaves otherwise."""

import subprocess
import sys
from pathlib import Path

from tumbler.update import build
from tumbler.update.shrink import shrunk

CODES = "LOW = 1\nHIGH = const(1 << 4)\nBOTH = LOW | HIGH\nNAMES = ('low', 'high')\n"


def alone(text: str, **others: str) -> str:
    files = {"one.py": text, **{f"{name}.py": other for name, other in others.items()}}
    return shrunk(files, {})["one.py"]


def test_a_constant_becomes_its_number_in_its_own_file_and_goes() -> None:
    assert alone("_MOST = const(5)\nLEAST = 2\ndef f(n):\n    return LEAST < n < _MOST\nf(3)\n") == (
        "def f(n):\n    return 2 < n < 5\nf(3)\n"
    )


def test_a_constant_becomes_its_number_in_files_that_import_it() -> None:
    text = "from room import codes\nfrom room.codes import BOTH as ALL, NAMES\nprint(codes.HIGH, ALL, NAMES, codes.NAMES)\n"
    files = {"one.py": text, "room/__init__.py": "", "room/codes.py": CODES}
    made = shrunk(files, {})
    assert made["one.py"] == (
        "from room import codes\nfrom room.codes import NAMES\nprint(16, 17, NAMES, codes.NAMES)\n"
    )
    assert made["room/codes.py"] == "NAMES = ('low', 'high')\n"


def test_a_module_that_is_only_asked_for_numbers_is_not_imported() -> None:
    files = {"one.py": "from room import codes\nprint(codes.LOW)\n", "room/codes.py": CODES}
    assert shrunk(files, {})["one.py"] == "print(1)\n"


def test_a_constant_that_is_passed_on_is_found() -> None:
    files = {
        "one.py": "import two\nfrom two import LOW\nprint(LOW)\n",
        "two.py": "from three import LOW\n",
        "three.py": CODES,
    }
    assert shrunk(files, {})["one.py"] == "import two\nprint(1)\n"


def test_a_name_that_a_function_has_for_itself_is_left_alone() -> None:
    text = "import two\nSIZE = 3\ndef f(SIZE):\n    return SIZE\ndef g():\n    return SIZE\nf(g())\n"
    assert "return SIZE" in alone(text)
    assert "return 3" in alone(text)


def test_what_changes_is_no_constant() -> None:
    text = "COUNT = 1\ndef f():\n    global COUNT\n    COUNT += 1\n    return COUNT\nf()\n"
    assert alone(text) == "COUNT = 1\n\ndef f():\n    global COUNT\n    COUNT += 1\n    return COUNT\nf()\n"


def test_a_class_has_its_own_names() -> None:
    text = "WIDTH = 320\nclass Camera:\n    WIDTH = 7\n    width = WIDTH\n"
    assert "WIDTH = 320" in alone(text)


def test_what_others_take_from_a_module_stays() -> None:
    files = {"one.py": "from three import luma, WIDE\n", "two.py": "import one\nfrom one import luma\nluma()\n"}
    made = shrunk({**files, "three.py": "WIDE = 1\ndef luma(): return WIDE\n"}, {})
    assert made["one.py"] == "from three import luma\n"


def test_what_a_file_of_another_version_may_ask_for_stays() -> None:
    files = {"fitted.py": "CAMERA = 2\nTAGS = 1\n"}
    assert shrunk(files, {"main.py": "import fitted\nprint(fitted.CAMERA)\n"})["fitted.py"] == "CAMERA = 2\n"


def test_what_only_type_checkers_read_goes() -> None:
    text = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n__all__ = ('f',)\nx: int = open\n"
    assert alone(text) == "x = open\n"


def test_a_function_that_nobody_calls_goes_and_what_only_it_needed() -> None:
    loops = "def used(): return 1\ndef unused(): return helper()\ndef helper(): return 2\n"
    scan = "from room import loops\nused = loops.used\nunused = loops.unused\n"
    one = "from room import scan\nprint(scan.used())\n"
    made = shrunk({"one.py": one, "room/loops.py": loops, "room/scan.py": scan}, {})
    assert made["room/scan.py"] == "from room import loops\nused = loops.used\n"
    assert made["room/loops.py"] == "def used():\n    return 1\n"


def test_what_runs_elsewhere_only_goes() -> None:
    files = {
        "one.py": "from target import ON_MICROPYTHON\nif ON_MICROPYTHON:\n    from fast import f\n"
        "else:\n    from slow import f\nf()\n",
        "target.py": "import sys\nON_MICROPYTHON = sys.implementation.name == 'micropython'\n",
        "fast.py": "def f(): return 1\n",
    }
    assert shrunk(files, {})["one.py"] == "from fast import f\nf()\n"


def test_two_values_are_given_without_a_tuple() -> None:
    assert alone("def f(self):\n    a, self.b = self.b, None\n    return a\nf(open)\n") == (
        "def f(self):\n    a, self.b = self.b, None\n    return a\nf(open)\n"
    )


def test_every_shipped_file_has_no_constant_left_to_look_up_in_codes(tmp_path: Path) -> None:
    texts = {name: path.read_text("utf-8") for name, path in build.sources().items()}
    fixed = {name: texts.pop(name) for name in ("boot.py", "main.py", "slots.py")}
    made = shrunk(texts, fixed)
    assert [name for name, text in made.items() if "codes." in text.replace("dicewire.codes", "")] == []
    assert "RESET_CRASH = 4" in made["dicewire/codes.py"]  # whole, for a main.py that no update replaces
    for name, text in made.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "slots.py").write_text(fixed["slots.py"], "utf-8")
    words = [sys.executable, "-c", "import controller.table, controller.looking, controller.working, controller.checks"]
    done = subprocess.run(
        words, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
