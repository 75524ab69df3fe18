"""Causes of the request itself, of its key and of the rate limit."""

from __future__ import annotations

from mock_server.domain.errors import Cause as C
from tests.api.money_places import disputed, send
from tests.api.saving import CUSTOMER, saved
from tests.causes.raising import ADMIN, BARE, Rows, by_client, fine, payment, seen
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

HOUR_MS = 60 * 60 * 1000
FORM = {"Content-Type": "multipart/form-data; boundary=x"}


def malformed_json(api: Wire, clock: ManualClock) -> Reply:
    return api.call("POST", "/payments", raw=b'{"amount": 1,}')


def large(api: Wire, clock: ManualClock) -> Reply:
    return seen(api, clock, max_body=1000).post("/payments", {**BARE, "description": "x" * 2000})


def other_type(api: Wire, clock: ManualClock) -> Reply:
    return api.call("POST", "/payments", BARE, headers={"Content-Type": "text/plain"})


def broken_form(api: Wire, clock: ManualClock) -> Reply:
    return api.call("POST", "/files", raw=b"no form", headers=FORM)


def unknown_key(api: Wire, clock: ManualClock) -> Reply:
    return seen(api, clock, keys=("snd_another_key",)).get("/payments/list")


def expired_key(api: Wire, clock: ManualClock) -> Reply:
    admin = api.as_key(ADMIN)
    fine(admin.post("/accounts", {"merchant_id": "mer_shop"}))
    issued = fine(admin.post("/api_keys/mer_shop", {"name": "k", "expiration": "2026-01-01T01:00:00Z"}))
    clock.advance(2 * HOUR_MS)
    return api.as_key(issued["api_key"]).get("/payments/list")


def revoked_key(api: Wire, clock: ManualClock) -> Reply:
    admin = api.as_key(ADMIN)
    fine(admin.post("/accounts", {"merchant_id": "mer_shop"}))
    issued = fine(admin.post("/api_keys/mer_shop", {"name": "k", "expiration": "never"}))
    fine(admin.delete(f"/api_keys/mer_shop/{issued['key_id']}"))
    return api.as_key(issued["api_key"]).get("/payments/list")


def others_ephemeral_key(api: Wire, clock: ManualClock) -> Reply:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    key = fine(api.post("/ephemeral_keys", {"customer_id": CUSTOMER}))["secret"]
    return api.as_key(key).get("/customers/cus_other")


def wrong_secret(api: Wire, clock: ManualClock) -> Reply:
    made = payment(api)
    return by_client(api).get(f"/payments/{made['payment_id']}?client_secret={payment(api)['client_secret']}")


def expired_secret(api: Wire, clock: ManualClock) -> Reply:
    made = payment(api)
    clock.advance(HOUR_MS)
    return by_client(api).get(f"/payments/{made['payment_id']}?client_secret={made['client_secret']}")


def customer_by_client(api: Wire, clock: ManualClock) -> Reply:
    made = payment(api)
    body = {"client_secret": made["client_secret"], "customer_id": "cus_another"}
    return by_client(api).post(f"/payments/{made['payment_id']}", body)


def foreign_host(api: Wire, clock: ManualClock) -> Reply:
    return api.get("/_sandbox/clock", Host="evil.example", Sec_Fetch_Site="same-origin")


def foreign_origin(api: Wire, clock: ManualClock) -> Reply:
    return api.get("/_sandbox/clock", Origin="https://evil.example")


def without_token(api: Wire, clock: ManualClock) -> Reply:
    return seen(api, clock, control_token="t0ken").get("/_sandbox/clock")


def page_token(api: Wire, clock: ManualClock) -> Reply:
    shown = fine(api.pay("visa_3ds_required", return_url="https://shop.example.com/"))
    path = shown["next_action"]["redirect_to_url"].partition("localhost")[2]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return api.call("POST", path, raw=b"result=approved&token=made-up", headers=form)


def too_often(api: Wire, clock: ManualClock) -> Reply:
    limited = seen(api, clock, rate_limit=1)
    fine(limited.get("/health"))
    return limited.get("/health")


