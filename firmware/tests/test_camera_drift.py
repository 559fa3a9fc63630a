"""A camera that ages slowly is reported before it costs a spin: by an event and in HEALTH. The real firmware, the twin's camera."""

import pytest
from dicewire import codes
from dicewire import messages as wire
from dicewire.declared.codes import DRIFTS
from micropython_table import MicropythonTable

LIGHT, FOCUS = DRIFTS.number("light"), DRIFTS.number("focus")
THROWS = ((4, 5, 6), (2, 4, 5), (6, 4, 3), (5, 5, 4))


@pytest.fixture
def table(tmp_path):
    made = MicropythonTable(tmp_path, reader="camera")
    made.bring_game()
    yield made
    made.close()


def play_until_told(table, age, most=40):
    """Spins while the camera ages, up to the event; gives how many there were. A refusal before it fails."""
    for spin in range(1, most):
        age(spin)
        table.play(*THROWS[spin % len(THROWS)])
        assert table.phase == codes.PHASE_RESULT, f"spin {spin} was refused before the drift was told"
        table.pay()
        if table.host.events(codes.EVENT_CAMERA_DRIFT):
            return spin
    pytest.fail("the camera aged and nothing was said")


def health_with_drift(table):
    table.until(
        lambda: any(values["drift"] for values in table.host.all(wire.HEALTH)), seconds=15.0, why="HEALTH with a drift"
    )
    return table.host.last(wire.HEALTH)


def test_a_lamp_that_fades_is_told_before_a_spin_is_refused(table):
    def fade(spin):
        table.scene.age.light = 0.96**spin

    assert play_until_told(table, fade) > 3
    event = table.host.events(codes.EVENT_CAMERA_DRIFT)[0]
    assert event["a"] == LIGHT
    assert event["b"] < -100
    assert event["text"].startswith("light -")
    values = health_with_drift(table)
    assert values["drift"] == LIGHT
    assert values["drift_by"] < -100


def test_a_lens_that_goes_soft_is_told_before_a_spin_is_refused(table):
    def soften(spin):
        table.scene.age.blur = 0.05 * spin

    assert play_until_told(table, soften) > 2
    event = table.host.events(codes.EVENT_CAMERA_DRIFT)[0]
    assert (event["a"], event["b"] < 0) == (FOCUS, True)
    assert health_with_drift(table)["drift"] == FOCUS


def test_a_camera_that_does_not_age_has_no_drift(table):
    for spin in range(6):
        table.play(*THROWS[spin % len(THROWS)])
        table.pay()
    assert table.host.events(codes.EVENT_CAMERA_DRIFT) == []
    table.until(lambda: table.host.all(wire.HEALTH), seconds=15.0, why="HEALTH")
    assert {(values["drift"], values["drift_by"]) for values in table.host.all(wire.HEALTH)} == {(0, 0)}
