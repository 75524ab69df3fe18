"""The settings: one row is one field, one flag, one environment variable and one line of the reference.

A field `rate_limit` is the flag `--rate-limit` and the variable `PAYMENT_SANDBOX_RATE_LIMIT`.
Sources: decisions "Names" and the section each row names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from ipaddress import IPv6Address, ip_network
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlsplit

from mock_server.addresses import is_address, with_scheme
from mock_server.settings.durations import duration_ms, show_duration

T = TypeVar("T")

WorkspaceMs: TypeAlias = int
"""Milliseconds of a workspace's own clock."""
RealSeconds: TypeAlias = float
Bytes: TypeAlias = int

_SIZE: Final = re.compile(r"(\d+)\s*(B|KiB|MiB|GiB)?", re.ASCII)
_BYTES_OF: Final = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_KEY: Final = re.compile(r"snd_[A-Za-z0-9_-]{8,128}")
_PREFIX: Final = re.compile(r"\A(?:epk_|(?:pk_)?(?:snd_|prd_))")
_TLS_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
_PORT: Final = re.compile(r":\d*$", re.ASCII)
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
_NO_PATH: Final = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""What no text in UTF-8 has, such as a variable's bytes in another encoding; of these, paths can have any."""
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
    unfit: re.Pattern[str] = _NO_TEXT


def _whole(low: int, high: int) -> SettingKind[int]:

    def read(text: str) -> int:
        is_number = re.fullmatch(r"\d{1,12}", text, re.ASCII) is not None
        return _within(int(_given(text, is_number)), low, high)

    return SettingKind(f"a whole number from {low} to {high}", "N", read)


def choice(*words: str) -> SettingKind[str]:
    """The kind of the given words."""
    choices = f"one of {', '.join(words)}"
    return SettingKind(choices, "|".join(words), lambda text: _given(text, text in words), words=words)


def _listed(
    what: str, metavar: str, read: Callable[[str], tuple[str, ...]], such: str = ""
) -> SettingKind[tuple[str, ...]]:
    return SettingKind(f"{what}, separated by commas{such}", f"{metavar},…", read, ",".join, listed=True)


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


def _given(value: T, holds: bool) -> T:
    """The value if it holds what is asked of it. Raises ValueError."""
    if not holds:
        raise ValueError(value)
    return value


class Masked(ValueError):
    """What is not valid, as a clause that may be shown."""


def _keys(text: str) -> tuple[str, ...]:
    """Secret keys of the sandbox. Raises Masked: any other is not accepted in a call, and may be a real one."""
    if not (keys := words_of(text)):
        raise Masked("no key is given")
    for number, key in enumerate(keys, 1):
        if not _KEY.fullmatch(key):
            raise Masked(f"key {number} ({''.join(_PREFIX.findall(key)[:1])}…) is not valid")
    return keys


def _within(value: int, low: int, high: int) -> int:
    return _given(value, low <= value <= high)


def _target(text: str) -> str:
    """Unlike the base of links, a webhook's endpoint may have a query, and keeps its last slash."""
    address = with_scheme(text)
    return _given(address, is_address(address))


def _url(text: str) -> str:
    parts = urlsplit(address := _target(text))
    return _given(address.rstrip("/"), not parts.query and not parts.fragment)


def _origin(text: str) -> str:
    origin = _url(text)
    return _given(origin.lower(), not urlsplit(origin).path.strip("/") and "*" not in origin)


def _data(text: str) -> str:
    """An address of another kind is no path: its text, which messages about paths have, can contain a password."""
    return _given(text, "://" not in text or text.startswith(DATABASE))


def _hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(word.lower() for word in words_of(text))
    return _given(hosts, all(host.startswith("[") or _names_alone(_PORT.sub("", host)) for host in hosts))


def _proxies(text: str) -> tuple[str, ...]:
    """The networks of addresses; all of them for `true`."""
    word = text.lower()
    if word in _TRUE | _FALSE:
        return EVERYWHERE if word in _TRUE else ()
    # a peer's address is compared as IPv4 where it is one
    return tuple(str(ip_network(one.removeprefix("::ffff:" * ("/" not in one)))) for one in words_of(word))


def _names_alone(text: str) -> tuple[str, ...]:
    names = tuple(word.lower() for word in words_of(text))
    for name in names:
        if ":" in name:
            IPv6Address(name)  # raises ValueError: a certificate has no ports
        elif not _TLS_NAME.fullmatch(name):
            raise ValueError(text)
    return names


