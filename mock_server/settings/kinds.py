"""The kinds of settings: how each is read from text, and shown in the docs."""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv6Address, ip_network
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlsplit

from mock_server.addresses import is_address, with_scheme
from mock_server.settings.durations import duration_ms, show_duration

T = TypeVar("T")

WorkspaceMs: TypeAlias = int
"""Milliseconds of a workspace's own clock."""
RealSeconds: TypeAlias = float
"""Seconds of real time."""
Bytes: TypeAlias = int

_SIZE: Final = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB)?", re.ASCII)
_BYTES_OF: Final = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_TLS_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0"})


class SettingKind(NamedTuple, Generic[T]):
    """One kind of value: `read` raises ValueError for invalid text, `allowed` describes what is valid."""

    allowed: str
    metavar: str
    read: Callable[[str], T]
    show: Callable[[T], str] = str
    secret: bool = False
    listed: bool = False
    from_file: bool = False
    words: tuple[str, ...] = ()


def whole(low: int, high: int) -> SettingKind[int]:
    """The kind of whole numbers from low to high."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text, re.ASCII):
            raise ValueError(text)
        return _within(int(text), low, high)

    return SettingKind(f"a whole number from {low} to {high}", "N", read)


def choice(*words: str) -> SettingKind[str]:
    """The kind of the given words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(text)
        return text

    return SettingKind(f"one of {', '.join(words)}", "|".join(words), read, words=words)


def workspace_time(low_ms: int, high_ms: int) -> SettingKind[WorkspaceMs]:
    """The kind of durations by a workspace's clock, in milliseconds."""
    span = f"from {show_duration(low_ms)} to {show_duration(high_ms)}"
    return SettingKind(
        f"a duration such as 250ms, 30s, 15m, 24h or 7d, {span}",
        "DURATION",
        lambda text: _within(duration_ms(text), low_ms, high_ms),
        show_duration,
    )


def real_time(low_ms: int, high_ms: int) -> SettingKind[RealSeconds]:
    """The kind of durations by real time, in seconds."""
    in_ms = workspace_time(low_ms, high_ms)
    return SettingKind(
        in_ms.allowed,
        in_ms.metavar,
        lambda text: in_ms.read(text) / 1000,
        lambda seconds: show_duration(round(seconds * 1000)),
    )


def size(low: Bytes, high: Bytes, allowed: str) -> SettingKind[Bytes]:
    """The kind of sizes from low to high."""

    def read(text: str) -> Bytes:
        found = _SIZE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return _within(int(found[1]) * _BYTES_OF[found[2] or "B"], low, high)

    def show(size: Bytes) -> str:
        return f"{size >> 20}MiB" if size % (1 << 20) == 0 else str(size)

    return SettingKind(allowed, "SIZE", read, show)


def words_of(text: str) -> tuple[str, ...]:
    """Split at commas and line ends; `#` begins a comment."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return tuple(word for line in lines for part in line.split(",") if (word := part.strip()))


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError(value)
    return value


def _truth(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(text)
    return word in _TRUE


def _target(text: str) -> str:
    """Unlike the base of links, a webhook's endpoint may have a query, and keeps its last slash."""
    address = with_scheme(text)
    if not is_address(address):
        raise ValueError(text)
    return address


def _url(text: str) -> str:
    parts = urlsplit(address := _target(text))
    if parts.query or parts.fragment:
        raise ValueError(text)
    return address.rstrip("/")


def _origin(text: str) -> str:
    if urlsplit(origin := _url(text)).path.strip("/"):
        raise ValueError(text)
    return origin.lower()


def _place(text: str) -> str:
    """The address of a replica, which uses plain HTTP."""
    place = _origin(text)
    if not place.startswith("http://"):
        raise ValueError(text)
    return place


def _data(text: str) -> str:
    """An address of another kind is no path: its text, which messages about paths have, can contain a password."""
    if "://" in text and not text.startswith(DATABASE):
        raise ValueError(text)
    return text


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(word.lower() for word in words_of(text))
    if any("/" in host or " " in host for host in hosts):
        raise ValueError(text)
    return hosts


def _proxies(text: str) -> tuple[str, ...]:
    """The networks of addresses; all of them for `true`."""
    word = text.lower()
    if word in _TRUE | _FALSE:
        return EVERYWHERE if word in _TRUE else ()
    return tuple(str(ip_network(word)) for word in words_of(text))


def _show_proxies(networks: tuple[str, ...]) -> str:
    return "true" if networks == EVERYWHERE else ",".join(networks) or "false"


def _tls_names(text: str) -> tuple[str, ...]:
    names = tuple(word.lower() for word in words_of(text))
    for name in names:
        if ":" in name:
            IPv6Address(name)  # raises ValueError: a certificate has no ports
        elif not _TLS_NAME.fullmatch(name):
            raise ValueError(text)
    return names


EVERYWHERE: Final = ("0.0.0.0/0", "::/0")
"""The networks with every address."""
TEXT: Final = SettingKind("any text", "TEXT", str)
SECRET: Final = SettingKind("any text", "TEXT", str, secret=True)
PATH: Final = SettingKind("a path", "PATH", str)
DATABASE: Final = ("postgresql://", "postgres://")
"""Beginnings of the address of a database; other texts are paths."""
DATA: Final = SettingKind("a path, or an address that begins with postgresql://", "PATH|URL", _data, secret=True)
YES_OR_NO: Final = SettingKind("true or false", "BOOL", _truth, lambda value: "true" if value else "false")
PROXIES: Final = SettingKind(
    "addresses or networks, separated by commas, such as 10.0.0.5 or 10.0.0.0/24; true for all, or false",
    "ADDRESS,…",
    _proxies,
    _show_proxies,
    listed=True,
    words=("true", "false"),
)
PORT: Final = whole(0, 65_535)
COUNT: Final = whole(1, 100_000_000)
SIZE: Final = size(1 << 10, 1 << 30, "a size from 1KiB to 1GiB, such as 65536, 512KiB or 8MiB")
KEPT: Final = size(1 << 16, 1 << 40, "a size from 64KiB to 1024GiB, such as 512KiB, 32MiB or 2GiB")
URL: Final = SettingKind("an http or https URL without query, such as https://pay.example.test", "URL", _url)
PLACE: Final = SettingKind("an http URL (not https) without a path, such as http://10.0.0.1:12190", "URL", _place)
TARGET: Final = SettingKind("an http or https URL", "URL", _target)
NAMES: Final = SettingKind("names, separated by commas", "NAME,…", words_of, ",".join, listed=True)
ORIGINS: Final = SettingKind(
    "origins, separated by commas, such as http://localhost:3000",
    "ORIGIN,…",
    lambda text: tuple(map(_origin, words_of(text))),
    ",".join,
    listed=True,
)
TLS_NAMES: Final = SettingKind(
    "host names in ASCII or IP addresses, without ports, separated by commas",
    "NAME,…",
    _tls_names,
    ",".join,
    listed=True,
)
HOSTS: Final = SettingKind("host names, separated by commas", "HOST,…", _hosts, ",".join, listed=True)
KEYS: Final = SettingKind(
    "a file with one secret key per line, or the keys themselves, separated by commas",
    "FILE",
    words_of,
    secret=True,
    from_file=True,
)
