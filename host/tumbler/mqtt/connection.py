"""One connection to the broker, from CONNECT to its end, driven by asyncio without a thread or a poll; never used twice.

Paho keeps unacknowledged messages over its own reconnects; the outbox is what remembers here, so each connection is a
fresh client with a clean session. Only the name look-up and TCP/TLS connect block, and run in a thread of their own.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from tumbler.mqtt.settings import BrokerSettings, BrokerUnusable, password, tls_context

CONNECT_S = 4.0  # for TCP and TLS, and again for the broker's CONNACK
UNSUPPORTED_VERSION = 132
TAKEN_OVER = 142
CREDENTIALS = (134, 135)  # bad user name or password, not authorised
VERSION_NAMES: dict[MQTTProtocolVersion, str] = {paho.MQTTv5: "5", paho.MQTTv311: "3.1.1"}


class VersionRefused(BrokerUnusable):
    """The broker does not speak this version of MQTT."""


class NoAnswer(BrokerUnusable):
    """The broker closed or kept silent instead of CONNACK: old brokers do that to a version they do not know."""


@dataclass(frozen=True)
class Message:
    """An incoming publication."""

    topic: str
    payload: bytes
    retained: bool
    response_topic: str | None
    correlation: bytes | None


@dataclass(frozen=True)
class Will:
    topic: str
    payload: bytes


class Connection:
    def __init__(
        self,
        settings: BrokerSettings,
        client_id: str,
        version: MQTTProtocolVersion,
        will: Will,
        on_message: Callable[[Message], None],
        on_ack: Callable[[int, str | None], None],  # (mid, None or why the broker refused it)
    ) -> None:
        self.version = version
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._on_message, self._on_ack = on_message, on_ack
        self.ended: asyncio.Future[str] = self._loop.create_future()  # why it ended
        self.taken_over = False  # by another client of the same name
        self._accepted: asyncio.Future[None] = self._loop.create_future()
        self._misc: asyncio.TimerHandle | None = None
        self._client = self._build(client_id, will)

    def _build(self, client_id: str, will: Will) -> paho.Client:
        settings, five = self._settings, self.version == paho.MQTTv5
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id,
            clean_session=None if five else True,
            protocol=self.version,
            reconnect_on_failure=False,
        )
        client.connect_timeout = CONNECT_S
        client.will_set(will.topic, will.payload, qos=1, retain=True)
        if settings.username is not None:
            client.username_pw_set(settings.username, password(settings))
        context = tls_context(settings)
        if context is not None:
            client.tls_set_context(context)
        client.on_connect, client.on_disconnect = self._connected, self._disconnected
        client.on_message, client.on_publish = self._received, self._published
        client.on_socket_open, client.on_socket_close = self._socket_open, self._socket_close
        client.on_socket_register_write = self._want_write
        client.on_socket_unregister_write = self._no_write
        clean: dict[str, Any] = {"clean_start": True} if five else {}
        client.connect_async(settings.host, settings.port, settings.keepalive, **clean)
        return client

    async def open(self) -> None:
        """Until the broker has accepted; BrokerUnusable says why not."""
        where = f"broker {self._settings.host}:{self._settings.port}"
        dialled: asyncio.Future[None] = self._loop.create_future()
        # A daemon thread of its own: a name server that hangs must not keep the process from ending.
        threading.Thread(target=self._dial, args=(dialled,), name="mqtt-connect", daemon=True).start()
        try:
            await dialled
        except ssl.SSLError as error:
            raise BrokerUnusable(f"{where}: TLS failed: {error}; check mqtt.tls and mqtt.ca_file") from error
        except OSError as error:
            raise BrokerUnusable(f"{where} cannot be reached: {error.strerror or error}") from error
        self._keep_alive()
        try:
            await asyncio.wait_for(asyncio.shield(self._accepted), CONNECT_S)
        except TimeoutError as error:
            raise NoAnswer(f"{where} does not answer") from error

    def _dial(self, dialled: asyncio.Future[None]) -> None:
        try:
            self._client.reconnect()
        except (OSError, ValueError) as error:
            self._call(_settle, dialled, error)
        else:
            self._call(_settle, dialled, None)

    def publish(
        self,
        topic: str,
        payload: bytes,
        *,
        qos: int,
        retain: bool,
        expiry_s: int | None = None,
        correlation: bytes | None = None,
    ) -> int:
        """Hand to the broker; the id under which its PUBACK will come."""
        properties: Properties | None = None
        if self.version == paho.MQTTv5 and (expiry_s is not None or correlation is not None):
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            if expiry_s is not None:
                properties.MessageExpiryInterval = expiry_s
            if correlation is not None:
                properties.CorrelationData = correlation
        return self._client.publish(topic, payload, qos, retain, properties).mid

    def subscribe(self, topic: str) -> None:
        """QoS 1, and with the retained flag as the sender set it, so that a retained command is known as one."""
        if self.version == paho.MQTTv5:
            self._client.subscribe(topic, options=SubscribeOptions(qos=1, retainAsPublished=True))
        else:
            self._client.subscribe(topic, qos=1)

    def end(self, why: str) -> None:
        """Drop it without DISCONNECT: the broker will speak our will."""
        self._finish(why)

    async def close(self) -> None:
        """DISCONNECT in order: the broker forgets the will."""
        if not self.ended.done():
            self._client.disconnect()
            try:
                await asyncio.wait_for(asyncio.shield(self.ended), CONNECT_S / 2)
            except TimeoutError:
                self._finish("closed")
        self._finish("closed")

    # --- paho and asyncio -----------------------------------------------------------------------------------------------

    def _keep_alive(self) -> None:
        """Paho sends pings and notices silence only when asked; once a second is exact enough, and costs 20 us."""
        if self.ended.done():
            return
        self._client.loop_misc()
        self._misc = self._loop.call_later(1.0, self._keep_alive)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        """Paho's callbacks come from the dialling thread at first; the loop may be gone when a slow one returns."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)

    def _socket_open(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a result does not wait for the ACK of `round`
        self._call(self._watch, sock)

    def _watch(self, sock: Any) -> None:
        if self.ended.done():
            sock.close()  # given up while it was dialling
        elif sock.fileno() >= 0:
            self._loop.add_reader(sock, self._read, sock)

    def _read(self, sock: Any) -> None:
        self._client.loop_read()
        # TLS may hold a decrypted packet that select() knows nothing of.
        while isinstance(sock, ssl.SSLSocket) and sock.fileno() >= 0 and sock.pending():
            self._client.loop_read()

    def _socket_close(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        if sock.fileno() >= 0:
            self._loop.remove_reader(sock)
            self._loop.remove_writer(sock)

    def _want_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        self._call(self._watch_write, sock)

    def _watch_write(self, sock: Any) -> None:
        if not self.ended.done() and sock.fileno() >= 0 and self._client.want_write():
            self._loop.add_writer(sock, self._client.loop_write)

    def _no_write(self, _client: paho.Client, _data: Any, sock: Any) -> None:
        if sock.fileno() >= 0:
            self._loop.remove_writer(sock)

    def _connected(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        if self._accepted.done():
            return
        if not reason.is_failure:
            self._accepted.set_result(None)
            return
        where = f"broker {self._settings.host}:{self._settings.port}"
        if reason.value == UNSUPPORTED_VERSION:
            self._accepted.set_exception(VersionRefused(f"{where} does not speak MQTT {VERSION_NAMES[self.version]}"))
            return
        advice = "; check mqtt.username and mqtt.password_file" if reason.value in CREDENTIALS else ""
        self._accepted.set_exception(BrokerUnusable(f"{where} refused the connection: {reason}{advice}"))

    def _disconnected(self, _client: Any, _data: Any, _flags: Any, reason: ReasonCode, _properties: Any) -> None:
        self.taken_over = reason.value == TAKEN_OVER
        self._finish(str(reason))

    def _received(self, _client: Any, _data: Any, message: paho.MQTTMessage) -> None:
        properties = message.properties
        self._on_message(
            Message(
                message.topic,
                bytes(message.payload),
                bool(message.retain),
                getattr(properties, "ResponseTopic", None),
                getattr(properties, "CorrelationData", None),
            )
        )

    def _published(self, _client: Any, _data: Any, mid: int, reason: ReasonCode, _properties: Any) -> None:
        self._on_ack(mid, str(reason) if reason.is_failure else None)

    def _finish(self, why: str) -> None:
        if self._misc is not None:
            self._misc.cancel()
        if not self._accepted.done():
            where = f"broker {self._settings.host}:{self._settings.port}"
            self._accepted.set_exception(NoAnswer(f"{where} closed the connection: {why}"))
            self._accepted.exception()  # open() may have given up waiting
        if self.ended.done():
            return
        self.ended.set_result(why)
        sock = self._client.socket()
        if sock is not None:
            self._socket_close(self._client, None, sock)
            sock.close()


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
