"""A full snapshot, every way in which a place of it can be damaged, and a look at all that a restored workspace
shows.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any, Final, NamedTuple

from mock_server.clock import ManualClock
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.paging import Query
from mock_server.engine import kinds
from mock_server.sandbox import Workspace
from tests.api.money_places import attach, dispute, paid, refund
from tests.api.places import PLACES
from tests.api.saving import CUSTOMER, mandate, saved
from tests.wire import Reply, Wire, wire

Path = tuple[Any, ...]
MISSING: Final = "is missing"
SCENARIO: Final = {
    "version": 1,
    "name": "kept",
    "rules": [{"on": "payments.create", "times": 3, "then": {"delay": "1ms"}}],
    "expect": [{"calls": "payments.create", "at_least": 1}],
}
MONTH: Final = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-31T23:59:59Z"}


def full(api: Wire) -> Wire:
    """A workspace that holds some of everything."""
    api.put("/_sandbox/webhooks/target", {"url": "http://localhost:9/hook", "secret": "k"})
    for make in PLACES.values():
        make(api)
    api.pay("visa_pending_succeeds", customer_id="cus_1")
    body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop"}
    api.post("/payments", body, X_Idempotency_Key="kept")
    api.post("/customers", {"customer_id": CUSTOMER, "email": "a@shop.example.com", "metadata": {"n": 1}})
    saved(api)
    mandate(api, "multi_use")
    one = paid(api)
    refund(api, one, amount=10)
    disputed = dispute(api, one)["dispute_id"]
    attach(api, disputed)
    merchant = api.get(f"/payments/{one}")["merchant_id"]
    api.post("/ephemeral_keys", {"customer_id": CUSTOMER})
    api.post("/blocklist", {"type": "card_bin", "data": "400000"})
    api.post(f"/account/{merchant}/connectors", {"connector_name": "stripe_test"})
    api.post("/analytics/v1/merchant/report/payments", {"timeRange": MONTH, "emails": ["owner@shop.example.com"]})
    api.put("/_sandbox/scenarios/kept", SCENARIO)
    api.post("/_sandbox/scenarios/kept/activate")
    api.pay()
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}, "times": 2})
    return api


def document() -> Any:
    """Its snapshot, journal included."""
    api = full(wire(clock=ManualClock()))
    assert api.put("/_sandbox/snapshots/full?journal=1").status == 200
    return json.loads(api.get("/_sandbox/snapshots/full").raw)


class Mutant(NamedTuple):
    """One place, and what stands there instead."""

    path: Path
    junk: Any

    def of(self, sound: Any) -> Any:
        """The damaged document."""
        damaged = deepcopy(sound)
        holder = damaged["workspace"]
        for step in self.path[:-1]:
            holder = holder[step]
        if self.junk is MISSING:
            del holder[self.path[-1]]
        else:
            holder[self.path[-1]] = self.junk
        return damaged


def places(value: Any, path: Path = (), most: int = 2) -> Iterator[Path]:
    """Every place in a document; of the records of a kind, and of a list's items, the first and the last."""
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        numbered = list(enumerate(value))
        inner = numbered if len(numbered) <= 5 else [*numbered[: most - 1], *numbered[-1:]]
    for step, item in inner:
        yield (*path, step)
        yield from places(item, (*path, step), most)


JUNK: Final[tuple[Any, ...]] = (MISSING, None, [], {}, 2**53 - 1, -1, 1.5, True, "", "no such word", "\ud83d")
"""What can stand in a place; of each sort what most code would stumble over."""


def mutants(sound: Any) -> list[Mutant]:
    """Every place, damaged in every way."""
    found = []
    for path in places(sound["workspace"]):
        value = sound["workspace"]
        for step in path:
            value = value[step]
        found += [Mutant(path, junk) for junk in JUNK if junk is MISSING or (junk, type(junk)) != (value, type(value))]
        if (isinstance(value, dict) and "$bytes" in value) or path[-1] in ("object", "before"):
            found.append(Mutant(path, base64.b64encode(b"\xc1nam\x80").decode()))
    return found


