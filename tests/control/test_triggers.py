"""Every trigger in every status: it does what it says exactly where the table of asks allows it."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.domain.outcomes import CHALLENGE_DECLINE, Challenge
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import ASK_BY_NAME
from mock_server.engine.payments.settle import EXPIRES
from tests.api.money_places import needed, refused
from tests.api.places import PLACES
from tests.wire import Wire

TRIGGERS: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "authenticate approved": ("authenticate", "authenticate", {"result": "approved"}),
    "authenticate declined": ("authenticate", "authenticate", {"result": "declined"}),
    "authenticate abandoned": ("authenticate", "authenticate", {"result": "abandoned"}),
    "settle succeeded": ("settle", "settle", {"as": "succeeded"}),
    "settle in part": ("settle", "settle", {"as": "succeeded", "amount": 1000}),
    "settle failed": ("settle", "settle", {"as": "failed", "decline": "insufficient_funds"}),
    "settle pending": ("settle", "settle", {"as": "pending"}),
    "fail": ("fail", "fail", {"decline": "stolen_card"}),
    "expire session": ("expire_session", "expire", {"what": "session"}),
    "expire customer": ("expire_customer", "expire", {"what": "customer"}),
    "expire authorization": ("expire_authorization", "expire", {"what": "authorization"}),
    "hold": ("hold", "hold", None),
    "dispute": ("dispute", "dispute", None),
}
"""Each trigger: its row of the table of asks, its route, its body."""


@pytest.mark.parametrize("name", TRIGGERS)
@pytest.mark.parametrize("status", list(S))
def test_a_trigger_is_allowed_exactly_where_the_table_says(api: Wire, name: str, status: S) -> None:
    row, path, body = TRIGGERS[name]
    payment = PLACES[status](api)
    reply = api.post(f"/_sandbox/payments/{payment}/{path}", body)
    if status in ASK_BY_NAME[row].allowed:
        assert reply.status == 200, reply.raw
    else:
        assert (*refused(reply), needed(reply)) == (400, "IR_16", sorted(ASK_BY_NAME[row].allowed))
        assert api.get(f"/payments/{payment}")["status"] == status


def test_the_states_name_every_trigger(api: Wire) -> None:
    posts = [row.path.split("/")[2:] for row in CONTROL_OPERATIONS if row.method == "POST"]
    named = {
        kind: {one for state in api.get("/_sandbox/states")[kind]["states"] for one in state["triggers"]}
        for kind in ("payments", "refunds", "disputes")
    }
    routes = [(kind, name) for kind, _, name in (path for path in posts if len(path) == 3) if kind in named]
    assert len(routes) >= 8
    missing = [(kind, name) for kind, name in routes if not any(one.startswith(name) for one in named[kind])]
    assert not missing


SHOWN = {"session": "expires_on", "authorization": "capture_before", "customer": "next_action"}
"""Where a payment shows until when; the customer's time stands in the action, which goes."""


@pytest.mark.parametrize("what", EXPIRES)
@pytest.mark.parametrize("status", list(S))
def test_what_has_expired_ends_no_later_than_now(api: Wire, what: str, status: S) -> None:
    payment = PLACES[status](api)
    if api.post(f"/_sandbox/payments/{payment}/expire", {"what": what}).status == 200:
        until = api.get(f"/payments/{payment}")[SHOWN[what]]
        assert until is None if what == "customer" else until <= api.get("/_sandbox/clock")["now"]


@pytest.mark.parametrize("name", TRIGGERS)
def test_an_unknown_payment_is_404(api: Wire, name: str) -> None:
    _, path, body = TRIGGERS[name]
    reply = api.post(f"/_sandbox/payments/pay_nobody/{path}", body)
    assert (reply.status, reply.error["code"]) == (404, "HE_02")


@pytest.mark.parametrize(("result", "decline"), CHALLENGE_DECLINE.items())
def test_a_challenge_that_does_not_pass_fails_for_its_reason(api: Wire, result: Challenge, decline: str) -> None:
    payment = PLACES[S.REQUIRES_ACTION](api)
    assert api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": result})["status"] == "failed"
    assert api.get(f"/_sandbox/payments/{payment}/why")["failure"]["decline"] == decline


FITTING = {("succeeded", "amount"), ("failed", "decline")}
ENDS: dict[str, tuple[tuple[str, ...], dict[str, tuple[object, ...]]]] = {
    "payments": (("succeeded", "failed", "pending"), {"amount": (1, 6540, 6541), "decline": ("stolen_card",)}),
    "refunds": (("succeeded", "failed", "review"), {"decline": ("refund_failed",)}),
}


@pytest.mark.parametrize(
    ("kind", "word", "name", "value"),
    [
        (kind, word, name, value)
        for kind, (words, said) in ENDS.items()
        for word in words
        for name, values in said.items()
        for value in values
    ],
)
def test_what_is_said_of_an_end_fits_it(api: Wire, kind: str, word: str, name: str, value: object) -> None:
    """It was passed over: whoever tried an overpayment, or a reason for a success, saw a plain success."""
    open_one = transfer(api) if kind == "payments" else pending_refund(api)
    before = api.get(f"/{kind}/{open_one}").json
    reply = api.post(f"/_sandbox/{kind}/{open_one}/settle", {"as": word, name: value})
    if (word, name) in FITTING and value != 6541:
        assert reply.status == 200, reply.raw
        return
    assert (reply.status, reply.error["fields"][0]["field"]) == (400, name)
    assert api.get(f"/{kind}/{open_one}").json == before


