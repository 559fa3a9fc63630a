"""Brings what Tumbler needs onto this machine: the virtual environment, MicroPython, Mosquitto, Chromium.

Runs before `make run` and `make test`; asks nothing; does nothing when everything is there, so it also works offline
once it has succeeded. Only the package registries that the machine is already set up for are used: pip's and apt's. It
uses the standard library only, because it runs before anything is installed. Not for production machines: those
install the wheel and the packages named in docs/installation.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
EXTRAS = "dev,bench"
LABGRID = "labgrid>=25"
# labgrid asks for its own edition of pyserial, which would overwrite pyserial's files; what it uses of it is in both.
LABGRID_NEEDS = """
from importlib.metadata import requires
print(*(need for need in requires("labgrid") if "extra ==" not in need and not need.startswith("pyserial")), sep="\\n")
"""

# MicroPython's unix port is a Debian package from this release on; what it links against comes along, so that it runs
# beside the C library of an older release.
MICROPYTHON_SUITE = "trixie"
MICROPYTHON_PACKAGES = ("micropython", "libc6", "libffi8", "libmbedcrypto16", "libmbedtls21", "libmbedx509-7")
MICROPYTHON_OLDEST = (1, 22)

# (command, Debian packages, needed for running or only for some tests)
SYSTEM_COMMANDS = (
    ("mosquitto", ("mosquitto",), True),
    ("chromium", ("chromium",), False),
    ("umockdev-run", ("umockdev", "gir1.2-umockdev-1.0", "python3-gi", "libusb-1.0-0"), False),
)


class SetupError(Exception):
    """Something is missing that this script may not or cannot bring; the message says what to do."""


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def run(command: list[str], *, log: Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
    """Run quietly; on failure show the end of the log, because that is where package tools say why."""
    with log.open("ab") as out:
        code = subprocess.call(command, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd)
    if code:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
        raise SetupError(f"'{command[0]} {command[1]} ...' failed ({code}); end of {log}:\n{tail}")


def apt_env() -> dict[str, str]:
    return {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


# --- the virtual environment ------------------------------------------------------------------------------------------


def venv_fingerprint() -> str:
    facts = (ROOT / "pyproject.toml").read_bytes() + sys.version.encode() + str(ROOT).encode()
    return hashlib.sha256(facts).hexdigest()


def set_up_venv(log: Path) -> None:
    stamp = VENV / ".tumbler-setup"
    if stamp.exists() and stamp.read_text() == venv_fingerprint():
        return
    say("building .venv (Python packages)")
    if not (VENV / "bin" / "pip").exists():
        run([sys.executable, "-m", "venv", "--clear", str(VENV)], log=log)
    pip = [str(VENV / "bin" / "pip"), "--disable-pip-version-check", "--no-input", "install", "-e"]
    run([*pip, f"{ROOT}[{EXTRAS}]"], log=log)
    run([str(VENV / "bin" / "python"), str(ROOT / "tools" / "fast_emulator.py")], log=log)
    bring_labgrid(log)
    stamp.write_text(venv_fingerprint())


def bring_labgrid(log: Path) -> None:
    """For the tests of a bench that labgrid looks after. Where it can't be had, those are skipped and nothing else is lost."""
    python = str(VENV / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    try:
        run([*pip, "--no-deps", LABGRID], log=log)
        needs = subprocess.run([python, "-c", LABGRID_NEEDS], capture_output=True, text=True, check=True).stdout
        run([*pip, *needs.splitlines()], log=log)
    except (SetupError, subprocess.SubprocessError) as error:
        with log.open("a") as out:
            out.write(f"{error}\n")
        say(f"labgrid could not be installed (its tests are skipped; see {log})")


# --- MicroPython ------------------------------------------------------------------------------------------------------


def micropython_version(command: str) -> tuple[int, int] | None:
    probe = "import sys; print('%d.%d' % sys.implementation.version[:2])"
    try:
        answer = subprocess.run([command, "-c", probe], capture_output=True, text=True, timeout=20, check=True)
        major, minor = answer.stdout.strip().split(".")
        return int(major), int(minor)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def usable_micropython() -> str | None:
    for candidate in (
        os.environ.get("TUMBLER_MICROPYTHON"),
        shutil.which("micropython"),
        str(TOOLS / "bin" / "micropython"),
    ):
        if candidate:
            version = micropython_version(candidate)
            if version and version >= MICROPYTHON_OLDEST:
                return candidate
    return None


def debian_source() -> tuple[str, str]:
    """(archive address, options) of the machine's own Debian source; never written into the project."""
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            field = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.+)$", stanza, re.MULTILINE))
            uri = field.get("URIs", "").split()
            if uri and re.search(r"/debian/?$", uri[0]) and "deb" in field.get("Types", "deb"):
                key = field.get("Signed-By", "").strip()
                return uri[0], f"[signed-by={key}] " if key.startswith("/") else ""
    lists = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.list"))]
    for path in lists:
        if path.exists():
            found = re.search(r"^deb\s+(\[[^\]]*\]\s+)?(\S+/debian/?)\s", path.read_text(), re.MULTILINE)
            if found:
                return found.group(2), found.group(1) or ""
    raise SetupError(
        "no Debian source in this machine's apt configuration; install MicroPython >= 1.22 and put it on the PATH, "
        "or set TUMBLER_MICROPYTHON"
    )


