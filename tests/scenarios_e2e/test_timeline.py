"""Following a payment's timeline alone rebuilds its state, whatever was done to it."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.counts import times
from tests.wire import Wire, wire

CARDS: Final = (
    "visa_success",
    "visa_insufficient_funds",
    "visa_3ds_required",
    "visa_pending_succeeds",
    "visa_pending_fails",
    "visa_review",
    "visa_partial_authorization",
)
HOW: Final = st.fixed_dictionaries(
    {
        "capture_method": st.sampled_from(["automatic", "manual", "manual_multiple"]),
        "confirm": st.booleans(),
        "enable_partial_authorization": st.booleans(),
    }
)
MOVES: Final[dict[str, tuple[str, Any]]] = {
    "confirm": ("/payments/{id}/confirm", None),
    "capture": ("/payments/{id}/capture", None),
    "capture part": ("/payments/{id}/capture", {"amount_to_capture": 1000}),
    "cancel": ("/payments/{id}/cancel", None),
    "cancel after capture": ("/payments/{id}/cancel_post_capture", None),
    "update": ("/payments/{id}", {"amount": 7000}),
    "raise": ("/payments/{id}/incremental_authorization", {"amount": 9000}),
    "approve": ("/payments/{id}/approve", None),
    "reject": ("/payments/{id}/reject", None),
    "refund": ("/refunds", {"payment_id": "{id}", "amount": 500}),
    "passes": ("/_sandbox/payments/{id}/authenticate", {"result": "approved"}),
    "fails the challenge": ("/_sandbox/payments/{id}/authenticate", {"result": "declined"}),
    "settle": ("/_sandbox/payments/{id}/settle", {"as": "succeeded"}),
    "settle failed": ("/_sandbox/payments/{id}/settle", {"as": "failed"}),
    "fail": ("/_sandbox/payments/{id}/fail", {"decline": "lost_card"}),
    "hold": ("/_sandbox/payments/{id}/hold", None),
    "end of the customer's time": ("/_sandbox/payments/{id}/expire", {"what": "customer"}),
    "end of the authorization": ("/_sandbox/payments/{id}/expire", {"what": "authorization"}),
    "dispute": ("/_sandbox/payments/{id}/dispute", {"reason": "fraudulent"}),
    "10 s": ("/_sandbox/clock/advance", {"by": "10s"}),
    "8 d": ("/_sandbox/clock/advance", {"by": "8d"}),
    "lost": ("/_sandbox/next", {"on": "payments.*", "then": {"fault": "connection_reset", "effect": "kept"}}),
    "declined next": ("/_sandbox/next", {"on": "charge", "then": {"decline": "stolen_card"}}),
}


def filled(body: Any, payment: str) -> Any:
    if not isinstance(body, dict):
        return body
    return {name: payment if value == "{id}" else value for name, value in body.items()}


def move(api: Wire, name: str, payment: str) -> None:
    path, body = MOVES[name]
    try:
        api.post(path.format(id=payment), filled(body, payment))
    except ConnectionResetError:
        assert not path.startswith("/_sandbox")


def rebuilt(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """The state that the steps lead to, by nothing but the steps."""
    state: dict[str, Any] = {}
    for step in steps:
        state.update(step.get("payment") or {})
    return state


@settings(max_examples=times(20, soak=300), deadline=None, suppress_health_check=list(HealthCheck))
@given(card=st.sampled_from(CARDS), how=HOW, moves=st.lists(st.sampled_from(sorted(MOVES)), max_size=8))
def test_following_the_timeline_alone_rebuilds_the_state(card: str, how: dict[str, Any], moves: list[str]) -> None:
    api = wire()
    api.post("/_sandbox/clock/freeze")
    payment = api.pay(card, request_incremental_authorization=True, **how)["payment_id"]
    for name in moves:
        move(api, name, payment)
    api.delete("/_sandbox/next")
    told = api.get(f"/_sandbox/payments/{payment}/timeline").json
    now = api.get(f"/payments/{payment}").json
    assert rebuilt(told["data"]) == {name: now[name] or 0 for name in rebuilt(told["data"])}
    assert rebuilt(told["data"])["status"] == told["status"] == now["status"]
    assert [step["at"] for step in told["data"]] == sorted(step["at"] for step in told["data"])
