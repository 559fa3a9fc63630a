"""`tumbler calibrate`: from picture files, and on a running table whose controller stores and uses what was learned."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tumbler.eye.calibrate import NotCalibrated, calibrate, find_plate
from tumbler.twin.camera import NORMAL, SETS, Lie, pair, stage
from tumbler.twin.dome import GASKET_WIDTH, PLATE_RADIUS

THROWS = 8


def throws(die_set: str, seed: int, count: int = THROWS):
    rng = np.random.default_rng(seed)
    fitting = NORMAL.fit(rng)
    made = [pair(stage(Lie.FLAT, 3, rng).poses, SETS[die_set], NORMAL.draw(rng, fitting), rng) for _ in range(count)]
    return made, fitting


def tumbler(*words: object, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tumbler", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120, input=stdin)


@pytest.mark.parametrize("die_set", ["white", "black", "red", "ivory"])
def test_plate_scale_and_dice_are_found_from_a_few_throws(die_set: str) -> None:
    frames, fitting = throws(die_set, 3)
    lesson = calibrate(frames)
    rim = PLATE_RADIUS - GASKET_WIDTH
    ends = fitting.view.project([[rim, 0, 0], [-rim, 0, 0], [0, rim, 0], [0, -rim, 0]])
    middle = ((ends[0][0] + ends[1][0]) / 2, (ends[2][1] + ends[3][1]) / 2)
    assert abs(lesson.plate.x - middle[0]) < 1.5
    assert abs(lesson.plate.y - middle[1]) < 1.5
    assert abs(lesson.plate.r - (ends[0][0] - ends[1][0]) / 2) < 3
    pitch = SETS[die_set].pip_pitch
    step = pitch * 372 / (0.150 - 0.016)
    assert abs(lesson.figures["step"] / step - 1) < 0.05
    assert lesson.figures["light_pips"] == (die_set in ("black", "red"))


def test_frames_without_a_plate_or_without_dice_teach_nothing() -> None:
    rng = np.random.default_rng(1)
    fog = [rng.integers(100, 104, (240, 320), dtype=np.uint8) for _ in range(4)]
    with pytest.raises(NotCalibrated, match="rim"):
        find_plate(fog)
    frames, _ = throws("white", 3, 1)
    with pytest.raises(NotCalibrated, match="at least 3"):
        calibrate(frames)


def test_picture_files_give_a_calibration_its_figures_and_a_picture(tmp_path: Path) -> None:
    frames, _ = throws("white", 5)
    names = []
    for throw, by_lamp in enumerate(frames):
        for lamp, frame in enumerate(by_lamp):
            names.append(tmp_path / f"{throw}-{lamp}.png")
            Image.fromarray(frame).save(names[-1])
    done = tumbler("calibrate", *names, "--out", "eye.bin", "--picture", "found.png", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["throws"] == THROWS
    assert len(answer["hash"]) == 16
    assert (tmp_path / "eye.bin").read_bytes()[:4] == b"TEY4"
    with Image.open(tmp_path / "found.png") as picture:
        assert picture.width == 4 * 320


def test_a_throw_of_which_one_picture_is_missing_is_refused(tmp_path: Path) -> None:
    done = tumbler("calibrate", "a0.png", "a1.png", "b0.png", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "3 pictures: each throw has two, by lamp 0 and by lamp 1" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_file_that_is_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("no picture")
    done = tumbler("calibrate", "a.png", "a.png", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a.png" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_picture_too_large_to_be_one_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    Image.new("1", (1, 1)).save(tmp_path / "a.png")
    data = bytearray((tmp_path / "a.png").read_bytes())
    data[16:24] = (60_000).to_bytes(4, "big") * 2  # width and height
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    (tmp_path / "a.png").write_bytes(data)
    done = tumbler("calibrate", "a.png", "a.png", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tumbler calibrate: a.png: cannot be read as a picture: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "nowhere/eye.bin"), "--out nowhere/eye.bin: there is no directory nowhere"),
        (("--picture", "nowhere/found.png"), "--picture nowhere/found.png: there is no directory nowhere"),
        (("--picture", "found.zzz"), "--picture found.zzz: must end in one of .png"),
        (("--out", "."), "--out .: is a directory"),
        (("--show",), "takes no picture files"),
    ],
)
def test_where_it_shall_go_is_checked_before_any_work(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = tumbler("calibrate", "a.png", *words, cwd=tmp_path)  # which isn't there: the order of the checks tells
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_running_table_is_calibrated_stores_it_and_plays_by_it(tmp_path: Path, start_twin) -> None:
    link, key = tmp_path / "controller", tmp_path / "controller.key"
    with start_twin(tmp_path, "--reader", "camera", "--install-game") as path, TwinControl(path) as control:
        control({"do": "cover", "closed": False})
        table = ("--port", link, "--key", key)
        before = tumbler("diag", "calibration", *table, "--json", cwd=tmp_path)
        assert before.returncode == 0, before.stderr
        asked = [
            sys.executable,
            "-m",
            "tumbler",
            "calibrate",
            *map(str, table),
            "--throws",
            "6",
            "--picture",
            "found.png",
        ]
        process = subprocess.Popen(
            asked, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        faces = ((4, 5, 6), (6, 5, 4), (4, 6, 5), (5, 4, 6), (6, 4, 5), (5, 6, 4))
        for throw in faces:
            while not read_until(process.stdout, "Enter "):
                pass
            control({"do": "place", "faces": list(throw)})
            process.stdin.write("\n")
            process.stdin.flush()
        said, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
        stored = said.rsplit("stored in the controller as ", 1)[1].strip()
        after = tumbler("diag", "calibration", *table, "--json", cwd=tmp_path)
        assert json.loads(after.stdout)["hash"] == stored
        assert json.loads(before.stdout)["hash"] != stored
        assert (tmp_path / "found.png").stat().st_size > 10_000


def read_until(stream, end: str) -> bool:
    """One character at a time: a prompt has no line end."""
    seen = ""
    while not seen.endswith(end):
        one = stream.read(1)
        assert one, f"ended after {seen!r}"
        seen += one
    return True


class TwinControl:
    """Lines of JSON to the twin's socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(self._path))
        self._stream = self._socket.makefile("rw")
        return self.tell

    def tell(self, what: dict[str, object]) -> dict[str, object]:
        self._stream.write(json.dumps(what) + "\n")
        self._stream.flush()
        answer: dict[str, object] = json.loads(self._stream.readline())
        assert answer["ok"], answer
        return answer

    def __exit__(self, *_: object) -> None:
        self._socket.close()
