"""The spin loop allocates nothing: a collection in the wrong moment would be a pause that no test of behaviour shows."""

import subprocess

from bench_table import KEY, SICBO, dice_file, die_rows
from controller.files import Files
from test_game import FIRMWARE, REPO, command
from tumbler.rules.gametable import compile_book


def test_a_turn_of_the_loop_allocates_nothing_while_the_motor_turns(tmp_path):
    image = compile_book(SICBO)
    files = Files(str(tmp_path))
    for name, data in (
        ("key.bin", KEY),
        ("dice.bin", dice_file(die_rows())),
        (image.hash[:8].hex() + ".game", image.data),
        ("game.use", image.hash),
    ):
        files.replace(name, data)
    script = FIRMWARE / "tests" / "alloc_trial.py"
    words = [*command("micropython"), str(script), str(FIRMWARE), str(FIRMWARE / "tests"), str(REPO / "protocol")]
    done = subprocess.run([*words, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[:4] == ["bytes", "0", "most", "0"], done.stdout
