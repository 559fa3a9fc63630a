"""The daemon's configuration: what may stand in the TOML file, its types and defaults, and the check at start.

The dataclasses are the declaration: a field is a key, its annotation says what it means and may be; example file and
docs/configuration.md are made from them. A wrong file is refused as a whole, with a message that names file and key.
Paths are taken from where the file lies, so that a configuration can be moved with its keys.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from tumbler.log import FORMATS, LEVELS

Check = Callable[[Any], str | None]  # None when the value is good, else what is wrong with it


class ConfigError(Exception):
    """The file cannot be used; the message names the file, the key and the value."""

    def __init__(self, file: Path | str, key: str, why: str) -> None:
        super().__init__(f"{file}: {key}: {why}" if key else f"{file}: {why}")
        self.file, self.key, self.why = str(file), key, why


# --- what a value may be ----------------------------------------------------------------------------------------------


def between(low: float, high: float) -> Check:
    return lambda value: None if low <= value <= high else f"{value} is not between {low} and {high}"


def one_of(*allowed: Any) -> Check:
    shown = ", ".join(str(value) for value in allowed)
    return lambda value: None if value in allowed else f"{value!r} is not one of {shown}"


def topic_word(value: str) -> str | None:
    """A level of an MQTT topic: neither a separator nor a wildcard, nothing that a shell or a file name minds."""
    return (
        None if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", value) else f"{value!r}: letters, digits, . _ - only"
    )


def host_and_port(value: str) -> str | None:
    host, _, port = value.rpartition(":")
    if host and port.isdigit() and int(port) < 65536:
        return None
    return f"{value!r} is not ADDRESS:PORT (port 0 takes a free one)"


def port_name(value: str) -> str | None:
    if value == "auto" or (value.startswith("usb:") and len(value) > 4) or "/" in value:
        return None
    return f'{value!r} is not a path, "usb:SERIAL" or "auto"'


def book_id(value: str) -> str | None:
    from tumbler.rules.bookfile import book_ids  # loaded only where a table names a book

    return None if value in book_ids() else f"there is no book {value!r}; one of {', '.join(book_ids())}"


@dataclass(frozen=True)
class Key:
    """What a key of the file means and may be; stands in the annotation of its field."""

    text: str
    check: Check | None = None
    example: Any = None


READERS = ("tags", "camera", "both")

# --- the keys ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class JournalConfig:
    """The durable record of every table of this daemon."""

    path: Annotated[Path, Key("the journal's file; made when it is not there", example="/var/lib/tumbler/journal.db")]
    free_mb: Annotated[int, Key("with less free disk than this many MB `health` warns", between(1, 10**7))] = 200
    hold_mb: Annotated[int, Key("with less than this many MB no new spin is allowed", between(1, 10**7))] = 20
    keep_days: Annotated[
        int | None, Key("records older than this many days are removed; never when not given", between(1, 36500), 400)
    ] = None


@dataclass(frozen=True, kw_only=True)
class MqttConfig:
    """The broker."""

    host: Annotated[str, Key("name or address of the broker")] = "127.0.0.1"
    port: Annotated[int, Key("its port", between(1, 65535))] = 1883
    username: Annotated[str | None, Key("user at the broker", example="tumbler")] = None
    password_file: Annotated[Path | None, Key("file whose first line is the password", example="mqtt.password")] = None
    tls: Annotated[bool, Key("speak TLS to the broker")] = False
    ca_file: Annotated[Path | None, Key("certificates to trust, where not the system's", example="ca.pem")] = None
    cert_file: Annotated[Path | None, Key("the daemon's own certificate", example="daemon.pem")] = None
    private_key_file: Annotated[Path | None, Key("the key of cert_file", example="daemon.key")] = None
    client_id: Annotated[str | None, Key("client id; made from the site when not given", example="tumbler-1")] = None
    keepalive: Annotated[int, Key("seconds of silence before the broker is asked", between(5, 3600))] = 15
    outbox_most: Annotated[
        int, Key("with more messages than this waiting for the broker no new spin is allowed", between(100, 10**8))
    ] = 1_000_000


@dataclass(frozen=True, kw_only=True)
class ConsoleConfig:
    """The web page. No page without this section."""

    listen: Annotated[str, Key("ADDRESS:PORT, port 0 takes a free one", host_and_port)] = "127.0.0.1:0"
    poses: Annotated[Path | None, Key("a twin's control socket, to draw its dice", example="twin.sock")] = None


@dataclass(frozen=True, kw_only=True)
class LogConfig:
    """What goes to stderr."""

    level: Annotated[str, Key("lowest level shown", one_of(*LEVELS))] = "info"
    format: Annotated[str, Key("for people or for machines", one_of(*FORMATS))] = "text"


@dataclass(frozen=True, kw_only=True)
class CommandsConfig:
    """Who may command a table over MQTT."""

    trust: Annotated[
        str,
        Key(
            '"keys": a command is signed by a person of keys_file; "broker": whoever may publish is believed',
            one_of("keys", "broker"),
        ),
    ] = "keys"
    keys_file: Annotated[Path | None, Key("people, their roles and keys", example="people.toml")] = None


@dataclass(frozen=True, kw_only=True)
class SettingsConfig:
    """How this table plays; sent to the controller at each connection."""

    min_spin_ms: Annotated[int, Key("a shorter spin is a no spin", between(500, 60000))] = 2000
    min_tumbles: Annotated[int, Key("a spin with fewer tumbles is a no spin", between(0, 10000))] = 8
    entry: Annotated[bool, Key("the dealer enters the faces and confirms them (5.1.5(a))")] = False
    auto_paid_ms: Annotated[int, Key("paid this long after a result; 0: the dealer confirms", between(0, 600000))] = 0
    spin_ms: Annotated[int, Key("length of the motor's profile", between(1000, 60000))] = 2500
    spin_rpm: Annotated[int, Key("speed of the motor", between(200, 850))] = 700
    still_reads: Annotated[int, Key("readings in a row that must agree", between(2, 10))] = 3
    lock_after: Annotated[int, Key("the same fault this often in a row locks the table", between(1, 20))] = 3
    brightness: Annotated[int, Key("of the lamps", between(16, 255))] = 160


@dataclass(frozen=True, kw_only=True)
class TableConfig:
    """One table; the section may stand more than once."""

    id: Annotated[str, Key("the table's name in topics and records", topic_word, "sicbo-01")]
    book: Annotated[str, Key("rule book (`tumbler rules list`)", book_id, "crown-melbourne-sicbo-a")]
    port: Annotated[str, Key('serial port: a path, "usb:SERIAL" or "auto"', port_name, "usb:E6614103E7452A2F")]
    key_file: Annotated[Path, Key("the table's key (`tumbler provision key`), mode 0600", example="sicbo-01.key")]
    layout: Annotated[int, Key("which layout of the document", between(1, 5))] = 1
    option_b_exact: Annotated[bool, Key("the other reading of option B's colours")] = False
    reader: Annotated[
        str,
        Key("what must have read the dice of a result: tags, camera, or both in agreement", one_of(*READERS)),
    ] = "tags"
    evidence: Annotated[
        Path | None,
        Key("folder for pictures of no spins; `evidence` beside the journal when not given", example="evidence"),
    ] = None
    settings: SettingsConfig = SettingsConfig()


@dataclass(frozen=True, kw_only=True)
class Config:
    """The file's own level."""

    site: Annotated[str, Key("the site's name in topics", topic_word, "demo")]
    health_s: Annotated[int, Key("seconds between two `health` messages", between(1, 3600))] = 10
    journal: JournalConfig
    mqtt: MqttConfig = MqttConfig()
    console: ConsoleConfig | None = None
    log: LogConfig = LogConfig()
    commands: CommandsConfig = CommandsConfig()
    table: tuple[TableConfig, ...]

    @property
    def tables(self) -> tuple[TableConfig, ...]:
        return self.table


