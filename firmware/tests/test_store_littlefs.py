"""The ring on a real littlefs: a cut inside any operation of the chip loses nothing, and the wear is spread over all blocks."""

import pytest
from chip_files import BLOCK, Chip, ChipFiles, torn
from controller.records import NO_SPIN, RESULT
from controller.store import CORRUPT
from test_store import faces_of, no_spin_values, open_store, play, result_values

ERASE_STRIDE = 97  # an erase has 4096 bytes that all come to the same: some of them


def round_on(s, told):
    """A result that is paid and a no spin that locks. `told`: after how many operations of the chip something is durable."""
    done = s._files.chip.done
    spin = s.begin_spin()
    told.append((len(done), "begun", spin))
    s.end_spin(RESULT, result_values(spin, faces_of(spin)))
    told.append((len(done), "closed", spin))
    s.state.unpaid = 0
    s.save_state()
    spin = s.begin_spin()
    told.append((len(done), "begun", spin))
    s.end_spin(NO_SPIN, no_spin_values(spin, cause=5, lock=2))
    told.append((len(done), "closed", spin))


@pytest.mark.parametrize(("before", "stride"), [(3, 1), (12, 9)], ids=["a young segment", "with a new segment"])
def test_a_cut_inside_any_operation_of_the_chip_loses_nothing(before, stride):
    chip = Chip(blocks=32)
    s, _ = open_store(ChipFiles(chip, format=True))
    play(s, before)
    epoch, image, told = s.state.epoch, bytes(chip.buffer), []
    chip.done.clear()
    round_on(s, told)
    cuts = 0
    for last, (_, data) in enumerate(chip.done):
        for byte in range(0, len(data), ERASE_STRIDE if len(data) == BLOCK else stride):
            cuts += 1
            again, found = open_store(ChipFiles(Chip(torn(image, chip.done, last, byte))))
            assert not found & CORRUPT, f"operation {last}, byte {byte}"
            assert again.state.epoch == epoch
            durable = [(what, spin) for after, what, spin in told if after <= last]
            closed = max([spin for what, spin in durable if what == "closed"], default=before)
            begun = max([spin for what, spin in durable if what == "begun"], default=before)
            assert again.state.next_spin in (begun + 1, begun + 2)
            assert closed <= again.state.last_spin <= closed + 1
            assert (again.state.lock == 2) == (again.state.last_spin == before + 2)
            for spin in range(1, again.state.last_spin + 1):
                assert again.fetch(spin) == s.fetch(spin), f"operation {last}, byte {byte}"
    assert cuts > 800


def test_wear_is_spread_over_the_whole_chip():
    """Of a Pico's 352 blocks none is erased three times as often as the average: the first wears out after years of play."""
    chip = Chip()
    s, _ = open_store(ChipFiles(chip, format=True))
    play(s, 1000)
    average = sum(chip.erases) / chip.blocks
    assert min(chip.erases) > 0
    assert max(chip.erases) < 3 * average
    a_spin = sum(chip.erases) / 1000
    assert a_spin < 4
    assert (
        chip.blocks * 100_000 / a_spin / (3 * 2000 * 365) > 4
    )  # years, at 2000 spins a day and three times the average
    assert s.seq >= sum(chip.erases)  # what HEALTH tells as wear is not less than the chip has
