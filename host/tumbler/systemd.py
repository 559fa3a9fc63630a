"""What systemd hears from the daemon: ready, alive, stopping, and a line of status. Silent where there is no systemd.

The protocol is one datagram of KEY=VALUE lines to the socket named in NOTIFY_SOCKET; a library for it would be larger.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from tumbler.log import Log

log = Log("tumbler.systemd")


class Notifier:
    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        # Meant for us? systemd names the process that is to be watched.
        for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        watchdog_us = environment.get("WATCHDOG_USEC", "") if self._address and for_us else ""
        self.watchdog_s = int(watchdog_us) / 1e6 if watchdog_us.isdigit() else 0.0

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, status: str) -> None:
        self._send(f"STATUS={status}")

    def alive(self) -> None:
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as door:
                door.sendto(message.encode(), address)
        except OSError as error:  # the table plays on without a supervisor; if it was the watchdog, systemd acts
            log.warning("systemd does not hear us", socket=self._address, error=str(error))
