"""What `given` puts into a workspace, calls of the API could have made: amounts, ids, and the form of every field."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.statuses import PaymentStatus as S
from tests.counts import times
from tests.engine.test_given import payment
from tests.wire import Reply, Wire, wire

PARTIAL: Final = (S.PARTIALLY_CAPTURED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE)
LEAST: Final = {**dict.fromkeys(PARTIAL, 2), S.REQUIRES_CAPTURE: 1, S.PARTIALLY_AUTHORIZED: 1}
"""The smallest amount that a payment of this status can have; of the others 0, for which a card is only verified."""
SPANS: Final = ((0, 0), (0, 3), (1, 1), (1, 2), (2, 2), (2, 3), (500, 20_000))


def put(api: Wire, name: str = "given", **records: Any) -> Reply:
    return api.put(f"/_sandbox/scenarios/{name}", {"name": name, "summary": "G.", "given": records})


def give(api: Wire, name: str = "given", **records: Any) -> None:
    assert put(api, name, **records).status == 200
    reply = api.post(f"/_sandbox/scenarios/{name}/activate")
    assert reply.status == 200, reply.raw


def adds_up(api: Wire, shown: dict[str, Any]) -> None:
    """The money of one payment: what was received, and what of it was given back or is in dispute."""
    amount, received = shown["amount"], shown["amount_received"] or 0
    refunds = api.get(f"/refunds/list?payment_id={shown['payment_id']}&limit=100")["data"]
    assert {one["refund_id"] for one in refunds} == {one["refund_id"] for one in shown["refunds"] or ()}
    back = [one["amount"] for one in refunds if one["status"] == "succeeded"]
    assert sum(back) == ((shown["state_metadata"] or {}).get("total_refunded_amount") or 0) <= received, shown
    assert all(0 < int(one["amount"]) <= received for one in shown["disputes"] or ()), shown
    assert all(0 < one["amount"] <= received for one in refunds), refunds
    disputed = [one["created_at"] for one in shown["disputes"] or () if int(one["amount"]) == received]
    assert max((one["created_at"] for one in refunds), default="") <= min(disputed, default="z"), (refunds, shown)
    if shown["status"] in PARTIAL:
        assert 0 < received < amount, shown
    if shown["status"] in ("requires_capture", "partially_authorized_and_requires_capture"):
        assert 0 < shown["amount_capturable"] <= amount, shown


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("span", SPANS)
def test_the_money_of_generated_payments_adds_up(status: S, span: tuple[int, int]) -> None:
    api, count = wire(), times(4, soak=100)
    many = {"count": count, "status": status, "amount": list(span), "refunds": "100%", "disputes": "100%"}
    reply = put(api, payments=many)
    assert (reply.status == 200) is (span[0] >= LEAST.get(status, 0)), reply.raw
    if reply.status == 200:
        api.post("/_sandbox/scenarios/given/activate")
        for one in api.get("/payments/list?limit=100")["data"]:
            adds_up(api, api.get(f"/payments/{one['payment_id']}").json)


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("amount", [0, 1, 2, 3])
def test_a_listed_payment_has_an_amount_that_its_status_can_have(status: S, amount: int) -> None:
    api = wire()
    reply = put(api, payments=[{**payment(status), "amount": amount}])
    assert (reply.status == 200) is (amount >= LEAST.get(status, 0)), reply.raw
    if reply.status == 200:
        api.post("/_sandbox/scenarios/given/activate")
        adds_up(api, api.get(f"/payments/pay_{status}").json)


PARTS: Final = [
    *(("refunds", status) for status in ("succeeded", "failed", "pending", "review")),
    *(("disputes", status) for status in ("dispute_opened", "dispute_won", "dispute_lost", "dispute_cancelled")),
]


@pytest.mark.parametrize(("kind", "state"), PARTS)
@pytest.mark.parametrize(("status", "amount"), [("succeeded", 0), ("succeeded", 10), ("partially_captured", 10)])
def test_a_part_of_a_listed_payment_is_of_what_was_captured(kind: str, state: str, status: str, amount: int) -> None:
    captured = amount if status == "succeeded" else amount // 2
    for part in (None, 1, captured, captured + 1, 99):
        row = {"status": state} if part is None else {"status": state, "amount": part}
        api = wire()
        reply = put(api, payments=[{**payment(status), "amount": amount, kind: [row]}])
        assert (reply.status == 200) is (0 < (captured if part is None else part) <= captured), (part, reply.raw)
        if reply.status == 200:
            api.post("/_sandbox/scenarios/given/activate")
            adds_up(api, api.get(f"/payments/pay_{status}").json)


def _refund(amount: int) -> dict[str, Any]:
    return {"refund_id": "ref_1", "amount": amount}


TWICE: Final[dict[str, list[dict[str, Any]]]] = {
    "of one payment": [payment(refunds=[_refund(10), _refund(20)])],
    "of two payments": [payment(refunds=[_refund(10)]), {**payment(refunds=[_refund(20)]), "payment_id": "pay_2"}],
}


@pytest.mark.parametrize("payments", TWICE.values(), ids=TWICE)
def test_a_refund_id_is_used_once_in_a_file(payments: list[dict[str, Any]]) -> None:
    reply = put(wire(), payments=payments)
    assert reply.status == 400
    assert "payments have the refund_id ref_1 2 times" in reply.error["message"]


@pytest.mark.parametrize("first", ["call", "scenario"])
def test_a_refund_that_is_there_stays_its_payments(first: str) -> None:
    api = wire()
    if first == "call":
        api.pay(payment_id="pay_old")
        assert api.post("/refunds", {"payment_id": "pay_old", **_refund(7)}).status == 200
    else:
        give(api, "earlier", payments=[{**payment(refunds=[_refund(7)]), "payment_id": "pay_old"}])
    give(api, payments=[payment(refunds=[_refund(20), {"amount": 30}])])
    assert (api.get("/refunds/ref_1")["amount"], api.get("/refunds/ref_1")["payment_id"]) == (7, "pay_old")
    for name in ("pay_old", "pay_succeeded"):
        adds_up(api, api.get(f"/payments/{name}").json)


# the form of each field

TEXTS: Final = (
    "", "x", "x" * 64, "x" * 65, "x" * 255, "x" * 256, "x" * 1_001, "x" * 5_000, "x" * 5_001, "é" * 255, "😀" * 256,
    "a@shop.test", "a@", "two words", "list",
)  # fmt: skip
METADATA: Final[tuple[dict[str, Any], ...]] = (
    {}, {"k" * 40: "v" * 500}, {"k" * 41: "v"}, {"k": "v" * 501}, {"é" * 41: 1}, {"k": ["v" * 495]}, {"k": ["v" * 497]},
    {f"k{number}": 1 for number in range(50)}, {f"k{number}": 1 for number in range(51)}, {"sandbox-outcome": "failed"},
)  # fmt: skip
FIELDS: Final[dict[str, dict[str, tuple[Any, ...]]]] = {
    "payments": {
        **dict.fromkeys(("payment_id", "customer_id", "email", "description", "merchant_order_reference_id"), TEXTS),
        "metadata": METADATA,
    },
    "customers": {**dict.fromkeys(("customer_id", "name", "email", "phone"), TEXTS), "metadata": METADATA},
    "refunds": dict.fromkeys(("refund_id", "reason"), TEXTS),
}


def is_taken_by_a_call(api: Wire, kind: str, name: str, value: Any) -> bool:
    match kind:
        case "payments":
            body: dict[str, Any] = {"amount": 1_001, "currency": "EUR", "profile_id": "pro_shop"}
            return api.post("/payments", {**body, name: value}).status == 200
        case "customers":
            return api.post("/customers", {name: value}).status == 200
        case _:
            return api.post("/refunds", {"payment_id": "pay_1", "amount": 1, name: value}).status == 200


def is_given(kind: str, name: str, value: Any) -> Reply:
    match kind:
        case "payments":
            return put(wire(), payments=[{**payment(), name: value}])
        case "customers":
            return put(wire(), customers=[{"customer_id": "cus_1", name: value}])
        case _:
            return put(wire(), payments=[payment(refunds=[{"amount": 1, name: value}])])


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, fields in FIELDS.items() for name in fields])
def test_a_field_takes_what_the_call_takes(kind: str, name: str) -> None:
    found = []
    for value in FIELDS[kind][name]:
        api = wire()
        api.pay(payment_id="pay_1")
        reply, wanted = is_given(kind, name, value), is_taken_by_a_call(api, kind, name, value)
        if (reply.status == 200) is not wanted:
            found.append((str(value)[:50], len(value), "a call takes it" if wanted else "no call takes it"))
    assert not found


def test_each_field_of_a_text_is_compared() -> None:
    """Fields that the scenario language gets later are in the table above, or are words of a list."""
    schema = wire().get("/_sandbox/scenarios/schema")["$defs"]
    for kind, block in (("payments", "OnePayment"), ("customers", "OneCustomer"), ("refunds", "OneRefund")):
        texts = {
            name for name, one in schema[block]["properties"].items()
            if (one.get("type") == "string" and not {"enum", "pattern"} & one.keys()) or name == "metadata"
        }  # fmt: skip
        assert texts <= FIELDS[kind].keys(), (kind, texts - FIELDS[kind].keys())


@pytest.mark.parametrize("customers", [None, 1, 3, 8, [{"customer_id": "cus_own"}, {"customer_id": "cus_2"}]])
@pytest.mark.parametrize("size", [1, 5])
def test_a_generated_payment_has_the_data_of_its_customer(customers: Any, size: int) -> None:
    api = wire()
    records = {} if customers is None else {"customers": customers}
    give(api, payments={"count": times(12, soak=100), "customers": size}, **records)
    stored = {one["customer_id"]: one for one in api.get("/customers/list?limit=100")["data"]}
    for shown in api.get("/payments/list?limit=100")["data"]:
        told, own = shown["customer"], stored[shown["customer_id"]]
        assert [told[name] for name in ("name", "email", "phone")] == [own[name] for name in ("name", "email", "phone")]
    asked_for = customers if isinstance(customers, int) else len(customers or ())
    assert len(stored) == asked_for + size == len({one["email"] for one in stored.values()})
