"""docs/images/console.png: starts the demo, waits until the lamps of a result are lit, takes a picture of the page.

    python tools/console_picture.py [--book BOOK] [--out FILE] [--games N]

Everything in the picture is real: twin, firmware, daemon and page. Needs Chromium.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

OUT = Path(__file__).parents[1] / "docs" / "images" / "console.png"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
START_S = 60
TRIES = 20
SIZE = ViewportSize(width=1440, height=1080)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_page(page: Page, url: str, demo: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while True:
        if demo.poll() is not None:
            raise SystemExit(f"console_picture: the demo ended with {demo.returncode} before the page was there")
        try:
            with socket.create_connection(("127.0.0.1", int(url.rstrip("/").rpartition(":")[2])), 1):
                break
        except OSError:
            if time.monotonic() > deadline:
                raise SystemExit(f"console_picture: no page at {url} after {START_S} s") from None
            time.sleep(0.1)
    page.goto(url)


def take(url: str, demo: subprocess.Popen[bytes], games: int, out: Path, chromium: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=SIZE, device_scale_factor=1)
        open_page(page, url, demo)
        # As functions: the page's own policy lets no text be evaluated.
        enough = "(games) => document.querySelectorAll('#road .game').length >= games"
        page.wait_for_function(enough, arg=games, timeout=1000 * (START_S + 30 * games))
        for _ in range(TRIES):  # the dealer does not wait for a photographer
            page.wait_for_selector(".area.lit", timeout=1000 * START_S)
            page.evaluate("() => Promise.all(document.getAnimations().map((animation) => animation.finished))")
            page.screenshot(path=out, full_page=True)
            if page.locator(".area.lit").count():
                break
        else:
            raise SystemExit(f"console_picture: in {TRIES} tries the lamps were never lit long enough")
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--book", default="crown-melbourne-sicbo-a")
    parser.add_argument("--games", type=int, default=12, help="so many last games are on the page")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("console_picture: chromium is missing; as root: apt-get install chromium", file=sys.stderr)
        return 1
    listen = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tumbler", "demo", "--no-browser", "--listen", listen, "--book", options.book]
        command += ["--seed", str(options.seed), "--speed", "2", "--folder", str(Path(folder) / "run")]
        demo = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            take(f"http://{listen}/", demo, options.games, options.out, chromium)
        finally:
            demo.terminate()
            demo.wait()
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
