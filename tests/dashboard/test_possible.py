"""A payment's page has exactly the acts that the engine accepts at that moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

from mock_server.dashboard.doing import ACTIONS
from tests.counts import times
from tests.dashboard.reading import Page
from tests.dashboard.visitor import Visitor, said, text
from tests.story.test_ends import MANUAL, WAYS, Made, paid, then
from tests.wire import Wire, card_payment

DISPUTE: Final[tuple[str, Mapping[str, Any]]] = ("/_sandbox/payments/{}/dispute", {})
BEGUN: Final[Mapping[str, Made]] = {
    "needs a method": lambda api: created(api, amount=100, currency="USD", profile_id="pro_shop"),
    "needs to be confirmed": lambda api: created(api, **card_payment()),
    "a challenge": paid("visa_3ds_required"),
    "pending": paid("4000990000002000"),
    "in review": paid("visa_review"),
    "authorized": MANUAL,
    "capturable in parts": paid(capture_method="manual_multiple"),
    "disputed": then(paid(), DISPUTE),
    "disputed in part": then(paid(), (DISPUTE[0], {"amount": 1000})),
    "refunded": lambda api: refunded(api, 6540),
    "refunded in part": lambda api: refunded(api, 1000),
    "failed long ago": then(paid("visa_insufficient_funds"), ("/_sandbox/clock/advance", {"by": "8m"})),
}
STATES: Final = {
    **BEGUN,
    **{f"{trigger}-{number}": make for trigger, ways in WAYS.items() for number, make in enumerate(ways.values())},
}
CALLS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "control.authenticate": ("/_sandbox/payments/{}/authenticate", {"result": "approved"}),
    "payments.approve": ("/payments/{}/approve", {}),
    "payments.reject": ("/payments/{}/reject", {}),
    "payments.capture": ("/payments/{}/capture", {"amount_to_capture": 1}),
    "payments.confirm": ("/payments/{}/confirm", {k: v for k, v in card_payment().items() if k.startswith("payment_")}),
    "refunds.create": ("/refunds", {"payment_id": "{}", "amount": 1}),
    "control.settle": ("/_sandbox/payments/{}/settle", {"as": "succeeded"}),
    "payments.cancel": ("/payments/{}/cancel", {}),
    "control.fail": ("/_sandbox/payments/{}/fail", {"decline": "lost_card"}),
    "control.hold": ("/_sandbox/payments/{}/hold", {}),
    "control.dispute": DISPUTE,
}


def created(api: Wire, **body: Any) -> str:
    return str(api.post("/payments", body)["payment_id"])


def refunded(api: Wire, amount: int) -> str:
    payment = str(api.pay()["payment_id"])
    assert api.post("/refunds", {"payment_id": payment, "amount": amount}).status == 200
    return payment


def test_every_act_has_a_call() -> None:
    assert set(CALLS) == set(ACTIONS)


@pytest.mark.parametrize("name", [*STATES][:: times(3, soak=1)])
def test_what_is_shown_is_accepted_and_nothing_else(api: Wire, name: str) -> None:
    payment, visitor = STATES[name](api), Visitor(api)
    snapshot = f"possible_{visitor.place}"
    assert api.call("PUT", f"/_sandbox/snapshots/{snapshot}?journal=1").status == 200
    shown = set(re.findall(r'name="do" value="([^"]+)"', text(visitor.look(f"payments/{payment}"))))
    accepted = set()
    for operation, (path, body) in CALLS.items():
        sent = {key: payment if value == "{}" else value for key, value in body.items()}
        if api.post(path.format(payment), sent).status == 200:
            accepted.add(operation)
            assert api.post(f"/_sandbox/snapshots/{snapshot}/restore").status == 200
    assert shown & set(CALLS) == accepted


@pytest.mark.parametrize("name", [*STATES][:: times(3, soak=1)])
def test_every_form_is_accepted_as_it_stands(api: Wire, name: str) -> None:
    payment, visitor = STATES[name](api), Visitor(api)
    snapshot = f"possible_{visitor.place}"
    assert api.call("PUT", f"/_sandbox/snapshots/{snapshot}?journal=1").status == 200
    refused = {}
    for form in Page(visitor.read(f"payments/{payment}")).forms:
        if form.method == "post":
            reply = visitor.send(f"payments/{payment}", form.values)
            if reply.status != 200:
                refused[form.test_id] = said(text(reply), "notice")
        assert api.post(f"/_sandbox/snapshots/{snapshot}/restore").status == 200
    assert refused == {}


@pytest.mark.parametrize(
    ("typed", "sent"),
    [("20.00", 2000), ("1,065.4", 106540), ("20", 2000), ("0.001", None), ("ten", None), ("NaN", None)],
)
def test_an_amount_is_typed_as_money(api: Wire, typed: str, sent: int | None) -> None:
    payment = api.pay(amount=200_000)["payment_id"]
    reply = Visitor(api).send(
        f"payments/{payment}", {"do": "refunds.create", "body.payment_id": payment, "body.amount:USD": typed}
    )
    assert reply.status == (200 if sent else 400)
    assert [one["amount"] for one in api.post("/refunds/list", {})["data"]] == ([sent] if sent else [])
