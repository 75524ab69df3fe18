"""A call of every operation that succeeds: its ids, body, form or query, and who makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.statuses import PaymentStatus as Status
from tests.api.money_places import PDF, Part, attach, disputed, fine, paid, refund, send, upload
from tests.api.places import PLACES
from tests.api.saving import CUSTOMER, mandate, saved
from tests.causes.raising import ADMIN, BARE, by_client
from tests.wire import Reply, Wire, card_data, card_payment

STRIPE: Final = {"connector_name": "stripe_test", "connector_type": "payment_processor"}
"""Both dialects take it."""
SCALE: Final = "2026-01-01T00:00:00Z"


@dataclass
class Good:
    """What makes a call succeed; `secret` is the client_secret that a publishable key sends with it."""

    ids: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    query: str = ""
    form: Mapping[str, Part] | None = None
    secret: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def path(self, row: Operation) -> str:
        path = row.path
        for name, value in self.ids.items():
            path = path.replace(f"<{name}>", value)
        assert "<" not in path, path
        return path + self.query

    def sent(self, api: Wire, row: Operation, **more: Any) -> Reply:
        """Makes the call, with other fields in its body."""
        headers = {**self.headers}
        if self.form is not None:
            return send(api, row.method, self.path(row), dict(self.form), **headers)
        body = {**(self.body or {}), **more} if isinstance(self.body, dict) or more else self.body
        return api.call(row.method, self.path(row), body, headers=headers)


Make = Callable[[Wire], Good]


def of_payment(status: Status, body: Any = None) -> Make:
    """A call about a payment in a status."""

    def make(api: Wire) -> Good:
        payment = PLACES[status](api)
        secret = fine(api.get(f"/payments/{payment}"))["client_secret"]
        return Good({"payment_id": payment}, body, secret=secret)

    return make


def merchant(api: Wire) -> str:
    return str(fine(api.post("/payments", BARE))["merchant_id"])


def of_merchant(body: Any = None, **made: Callable[[Wire, str], str]) -> Make:
    """A call about something of the merchant."""

    def make(api: Wire) -> Good:
        own = merchant(api)
        return Good({"merchant_id": own, **{name: make(api, own) for name, make in made.items()}}, body)

    return make


def profile(api: Wire, own: str) -> str:
    return str(fine(api.post(f"/account/{own}/business_profile", {"profile_name": "one"}))["profile_id"])


def issued(api: Wire, own: str) -> str:
    return str(fine(api.as_key(ADMIN).post(f"/api_keys/{own}", {"name": "one", "expiration": "never"}))["key_id"])


def connector(api: Wire, own: str) -> str:
    path = f"/account/{own}/connectors"
    return str(fine(api.post(path, STRIPE))["merchant_connector_id"])


def event(api: Wire, own: str) -> str:
    fine(api.post("/_sandbox/clock/freeze"))
    fine(api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/hook"}))
    fine(api.pay())
    return str(fine(api.get("/_sandbox/webhooks"))["data"][0]["event_id"])


def customer(api: Wire) -> str:
    return str(fine(api.post("/customers", {"customer_id": CUSTOMER}))["customer_id"])


def reserved(api: Wire) -> Good:
    customer(api)
    made = fine(api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card"}))
    data = {"payment_method_data": {"card": card_data()}}
    return Good({"payment_method_id": made["payment_method_id"]}, data, secret=made["client_secret"])


def ephemeral_key(api: Wire) -> Good:
    made = fine(api.post("/ephemeral_keys", {"customer_id": customer(api)}))
    return Good({"key_id": made["id"]})


def tokens(api: Wire) -> Good:
    made = fine(api.post("/payments", BARE))
    return Good({}, {"payment_id": made["payment_id"]}, secret=made["client_secret"])


def linked(api: Wire) -> Good:
    made = fine(api.post("/payments", {**BARE, "payment_link": True}))
    return Good({"payment_link_id": made["payment_link"]["payment_link_id"]}, secret=made["client_secret"])


def methods_of_payment(api: Wire) -> Good:
    saved(api)
    made = fine(api.post("/payments", {**BARE, "customer_id": CUSTOMER}))
    return Good(secret=made["client_secret"])


def a_refund(api: Wire) -> str:
    return str(fine(refund(api, paid(api), amount=1))["refund_id"])


def replaced(api: Wire) -> Good:
    made = a_refund(api)
    return Good({"refund_id": made}, {"payment_id": fine(api.get(f"/refunds/{made}"))["payment_id"], "reason": "x"})


def with_evidence(api: Wire) -> str:
    made = disputed(api)
    fine(attach(api, made))
    return made


def a_file(api: Wire) -> str:
    return str(fine(upload(api, disputed(api)))["file_id"])


def blocked(api: Wire) -> Good:
    fine(api.post("/blocklist", BIN))
    return Good({}, BIN)


BIN: Final = {"type": "card_bin", "data": "424242"}
CARD: Final = {name: card_payment()[name] for name in ("payment_method", "payment_method_data")}
TIME: Final = {"timeRange": {"startTime": SCALE}}
UPLOAD: Final[Mapping[str, Part]] = {"file": PDF, "purpose": "dispute_evidence"}

GOOD: Final[Mapping[str, Make]] = {
    "health.check": lambda api: Good(),
    "payments.create": lambda api: Good({}, dict(BARE)),
    "payments.list": lambda api: Good({}, {}),
    "payments.sync": lambda api: Good({}, {"payment_id": paid(api)}),
    "payments.aggregate": lambda api: Good(),
    "payments.session_tokens": tokens,
    "payments.retrieve": of_payment(Status.REQUIRES_CONFIRMATION),
    "payments.update": of_payment(Status.REQUIRES_CONFIRMATION, {"description": "x"}),
    "payments.replace": of_payment(Status.REQUIRES_CONFIRMATION, BARE),
    "payments.confirm": of_payment(Status.REQUIRES_PAYMENT_METHOD, CARD),
    "payments.capture": of_payment(Status.REQUIRES_CAPTURE, {"amount_to_capture": 100}),
    "payments.cancel": of_payment(Status.REQUIRES_CAPTURE, {"cancellation_reason": "x"}),
    "payments.cancel_post_capture": of_payment(Status.SUCCEEDED, {"cancellation_reason": "x"}),
    "payments.sync_cancel_post_capture": of_payment(Status.CANCELLED_POST_CAPTURE),
    "payments.approve": of_payment(Status.REQUIRES_MERCHANT_ACTION, {}),
    "payments.reject": of_payment(Status.REQUIRES_MERCHANT_ACTION, {}),
    "payments.incremental_authorization": of_payment(Status.REQUIRES_CAPTURE, {"amount": 7000}),
    "payments.extend_authorization": of_payment(Status.REQUIRES_CAPTURE, {}),
    "payments.update_metadata": of_payment(Status.SUCCEEDED, {"metadata": {"a": 1}}),
    "payments.complete_authorize": of_payment(Status.REQUIRES_ACTION, {"threeds_method_comp_ind": "Y"}),
    "payments.client": of_payment(Status.REQUIRES_PAYMENT_METHOD),
    "payments.post_session_tokens": of_payment(
        Status.REQUIRES_PAYMENT_METHOD, {"payment_method": "wallet", "payment_method_type": "paypal"}
    ),
    "payments.eligibility": of_payment(Status.REQUIRES_PAYMENT_METHOD, {"payment_method_type": "card"}),
    "payments.eligibility_check": of_payment(Status.REQUIRES_PAYMENT_METHOD, {"payment_method_type": "card"}),
    "payments.calculate_tax": of_payment(Status.REQUIRES_PAYMENT_METHOD, {"session_id": "x"}),
    "payments.link": linked,
    "payments.filter": lambda api: Good({}, {}),
    "refunds.filter": lambda api: Good({}, {}),
    "disputes.filter": lambda api: Good(),
    "payments.poll": lambda api: Good({"poll_id": f"external_authentication_{paid(api)}"}),
    "customers.create": lambda api: Good({}, {"name": "Jane Doe"}),
    "customers.list": lambda api: Good({}, {}),
    "customers.retrieve": lambda api: Good({"customer_id": customer(api)}),
    "customers.update": lambda api: Good({"customer_id": customer(api)}, {"name": "Jane Doe"}),
    "customers.replace": lambda api: Good({"customer_id": customer(api)}, {"name": "Jane Doe"}),
    "customers.delete": lambda api: Good({"customer_id": customer(api)}),
    "customers.payment_methods_of_payment": methods_of_payment,
    "customers.payment_methods": lambda api: Good({"payment_method_id": saved(api), "customer_id": CUSTOMER}),
    "customers.default_payment_method": lambda api: Good(
        {"payment_method_id": saved(api), "customer_id": CUSTOMER}, {}
    ),
    "customers.mandates": lambda api: Good({"mandate_id": mandate(api), "customer_id": CUSTOMER}),
    "payment_methods.create": lambda api: Good({}, {"customer_id": customer(api), "payment_method": "card"}),
    "payment_methods.list": methods_of_payment,
    "payment_methods.retrieve": lambda api: Good({"payment_method_id": saved(api)}),
    "payment_methods.update": lambda api: Good({"payment_method_id": saved(api)}, {"metadata": {}}),
    "payment_methods.save": reserved,
    "payment_methods.delete": lambda api: Good({"payment_method_id": saved(api)}),
    "profiles.create": of_merchant({"profile_name": "another"}),
    "profiles.list": of_merchant(),
    "profiles.retrieve": of_merchant(profile_id=profile),
    "profiles.update": of_merchant({"profile_name": "another"}, profile_id=profile),
    "profiles.replace": of_merchant({"profile_name": "another"}, profile_id=profile),
    "profiles.delete": of_merchant(profile_id=profile),
    "profiles.toggle_connector_agnostic_mit": of_merchant({"enabled": True}, profile_id=profile),
    "accounts.create": lambda api: Good({}, {"merchant_name": "Example Shop"}),
    "accounts.retrieve": of_merchant(),
    "accounts.update": of_merchant({"merchant_name": "x"}),
    "accounts.delete": of_merchant(),
    "api_keys.create": of_merchant({"name": "x"}),
    "api_keys.list": of_merchant(),
    "api_keys.retrieve": of_merchant(key_id=issued),
    "api_keys.update": of_merchant({"name": "x"}, key_id=issued),
    "api_keys.revoke": of_merchant(key_id=issued),
    "connectors.create": of_merchant({"connector_name": "stripe_test"}),
    "connectors.list": of_merchant(),
    "connectors.retrieve": of_merchant(connector_id=connector),
    "connectors.update": of_merchant({"disabled": True}, connector_id=connector),
    "connectors.delete": of_merchant(connector_id=connector),
    "mandates.list": lambda api: Good({}, {}),
    "mandates.retrieve": lambda api: Good({"mandate_id": mandate(api)}),
    "mandates.revoke": lambda api: Good({"mandate_id": mandate(api)}, {}),
    "ephemeral_keys.create": lambda api: Good({}, {"customer_id": customer(api)}),
    "ephemeral_keys.delete": ephemeral_key,
    "events.list": of_merchant({}),
    "events.list_of_profile": lambda api: Good(
        {"merchant_id": merchant(api)}, {}, headers={"X-Profile-Id": "pro_shop"}
    ),
    "events.attempts": of_merchant(event_id=event),
    "events.retry": of_merchant({}, event_id=event),
    "refunds.create": lambda api: Good({}, {"payment_id": paid(api), "amount": 1}),
    "refunds.list": lambda api: Good({}, {}),
    "refunds.sync": lambda api: Good({}, {"refund_id": a_refund(api)}),
    "refunds.aggregate": lambda api: Good(),
    "refunds.retrieve": lambda api: Good({"refund_id": a_refund(api)}),
    "refunds.update": lambda api: Good({"refund_id": a_refund(api)}, {"reason": "x"}),
    "refunds.replace": replaced,
    "disputes.list": lambda api: Good({}, {}),
    "disputes.aggregate": lambda api: Good(),
    "disputes.accept": lambda api: Good({"dispute_id": disputed(api)}, {}),
    "disputes.submit_evidence": lambda api: Good({}, {"dispute_id": disputed(api), "customer_name": "Jane Doe"}),
    "disputes.attach_evidence": lambda api: Good(
        form={"file": PDF, "dispute_id": disputed(api), "evidence_type": "receipt"}
    ),
    "disputes.delete_evidence": lambda api: Good({}, {"dispute_id": with_evidence(api), "evidence_type": "receipt"}),
    "disputes.retrieve_evidence": lambda api: Good({"dispute_id": with_evidence(api)}),
    "disputes.retrieve": lambda api: Good({"dispute_id": disputed(api)}),
    "files.create": lambda api: Good(form={**UPLOAD, "dispute_id": disputed(api)}),
    "files.retrieve": lambda api: Good({"file_id": a_file(api)}),
    "files.delete": lambda api: Good({"file_id": a_file(api)}),
    "blocklist.add": lambda api: Good({}, BIN),
    "blocklist.list": lambda api: Good(),
    "blocklist.remove": blocked,
    "blocklist.toggle": lambda api: Good(query="?status=true"),
    "analytics.metrics": lambda api: figures(api, [{**TIME, "metrics": ["payment_count"]}]),
    "analytics.filters": lambda api: figures(api, TIME),
    "analytics.report": lambda api: figures(api, {**TIME, "emails": ["owner@example.com"]}),
}
"""One row an operation."""


def figures(api: Wire, body: Any) -> Good:
    """A question at any level: the profile's needs its header."""
    merchant(api)
    return Good({"domain": "payments", "report": "payments"}, body, headers={"X-Profile-Id": "pro_shop"})


def caller(api: Wire, row: Operation) -> Wire:
    """A client with a key that the route takes: the secret one where it may."""
    kinds = {str(kind) for kind in row.keys}
    if "secret" in kinds:
        return api
    return api.as_key(ADMIN) if "admin" in kinds else by_client(api)


def as_client(good: Good, row: Operation) -> Good:
    """The call with its client_secret, where a browser puts it."""
    assert good.secret is not None
    if row.method == "GET":
        return Good(good.ids, good.body, f"?client_secret={good.secret}", good.form, good.secret, good.headers)
    return Good(good.ids, {**(good.body or {}), "client_secret": good.secret}, good.query, good.form, good.secret)


def good(api: Wire, row: Operation) -> Good:
    """A good call of an operation, with a client_secret where only browsers make it."""
    made = GOOD[row.name](api)
    return as_client(made, row) if row.wants_secret and KeyKind.SECRET not in row.keys else made
