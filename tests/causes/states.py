"""Causes of states and of amounts."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mock_server.domain.errors import Cause as C
from tests.api.money_places import attach, disputed, paid, refund
from tests.api.saving import CUSTOMER, charge, mandate, saved
from tests.causes.raising import BARE, Raise, Rows, fine, payment, seen
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment

DAY_MS = 24 * 60 * 60 * 1000
ACTIVE = b"version: 1\nname: quiet\n"


def ask(what: str, body: object = None, **fields: Any) -> Raise:
    """Something asked of a payment that was charged."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        return api.post(f"/payments/{paid(api, **fields)}/{what}", body)

    return raising


def capture_by_itself(api: Wire, clock: ManualClock) -> Reply:
    """A capture of a payment that captures by itself, and has not yet."""
    waiting = fine(api.pay("visa_pending"))["payment_id"]
    return api.post(f"/payments/{waiting}/capture")


def declined(api: Wire, enabled: bool) -> str:
    merchant = payment(api)["merchant_id"]
    fine(api.post(f"/account/{merchant}/business_profile/pro_shop", {"is_manual_retry_enabled": enabled}))
    return str(fine(api.pay("visa_generic_decline"))["payment_id"])


def retried(api: Wire, clock: ManualClock) -> Reply:
    return api.post(f"/payments/{declined(api, False)}/confirm", card_method())


def retried_late(api: Wire, clock: ManualClock) -> Reply:
    failed = declined(api, True)
    clock.advance(10 * 60 * 1000)
    return api.post(f"/payments/{failed}/confirm", card_method())


def card_method() -> dict[str, Any]:
    asked = card_payment()
    return {name: asked[name] for name in ("payment_method", "payment_method_data")}


def refund_reversed(api: Wire, clock: ManualClock) -> Reply:
    made = paid(api)
    fine(api.post(f"/payments/{made}/cancel_post_capture"))
    return refund(api, made)


def reverse_refunded(api: Wire, clock: ManualClock) -> Reply:
    made = paid(api)
    fine(refund(api, made, amount=1))
    return api.post(f"/payments/{made}/cancel_post_capture")


def revoked_twice(api: Wire, clock: ManualClock) -> Reply:
    made = mandate(api)
    fine(api.post(f"/mandates/revoke/{made}"))
    return api.post(f"/mandates/revoke/{made}")


def redacted(api: Wire, clock: ManualClock) -> Reply:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    fine(api.delete(f"/customers/{CUSTOMER}"))
    return api.post("/payments", {**BARE, "customer_id": CUSTOMER})


def with_mandate(api: Wire, clock: ManualClock) -> Reply:
    mandate(api)
    return api.delete(f"/customers/{CUSTOMER}")


def inactive(api: Wire, clock: ManualClock) -> Reply:
    yaml = {"Content-Type": "application/yaml"}
    fine(api.call("PUT", "/_sandbox/scenarios/quiet", raw=ACTIVE, headers=yaml))
    return api.post("/_sandbox/scenarios/quiet/check")


def switched_late(api: Wire, clock: ManualClock) -> Reply:
    paid(api)
    return api.put("/_sandbox/dialect", {"dialect": "hyperswitch"})


def eleventh(api: Wire, clock: ManualClock) -> Reply:
    made = paid(api)
    for _ in range(10):
        fine(refund(api, made, amount=1))
    return refund(api, made, amount=1)


def old(api: Wire, clock: ManualClock) -> Reply:
    made = paid(api)
    clock.advance(366 * DAY_MS)
    return refund(api, made)


def over_disputed(api: Wire, clock: ManualClock) -> Reply:
    return api.post(f"/_sandbox/payments/{paid(api)}/dispute", {"amount": 6541})