def too_often_frozen(api: Wire, clock: ManualClock) -> Reply:
    limited = seen(api, clock, rate_limit=1)
    fine(limited.post("/_sandbox/clock/freeze"))
    fine(limited.get("/health"))
    return limited.get("/health")


def upload_without_dispute(api: Wire, clock: ManualClock) -> Reply:
    return send(api, "POST", "/files", {"file": ("a.pdf", b"%PDF", "application/pdf"), "purpose": "dispute_evidence"})


def with_client_secret(api: Wire, clock: ManualClock) -> Reply:
    made = payment(api)
    return api.get(f"/payments/{made['payment_id']}?client_secret={made['client_secret']}")


REQUESTS: Rows = (
    (C.BODY_TOO_LARGE, large),
    (C.ROUTE_UNKNOWN, lambda api, clock: api.get("/nowhere")),
    (C.METHOD_NOT_ALLOWED, lambda api, clock: api.delete("/payments")),
    (C.CONTENT_TYPE_WRONG, other_type),
    (C.JSON_MALFORMED, malformed_json),
    (C.BODY_NOT_OBJECT, lambda api, clock: api.post("/payments", [])),
    (C.MULTIPART_MALFORMED, broken_form),
    (C.KEY_MISSING, lambda api, clock: api.as_key(None).get("/payments/list")),
    (C.KEY_MALFORMED, lambda api, clock: api.as_key("sk_live").get("/payments/list")),
    (C.KEY_UNKNOWN, unknown_key),
    (C.KEY_UNUSED, lambda api, clock: api.as_key("pk_snd_nobody_used_it").get("/payments/pay_1")),
    (C.KEY_PRODUCTION, lambda api, clock: api.as_key("prd_0123456789").get("/payments/list")),
    (C.KEY_KIND_NOT_ALLOWED, lambda api, clock: by_client(api).get("/payments/list")),
    (C.KEY_EXPIRED, expired_key),
    (C.KEY_REVOKED, revoked_key),
    (C.EPHEMERAL_KEY_WRONG, others_ephemeral_key),
    (C.SECRET_KEY_WITH_CLIENT_SECRET, with_client_secret),
    (C.CLIENT_SECRET_MISSING, lambda api, clock: by_client(api).get(f"/payments/{payment(api)['payment_id']}")),
    (C.CLIENT_SECRET_WRONG, wrong_secret),
    (C.CLIENT_SECRET_EXPIRED, expired_secret),
    (C.CLIENT_CHANGE_FORBIDDEN, customer_by_client),
    (C.HOST_FORBIDDEN, foreign_host),
    (C.PAGE_MAKES_NOTHING, lambda api, clock: api.get("/payments/pay_1", Origin="https://evil.example")),
    (C.CONTROL_ORIGIN_FORBIDDEN, foreign_origin),
    (C.CONTROL_TOKEN_WRONG, without_token),
    (C.PAGE_TOKEN_WRONG, page_token),
    (C.RATE_LIMITED, too_often),
    (C.RATE_LIMITED_FROZEN, too_often_frozen),
    (C.FILE_DISPUTE_MISSING, upload_without_dispute),
    (C.FILE_MISSING, lambda api, clock: send(api, "POST", "/files", {"dispute_id": disputed(api)})),
    (C.METHOD_STATUS_FORBIDS, lambda api, clock: reserved_is_updated(api)),
    (C.DEFAULT_METHOD_STAYS, lambda api, clock: default_is_deleted(api)),
)


def reserved_is_updated(api: Wire) -> Reply:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    method = fine(api.post("/payment_methods", {"customer_id": CUSTOMER, "payment_method": "card"}))
    return api.post(f"/payment_methods/{method['payment_method_id']}/update", {})


def default_is_deleted(api: Wire) -> Reply:
    method = saved(api)
    saved(api, "mastercard_success")
    fine(api.post(f"/customers/{CUSTOMER}/payment_methods/{method}/default"))
    return api.delete(f"/payment_methods/{method}")
