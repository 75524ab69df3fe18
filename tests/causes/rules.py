"""Causes of rules between fields and records, and of the server itself."""

from __future__ import annotations

from mock_server.domain.errors import Cause as C
from mock_server.domain.limits import REPORT_ROWS
from tests.api.money_places import Part, disputed, paid, upload
from tests.api.places import copied
from tests.api.saving import CUSTOMER, charge, saved
from tests.causes.public import agreeing
from tests.causes.raising import BARE, Rows, fine, payment, seen
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment

DAY_MS = 24 * 60 * 60 * 1000
LONG_AGO = "2025-01-01T00:00:00Z"


def other_data(api: Wire, clock: ManualClock) -> Reply:
    return api.post("/payments", card_payment(payment_method="wallet", payment_method_type="paypal"))


def without_identity(api: Wire, clock: ManualClock) -> Reply:
    merchant = payment(api)["merchant_id"]
    fine(api.post(f"/account/{merchant}/business_profile/pro_shop", {"wallet_identities": []}))
    wallet = {"payment_method": "wallet", "payment_method_type": "apple_pay"}
    data = {"payment_method_data": {"wallet": {"apple_pay": {"payment_data": "x"}}}}
    return api.post("/payments", {**BARE, **wallet, **data, "confirm": True})


def two_references(api: Wire, clock: ManualClock) -> Reply:
    details = {"type": "payment_method_id", "data": saved(api)}
    return charge(api, off_session=True, recurring_details=details, payment_token="token_1")


def not_off_session(api: Wire, clock: ManualClock) -> Reply:
    return charge(api, recurring_details={"type": "payment_method_id", "data": saved(api)})


def mandate_on_session(api: Wire, clock: ManualClock) -> Reply:
    return api.post(
        "/payments", {**BARE, "customer_id": CUSTOMER, "mandate_data": {"mandate_type": {"multi_use": None}}}
    )


MANDATE_BY_CODE = {
    "payment_method": "bank_transfer",
    "payment_method_type": "pix",
    "payment_method_data": {"bank_transfer": {"pix": {}}},
    "mandate_data": {"mandate_type": {"multi_use": None}, "customer_acceptance": {"acceptance_type": "offline"}},
    "setup_future_usage": "off_session",
    "customer_id": CUSTOMER,
}
"""A mandate by a method that cannot be charged again."""


def token_over(api: Wire, clock: ManualClock) -> Reply:
    saved(api)
    token = fine(api.get(f"/customers/{CUSTOMER}/payment_methods"))["customer_payment_methods"][0]["payment_token"]
    clock.advance(DAY_MS)
    return charge(api, payment_token=token, payment_method="card", card_cvc="123")


def other_merchant(api: Wire, clock: ManualClock) -> Reply:
    return api.post("/refunds", {"payment_id": paid(api), "merchant_id": "mer_another"})


def much_metadata(api: Wire, clock: ManualClock) -> Reply:
    made = paid(api, metadata={f"a{number}": 1 for number in range(50)})
    return api.post(f"/payments/{made}/update_metadata", {"metadata": {"one": "more"}})


def blocked(api: Wire, clock: ManualClock) -> Reply:
    fine(api.post("/blocklist", {"type": "card_bin", "data": "424242"}))
    fine(api.post("/blocklist/toggle?status=true"))
    return api.pay()


def uploaded(api: Wire, **parts: Part) -> Reply:
    return upload(api, disputed(api), **parts)


def typeless(api: Wire, clock: ManualClock) -> Reply:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF\r\n--x--\r\n'
    return api.call("POST", "/files", raw=head, headers={"Content-Type": "multipart/form-data; boundary=x"})


def _events(api: Wire) -> str:
    return f"/events/{payment(api)['merchant_id']}"


def eventless(api: Wire, clock: ManualClock) -> Reply:
    merchant = payment(api)["merchant_id"]
    filters = {"payment_statuses_enabled": ["requires_confirmation"]}
    return api.post(f"/account/{merchant}/business_profile/pro_shop", {"webhook_details": filters})


def nowhere(api: Wire, clock: ManualClock) -> Reply:
    made = fine(api.pay())
    event = fine(api.get("/_sandbox/webhooks"))["data"][0]["event_id"]
    return api.post(f"/events/{made['merchant_id']}/{event}/retry")


def large_snapshot(api: Wire, clock: ManualClock) -> Reply:
    small = seen(api, clock, max_snapshot=1_000)
    small.pay()
    return small.put("/_sandbox/snapshots/large")


