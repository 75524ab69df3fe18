"""Everything that a workspace shows: each call that reads, of both APIs, and each page of the dashboard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any, Final, NamedTuple

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dashboard.places import LISTINGS, PAGES, WORKSPACE
from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.paging import Query
from mock_server.domain.payment import link_id
from mock_server.engine import kinds
from mock_server.sandbox import Workspace
from mock_server.store.protocol import RecordKind
from tests.control.full_workspace import MONTH
from tests.wire import Reply, Wire, card_payment

OF_THE_REGISTRY: Final = ("/accounts", "/api_keys")
"""What no snapshot holds."""
READS: Final = tuple(
    row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if not row.changes and not row.path.startswith(OF_THE_REGISTRY)
)
KINDS: Final[Mapping[str, RecordKind[Any]]] = {
    "payment_id": kinds.PAYMENTS,
    "refund_id": kinds.REFUNDS,
    "dispute_id": kinds.DISPUTES,
    "customer_id": kinds.CUSTOMERS,
    "mandate_id": kinds.MANDATES,
    "payment_method_id": kinds.PAYMENT_METHODS,
    "file_id": kinds.FILES,
    "profile_id": kinds.PROFILES,
    "connector_id": kinds.CONNECTORS,
    "event_id": kinds.EVENTS,
}
"""The kinds of records that paths name."""
BODIES: Final[Mapping[str, Any]] = {
    "payments.sync": {"payment_id": "<payment_id>"},
    "refunds.sync": {"refund_id": "<refund_id>"},
    "payments.eligibility": {"payment_method_type": "card"},
    "payments.eligibility_check": {"payment_method_type": "card"},
    "payments.calculate_tax": {"session_id": "x"},
    "analytics.metrics": [{"timeRange": MONTH, "metrics": ["<metric>"]}],
    "analytics.filters": {"timeRange": MONTH},
}
METRICS: Final[Mapping[tuple[str, ...], str]] = {
    ("payments",): "payment_count",
    ("refunds",): "refund_count",
    ("disputes",): "dispute_status_metric",
}
"""One number of each domain."""
QUERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "payments.retrieve": ("expand_captures=true&expand_attempts=true",),
    "payments.list": ("limit=100",),
    "customers.list": ("limit=100",),
    "events.list": ("limit=100",),
    "blocklist.list": ("data_kind=card_bin",),
    "control.journal": ("limit=1000",),
    "control.webhooks": ("limit=1000",),
    "control.search": ("text=pay_", "text=65.40"),
    "control.timeline": ("format=json", "format=text", "format=svg"),
}
SEEN_ON_PAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "export": ("as=scenario", "as=pytest", "as=curl", "as=har"),
    "find": ("q=pay_",),
    "compare": ("from=1&to=2",),
}


class Look(NamedTuple):
    """One call that reads."""

    method: str
    path: str
    body: Any
    key: str

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Bare:
    """A client that looks at nothing but the answer."""

    def __init__(self, api: Wire) -> None:
        self._client = api.app.test_client()

    def call(self, method: str, path: str, body: Any, key: str) -> Reply:
        data = json.dumps(body).encode() if body is not None else b""
        sent = {"api-key": key, "Content-Type": "application/json"}
        if "/profile/" in path:
            sent["X-Profile-Id"] = "pro_shop"
        try:
            answer = self._client.open(path, method=method, data=data, headers=sent)
        except (ConnectionError, TimeoutError) as fault:  # a damaged scenario can ask for one
            return Reply(0, repr(fault).encode(), {})
        except Exception as defect:  # a server's connection would break off
            return Reply(599, repr(defect).encode(), {})
        return Reply(answer.status_code, answer.get_data(), dict(answer.headers))


def looks(workspace: Workspace, key: str, damaged: frozenset[str] = frozenset()) -> Iterator[Look]:
    """Every call that reads, and every page: about the newest record of a kind, and about these ids."""
    space, merchant = workspace.space, workspace.merchant_id
    parsed = parse(key)
    assert isinstance(parsed, ApiKey)
    browser = parsed.twin().text
    lines, dropped = space.dump_log("journal", lambda entry: entry.sequence)["lines"], space.dropped("journal")
    known: dict[str, list[str]] = {
        "merchant_id": [merchant],
        "space_name": [space.name],
        "domain": ["payments", "refunds", "disputes"],
        "poll_id": ["poll_1"],
        "kind": ["payments", "refunds", "disputes", "mandates", "events"],
        "name": ["kept", "named", "damaged"],
        "number": [str(dropped + 1), str(dropped + len(lines)), *(one for one in damaged if one.isdigit())],
    }
    for name, kind in KINDS.items():
        newest = [kind.key(record) for record in islice(space.scan(kind, Query()), 1)]
        known[name] = [*newest, *(one for one in damaged if one not in newest and space.get(kind, one) is not None)]
    payment = next(iter(space.scan(kinds.PAYMENTS, Query())), None)
    secret = "" if payment is None else payment.client_secret
    known["payment_link_id"] = [] if payment is None else [link_id(payment)]
    for row in READS:
        is_secret = KeyKind.SECRET in row.keys
        for path, body in _filled(row, row.path, known):
            if is_secret or row.method == "POST":
                more = {} if is_secret else {"client_secret": secret}
                yield Look(
                    row.method,
                    path,
                    {**body, **more} if isinstance(body, dict) else body,
                    key if is_secret else browser,
                )
            else:
                yield Look(row.method, f"{path}?client_secret={secret}", None, browser)
    for page in PAGES:
        listed = next((row for row in LISTINGS if page.path == f"{WORKSPACE}/{row.page}/<id>"), None)
        ids = {**known, "id": known[listed.part]} if listed is not None else known
        for path, _ in _filled(None, page.path, ids):
            yield from (Look("GET", f"{path}?{query}", None, key) for query in ("", *SEEN_ON_PAGES.get(page.name, ())))


def _filled(row: Operation | None, path: str, known: Mapping[str, list[str]]) -> Iterator[tuple[str, Any]]:
    """A path with every known id, with its query and body."""
    body = None if row is None or row.method == "GET" else BODIES.get(row.name, {})
    names = [name for name in known if f"<{name}>" in f"{path}{json.dumps(body)}"]
    assert path.count("<") == sum(f"<{name}>" in path for name in names), f"{path}: say what fills it"
    for values in product(*(known[name] for name in names)):
        filled, text = path, json.dumps(body)
        for name, value in (*zip(names, values, strict=True), ("metric", METRICS.get(values[-1:], ""))):
            filled, text = filled.replace(f"<{name}>", value), text.replace(f"<{name}>", value)
        for query in ("",) if row is None or row.method == "POST" else QUERIES.get(row.name, ("",)):
            yield f"{filled}?{query}" if query else filled, json.loads(text)


def broken(api: Wire, key: str, damaged: frozenset[str] = frozenset(), *, share: int = 1, seed: int = 0) -> list[str]:
    """Every look that ends in a server's error, now and 40 days later; one in `share` of them, others for each seed.

    What is about the damaged ids is always looked at.
    """
    parsed = parse(key)
    assert isinstance(parsed, ApiKey)
    workspace: Workspace = api.sandbox.workspace(parsed)
    client = Bare(api)
    found: list[tuple[str, Reply]] = []

    def look(seed: int) -> None:
        for at, one in enumerate(looks(workspace, key, damaged)):
            if at % share == seed % share or any(name in one.path for name in damaged):
                found.append((str(one), client.call(*one)))

    def change(method: str, path: str, body: Any = None) -> None:
        found.append((f"{method} {path}", client.call(method, path, body, key)))

    look(seed)
    change("POST", "/payments", {**card_payment(), "confirm": True})
    change("POST", "/_sandbox/scenarios/kept/check")
    change("PUT", "/_sandbox/snapshots/again?journal=1")
    change("POST", "/_sandbox/clock/advance", {"by": "40d", "deliver": False})
    look(seed + 1)
    return [f"{what}: {reply.status} {reply.raw[:300]!r}" for what, reply in found if reply.status >= 500]
