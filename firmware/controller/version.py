"""The firmware's version, as HELLO tells it."""

FIRMWARE = "0.1.0"
