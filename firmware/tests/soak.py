"""Measures the firmware's memory: plays rounds on MicroPython with the device's heap and prints what stays free.

    .venv/bin/python firmware/tests/soak.py [--rounds N] [--book BOOK]

The heap is 192 K words of 4 bytes on the device, of 8 bytes on a 64-bit machine: 384 KB here are 192 KB there.
"""

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from bench_table import SICBO  # noqa: E402  (found by the path above)
from dicewire import messages as wire  # noqa: E402
from micropython_table import MicropythonTable  # noqa: E402

HEAP = 192 * 1024 * 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--book", default=SICBO)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tumbler-soak-") as folder:
        table = MicropythonTable(Path(folder), options.book)
        try:
            table.bring_game()
            shown = {1, 2, 5, 10, 20, 50, options.rounds}
            for done in range(1, options.rounds + 1):
                table.play(*[1 + (done + die) % 6 for die in range(table.dice)])
                table.pay()
                if done in shown or done % 100 == 0:
                    free = table.heap_free()
                    print(f"after {done:5} rounds: {free:7} bytes free of {HEAP}, {100 * free // HEAP} %", flush=True)
            health = table.host.all(wire.HEALTH)
            print(f"results {len(table.host.all(wire.RESULT))}, no spins {len(table.host.all(wire.NO_SPIN))}")
            print(f"longest turn of the loop {max(row['loop_max_ms'] for row in health)} ms of this machine's time")
            print(f"blocks erased {sum(table.flash.erases)}, most worn block {max(table.flash.erases)}")
        finally:
            table.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