def far_host(api: Wire, clock: ManualClock) -> Reply:
    near = seen(api, clock, webhook_hosts=("shop.example.com",))
    return near.put("/_sandbox/webhooks/target", {"url": "http://evil.example/hook"})


def full_shelf(api: Wire, clock: ManualClock) -> Reply:
    """One snapshot more than there is room for."""
    full = seen(api, clock, snapshots_bytes=1)
    full.pay()
    return full.put("/_sandbox/snapshots/a")


def long_report(api: Wire, clock: ManualClock) -> Reply:
    """One payment more than a file can hold."""
    copied(api, str(fine(api.pay())["payment_id"]), int(REPORT_ROWS))
    asked = {"timeRange": {"startTime": LONG_AGO}, "emails": ["owner@example.com"]}
    return api.post("/analytics/v1/merchant/report/payments", asked)


def back_in_time(api: Wire, clock: ManualClock) -> Reply:
    payment(api)
    return api.post("/_sandbox/clock/freeze", {"at": LONG_AGO})


def crashed(api: Wire, clock: ManualClock) -> Reply:
    """The drawing of codes is handed to the sandbox; this one has a defect."""

    def broken(text: str) -> str:
        raise ValueError(text)

    api.sandbox.qr_image = broken
    wallet = {"payment_method": "wallet", "payment_method_type": "ali_pay", "confirm": True}
    return api.post("/payments", {**BARE, **wallet, "payment_method_data": {"wallet": {"ali_pay": {}}}})


BACKWARDS = {"amount": 1, "currency": "USD", "start_date": "2027-01-01T00:00:00Z", "end_date": "2026-01-01T00:00:00Z"}

RULES: Rows = (
    (C.DATA_MISMATCH, other_data),
    (C.WALLET_NOT_CONFIGURED, without_identity),
    (
        C.CUSTOMER_CONFLICT,
        lambda api, clock: api.post("/payments", {**BARE, "customer_id": "cus_a", "customer": {"id": "cus_b"}}),
    ),
    (C.LINK_AND_CONFIRM, lambda api, clock: api.pay(payment_link=True)),
    (C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER, lambda api, clock: api.pay(setup_future_usage="off_session")),
    (C.RECURRING_DATA_DOUBLED, two_references),
    (C.RECURRING_NEEDS, not_off_session),
    (C.MANDATE_DATA_NEEDS_OFF_SESSION, mandate_on_session),
    (
        C.MANDATE_METHOD_UNSUPPORTED,
        lambda api, clock: api.post("/payments", {**BARE, **MANDATE_BY_CODE, "confirm": True}),
    ),
    (C.MANDATE_DATES_REVERSED, agreeing(mandate_type={"single_use": BACKWARDS})),
    (C.PAYMENT_TOKEN_OVER, token_over),
    (C.MERCHANT_ID_FOREIGN, other_merchant),
    (C.METADATA_OVER_LIMIT, much_metadata),
    (C.BLOCKED, blocked),
    (C.FILE_PURPOSE_INVALID, lambda api, clock: uploaded(api, purpose="holiday_photo")),
    (C.FILE_TYPE_MISSING, typeless),
    (C.FILE_REJECTED, lambda api, clock: upload(api, disputed(api), ("a.exe", b"MZ", "application/x-msdownload"))),
    (C.EVENT_FILTERS_EXCLUSIVE, lambda api, clock: api.post(_events(api), {"object_id": "a", "event_id": "b"})),
    (C.EVENTS_TOO_OLD, lambda api, clock: api.post(_events(api), {"created_after": LONG_AGO})),
    (C.STATUS_WITHOUT_EVENT, eventless),
    (C.WEBHOOK_TARGET_MISSING, nowhere),
    (C.WEBHOOK_HOST_FORBIDDEN, far_host),
    (C.CLOCK_BACKWARDS, back_in_time),
    (C.REPORT_TOO_LARGE, long_report),
    (C.SNAPSHOT_FORMAT_UNKNOWN, lambda api, clock: api.put("/_sandbox/snapshots/a", {"format": 99, "workspace": {}})),
    (C.SNAPSHOT_TOO_LARGE, large_snapshot),
    (C.SNAPSHOT_BROKEN, lambda api, clock: api.put("/_sandbox/snapshots/a", {"format": 2, "workspace": 3})),
    (C.NO_ROOM, full_shelf),
    (C.FEATURE_NOT_OFFERED, lambda api, clock: api.post("/payments", {**BARE, "capture_method": "scheduled"})),
    (C.INTERNAL, crashed),
)
