"""The daemon, the broker and the emulated controller together, in real time: what lay in the dome arrives on MQTT."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tumbler.bench.processes import Daemon, Subscriber
from tumbler.rigs import Capability, Rig

pytestmark = [pytest.mark.xdist_group("quirks"), pytest.mark.timeout(1200)]


@pytest.mark.needs(Capability.DEALER, Capability.TRUTH)
def test_a_daemon_serves_an_emulated_table_as_any_other(
    request: pytest.FixtureRequest, table: Callable[..., Rig], serve: Callable[[Rig], Daemon], floor: Subscriber
) -> None:
    if request.config.getoption("--rig") != "emulated":
        pytest.skip("takes minutes: --rig emulated (make hil-emulated)")
    rig = table(spins=2, seed=11)
    daemon = serve(rig)
    rig.wait_played()
    wanted = [row["faces"] for row in rig.truth() if row["flat"]]
    assert len(rig.truth()) >= 2
    floor.wait(lambda at: len(at.results()) >= len(wanted), 60)
    assert [told["faces"] for told in floor.results()] == wanted
    assert "pico" in str(floor.of("t1/info")[-1]["controller"])
    assert daemon.stop(10) == 0
