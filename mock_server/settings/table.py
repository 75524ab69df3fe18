"""The settings: one row is one field, one flag, one environment variable and one line of the reference.

A field `rate_limit` is the flag `--rate-limit` and the variable `PAYMENT_SANDBOX_RATE_LIMIT`.
Sources: decisions "Names" and the section each row names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple, TypeVar

from mock_server.settings import kinds
from mock_server.settings.kinds import (
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

_SESSION: Final = workspace_time(SECOND_MS, 90 * DAY_MS)
_EXPIRY: Final = workspace_time(0, YEAR_MS)
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
    metadata = {"kind": kind, "doc": doc, "source": source}
    setting: D | T = field(default=default, repr=not kind.secret, metadata=metadata)
    return setting


# ruff: noqa: E501, RUF009 — one row, one line; `_row` makes a dataclass field, which ruff cannot see
# fmt: off
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that can be set when the server starts."""

    host: str = _row("127.0.0.1", kinds.TEXT, "Address to listen on.", "decisions Names")
    port: int = _row(12190, kinds.PORT, "Port to listen on; 0 chooses a free one.", "decisions Names")
    port_file: str | None = _row(None, kinds.PATH, "File to which the port number is written once the server listens.", "decisions Names")
    tls: bool = _row(False, kinds.YES_OR_NO, "Also serve over TLS, with certificates from the sandbox's own authority; needs the extra `tls`.", "ours")
    tls_port: int = _row(12443, kinds.PORT, "Port for TLS; 0 chooses a free one.", "ours")
    tls_port_file: str | None = _row(None, kinds.PATH, "File to which the port number for TLS is written.", "ours")
    tls_name: tuple[str, ...] = _row((), kinds.TLS_NAMES, "Additional host names for TLS, besides `localhost`, `127.0.0.1` and `::1`.", "ours")
    tls_cert: str | None = _row(None, kinds.PATH, "Your own certificate for TLS (PEM, with its chain); requires `tls_key`.", "ours")
    tls_key: str | None = _row(None, kinds.PATH, "Private key of that certificate (PEM, without a password).", "ours")
    public_url: str | None = _row(None, kinds.URL, "Base URL of links in answers; by default the URL under which the server was called.", "decisions Names")
    trust_proxy: tuple[str, ...] = _row((), kinds.PROXIES, "Proxies whose `X-Forwarded-Host` and `X-Forwarded-Proto` are believed, by their addresses.", "decisions Names")
    log_format: str = _row("text", choice("text", "json"), "Format of the log and of the ready line.", "decisions Names")
    log_level: str = _row("info", choice("debug", "info", "warning", "error"), "Lowest level that is logged.", "ours")
    shutdown_grace: RealSeconds = _row(1.0, real_time(0, MINUTE_MS), "Time for running requests to finish when the server stops.", "decisions Names")

    keys: tuple[str, ...] | None = _row(None, kinds.KEYS, "Secret keys that are accepted; by default every well-formed `snd_` key.", "decisions Keys and workspaces")
    data: str | None = _row(None, kinds.DATA, "SQLite file, or `postgresql://` address of a database, that keeps everything between restarts; without it all is in memory alone.", "ours")
    advertise: str | None = _row(None, kinds.PLACE, "Where other replicas over the same database reach this one.", "ours")
    data_sync: str = _row("normal", choice("normal", "full"), "What data in `data` survives: with `normal` the end of the process, with `full` also a power failure.", "ours")
    seed: str | None = _row(None, kinds.TEXT, "Seed that makes ids, secrets and random choices the same in every run.", "decisions Determinism")
    workspaces: int = _row(1_000, kinds.COUNT, "Maximum number of workspaces; beyond it, the one idle longest is evicted.", "decisions Names")
    journal: int = _row(10_000, kinds.COUNT, "Maximum number of calls in a workspace's journal.", "decisions Names")
    inbox: int = _row(10_000, kinds.COUNT, "Maximum number of events in a workspace's inbox.", "decisions Names")
    idempotency: int = _row(100_000, kinds.COUNT, "Maximum number of answers stored in a workspace for repeated calls.", "decisions Names")

    max_records: int = _row(0, whole(0, 100_000_000), "Maximum number of records in a workspace, such as payments, refunds and customers, without events and their deliveries; 0 means no limit.", "ours")

    journal_bytes: Bytes = _row(32 * MIB, kinds.KEPT, "Maximum size of a workspace's journal.", "ours")
    journal_bytes_total: Bytes = _row(128 * MIB, kinds.KEPT, "Maximum size of all journals together.", "ours")
    inbox_bytes: Bytes = _row(32 * MIB, kinds.KEPT, "Maximum size of a workspace's inbox, delivery attempts included.", "ours")
    inbox_bytes_total: Bytes = _row(128 * MIB, kinds.KEPT, "Maximum size of all inboxes together.", "ours")
    idempotency_bytes: Bytes = _row(32 * MIB, kinds.KEPT, "Maximum size of the answers stored in a workspace for repeated calls.", "ours")
    idempotency_bytes_total: Bytes = _row(128 * MIB, kinds.KEPT, "Maximum size of the answers stored in all workspaces for repeated calls.", "ours")
    evidence_bytes: Bytes = _row(64 * MIB, kinds.KEPT, "Maximum size of a workspace's evidence files.", "ours")
    evidence_bytes_total: Bytes = _row(256 * MIB, kinds.KEPT, "Maximum size of all evidence files together.", "ours")
    scenarios_bytes: Bytes = _row(4 * MIB, kinds.KEPT, "Maximum size of the scenarios uploaded to a workspace.", "ours")
    scenarios_bytes_total: Bytes = _row(32 * MIB, kinds.KEPT, "Maximum size of all uploaded scenarios together.", "ours")
    snapshots_bytes: Bytes = _row(256 * MIB, kinds.KEPT, "Maximum size of all snapshots together.", "ours")

    rate_limit: int = _row(4_800, whole(0, 100_000_000), "Calls per minute and merchant; 0 means no limit.", "decisions Rate limit")
    max_body: Bytes = _row(MIB, kinds.SIZE, "Maximum size of a request body.", "decisions Errors")
    max_evidence_body: Bytes = _row(8 * MIB, kinds.SIZE, "Maximum size of an evidence file.", "decisions Errors")
    max_control_body: Bytes = _row(64 * MIB, kinds.SIZE, "Maximum size of a scenario.", "decisions Errors")
    max_snapshot: Bytes = _row(256 * MIB, kinds.SIZE, "Maximum size of a snapshot.", "ours")
    max_bodies: Bytes = _row(128 * MIB, kinds.SIZE, "Memory for the bodies of all current calls together; at least the largest allowed body.", "ours")
    body_timeout: RealSeconds = _row(60.0, _WAIT, "Total time in which a request body must arrive.", "ours")
    unknown_fields: str = _row("refuse", choice("refuse", "ignore"), "What to do with unknown fields in a request.", "decisions Words on the wire")
    unknown_cards: str = _row("succeed", choice("succeed", "decline"), "What a valid card number that is not a test card does.", "decisions Cards")
    unknown_profiles: str = _row("create", choice("create", "refuse"), "Whether an unknown profile id is created on first use.", "decisions Keys and workspaces")
    dialect: str = _row("interface", choice("interface", "hyperswitch"), "Dialect of the API.", "decisions Dialects")
    default_profile: str = _row("auto", choice("auto", "on", "off"), "Whether a payment without `profile_id` uses the merchant's only profile; `auto` depends on the dialect.", "decisions Dialects")
    plain_headers: bool = _row(False, kinds.YES_OR_NO, "Omit all `X-Sandbox-…` headers.", "decisions Names")

    session_expiry: WorkspaceMs = _row(900 * SECOND_MS, _SESSION, "How long a payment's client secret is valid.", "facts §8")
    authorization_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "How long an authorization can be captured; 0 means forever.", "decisions Clock")
    page_expiry: WorkspaceMs = _row(15 * MINUTE_MS, _EXPIRY, "Time limit for a customer on a redirect, challenge or QR page; 0 means none.", "decisions Clock; the figure is ours")
    voucher_expiry: WorkspaceMs = _row(3 * DAY_MS, _EXPIRY, "Time limit for a customer to pay a voucher; 0 means none.", "decisions Clock; the figure is ours")
    transfer_expiry: WorkspaceMs = _row(7 * DAY_MS, _EXPIRY, "Time limit for a customer to make a bank transfer; 0 means none.", "decisions Clock; the figure is ours")
    transfer_seen_after: WorkspaceMs = _row(0, _EXPIRY, "Time after which a bank transfer is received; 0 waits for the trigger.", "decisions The other methods")

    webhook_url: str | None = _row(None, kinds.TARGET, "Endpoint for events of profiles without their own.", "decisions Webhooks")
    webhook_secret: str | None = _row(None, kinds.SECRET, "Secret that signs those events; by default derived from the API key.", "decisions Webhooks")
    webhook_hosts: tuple[str, ...] = _row((), kinds.HOSTS, "Hosts to which events can be sent; by default all.", "decisions Webhooks")
    webhook_timeout: RealSeconds = _row(30.0, _WAIT, "Time in which a receiver must answer.", "facts §6.2")
    before_response_timeout: RealSeconds = _row(3.0, _WAIT, "Time that an answer waits for a `before_response` delivery.", "decisions Webhooks")
    advance_delivery_timeout: RealSeconds = _row(2.0, _WAIT, "Time limit for a delivery while the clock is advanced.", "decisions Clock")
    advance_timeout: RealSeconds = _row(30.0, _WAIT, "Time limit for all deliveries together while the clock is advanced; the rest is sent afterwards.", "ours")

    control_token: str | None = _row(None, kinds.SECRET, "Token required as `X-Sandbox-Token` in every call of the control API.", "decisions Control API")
    control_origins: tuple[str, ...] = _row((), kinds.ORIGINS, "Additional origins whose pages can use the control API.", "decisions Control API")
    allowed_hosts: tuple[str, ...] = _row((), kinds.HOSTS, "Additional host names under which the server answers control calls, and API calls from browsers.", "decisions Control API")

    scenarios: str | None = _row(None, kinds.PATH, "Directory with scenario files; they are reloaded when they change.", "decisions Names")
    scenarios_writable: bool = _row(False, kinds.YES_OR_NO, "Allow the dashboard to save scenarios as files in that directory.", "ours")
    scenario: tuple[str, ...] = _row((), kinds.NAMES, "Scenarios that are on in every workspace from the start.", "decisions Names")
    scenarios_inline: str | None = _row(None, kinds.TEXT, "Text of scenarios, if no file can be mounted; `---` separates several.", "decisions Names")
# fmt: on


def rows() -> Iterator[SettingRow]:
    """The table in its documented order."""
    for one in fields(Settings):
        yield SettingRow(one.name, one.metadata["kind"], one.default, one.metadata["doc"], one.metadata["source"])


ROWS: Final[dict[str, SettingRow]] = {row.name: row for row in rows()}