def pending_refund(api: Wire) -> str:
    payment = api.pay()["payment_id"]
    return str(api.post("/refunds", {"payment_id": payment}, X_Sandbox_Outcome="pending")["refund_id"])


@pytest.mark.parametrize(("amount", "status"), [(6539, "partially_captured"), (6540, "succeeded")])
def test_only_a_part_of_a_transfer_closes_the_payment_in_part(api: Wire, amount: int, status: str) -> None:
    payment = transfer(api)
    paid = api.post(f"/_sandbox/payments/{payment}/settle", {"as": "succeeded", "amount": amount})
    assert (paid["status"], paid["amount_received"]) == (status, amount)


def test_money_that_is_seen_is_settled_later(api: Wire) -> None:
    payment = transfer(api)
    assert api.post(f"/_sandbox/payments/{payment}/settle", {"as": "pending"})["status"] == "pending"
    assert api.post(f"/_sandbox/payments/{payment}/settle", {"as": "pending"})["status"] == "pending"
    assert api.post(f"/_sandbox/payments/{payment}/settle", {"as": "succeeded"})["status"] == "succeeded"


def test_a_session_that_is_over_opens_nothing_more(api: Wire) -> None:
    made = api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop"})
    path, secret = f"/payments/{made['payment_id']}", made["client_secret"]
    browser = api.as_key("pk_snd_test_0123456789")
    assert browser.get(f"{path}?client_secret={secret}").status == 200
    assert api.post(f"/_sandbox{path}/expire", {"what": "session"})["status"] == "requires_payment_method"
    assert browser.get(f"{path}?client_secret={secret}").error["code"] == "IR_08"


def test_the_answer_tells_of_attempts_and_why(api: Wire) -> None:
    payment = PLACES[S.REQUIRES_ACTION](api)
    reply = api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "declined"})
    assert reply["attempts"][0]["status"] == "authentication_failed"
    assert reply.headers["Cache-Control"] == "no-store"


def transfer(api: Wire) -> str:
    """A bank transfer that waits for its customer's money."""
    sepa = {
        "payment_method": "bank_transfer",
        "payment_method_type": "sepa",
        "payment_method_data": {"bank_transfer": {"sepa": {}}},
    }
    made = api.post("/payments", {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop", "confirm": True, **sepa})
    assert made["status"] == "requires_action"
    return str(made["payment_id"])


def test_a_dispute_takes_any_reason_and_says_which_have_a_code(api: Wire) -> None:
    payment = api.pay()["payment_id"]
    known, near, other = (
        api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": reason, "amount": 1})
        for reason in ("product_not_received", "Fraudulant", "nonsense")
    )
    assert [(one["connector_reason"], one["connector_reason_code"]) for one in (known, near, other)] == [
        ("product_not_received", "13.1"),
        ("Fraudulant", None),
        ("nonsense", None),
    ]
    assert "X-Sandbox-Because" not in known.headers
    assert "did you mean fraudulent (10.4)?" in near.headers["X-Sandbox-Because"]
    assert "product_not_received (13.1)" in other.headers["X-Sandbox-Because"]


def test_what_is_held_by_hand_waits_for_a_decision(api: Wire) -> None:
    for card, capture_fails in (
        ("visa_pending_succeeds", False),
        ("visa_pending_fails", False),
        ("visa_capture_fails", True),
    ):
        how = {"capture_method": "manual"} if capture_fails else {}
        held = api.pay(card, **how)["payment_id"]
        assert api.post(f"/_sandbox/payments/{held}/hold", {}).status == 200
        api.post("/_sandbox/clock/advance", {"by": "2d"})
        assert api.get(f"/payments/{held}")["status"] == "requires_merchant_action"
        api.post(f"/payments/{held}/approve", {})
        if capture_fails:
            assert api.post(f"/payments/{held}/capture", {})["status"] == "failed"


def test_a_part_is_received_only_of_what_is_captured_at_once(api: Wire) -> None:
    manual = api.pay("visa_pending", capture_method="manual")["payment_id"]
    held = api.pay(capture_method="manual")["payment_id"]
    then = {"outcome": "pending", "settles": {"after": "1d"}}
    api.post("/_sandbox/next", {"on": "payments.capture", "then": then})
    assert api.post(f"/payments/{held}/capture", {})["status"] == "pending"
    for payment_id, amount_received in ((manual, None), (held, None)):
        reply = api.post(f"/_sandbox/payments/{payment_id}/settle", {"as": "succeeded", "amount": 100})
        assert reply.status == 400 and reply["error"]["fields"][0]["field"] == "amount"
        shown = api.get(f"/payments/{payment_id}").json
        assert (shown["status"], shown["amount_received"]) == ("pending", amount_received)
    assert api.post(f"/_sandbox/payments/{manual}/settle", {"as": "succeeded"})["status"] == "requires_capture"


@pytest.mark.parametrize("answer", [{"outcome": "pending"}, {"settles": {"after": "10s", "as": "failed"}}])
def test_an_increment_is_decided_at_once(api: Wire, answer: dict[str, Any]) -> None:
    on = "payments.incremental_authorization"
    for rule in (
        {"on": on, "then": answer},
        {"on": "charge", "then": {"later": {"incremental_authorization": answer}}},
    ):
        reply = api.put("/_sandbox/scenarios/increments", {"version": 1, "name": "increments", "rules": [rule]})
        assert reply.status == 400, rule
    assert api.post("/_sandbox/next", {"on": on, "then": answer}).status == 400
