"""The settings: one row is one field, one flag, one environment variable and one line of the reference.

A field `rate_limit` is the flag `--rate-limit` and the variable `PAYMENT_SANDBOX_RATE_LIMIT`.
Sources: decisions "Names" and the section each row names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, TypeVar

from mock_server.settings.kinds import (
    COUNT,
    DATA,
    HOSTS,
    KEPT,
    KEYS,
    NAMES,
    ORIGINS,
    PATH,
    PORT,
    SECRET,
    SIZE,
    TARGET,
    TEXT,
    TLS_NAMES,
    URL,
    YES_OR_NO,
    Bytes,
    RealSeconds,
    SettingKind,
    WorkspaceMs,
    choice,
    real_time,
    whole,
    workspace_time,
)

D = TypeVar("D")
T = TypeVar("T")

ENVIRONMENT_PREFIX: Final = "PAYMENT_SANDBOX_"
MIB: Final = 1 << 20
SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
DAY_MS: Final = 24 * 60 * MINUTE_MS
YEAR_MS: Final = 365 * DAY_MS

_FORMAT: Final = choice("text", "json")
_LEVEL: Final = choice("debug", "info", "warning", "error")
_RATE: Final = whole(0, 100_000_000)
_SESSION: Final = workspace_time(SECOND_MS, 90 * DAY_MS)
_EXPIRY: Final = workspace_time(0, YEAR_MS)
_WAIT: Final = real_time(1, 10 * MINUTE_MS)
_GRACE: Final = real_time(0, MINUTE_MS)


class SettingRow(NamedTuple):
    """What the table says about one field."""

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
        """Return the default as somebody would type it; empty where there is none."""
        return "" if self.default is None else str(self.kind.show(self.default))


def _row(default: D, kind: SettingKind[T], doc: str, source: str) -> D | T:
    metadata = {"kind": kind, "doc": doc, "source": source}
    setting: D | T = field(default=default, repr=not kind.secret, metadata=metadata)
    return setting


# ruff: noqa: E501, RUF009 — one row, one line; `_row` makes a dataclass field, which ruff cannot see
# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set when the server starts."""

    host: str = _row("127.0.0.1", TEXT, "Address to listen on.", "decisions Names")
    port: int = _row(12190, PORT, "Port to listen on; 0 takes a free one.", "decisions Names")
    port_file: str | None = _row(None, PATH, "File that gets the port's number once the socket listens.", "decisions Names")
    tls: bool = _row(False, YES_OR_NO, "Serve over TLS too, with certificates of an authority of its own; needs `payment-sandbox[tls]`.", "ours")
    tls_port: int = _row(12443, PORT, "Port to listen on over TLS; 0 takes a free one.", "ours")
    tls_port_file: str | None = _row(None, PATH, "File that gets the number of the port for TLS.", "ours")
    tls_name: tuple[str, ...] = _row((), TLS_NAMES, "Further names that the server answers as over TLS, beside `localhost`, `127.0.0.1` and `::1`.", "ours")
    tls_cert: str | None = _row(None, PATH, "Certificate of your own (PEM, with its chain) instead; goes with `tls_key`.", "ours")
    tls_key: str | None = _row(None, PATH, "Key of that certificate (PEM, without a password).", "ours")
    public_url: str | None = _row(None, URL, "Base of the links the server hands out; without it, the address of the call that asked.", "decisions Names")
    trust_proxy: bool = _row(False, YES_OR_NO, "Believe `X-Forwarded-*` headers.", "decisions Names")
    log_format: str = _row("text", _FORMAT, "Form of the log and of the ready line.", "decisions Names")
    log_level: str = _row("info", _LEVEL, "Least weight of what is logged.", "ours")
    shutdown_grace: RealSeconds = _row(1.0, _GRACE, "Time that running requests get to end when the server is told to stop.", "decisions Names")

    keys: tuple[str, ...] | None = _row(None, KEYS, "Secret keys that are accepted; without it, every well-formed `snd_` key.", "decisions Keys and workspaces")
    data: str | None = _row(None, DATA, "SQLite file, or `postgresql://` address of a database, that keeps everything between restarts; without it all is in memory alone.", "ours")
    advertise: str | None = _row(None, URL, "Where other replicas over the same database reach this one.", "ours")
    data_sync: str = _row("normal", choice("normal", "full"), "What a commit to `data` outlives: `normal` the end of the process, `full` a loss of power too.", "ours")
    seed: str | None = _row(None, TEXT, "Makes ids, secrets and draws the same in every run.", "decisions Determinism")
    workspaces: int = _row(1_000, COUNT, "Workspaces kept; past it, the one idle longest goes.", "decisions Names")
    journal: int = _row(10_000, COUNT, "Calls kept in each workspace's journal.", "decisions Names")
    inbox: int = _row(10_000, COUNT, "Webhook events kept in each workspace's inbox.", "decisions Names")
    idempotency: int = _row(100_000, COUNT, "Answers kept in each workspace for repeated calls.", "decisions Names")

    journal_bytes: Bytes = _row(32 * MIB, KEPT, "Bytes kept in each workspace's journal.", "ours")
    journal_bytes_total: Bytes = _row(128 * MIB, KEPT, "Bytes kept in the journals of all workspaces.", "ours")
    inbox_bytes: Bytes = _row(32 * MIB, KEPT, "Bytes kept in each workspace's inbox, attempts included.", "ours")
    inbox_bytes_total: Bytes = _row(128 * MIB, KEPT, "Bytes kept in the inboxes of all workspaces.", "ours")
    idempotency_bytes: Bytes = _row(32 * MIB, KEPT, "Bytes of answers kept in each workspace for repeated calls.", "ours")
    idempotency_bytes_total: Bytes = _row(128 * MIB, KEPT, "Bytes of answers kept in all workspaces for repeated calls.", "ours")
    evidence_bytes: Bytes = _row(64 * MIB, KEPT, "Bytes of evidence files that a workspace takes.", "ours")
    evidence_bytes_total: Bytes = _row(256 * MIB, KEPT, "Bytes of evidence files that all workspaces take.", "ours")
    scenarios_bytes: Bytes = _row(4 * MIB, KEPT, "Bytes of scenarios that a workspace takes by the control API.", "ours")
    scenarios_bytes_total: Bytes = _row(32 * MIB, KEPT, "Bytes of scenarios that all workspaces take.", "ours")
    snapshots_bytes: Bytes = _row(256 * MIB, KEPT, "Bytes of snapshots that the server takes.", "ours")

    rate_limit: int = _row(4_800, _RATE, "Calls a minute and merchant; 0 refuses none.", "decisions Rate limit")
    max_body: Bytes = _row(MIB, SIZE, "Largest request body.", "decisions Errors")
    max_evidence_body: Bytes = _row(8 * MIB, SIZE, "Largest body of a dispute's evidence file.", "decisions Errors")
    max_control_body: Bytes = _row(64 * MIB, SIZE, "Largest body of a scenario under `/_sandbox/`.", "decisions Errors")
    max_snapshot: Bytes = _row(256 * MIB, SIZE, "Largest snapshot, taken or sent.", "ours")
    max_bodies: Bytes = _row(128 * MIB, SIZE, "Room for the bodies of all calls together, while they come and are worked on; never less than the largest one.", "ours")
    body_timeout: RealSeconds = _row(60.0, _WAIT, "Time that a request's body has to come, in all.", "ours")
    unknown_fields: str = _row("refuse", choice("refuse", "ignore"), "What happens to request fields nobody knows.", "decisions Words on the wire")
    unknown_cards: str = _row("succeed", choice("succeed", "decline"), "What a valid card number outside the table does.", "decisions Cards")
    unknown_profiles: str = _row("create", choice("create", "refuse"), "Whether an unknown profile id is made on first use.", "decisions Keys and workspaces")
    dialect: str = _row("interface", choice("interface", "hyperswitch"), "The words spoken on the wire.", "decisions Dialects")
    default_profile: str = _row("auto", choice("auto", "on", "off"), "Whether a payment without `profile_id` is the merchant's only profile's; `auto`: as the dialect has it.", "decisions Dialects")
    plain_headers: bool = _row(False, YES_OR_NO, "Leave out every `X-Sandbox-…` header.", "decisions Names")

    session_expiry: WorkspaceMs = _row(900 * SECOND_MS, _SESSION, "Life of a payment's client secret.", "facts §8")
    authorization_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "Life of an uncaptured authorization; 0 keeps it for ever.", "decisions Clock")
    page_expiry: WorkspaceMs = _row(15 * MINUTE_MS, _EXPIRY, "Customer's time on a redirect, challenge or QR page; 0 sets none.", "decisions Clock; the figure is ours")
    voucher_expiry: WorkspaceMs = _row(3 * DAY_MS, _EXPIRY, "Customer's time to pay a voucher; 0 sets none.", "decisions Clock; the figure is ours")
    transfer_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "Customer's time to make a bank transfer; 0 sets none.", "decisions Clock; the figure is ours")
    transfer_seen_after: WorkspaceMs = _row(0, _EXPIRY, "When a bank transfer's money is seen; 0 waits for the trigger.", "decisions The other methods")

    webhook_url: str | None = _row(None, TARGET, "Where events of profiles without a target of their own are sent.", "decisions Webhooks")
    webhook_secret: str | None = _row(None, SECRET, "Signs those events; without it, derived from the api key.", "decisions Webhooks")
    webhook_hosts: tuple[str, ...] = _row((), HOSTS, "Hosts that events may be sent to; empty allows all.", "decisions Webhooks")
    webhook_timeout: RealSeconds = _row(30.0, _WAIT, "Time a receiver has to answer.", "facts §6.2")
    before_response_timeout: RealSeconds = _row(3.0, _WAIT, "Time an answer waits for a `before_response` delivery.", "decisions Webhooks")
    advance_delivery_timeout: RealSeconds = _row(2.0, _WAIT, "Time a delivery has while the clock is advanced.", "decisions Clock")
    advance_timeout: RealSeconds = _row(30.0, _WAIT, "Time that all deliveries have together while the clock is advanced; what is left is sent afterwards.", "ours")

    control_token: str | None = _row(None, SECRET, "Demanded as `X-Sandbox-Token` on every control call.", "decisions Control API")
    control_origins: tuple[str, ...] = _row((), ORIGINS, "Further origins whose pages may use the control API.", "decisions Control API")
    allowed_hosts: tuple[str, ...] = _row((), HOSTS, "Further host names under which the control API, and browsers the API, may reach the server.", "decisions Control API")

    scenarios: str | None = _row(None, PATH, "Directory of scenario files; they are read again when they change.", "decisions Names")
    scenarios_writable: bool = _row(False, YES_OR_NO, "Let the dashboard save scenarios to files of that directory.", "ours")
    scenario: tuple[str, ...] = _row((), NAMES, "Scenarios that are active in every workspace from the start.", "decisions Names")
    scenarios_inline: str | None = _row(None, TEXT, "Scenario text, where no file can be mounted; `---` between several.", "decisions Names")
# fmt: on


def rows() -> Iterator[SettingRow]:
    """Yield the table in its documented order."""
    for one in fields(Settings):
        yield SettingRow(one.name, one.metadata["kind"], one.default, one.metadata["doc"], one.metadata["source"])


ROWS: Final[dict[str, SettingRow]] = {row.name: row for row in rows()}