class Bare:
    """A client that looks at nothing but the answer."""

    def __init__(self, api: Wire, key: str) -> None:
        self._client = api.app.test_client()
        self._key = key

    def call(self, method: str, path: str, body: Any = None) -> Reply:
        data = json.dumps(body).encode() if body is not None else b""
        sent = {"api-key": self._key, "Content-Type": "application/json"}
        try:
            answer = self._client.open(path, method=method, data=data, headers=sent)
        except Exception as defect:  # a server's connection would break off
            return Reply(599, repr(defect).encode(), {})
        return Reply(answer.status_code, answer.get_data(), dict(answer.headers))


def look_at_all(api: Wire, key: str, *, each: bool = True) -> list[tuple[str, Reply]]:
    """Every list, record, story and page of a workspace that ends in a server's error; not `each`: the first of a
    kind.
    """
    parsed = parse(key)
    assert isinstance(parsed, ApiKey)
    workspace: Workspace = api.sandbox.workspace(parsed)
    client = Bare(api, key)
    found = [(path, client.call("GET", path)) for path in paths(workspace, each=each)]
    pay = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop", "payment_method": "card"}
    card = {"card_number": "4242424242424242", "card_exp_month": "03", "card_exp_year": "2035", "card_cvc": "737"}
    method = {"payment_method_type": "credit", "payment_method_data": {"card": card}, "confirm": True}
    found.append(("POST /payments", client.call("POST", "/payments", {**pay, **method})))
    found.append(("PUT again", client.call("PUT", "/_sandbox/snapshots/again?journal=1")))
    found.append(("clock", client.call("POST", "/_sandbox/clock/advance", {"by": "40d", "deliver": False})))
    found += [(f"later {path}", client.call("GET", path)) for path in list(paths(workspace, each=each))]
    return [(path, reply) for path, reply in found if reply.status >= 500]


LISTS: Final = (
    *("/payments/list?limit=100", "/payments/aggregate", "/refunds/list", "/refunds/aggregate", "/disputes/list"),
    *("/disputes/aggregate", "/customers/list", "/mandates/list", "/payment_methods", "/blocklist?data_kind=card_bin"),
    *("/_sandbox/journal?limit=1000", "/_sandbox/webhooks?limit=1000", "/_sandbox/webhooks/target", "/_sandbox/clock"),
    *(
        "/_sandbox/scenarios",
        "/_sandbox/scenarios/kept",
        "/_sandbox/next",
        "/_sandbox/workspaces",
        "/_sandbox/snapshots",
    ),
    "/_sandbox/metrics",
)
PAGES: Final = (
    *("payments", "journal", "webhooks", "clock", "scenarios", "scenarios/kept", "queue", "cards", "snapshots"),
)


def paths(workspace: Workspace, *, each: bool) -> Iterator[str]:
    """Where a workspace's things are to be seen."""
    most = None if each else 1
    yield from LISTS
    home = f"/_sandbox/ui/{workspace.space.name}"
    yield from (f"{home}/{page}" for page in PAGES)
    yield f"/account/{workspace.merchant_id}/business_profile"
    yield f"/account/{workspace.merchant_id}/connectors"
    yield f"/events/{workspace.merchant_id}?limit=100"
    for kind, names in SHOWN.items():
        for record in islice(workspace.space.scan(kind, Query()), most):
            key = kind.key(record)
            yield from (name.format(key) for name in names)
    for event in islice(workspace.space.scan(kinds.EVENTS, Query()), most):
        yield f"/events/{workspace.merchant_id}/{event.event_id}/attempts"
        yield f"{home}/webhooks/{event.event_id}"
    for payment in islice(workspace.space.scan(kinds.PAYMENTS, Query()), most):
        yield f"{home}/payments/{payment.payment_id}"


SHOWN: Final[dict[Any, tuple[str, ...]]] = {
    kinds.PAYMENTS: (
        *("/payments/{}?expand_captures=true&expand_attempts=true", "/_sandbox/payments/{}/timeline"),
        *("/_sandbox/payments/{}/why", "/_sandbox/payments/{}/export"),
    ),
    kinds.REFUNDS: ("/refunds/{}",),
    kinds.DISPUTES: ("/disputes/{}", "/disputes/evidence/{}"),
    kinds.CUSTOMERS: ("/customers/{}", "/customers/{}/payment_methods", "/customers/{}/mandates"),
    kinds.PAYMENT_METHODS: ("/payment_methods/{}",),
    kinds.MANDATES: ("/mandates/{}",),
    kinds.FILES: ("/files/{}",),
    kinds.EVENTS: ("/_sandbox/webhooks/{}",),
}