# --- from the file to the objects -------------------------------------------------------------------------------------

Section = TypeVar("Section")


def keys_of(section: type) -> list[tuple[Field[Any], Any, Key | None]]:
    """(field, type, Key or None for a section) of each name that a file may have in this section."""
    hints = get_type_hints(section, include_extras=True)
    found = []
    for one in fields(section):
        hint, key = hints[one.name], None
        if get_origin(hint) is Annotated:
            hint, key = get_args(hint)
        if get_origin(hint) is UnionType:  # whether a key may be absent is said by its default
            hint = next(part for part in get_args(hint) if part is not NoneType)
        found.append((one, hint, key))
    return found


def load(path: Path | str) -> Config:
    """Read and check a file; ConfigError when it cannot be used."""
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(path, "", f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(path, "", f"is not TOML: {error}") from error
    config = _section(Config, data, "", path)
    _check_whole(config, path)
    return config


def _section(section: type[Section], data: Mapping[str, Any], where: str, file: Path) -> Section:
    known = {one.name: (one, kind, key) for one, kind, key in keys_of(section)}
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
            raise ConfigError(file, where + name, f"is not a key of this section; {hint}")
        _, kind, key = known[name]
        values[name] = _value(value, kind, key, where + name, file)
    for name, (one, _, key) in known.items():
        if name not in values and one.default is MISSING:
            raise ConfigError(file, where + name, f"is missing: {key.text if key else 'this section is needed'}")
    return section(**values)


def _value(value: Any, kind: Any, key: Key | None, where: str, file: Path) -> Any:
    if get_origin(kind) is tuple:
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            raise ConfigError(file, where, f"must be one or more [[{where}]] sections")
        item_type = get_args(kind)[0]
        return tuple(_section(item_type, item, f"{where}[{i}].", file) for i, item in enumerate(value, 1))
    if key is None:
        if not isinstance(value, dict):
            raise ConfigError(file, where, f"must be a section, [{where}]")
        return _section(kind, value, where + ".", file)
    wanted = str if kind is Path else kind
    if type(value) is not wanted:  # exact: a TOML true is not the number 1
        names = {str: "text", int: "a whole number", bool: "true or false"}
        raise ConfigError(file, where, f"{value!r} must be {names[wanted]}")
    if wanted is str and not value:
        raise ConfigError(file, where, "must not be empty")
    if key.check is not None and (wrong := key.check(value)) is not None:
        raise ConfigError(file, where, wrong)
    return file.parent / value if kind is Path else value


def _check_whole(config: Config, file: Path) -> None:
    """What no single key can know."""
    for name in ("id", "port"):
        seen: dict[str, int] = {}
        for number, table in enumerate(config.tables, 1):
            value = getattr(table, name)
            if value in seen:
                raise ConfigError(file, f"table[{number}].{name}", f"{value!r} is table[{seen[value]}]'s already")
            seen[value] = number
    for number, table in enumerate(config.tables, 1):
        settings = table.settings
        if settings.min_spin_ms > settings.spin_ms:
            why = f"{settings.min_spin_ms} is more than spin_ms, {settings.spin_ms}: every spin would be a no spin"
            raise ConfigError(file, f"table[{number}].settings.min_spin_ms", why)
        _check_layout(table, f"table[{number}].layout", file)
        try:
            read_key(table.key_file)
        except KeyFileError as error:
            raise ConfigError(file, f"table[{number}].key_file", str(error)) from error
    mqtt = config.mqtt
    for name, secret in (("mqtt.password_file", mqtt.password_file), ("commands.keys_file", config.commands.keys_file)):
        if secret is not None and not secret.is_file():
            raise ConfigError(file, name, f"{secret} is not there")
    if config.journal.hold_mb > config.journal.free_mb:
        why = f"{config.journal.hold_mb} is more than free_mb, {config.journal.free_mb}: play would stop before the warning"
        raise ConfigError(file, "journal.hold_mb", why)
    if (mqtt.cert_file is None) != (mqtt.private_key_file is None):
        raise ConfigError(file, "mqtt.private_key_file", "cert_file and private_key_file belong together")


def _check_layout(table: TableConfig, where: str, file: Path) -> None:
    from tumbler.rules.tableplay import LayoutError, Play

    try:
        Play(table.book, layout=table.layout, option_b_exact=table.option_b_exact)
    except LayoutError as error:
        raise ConfigError(file, where, str(error)) from error


def check_journal_folder(config: Config, file: Path | str) -> None:
    """ConfigError where the daemon could not write its journal. Not part of load(): a technician's tools read the same file
    as other users, and a disk that is mounted late must not look like a wrong file to systemd."""
    path = config.journal.path
    if path.is_dir():
        raise ConfigError(file, "journal.path", f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise ConfigError(file, "journal.path", f"there is no folder {path.parent}; make it, open to the daemon's user")
    for one in (path, path.parent):
        if one.exists() and not os.access(one, os.W_OK):
            raise ConfigError(file, "journal.path", f"{one} cannot be written by this user; check as the daemon's user")


# --- the table's key --------------------------------------------------------------------------------------------------

KEY_BYTES = 32


class KeyFileError(Exception):
    """A key file that is missing, open to others or not a key."""


def read_key(path: Path) -> bytes:
    """The table's key. Refused when others could read it: a key that leaked lets anyone sign results."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii").strip()
    except OSError as error:
        raise KeyFileError(
            f"{path} cannot be read: {error.strerror} (make one with `tumbler provision key`)"
        ) from error
    except UnicodeDecodeError:
        text = ""
    if mode & 0o077:
        raise KeyFileError(f"{path} can be read by others (mode {mode & 0o777:04o}); chmod 600 it")
    if not re.fullmatch(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}", text):
        raise KeyFileError(f"{path} must hold {2 * KEY_BYTES} hexadecimal digits and nothing else")
    return bytes.fromhex(text)