def bring_micropython(log: Path) -> None:
    """Unpack the packages into .tools without root: private apt state, dpkg -x, a start script with their loader."""
    if usable_micropython():
        return
    for tool in ("apt-get", "dpkg"):
        if not shutil.which(tool):
            raise SetupError(
                f"MicroPython >= 1.22 is missing and there is no {tool} to bring it; "
                "put a micropython on the PATH or set TUMBLER_MICROPYTHON"
            )
    say("bringing MicroPython (unix port) into .tools")
    uri, options = debian_source()
    with tempfile.TemporaryDirectory() as scratch:
        state = Path(scratch)
        for name in ("lists/partial", "cache/archives/partial", "debs"):
            (state / name).mkdir(parents=True)
        (state / "sources.list").write_text(f"deb {options}{uri} {MICROPYTHON_SUITE} main\n")
        settings = {
            "Dir::Etc::sourcelist": state / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::State::lists": state / "lists",
            "Dir::Cache": state / "cache",
            "Debug::NoLocking": "1",
            "APT::Sandbox::User": Path.home().owner(),
        }
        apt = ["apt-get", "-q", *(f"-o{key}={value}" for key, value in settings.items())]
        run([*apt, "update"], log=log, env=apt_env())
        run([*apt, "download", *MICROPYTHON_PACKAGES], log=log, env=apt_env(), cwd=state / "debs")
        unpacked = TOOLS / "micropython"
        shutil.rmtree(unpacked, ignore_errors=True)
        for deb in sorted((state / "debs").glob("*.deb")):
            run(["dpkg", "-x", str(deb), str(unpacked)], log=log)
    loaders = sorted((TOOLS / "micropython" / "usr" / "lib").rglob("ld-linux*.so.*"))
    if not loaders:
        raise SetupError(f"the unpacked packages in {unpacked} hold no ld-linux loader; see {log}")
    loader = loaders[0].relative_to(unpacked)
    start = TOOLS / "bin" / "micropython"
    start.parent.mkdir(parents=True, exist_ok=True)
    start.write_text(
        "#!/bin/sh\n# MicroPython with the libraries it was built for.\n"
        'd=$(dirname "$(readlink -f "$0")")/../micropython\n'
        f'exec "$d/{loader}" --library-path "$d/{loader.parent}" "$d/usr/bin/micropython" "$@"\n'
    )
    start.chmod(0o755)
    if not usable_micropython():
        raise SetupError(f"{start} was brought but does not run; see {log}")


# --- system packages --------------------------------------------------------------------------------------------------


def on_path(command: str) -> bool:
    return shutil.which(command, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin") is not None


def bring_system_packages(log: Path) -> None:
    missing = [entry for entry in SYSTEM_COMMANDS if not on_path(entry[0])]
    if not missing:
        return
    packages = [package for _, names, _ in missing for package in names]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say("installing " + ", ".join(packages))
        run(["apt-get", "-q", "update"], log=log, env=apt_env())
        # At run level 1 the package's own broker is not started on port 1883; the demo and the tests start theirs.
        command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages]
        run(command, log=log, env={**apt_env(), "RUNLEVEL": "1"})
        return
    for name, names, needed in missing:
        hint = f"{name} is missing; as root: apt-get install {' '.join(names)}"
        if needed:
            raise SetupError(hint)
        say(f"{hint} (the tests that need it are skipped)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="only say what is missing; change nothing")
    args = parser.parse_args()
    if args.check:
        print(f"micropython: {usable_micropython() or 'missing'}")
        for command, _, _ in SYSTEM_COMMANDS:
            print(f"{command}: {'found' if on_path(command) else 'missing'}")
        return 0
    TOOLS.mkdir(exist_ok=True)
    log = TOOLS / "setup.log"
    try:
        set_up_venv(log)
        bring_micropython(log)
        bring_system_packages(log)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
