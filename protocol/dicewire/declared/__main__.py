"""`python -m dicewire.declared [--check]`: make the files that come from the declaration, or say which drifted.

Exit 0 all is in step, 1 a file has drifted (with --check), 2 bad usage.
"""

import argparse
import sys
from pathlib import Path

from dicewire.declared import document, runtime, schema, vectors


def outputs() -> dict[Path, str]:
    """Every generated file with what it must contain."""
    package = Path(__file__).resolve().parents[1]
    repository = package.parents[1]
    return {
        package / "codes.py": runtime.codes_file(),
        package / "messages.py": runtime.messages_file(),
        package / "declared" / "hosttypes.py": runtime.hosttypes_file(),
        repository / "protocol" / "messages.schema.json": schema.schema_file(),
        repository / "protocol" / "vectors.json": vectors.vectors_file(),
        repository / "docs" / "protocol.md": document.protocol_page(),
    }


def drifted() -> list[Path]:
    return [p for p, text in outputs().items() if not p.exists() or p.read_text(encoding="utf-8") != text]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m dicewire.declared", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file has drifted")
    if parser.parse_args().check:
        for path in drifted():
            print(f"{path} is not what the declaration gives: run `python -m dicewire.declared`", file=sys.stderr)
        return 1 if drifted() else 0
    for path, text in outputs().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