EVERYWHERE: Final = ("0.0.0.0/0", "::/0")
_TEXT: Final = SettingKind("text in UTF-8", "TEXT", str)
_SECRET: Final = SettingKind("text in UTF-8", "TEXT", str, secret=True)
_TOKEN: Final = SettingKind(
    "text that is printable and has no spaces around it",
    "TEXT",
    lambda text: _given(text, text.isprintable() and text == text.strip()),
    secret=True,
)
_PATH: Final = SettingKind("a path", "PATH", str, unfit=_NO_PATH)
DATABASE: Final = ("postgresql://", "postgres://")
"""Beginnings of the address of a database; other texts are paths."""
_DATA: Final = SettingKind(
    "a path, or an address that begins with postgresql://", "PATH|URL", _data, secret=True, unfit=_NO_PATH
)
YES_OR_NO: Final = SettingKind(
    "true or false",
    "BOOL",
    lambda text: _given(text.lower(), text.lower() in _TRUE | _FALSE) in _TRUE,
    lambda value: "true" if value else "false",
)
PROXIES: Final = SettingKind(
    "addresses or networks, separated by commas, such as 10.0.0.5 or 10.0.0.0/24; true for all, or false",
    "ADDRESS,…",
    _proxies,
    lambda networks: "true" if networks == EVERYWHERE else ",".join(networks) or "false",
    listed=True,
    words=("true", "false"),
)
PORT: Final = _whole(0, 65_535)
COUNT: Final = _whole(1, 100_000_000)
SIZE: Final = size(1 << 10, 1 << 30, "a size from 1KiB to 1GiB, such as 65536, 512KiB or 8MiB")
_KEPT: Final = size(1 << 16, 1 << 40, "a size from 64KiB to 1024GiB, such as 512KiB, 32MiB or 2GiB")
URL: Final = SettingKind("an http or https URL without query, such as https://pay.example.test", "URL", _url)
_PLACE: Final = SettingKind(
    "an http URL (not https) without a path, such as http://10.0.0.1:12190",
    "URL",
    lambda text: _given(_origin(text), with_scheme(text).lower().startswith("http://")),
)
TARGET: Final = SettingKind("an http or https URL", "URL", _target)
NAMES: Final = _listed("names", "NAME", words_of)
ORIGINS: Final = _listed(
    "origins", "ORIGIN", lambda text: tuple(map(_origin, words_of(text))), ", such as http://localhost:3000"
)
NAMES_ALONE: Final = _listed("host names in ASCII or IP addresses, without ports", "NAME", _names_alone)
HOSTS: Final = _listed("host names, no patterns", "HOST", _hosts)
KEYS: Final = SettingKind(
    "a file with one secret key per line (snd_ and 8 to 128 letters, digits, _ or -), or the keys themselves, "
    "separated by commas",
    "FILE",
    _keys,
    secret=True,
    from_file=True,
)


D = TypeVar("D")

ENVIRONMENT_PREFIX: Final = "PAYMENT_SANDBOX_"
MIB: Final = 1 << 20
SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
DAY_MS: Final = 24 * 60 * MINUTE_MS

_SESSION: Final = workspace_time(SECOND_MS, 90 * DAY_MS)
_EXPIRY: Final = workspace_time(0, 365 * DAY_MS)
_WAIT: Final = real_time(1, 10 * MINUTE_MS)


class SettingRow(NamedTuple):
    """One setting."""

    name: str
    kind: SettingKind[Any]
    default: Any
    doc: str
    source: str

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return ENVIRONMENT_PREFIX + self.name.upper()

    def shown_default(self) -> str:
        """The default as text; empty if there is none."""
        return "" if self.default is None else str(self.kind.show(self.default))


def _row(default: D, kind: SettingKind[T], doc: str, source: str) -> D | T:
    setting: D | T = field(default=default, repr=not kind.secret, metadata={"kind": kind, "doc": doc, "source": source})
    return setting


