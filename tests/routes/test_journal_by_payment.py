"""The journal finds every call about a payment by its id: also one that was refused, and those about its parts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects import DIALECTS, get
from mock_server.domain.api_keys import KeyKind
from tests.causes.raising import BARE
from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.routes.good import Good, caller, good
from tests.wire import Reply, Wire, wire

BY_PART: Final = (
    "payments.sync", "payments.session_tokens", "refunds.create", "refunds.sync", "refunds.retrieve", "refunds.update",
    "refunds.replace", "disputes.accept", "disputes.submit_evidence", "disputes.attach_evidence",
    "disputes.delete_evidence", "disputes.retrieve_evidence", "disputes.retrieve", "files.create", "files.retrieve",
    "files.delete", "events.attempts", "events.retry", "payments.poll", "payments.link",
    "customers.payment_methods_of_payment",
)  # fmt: skip
"""Calls that name a payment, or what belongs to one, elsewhere than in a path of the payment."""
BY_PATH: Final = tuple(name for name, row in BY_NAME.items() if "<payment_id>" in row.path)


def repeated(made: Good, api: Wire, row: Operation) -> Reply:
    """The call, whose answer is repeated for the same idempotency key."""
    keyed = Good(made.ids, made.body, made.query, made.form, headers={**made.headers, "X-Idempotency-Key": "one"})
    keyed.sent(caller(api, row), row)
    return keyed.sent(caller(api, row), row)


def with_a_wrong_field(made: Good, api: Wire, row: Operation) -> Reply:
    """The call with a field that no operation has, or with such a parameter."""
    if made.form is not None or row.method not in ("POST", "PUT"):
        query = f"{made.query}&no_such_field=1" if made.query else "?no_such_field=1"
        return Good(made.ids, made.body, query, made.form).sent(caller(api, row), row)
    return made.sent(caller(api, row), row, no_such_field=1)


def without_its_operation(made: Good, api: Wire, row: Operation) -> Reply:
    """The call, answered by a scenario in the place of its operation."""
    rule = {"on": row.name, "then": {"error": "HE_00", "effect": "none"}}
    assert api.put("/_sandbox/scenarios/broken", {"name": "broken", "rules": [rule]}).status == 200
    assert api.post("/_sandbox/scenarios/broken/activate", {}).status == 200
    return made.sent(caller(api, row), row)


WAYS: Final[dict[str, Callable[[Good, Wire, Operation], Reply]]] = {
    "as it should be": lambda made, api, row: made.sent(caller(api, row), row),
    "with a wrong field": with_a_wrong_field,
    "repeated": repeated,
    "without its operation": without_its_operation,
}


def first(api: Wire) -> str:
    """The merchant's oldest payment."""
    return str(api.get("/payments/list")["data"][-1]["payment_id"])


def named(api: Wire, made: Good, row: Operation) -> str:
    """The payment that a call names, by its own id or by an event's; otherwise the oldest is meant."""
    told = f"{made.path(row)} {made.body}"
    payments = {str(one["payment_id"]): str(one["payment_id"]) for one in api.get("/payments/list")["data"]}
    events = {str(one["event_id"]): str(one["payment_id"]) for one in api.get("/_sandbox/webhooks")["data"]}
    return next((payment for told_by, payment in (payments | events).items() if told_by in told), first(api))


SOME: Final = [*product(BY_PART, ["as it should be"]), *product(BY_PART[::3], ["with a wrong field"])]


@pytest.mark.parametrize(("name", "way"), [*product((*BY_PART, *BY_PATH), WAYS)] if SOAK else SOME)
def test_the_journal_finds_a_call_by_its_payment(api: Wire, name: str, way: str) -> None:
    row = BY_NAME[name]
    made = good(api, row)
    payment = named(api, made, row)
    before = len(found(api, payment, name))
    WAYS[way](made, api, row)
    (last,) = api.get("/_sandbox/journal?limit=1")["data"]
    assert last["operation"] == name
    assert len(found(api, payment, name)) > before, last["payment_id"]


def found(api: Wire, payment: str, operation: str) -> list[Any]:
    return list(api.get(f"/_sandbox/journal?limit=1000&payment_id={payment}&operation={operation}")["data"])


CHANGES: Final = tuple(name for name in BY_PATH if BY_NAME[name].changes and KeyKind.SECRET in BY_NAME[name].keys)
"""The changes of a payment by its merchant."""


@pytest.mark.parametrize("dialect", DIALECTS if SOAK else ["hyperswitch"])
@pytest.mark.parametrize("name", CHANGES if SOAK else ["payments.update_metadata"])
def test_the_timeline_says_how_each_change_left_its_payment(name: str, dialect: str) -> None:
    row, api = BY_NAME[name], wire(clock=ManualClock(), dialect=get(dialect))
    made = good(api, row)
    assert made.sent(api, row).status == 200
    history = api.get(f"/_sandbox/payments/{made.ids['payment_id']}/timeline").json
    (*_, call) = (one for one in history["data"] if one["kind"] == "call")
    assert call["operation"] == name
    assert call["payment"] is not None
    assert call["payment"]["status"] == history["status"]


@pytest.mark.parametrize("name", (*BY_PART, *BY_PATH) if SOAK else ["disputes.delete_evidence", "refunds.create"])
def test_the_export_of_the_payment_is_verified(api: Wire, name: str) -> None:
    row = BY_NAME[name]
    made = good(api, row)
    payment = named(api, made, row)
    made.sent(caller(api, row), row)
    said = api.get(f"/_sandbox/payments/{payment}/export", accept="application/json").headers["X-Sandbox-Verified"]
    assert said.startswith("verified"), said


def test_a_given_payment_is_exported_as_given_also_if_its_creation_was_refused() -> None:
    api = wire(clock=ManualClock())
    given = {"name": "given", "given": {"payments": [{"payment_id": "pay_1", "amount": 65, "status": "succeeded"}]}}
    assert api.put("/_sandbox/scenarios/given", given).status == 200
    assert api.post("/_sandbox/scenarios/given/activate", {}).status == 200
    assert api.post("/payments", {**BARE, "payment_id": "pay_1"}).status == 400
    assert api.get("/_sandbox/payments/pay_1/export", accept="application/json").json["given"]


@pytest.mark.parametrize("wrong", [{"amount": -1}, {"no_such_field": 1}, {"profile_id": None}], ids=str)
def test_a_refused_creation_is_found_by_the_id_that_it_chose(api: Wire, wrong: dict[str, Any]) -> None:
    assert api.post("/payments", {**BARE, "payment_id": "pay_mine", **wrong}).status == 400
    assert [one["status"] for one in found(api, "pay_mine", "payments.create")] == [400]


def test_a_number_in_the_place_of_an_id_is_not_kept(api: Wire) -> None:
    assert api.post("/refunds", {"payment_id": "4242424242424242"}).status == 404
    assert api.post("/refunds", {"payment_id": 4242}).status == 400
    said = [one["payment_id"] for one in api.get("/_sandbox/journal")["data"]]
    assert sorted(said, key=str) == [None, "[hidden]"]
