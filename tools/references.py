"""`make docs`: makes every file again that comes from a declaration, so that no reference has to be kept by hand.

Each maker also has a test that fails when its file has drifted. The pictures of the page and of the camera are not made
here: they need a browser or minutes of rendering, and docs/console.md and docs/camera.md name their commands.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# what is made, and the arguments of the Python that makes it
MAKERS = (
    ("docs/protocol.md, protocol/vectors.json, codes and types", ("-m", "dicewire.declared")),
    ("docs/mqtt.md's tables and docs/asyncapi.yaml", ("-m", "tumbler.mqttdocs")),
    ("docs/error-codes.md and docs/configuration.md's tables", ("-m", "tumbler.tabledocs")),
    ("docs/edges.md and its picture", ("-m", "tumbler", "edge", "--docs", "docs")),
)


def main() -> int:
    for what, arguments in MAKERS:
        print(f"docs: {what}", flush=True)
        code = subprocess.call([sys.executable, *arguments], cwd=ROOT)
        if code:
            print(f"docs: `python {' '.join(arguments)}` failed with {code}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
