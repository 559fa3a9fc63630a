"""`make docs`: every document that is made from the program, made again. Tests fail where one has drifted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKERS = (
    ("-m", "dicewire.declared"),  # docs/protocol.md, the constants and the vectors of the wire
    ("-m", "tumbler.mqttdocs"),  # docs/mqtt.md, docs/asyncapi.yaml
    ("-m", "tumbler", "edge", "--docs", "docs"),  # docs/edges.md
)


def main() -> int:
    for maker in MAKERS:
        done = subprocess.run([sys.executable, *maker], cwd=ROOT, check=False)
        if done.returncode != 0:
            print(f"references: python {' '.join(maker)} ended with {done.returncode}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
