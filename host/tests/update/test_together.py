"""Small modules stand in one file on a Pico, where their names mean what they meant; and each of these files keeps to a block."""

import ast
import subprocess
import sys

import pytest
from tumbler.rigs.emulated.image import BLOCK, firmware_files
from tumbler.update import build
from tumbler.update.together import TOGETHER, NotTogether, together

ROW = {"home.py": ("guest.py", "home.py")}
USER = "from guest import f\nfrom home import g\nf(g())\n"


def one_file(guest: str, home: str, **others: str) -> dict[str, str]:
    rest = {f"{name}.py": text for name, text in others.items()}
    return together({"guest.py": guest, "home.py": home, **rest}, ROW)


def test_two_modules_stand_in_one_file_and_others_take_them_from_there() -> None:
    made = one_file("import sys\ndef f():\n    return sys\n", "import sys\nfrom guest import f\ng = f\n", user=USER)
    assert made == {
        "home.py": "import sys\n\ndef f():\n    return sys\ng = f\n",
        "user.py": "from home import f\nfrom home import g\nf(g())\n",
    }


@pytest.mark.parametrize(
    ("guest", "home"),
    [
        ("x = 1\n", "x = 2\n"),
        ("x = 1\n", "from sys import x\n"),
        ("from sys import a as x\n", "from sys import b as x\n"),
        ("def open(): pass\n", "def f():\n    return open(1)\n"),
        ("def f():\n    return len(())\n", "len = 3\n"),
        ("try:\n    import x\nexcept ImportError:\n    pass\n", "x = 1\n"),
    ],
)
def test_a_name_that_would_mean_two_things_ends_the_build(guest: str, home: str) -> None:
    with pytest.raises(NotTogether, match="would mean two things in home"):
        one_file(guest, home)


def test_a_name_that_a_function_has_for_itself_is_no_matter() -> None:
    made = one_file("x = open\n", "def f(a):\n    x = a\n    return x\n")
    assert made["home.py"] == "x = open\n\ndef f(a):\n    x = a\n    return x\n"


@pytest.mark.parametrize("user", ["import guest\n", "forget('guest')\n"])
def test_a_module_that_is_asked_for_as_a_whole_stays_by_itself(user: str) -> None:
    with pytest.raises(NotTogether, match="asks for the whole of guest"):
        one_file("x = 1\n", "y = 1\n", user=user)


def test_what_is_needed_has_to_stand_before() -> None:
    with pytest.raises(NotTogether, match="g does not stand before it"):
        one_file("from home import g\n", "g = 1\n")


def test_files_that_would_need_each_other_end_the_build() -> None:
    with pytest.raises(NotTogether, match="need each other"):
        one_file("x = 1\n", "from user import y\n", user="from guest import x\ny = x\n")


def test_every_file_of_several_modules_keeps_to_a_block_of_flash() -> None:
    files = firmware_files()
    for home, paths in TOGETHER.items():
        assert len(files[home.removesuffix(".py") + ".mpy"]) <= BLOCK
        assert not [path for path in paths if path != home and path.removesuffix(".py") + ".mpy" in files]


def test_what_the_fixed_part_names_stays_where_it_is() -> None:
    sources = build.sources()
    named = set()
    for fixed in ("boot.py", "main.py", "slots.py"):
        for node in ast.walk(ast.parse(sources[fixed].read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                named |= {f"{node.module}.{name.name}" for name in node.names} | {node.module}
    assert "controller.files" in named
    for home, paths in TOGETHER.items():
        assert not {path.removesuffix(".py").replace("/", ".") for path in paths if path != home} & named


def test_modules_of_one_file_all_come_with_the_table() -> None:
    """Otherwise a table would pay for what it does not use yet."""
    script = "import sys, controller.table\nprint(*sys.modules)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=build.firmware_tree(), capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "controller.round" in loaded, done.stderr
    for home, paths in TOGETHER.items():
        if not home.startswith("drivers/"):  # boards/pico.py's, which only a chip can import
            assert {path.removesuffix(".py").replace("/", ".") for path in paths} <= loaded, home


def test_a_pico_gets_nothing_that_only_other_machines_need() -> None:
    assert build.sources().keys() >= build.NOT_ON_A_PICO
    assert not {path.removesuffix(".py") + ".mpy" for path in build.NOT_ON_A_PICO} & firmware_files().keys()
    assert "boards/twin.mpy" in build.program_files("twin")
