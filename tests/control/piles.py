"""What a workspace can hold much of: how one more of each kind is made, always about the newest payment or customer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.api.money_places import disputed, fine, paid, upload
from tests.api.saving import ACCEPTANCE, CHARGE, save, token
from tests.causes.raising import ADMIN, BARE
from tests.routes.good import STRIPE, merchant
from tests.webhooks.shops import HOOK
from tests.wire import Wire, card_data, card_payment

More = Callable[[int], object]
"""Makes one more, by its number."""
DECLINED: Final = "insufficient_funds"
CUSTOMER: Final = "cus_with_many"
"""Not the one whom the good calls make."""
AGREED: Final = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}}


def mandate(api: Wire) -> str:
    return str(save(api, customer_id=CUSTOMER, mandate_data=AGREED)["mandate_id"])


def attempts(api: Wire) -> More:
    made = fine(api.post("/payments", card_payment(DECLINED)))
    profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    fine(api.post(profile, {"is_manual_retry_enabled": True}))
    again = {name: card_payment(DECLINED)[name] for name in ("payment_method", "payment_method_data")}
    return lambda number: fine(api.post(f"/payments/{made['payment_id']}/confirm", again))


def captures(api: Wire) -> More:
    path = f"/payments/{paid(api, capture_method='manual_multiple')}/capture"
    return lambda number: fine(api.post(path, {"amount_to_capture": 1}))


def increments(api: Wire) -> More:
    made = paid(api, capture_method="manual", request_incremental_authorization=True)
    path = f"/payments/{made}/incremental_authorization"
    return lambda number: fine(api.post(path, {"amount": 7_000 + number}))


def disputes(api: Wire) -> More:
    path = f"/_sandbox/payments/{paid(api)}/dispute"
    return lambda number: fine(api.post(path, {"amount": 1}))


def retrieves(api: Wire) -> More:
    path = f"/payments/{paid(api)}"
    return lambda number: fine(api.get(path))


def deliveries(api: Wire) -> More:
    """Of one event, to a receiver that refuses them."""
    fine(api.put("/_sandbox/webhooks/target", {"url": HOOK}))
    paid(api)
    path = f"/_sandbox/webhooks/{fine(api.get('/_sandbox/webhooks?limit=1'))['data'][0]['event_id']}/resend"
    return lambda number: fine(api.post(path))


def charges(api: Wire) -> More:
    """Under one mandate, which can all still be captured."""
    by = {"mandate_id": mandate(api), "customer_id": CUSTOMER, "off_session": True, "capture_method": "manual"}
    return lambda number: fine(api.post("/payments", {**CHARGE, **by}))


def tokens(api: Wire) -> More:
    save(api, customer_id=CUSTOMER)
    return lambda number: token(api, CUSTOMER)


def ephemeral_keys(api: Wire) -> More:
    fine(api.post("/customers", {"customer_id": CUSTOMER}))
    return lambda number: fine(api.post("/ephemeral_keys", {"customer_id": CUSTOMER}))


def methods(api: Wire) -> More:
    """Of one customer, each of another expiry."""
    cards = ("4242424242424242", "5555555555554444")

    def more(number: int) -> object:
        data = card_data(cards[number % 2], card_exp_year=str(2030 + number // 2 % 60))
        return save(api, customer_id=CUSTOMER, payment_method_data={"card": data})

    return more


def connectors(api: Wire) -> More:
    path = f"/account/{merchant(api)}/connectors"
    return lambda number: fine(api.post(path, {**STRIPE, "connector_label": f"label_{number}"}))


def profiles(api: Wire) -> More:
    path = f"/account/{merchant(api)}/business_profile"
    return lambda number: fine(api.post(path, {"profile_name": f"name {number}"}))


def keys(api: Wire) -> More:
    path, admin = f"/api_keys/{merchant(api)}", api.as_key(ADMIN)
    return lambda number: fine(admin.post(path, {"name": "one", "expiration": "never"}))


def files(api: Wire) -> More:
    about = disputed(api)
    return lambda number: fine(upload(api, about))


def scenarios(api: Wire) -> More:
    rule = {"on": "refunds.create", "when": {"body.amount": 7}, "then": {"decline": "refund_failed"}}
    return lambda number: fine(api.put(f"/_sandbox/scenarios/s{number}", {"version": 1, "rules": [rule]}))


PILES: Final[Mapping[str, Callable[[Wire], More]]] = {
    "payments": lambda api: lambda number: paid(api),
    "open payments": lambda api: lambda number: fine(api.post("/payments", BARE)),
    "pending payments": lambda api: lambda number: paid(api, "visa_pending_succeeds"),
    "payments of a customer": lambda api: lambda number: paid(api, customer_id=CUSTOMER),
    "attempts": attempts,
    "captures": captures,
    "increments": increments,
    "disputes": disputes,
    "retrieves": retrieves,
    "deliveries": deliveries,
    "mandates": lambda api: lambda number: mandate(api),
    "charges": charges,
    "tokens": tokens,
    "ephemeral keys": ephemeral_keys,
    "methods": methods,
    "customers": lambda api: lambda number: fine(api.post("/customers", {"customer_id": f"cus_{number}"})),
    "connectors": connectors,
    "profiles": profiles,
    "keys": keys,
    "files": files,
    "scenarios": scenarios,
    "clock": lambda api: lambda number: fine(api.post("/_sandbox/clock/advance", {"by": "1ms"})),
}
