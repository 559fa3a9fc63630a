"""The labgrid environment and driver, on a table that a twin plays: labgrid's own code switches its power and finds its cable.

Skipped where labgrid could not be installed (tools/setup.py says so).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tumbler.bench.processes import Process, free_port
from tumbler.rigs import Capability
from tumbler.rigs.rig import RigFailed
from tumbler.rigs.twin import TwinPlan, TwinRig

pytest.importorskip("labgrid", reason="labgrid is not installed: see .tools/setup.log")

from tumbler.rigs.labgrid_driver import LabgridRig

pytestmark = pytest.mark.timeout(240)

BENCH = Path(__file__).parent / "bench"
RELAY = """
import json, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.sendall(json.dumps({"do": "power", "on": sys.argv[2] == "on"}).encode() + b"\\n")
assert json.loads(link.makefile().readline())["ok"]
"""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """A twin that stands for the table, and the environment file as it is in the repository."""
    twin = TwinRig(TwinPlan(tmp_path, dealer=False, speed=0.0))
    twin.start()
    relay = tmp_path / "relay.py"
    relay.write_text(RELAY)
    key = tmp_path / "controller.key"
    monkeypatch.setenv("LG_TUMBLER_PORT", str(twin.port))
    monkeypatch.setenv("LG_TUMBLER_KEY", str(key))
    monkeypatch.setenv("LG_TUMBLER_POWER", f"{sys.executable} {relay} {tmp_path / 'control'}")
    yield twin
    twin.stop()


def test_the_environment_gives_a_rig_with_the_tables_cable_and_key(bench: TwinRig) -> None:
    rig = LabgridRig(BENCH / "labgrid.yaml", None)
    assert rig.port.resolve() == bench.port.resolve()
    assert rig.key == bench.key
    assert rig.missing({Capability.POWER}) == []
    assert rig.missing({Capability.KEYS}) == [Capability.KEYS.value]  # no relays over the keys in this file
    rig.stop()


def test_power_goes_through_labgrid_to_the_table(bench: TwinRig) -> None:
    rig = LabgridRig(BENCH / "labgrid.yaml", None)
    boots = bench.control("status")["boots"]
    rig.control("power_cut", off_ms=100)
    deadline = time.monotonic() + 20
    while (told := bench.control("status"))["boots"] == boots and time.monotonic() < deadline:
        time.sleep(0.05)  # another process starts; nothing tells when
    assert told["power_cuts"] == 1
    assert told["boots"] == boots + 1
    rig.stop()


def test_what_no_actuator_does_a_person_is_asked_to_do(bench: TwinRig) -> None:
    asked: list[str] = []
    rig = LabgridRig(BENCH / "labgrid.yaml", asked.append)
    rig.control("press", key="spin")
    assert asked == ["press the key spin"]
    rig.stop()
    nobody = LabgridRig(BENCH / "labgrid.yaml", None)
    with pytest.raises(RigFailed, match="nobody"):
        nobody.control("press", key="spin")
    nobody.stop()


OUTPUTS = ("spin", "no_more_bets", "no_spin", "confirm", "cover", "door")


def test_keys_and_cover_go_through_labgrids_outputs(bench: TwinRig, tmp_path: Path) -> None:
    """labgrid's own driver of an output that is a file stands for the relay box."""
    rows = "".join(
        f"      - FileDigitalOutputDriver: {{name: relay-{one}, filepath: {tmp_path / one}}}\n" for one in OUTPUTS
    )
    names = ", ".join(f"{one}: relay-{one}" for one in OUTPUTS)
    environment = tmp_path / "relays.yaml"
    environment.write_text(
        f"targets:\n  main:\n    resources:\n      RawSerialPort: {{port: {bench.port}}}\n    drivers:\n{rows}"
        f"      - TumblerTableDriver: {{key_file: {tmp_path / 'controller.key'}, outputs: {{{names}}}}}\n"
        "imports: [tumbler.rigs.labgrid_driver]\n"
    )
    for one in OUTPUTS:
        (tmp_path / one).write_text("")
    rig = LabgridRig(environment, None)
    assert rig.missing({Capability.KEYS}) == []
    assert rig.missing({Capability.POWER}) == [Capability.POWER.value]  # this bench has no relay for it
    rig.control("cover", closed=True)
    assert (tmp_path / "cover").read_text().strip() == "1"
    rig.control("cover", closed=False)
    assert (tmp_path / "cover").read_text().strip() == "0"
    rig.control("press", key="spin")
    assert (tmp_path / "spin").read_text().strip() == "0"  # pressed, and let go
    assert (tmp_path / "confirm").read_text() == ""
    rig.stop()


def test_a_file_that_labgrid_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LG_TUMBLER_PORT", raising=False)
    with pytest.raises(RigFailed, match="refers to unknown variable 'LG_TUMBLER_PORT'"):
        LabgridRig(BENCH / "labgrid.yaml", None)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(RigFailed, match="there is no such environment file"):
        LabgridRig(tmp_path / "none.yaml", None)


def labgrid(name: str) -> list[str]:
    beside = Path(sys.executable).parent / f"labgrid-{name}"
    found = str(beside) if beside.exists() else shutil.which(f"labgrid-{name}")
    if found is None:
        pytest.skip(f"labgrid-{name} is not on the PATH")
    return [sys.executable, found]


def test_the_exporter_offers_the_bench_to_a_coordinator(
    bench: TwinRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"127.0.0.1:{free_port()}"
    monkeypatch.chdir(tmp_path)  # the coordinator keeps its places in its working directory
    coordinator = Process([*labgrid("coordinator"), "-l", place], tmp_path / "coordinator.log")
    exporter = None
    listed = ""
    try:
        deadline = time.monotonic() + 60
        while "tumbler-bench-1" not in listed and time.monotonic() < deadline:
            if exporter is None or not exporter.alive:  # it ends where the coordinator does not listen yet
                command = [*labgrid("exporter"), "-c", place, "-n", "bench", str(BENCH / "exporter.yaml")]
                exporter = Process(command, tmp_path / "exporter.log")
            listed = subprocess.run(
                [*labgrid("client"), "-x", place, "resources"], capture_output=True, text=True, timeout=30
            ).stdout
        assert "bench/tumbler-bench-1/" in listed, (tmp_path / "exporter.log").read_text()[-500:]
        assert "NetworkPowerPort" in listed
    finally:
        for one in (exporter, coordinator):
            if one is not None and one.alive:
                one.kill()
