"""One error at a time, in its order: what forbids the call by the payment's status comes before its amount.

Every operation with an amount, on a payment in every status that a shop brings about, or on none at all: an amount that
is wrong is answered as one that is not, as long as something else is wrong.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.transitions import ASKS, Ask
from tests.wire import Wire, card_payment

AMOUNTS: Final = (0, -1, 1_000_000_000, 2**53 - 1)
CALLS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "capture": ("/payments/{}/capture", "amount_to_capture", {}),
    "increment": ("/payments/{}/incremental_authorization", "amount", {}),
    "update": ("/payments/{}", "amount", {}),
    "refund": ("/refunds", "amount", {"payment_id": "{}"}),
}
STANDINGS: Final[dict[str, dict[str, Any]]] = {
    "requires_payment_method": {"amount": 6540, "currency": "USD"},
    "requires_confirmation": card_payment(),
    "requires_customer_action": {**card_payment("visa_3ds"), "confirm": True},
    "requires_capture": {**card_payment(), "confirm": True, "capture_method": "manual"},
    "succeeded": {**card_payment(), "confirm": True},
    "failed": {**card_payment("generic_decline"), "confirm": True},
    "cancelled": {**card_payment(), "confirm": True, "capture_method": "manual"},
}


MAY: Final = (
    *(("capture", "requires_capture"), ("refund", "succeeded")),
    *(("update", status) for status in ("requires_payment_method", "requires_confirmation")),
)
"""What the status permits, so that the amount is looked at."""


@pytest.fixture(scope="module")
def standing(api: Wire) -> dict[str, str]:
    """A payment in each status, and the id of none."""
    made = {status: str(api.post("/payments", body)["payment_id"]) for status, body in STANDINGS.items()}
    api.post(f"/payments/{made['cancelled']}/cancel")
    assert {name: api.get(f"/payments/{one}")["status"] for name, one in made.items()} == {name: name for name in made}
    return {**made, "unknown": "pay_nobody"}


@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize("status", [*STANDINGS, "unknown"])
@pytest.mark.parametrize("name", CALLS)
def test_the_status_comes_before_the_amount(
    api: Wire, standing: dict[str, str], name: str, status: str, amount: int
) -> None:
    path, field, body = CALLS[name]
    payment_id = standing[status]
    body = {key: value.format(payment_id) for key, value in body.items()}
    expected = api.post(path.format(payment_id), {**body, field: 9999})
    found = api.post(path.format(payment_id), {**body, field: amount})
    if (name, status) not in MAY and not (amount < 0 and name in ("update", "increment")):
        assert (found.status, found.error) == (expected.status, expected.error)
    elif amount < 1 and name in ("capture", "refund"):
        told = "amount contains invalid data. Expected format is a positive integer"
        assert (found.status, found.error["code"], found.error["message"]) == (422, "IR_05", told)
    elif name in ("capture", "refund"):  # however much it is, it is too much
        assert (found.status, found.error) == (expected.status, expected.error)
    elif amount:
        assert found.error["code"] in ("IR_06", "IR_16")


ACTIONS: Final = {
    "update": ("", "update", "succeeded"),
    "confirm": ("/confirm", "confirm", "succeeded"),
    "cancel": ("/cancel", "cancel", "succeeded"),
    "cancel_post_capture": ("/cancel_post_capture", "cancel_post_capture", "requires_confirmation"),
    "approve": ("/approve", "approve", "succeeded"),
    "reject": ("/reject", "reject", "succeeded"),
    "incremental_authorization": ("/incremental_authorization", "increment authorization", "succeeded"),
    "extend_authorization": ("/extend_authorization", "extend authorization", "succeeded"),
    "update_metadata": ("/update_metadata", "update_metadata", "cancelled"),
    "session_tokens": ("", "create a session token for", "succeeded"),
    "complete_authorize": ("/complete_authorize", "confirm", "succeeded"),
}
"""The word of each operation in the error of a wrong status (facts §3.3, form A), and a status that forbids it."""


@pytest.mark.parametrize("name", ACTIONS)
def test_an_operation_is_named_as_the_public_api_names_it(api: Wire, standing: dict[str, str], name: str) -> None:
    place, action, status = ACTIONS[name]
    payment_id = standing[status]
    path = "/payments/session_tokens" if name == "session_tokens" else f"/payments/{payment_id}{place}"
    secret = {"client_secret": api.get(f"/payments/{payment_id}")["client_secret"]}
    body: dict[str, dict[str, Any]] = {
        "session_tokens": {"payment_id": payment_id, "wallets": [], **secret},
        "incremental_authorization": {"amount": 9999},
        "update_metadata": {"metadata": {}},
        "complete_authorize": secret,
    }
    reply = (api.page() if secret.items() <= body.get(name, {}).items() else api).post(path, body.get(name, {}))
    told = f"You cannot {action} this payment because it has status {status}"
    assert (reply.status, reply.error["code"], reply.error["message"]) == (400, "IR_16", told)


@pytest.mark.parametrize("ask", [ask for ask in ASKS if "control API" in ask.cites], ids=lambda ask: ask.name)
def test_a_triggers_error_names_it_in_whole_words(ask: Ask) -> None:
    assert not ask.action.endswith((" of", " for"))


def test_an_automatic_payment_names_every_other_way_to_capture(api: Wire) -> None:
    payment = api.pay("visa_pending")
    reply = api.post(f"/payments/{payment['payment_id']}/capture")
    assert reply.error["message"].endswith(
        "a capture_method of automatic. The expected state is manual, manual_multiple, scheduled"
    )