# ruff: noqa: E501, RUF009 — one row, one line; `_row` makes a dataclass field, which ruff cannot see
# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set when the server starts."""

    host: str = _row("127.0.0.1", _TEXT, "Address to listen on.", "decisions Names")
    port: int = _row(12190, PORT, "Port to listen on; 0 chooses a free one.", "decisions Names")
    port_file: str | None = _row(None, _PATH, "File to which the port number is written once the server listens.", "decisions Names")
    tls: bool = _row(False, YES_OR_NO, "Also serve over TLS, with certificates from the sandbox's own authority; needs the extra `tls`.", "ours")
    tls_port: int = _row(12443, PORT, "Port for TLS; 0 chooses a free one.", "ours")
    tls_port_file: str | None = _row(None, _PATH, "File to which the port number for TLS is written.", "ours")
    tls_name: tuple[str, ...] = _row((), NAMES_ALONE, "Additional host names for TLS, besides `localhost`, `127.0.0.1` and `::1`.", "ours")
    tls_cert: str | None = _row(None, _PATH, "Your own certificate for TLS (PEM, with its chain); requires `tls_key`.", "ours")
    tls_key: str | None = _row(None, _PATH, "Private key of that certificate (PEM, without a password).", "ours")
    public_url: str | None = _row(None, URL, "Base URL of links in answers; by default the URL under which the server was called.", "decisions Names")
    trust_proxy: tuple[str, ...] = _row((), PROXIES, "Proxies whose `X-Forwarded-Host` and `X-Forwarded-Proto` are believed, by their addresses.", "decisions Names")
    log_format: str = _row("text", choice("text", "json"), "Format of the log and of the ready line.", "decisions Names")
    log_level: str = _row("info", choice("debug", "info", "warning", "error"), "Lowest level that is logged.", "ours")
    shutdown_grace: RealSeconds = _row(1.0, real_time(0, 1_800), "Time for running requests to finish when the server stops.", "decisions Names")

    keys: tuple[str, ...] | None = _row(None, KEYS, "Secret keys that are accepted; by default every well-formed `snd_` key.", "decisions Keys and workspaces")
    data: str | None = _row(None, _DATA, "SQLite file, or `postgresql://` address of a database, that keeps everything between restarts; without it all is in memory alone.", "ours")
    advertise: str | None = _row(None, _PLACE, "Where other replicas over the same database reach this one.", "ours")
    data_sync: str = _row("normal", choice("normal", "full"), "What data in `data` survives: with `normal` the end of the process, with `full` also a power failure.", "ours")
    seed: str | None = _row(None, _TEXT, "Seed that makes IDs, secrets and random choices the same in every run.", "decisions Determinism")
    workspaces: int = _row(1_000, COUNT, "Maximum number of workspaces; beyond it, the one idle longest is evicted.", "decisions Names")
    journal: int = _row(10_000, COUNT, "Maximum number of calls in a workspace's journal.", "decisions Names")
    inbox: int = _row(10_000, COUNT, "Maximum number of events in a workspace's inbox.", "decisions Names")
    idempotency: int = _row(100_000, COUNT, "Maximum number of answers stored in a workspace for repeated calls.", "decisions Names")

    max_records: int = _row(0, _whole(0, 100_000_000), "Maximum number of records in a workspace, such as payments, refunds and customers, without events and their deliveries; 0 means no limit.", "ours")

    journal_bytes: Bytes = _row(32 * MIB, _KEPT, "Maximum size of a workspace's journal.", "ours")
    journal_bytes_total: Bytes = _row(128 * MIB, _KEPT, "Maximum size of all journals together.", "ours")
    inbox_bytes: Bytes = _row(32 * MIB, _KEPT, "Maximum size of a workspace's inbox, delivery attempts included.", "ours")
    inbox_bytes_total: Bytes = _row(128 * MIB, _KEPT, "Maximum size of all inboxes together.", "ours")
    idempotency_bytes: Bytes = _row(32 * MIB, _KEPT, "Maximum size of the answers stored in a workspace for repeated calls.", "ours")
    idempotency_bytes_total: Bytes = _row(128 * MIB, _KEPT, "Maximum size of the answers stored in all workspaces for repeated calls.", "ours")
    evidence_bytes: Bytes = _row(64 * MIB, _KEPT, "Maximum size of a workspace's evidence files.", "ours")
    evidence_bytes_total: Bytes = _row(256 * MIB, _KEPT, "Maximum size of all evidence files together.", "ours")
    scenarios_bytes: Bytes = _row(4 * MIB, _KEPT, "Maximum size of a workspace's uploaded scenarios and queue of outcomes.", "ours")
    scenarios_bytes_total: Bytes = _row(32 * MIB, _KEPT, "Maximum size of all uploaded scenarios and queues together.", "ours")
    snapshots_bytes: Bytes = _row(256 * MIB, _KEPT, "Maximum size of all snapshots together.", "ours")

    rate_limit: int = _row(4_800, _whole(0, 100_000_000), "Calls per minute and merchant; 0 means no limit.", "decisions Rate limit")
    max_body: Bytes = _row(MIB, SIZE, "Maximum size of a request body.", "decisions Errors")
    max_evidence_body: Bytes = _row(8 * MIB, SIZE, "Maximum size of an evidence file.", "decisions Errors")
    max_control_body: Bytes = _row(64 * MIB, SIZE, "Maximum size of a scenario.", "decisions Errors")
    max_snapshot: Bytes = _row(256 * MIB, SIZE, "Maximum size of a snapshot.", "ours")
    max_bodies: Bytes = _row(128 * MIB, SIZE, "Memory for the bodies of all current calls and for answers that clients are slow to read, together. It is at least the largest allowed body: with the defaults, the 256 MiB of `max_snapshot`.", "ours")
    body_timeout: RealSeconds = _row(60.0, _WAIT, "Total time in which a request body must arrive.", "ours")
    unknown_fields: str = _row("refuse", choice("refuse", "ignore"), "What to do with unknown fields in a request.", "decisions Words on the wire")
    unknown_cards: str = _row("succeed", choice("succeed", "decline"), "What a valid card number that is not a test card does.", "decisions Cards")
    unknown_profiles: str = _row("create", choice("create", "refuse"), "Whether an unknown profile ID is created on first use.", "decisions Keys and workspaces")
    dialect: str = _row("interface", choice("interface", "hyperswitch"), "Dialect of the API.", "decisions Dialects")
    default_profile: str = _row("auto", choice("auto", "on", "off"), "Whether a payment without `profile_id` uses the merchant's only profile; `auto` depends on the dialect.", "decisions Dialects")
    plain_headers: bool = _row(False, YES_OR_NO, "Omit all `X-Sandbox-…` headers.", "decisions Names")

    session_expiry: WorkspaceMs = _row(900 * SECOND_MS, _SESSION, "How long a payment's client secret is valid.", "facts §8")
    authorization_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "How long an authorization can be captured; 0 means forever.", "decisions Clock")
    page_expiry: WorkspaceMs = _row(15 * MINUTE_MS, _EXPIRY, "Time limit for a customer on a redirect, challenge or QR page; 0 means none.", "decisions Clock; the figure is ours")
    voucher_expiry: WorkspaceMs = _row(3 * DAY_MS, _EXPIRY, "Time limit for a customer to pay a voucher; 0 means none.", "decisions Clock; the figure is ours")
    transfer_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "Time limit for a customer to make a bank transfer; 0 means none.", "decisions Clock; the figure is ours")
    transfer_seen_after: WorkspaceMs = _row(0, _EXPIRY, "Time after which a bank transfer is received; 0 waits for the trigger.", "decisions The other methods")

    webhook_url: str | None = _row(None, TARGET, "Endpoint for events of profiles without their own.", "decisions Webhooks")
    webhook_secret: str | None = _row(None, _SECRET, "Secret that signs those events; by default derived from the API key.", "decisions Webhooks")
    webhook_hosts: tuple[str, ...] = _row((), NAMES_ALONE, "Hosts to which events can be sent; by default all.", "decisions Webhooks")
    webhook_timeout: RealSeconds = _row(30.0, _WAIT, "Time in which a receiver must answer.", "facts §6.2")
    before_response_timeout: RealSeconds = _row(3.0, _WAIT, "Time that an answer waits for a `before_response` delivery.", "decisions Webhooks")
    advance_delivery_timeout: RealSeconds = _row(2.0, _WAIT, "Time limit for a delivery while the clock is advanced.", "decisions Clock")
    advance_timeout: RealSeconds = _row(30.0, _WAIT, "Time limit for all deliveries together while the clock is advanced; the rest is sent afterwards.", "ours")

    control_token: str | None = _row(None, _TOKEN, "Token required as `X-Sandbox-Token` in every call of the control API but `livez` and `readyz`.", "decisions Control API")
    control_origins: tuple[str, ...] = _row((), ORIGINS, "Additional origins whose pages can use the control API.", "decisions Control API")
    allowed_hosts: tuple[str, ...] = _row((), HOSTS, "Additional host names under which the server answers control calls, and API calls from browsers.", "decisions Control API")

    scenarios: str | None = _row(None, _PATH, "Directory with scenario files; they are reloaded when they change.", "decisions Names")
    scenarios_writable: bool = _row(False, YES_OR_NO, "Allow the dashboard to save scenarios as files in that directory.", "ours")
    scenario: tuple[str, ...] = _row((), NAMES, "Scenarios that are on in every workspace from the start.", "decisions Names")
    scenarios_inline: str | None = _row(None, _TEXT, "Text of scenarios, if no file can be mounted; `---` separates several.", "decisions Names")
# fmt: on


ROWS: Final = {
    one.name: SettingRow(one.name, one.metadata["kind"], one.default, one.metadata["doc"], one.metadata["source"])
    for one in fields(Settings)
}
"""The table in its documented order."""
