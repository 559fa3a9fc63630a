"""A pyusb backend of our own: devices in this process, no libusb, no kernel. For the many cases; umockdev for the real one."""

from __future__ import annotations

import errno
from types import SimpleNamespace as Row
from typing import Any

import usb.core
from usb.backend import IBackend

from .bootrom import IN, OUT, SERIAL, BootRom, Stall


def _error(number: int, text: str) -> usb.core.USBError:
    kind = usb.core.USBTimeoutError if number == errno.ETIMEDOUT else usb.core.USBError
    return kind(text, None, number)


class Plugged:
    """A device as it is plugged in. `model` answers; None for a running controller, which has nothing to say here."""

    def __init__(
        self,
        ids: tuple[int, int],
        serial: str,
        ports: tuple[int, ...],
        *,
        model: BootRom | None = None,
        forbidden: bool = False,
        vendor_interface: bool = True,
    ) -> None:
        self.ids, self.serial, self.ports, self.model = ids, serial, ports, model
        self.forbidden, self.vendor_interface = forbidden, vendor_interface
        self.resets = 0


def bootloader(ports: tuple[int, ...] = (1,), **more: Any) -> Plugged:
    more.setdefault("model", BootRom())
    return Plugged((0x2E8A, 0x0003), SERIAL, ports, **more)


def running(serial: str, ports: tuple[int, ...] = (1,), **more: Any) -> Plugged:
    return Plugged((0x2E8A, 0x0005), serial, ports, **more)


class FakeUsb(IBackend):  # type: ignore[misc]
    def __init__(self, *devices: Plugged) -> None:
        self.devices = list(devices)

    def enumerate_devices(self) -> list[Plugged]:
        return [d for d in self.devices if d.model is None or not d.model.gone]

    def get_device_descriptor(self, device: Plugged) -> Row:
        return Row(
            bLength=18, bDescriptorType=1, bcdUSB=0x110, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=device.ids[0], idProduct=device.ids[1], bcdDevice=0x100, iManufacturer=1,
            iProduct=2, iSerialNumber=3 if device.serial else 0, bNumConfigurations=1, address=7, bus=1,
            port_number=device.ports[-1], port_numbers=device.ports, speed=2,
        )  # fmt: skip

    def get_configuration_descriptor(self, device: Plugged, number: int) -> Row:
        if number:
            raise IndexError
        return Row(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=2, bConfigurationValue=1, iConfiguration=0,
            bmAttributes=0x80, bMaxPower=50, extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, device: Plugged, number: int, alternate: int, configuration: int) -> Row:
        if number > 1 or alternate:
            raise IndexError
        kind = (8, 0xFF if device.vendor_interface else 0x0A)[number]
        return Row(
            bLength=9, bDescriptorType=4, bInterfaceNumber=number, bAlternateSetting=0, bNumEndpoints=2,
            bInterfaceClass=kind, bInterfaceSubClass=0, bInterfaceProtocol=0, iInterface=0, extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(self, device: Plugged, end: int, number: int, alternate: int, config: int) -> Row:
        address = ((0x02, 0x81), (OUT, IN))[number][end]
        return Row(
            bLength=7, bDescriptorType=5, bEndpointAddress=address, bmAttributes=2, wMaxPacketSize=64, bInterval=0,
            bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    def open_device(self, device: Plugged) -> Plugged:
        if device.forbidden:
            raise _error(errno.EACCES, "Access denied")
        return device

    def close_device(self, device: Plugged) -> None:
        return None

    def get_configuration(self, device: Plugged) -> int:
        return 1

    def set_configuration(self, device: Plugged, value: int) -> None:
        return None

    def claim_interface(self, device: Plugged, number: int) -> None:
        self._model(device)

    def release_interface(self, device: Plugged, number: int) -> None:
        return None

    def reset_device(self, device: Plugged) -> None:
        device.resets += 1

    def clear_halt(self, device: Plugged, endpoint: int) -> None:
        self._model(device).clear_halt(endpoint)

    def _model(self, device: Plugged) -> BootRom:
        if device.model is None or device.model.gone:
            raise _error(errno.ENODEV, "No such device")
        return device.model

    def _answer(self, device: Plugged, ask: Any) -> Any:
        model = self._model(device)
        try:
            return ask(model)
        except Stall:
            raise (_error(errno.ENODEV, "No such device") if model.gone else _error(errno.EPIPE, "Pipe")) from None

    def bulk_write(self, device: Plugged, endpoint: int, number: int, data: Any, timeout: int) -> int:
        def put(model: BootRom) -> int:
            raw = bytes(data)
            for at in range(0, len(raw) or 1, 64):  # the wire has packets of 64 bytes
                piece = raw[at : at + 64]
                model.bulk_out(piece)
            return len(raw)

        return int(self._answer(device, put))

    def bulk_read(self, device: Plugged, endpoint: int, number: int, buffer: Any, timeout: int) -> int:
        def take(model: BootRom) -> int:
            got = 0
            while got < len(buffer):
                packet = model.bulk_in(len(buffer) - got)
                if packet is None:
                    raise _error(errno.ETIMEDOUT, "Operation timed out")
                buffer[got : got + len(packet)] = type(buffer)("B", packet)
                got += len(packet)
                if len(packet) < 64:
                    break
            return got

        return int(self._answer(device, take))

    def ctrl_transfer(
        self, device: Plugged, kind: int, request: int, value: int, index: int, data: Any, timeout: int
    ) -> int:
        if kind == 0x80 and request == 6 and value >> 8 == 3:
            text = device.serial.encode("utf-16-le")
            raw = b"\x04\x03\x09\x04" if not value & 0xFF else bytes((len(text) + 2, 3)) + text
        else:
            raw = self._answer(device, lambda model: model.control(kind, request, value, index, bytes(data)))
        if kind & 0x80:
            n = min(len(raw), len(data))
            data[:n] = type(data)("B", raw[:n])
            return n
        return len(data)