def by_mandate(kind: str | None = None, amount: int = 6540, later_ms: int = 0, **bounds: Any) -> Raise:
    """A charge of a mandate."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        made = mandate(api, kind, **bounds)
        clock.advance(later_ms)
        details = {"type": "mandate_id", "data": made}
        return charge(api, off_session=True, recurring_details=details, amount=amount)

    return raising


def more_than_agreed(what: str, **fields: Any) -> Raise:
    """A charge of a mandate that is enlarged after its approval."""

    def raising(api: Wire, clock: ManualClock) -> Reply:
        details = {"type": "mandate_id", "data": mandate(api, "multi_use")}
        larger = {"enable_overcapture": True, "request_incremental_authorization": True, "capture_method": "manual"}
        made = fine(charge(api, off_session=True, recurring_details=details, amount=10_000, **larger))
        return api.post(f"/payments/{made['payment_id']}/{what}", fields)

    return raising


def used_up(api: Wire, clock: ManualClock) -> Reply:
    details = {"type": "mandate_id", "data": mandate(api, "single_use")}
    charge(api, off_session=True, recurring_details=details)
    return charge(api, off_session=True, recurring_details=details)


def by_others_mandate(api: Wire, clock: ManualClock) -> Reply:
    details = {"type": "mandate_id", "data": mandate(api, "multi_use")}
    return charge(api, off_session=True, recurring_details=details, currency="EUR", amount=1)


def closed_dispute(api: Wire, clock: ManualClock) -> Reply:
    made = disputed(api)
    fine(api.post(f"/disputes/accept/{made}"))
    return attach(api, made)


def on_session(api: Wire, clock: ManualClock) -> Reply:
    details = {"type": "payment_method_id", "data": saved(api, usage="on_session")}
    return charge(api, off_session=True, recurring_details=details)


_MULTI: dict[str, Any] = {"start_date": "2026-01-01T00:00:00Z", "end_date": "2026-02-01T00:00:00Z"}


def not_saved(api: Wire, clock: ManualClock) -> Reply:
    with TemporaryDirectory() as folder:
        shop = seen(api, clock, data=f"{folder}/state.sqlite")
        Path(folder, "state.sqlite").unlink()
        fine(shop.pay())
        lasting = shop.sandbox.lasting
        assert lasting is not None
        with closing(lasting.saver.file):
            assert not lasting.saver.save()
            return shop.pay()


def full_of_records(api: Wire, clock: ManualClock) -> Reply:
    shop = seen(api, clock, max_records=3)
    while (reply := shop.post("/customers", {})).status == 200:
        pass
    return reply


def captured_again(api: Wire, clock: ManualClock) -> Reply:
    path = f"/payments/{paid(api, capture_method='manual')}/capture"
    fine(api.post(path, {"amount_to_capture": 1}))
    return api.post(path, {"amount_to_capture": 1})


STATES: Rows = (
    (C.RECORDS_FULL, full_of_records),
    (C.NOT_SAVED, not_saved),
    (C.STATUS_FORBIDS, ask("cancel")),
    (C.CAPTURE_FORBIDS, ask("capture", capture_method="manual", confirm=False)),
    (C.CAPTURE_WAS_THE_ONE, captured_again),
    (C.REFUND_FORBIDS, lambda api, clock: refund(api, payment(api)["payment_id"])),
    (C.CAPTURE_METHOD_FORBIDS, capture_by_itself),
    (C.RETRY_DISABLED, retried),
    (C.RETRY_WINDOW_OVER, retried_late),
    (C.INCREMENT_NOT_ALLOWED, ask("incremental_authorization", {"amount": 9000}, capture_method="manual")),
    (C.REFUND_AFTER_VOID, refund_reversed),
    (C.VOID_AFTER_REFUND, reverse_refunded),
    (C.DISPUTE_STATUS_FORBIDS, closed_dispute),
    (C.MANDATE_STATUS_FORBIDS, revoked_twice),
    (C.CUSTOMER_REDACTED, redacted),
    (C.CUSTOMER_HAS_MANDATE, with_mandate),
    (C.TRIGGER_FORBIDS, lambda api, clock: api.post(f"/_sandbox/payments/{paid(api)}/settle", {"as": "succeeded"})),
    (C.SCENARIO_NOT_ACTIVE, inactive),
    (C.DIALECT_FIXED, switched_late),
    (C.AMOUNT_TOO_LARGE, lambda api, clock: api.post("/payments", {**BARE, "amount": 999_999_999, "shipping_cost": 1})),
    (C.AMOUNT_OVER_CAPTURABLE, ask("capture", {"amount_to_capture": 6541}, capture_method="manual")),
    (C.AMOUNT_TO_CAPTURE_OVER_AMOUNT, lambda api, clock: api.post("/payments", {**BARE, "amount_to_capture": 9999})),
    (C.AMOUNT_TO_CAPTURE_NOT_AMOUNT, lambda api, clock: api.post("/payments", {**BARE, "amount_to_capture": 1})),
    (
        C.INCREMENT_NOT_LARGER,
        ask(
            "incremental_authorization",
            {"amount": 6540},
            capture_method="manual",
            request_incremental_authorization=True,
        ),
    ),
    (C.REFUND_OVER_CAPTURED, lambda api, clock: refund(api, paid(api), amount=6541)),
    (C.REFUND_ATTEMPTS_EXCEEDED, eleventh),
    (C.REFUND_TOO_OLD, old),
    (C.DISPUTE_OVER_CAPTURED, over_disputed),
    (C.MANDATE_DIFFERS, by_others_mandate),
    (C.MANDATE_EXCEEDED, by_mandate("multi_use", amount=10_001)),
    (C.MANDATE_USED, used_up),
    (C.MANDATE_OUT_OF_PERIOD, by_mandate("multi_use", later_ms=60 * DAY_MS, **_MULTI)),
    (C.METHOD_NOT_OFF_SESSION, on_session),
)
