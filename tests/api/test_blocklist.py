"""The blocklist: what is on it, whether it is in force, and what becomes of a blocked card (facts §1.6, §8)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.money_places import fine, paid, refused, told
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_data, card_payment

BIN = {"type": "card_bin", "data": "424242"}


def block(api: Wire, **entry: Any) -> Reply:
    return api.post("/blocklist", {**BIN, **entry})


def switch(api: Wire, on: bool) -> Reply:
    return fine(api.post(f"/blocklist/toggle?status={str(on).lower()}"))


def entries(api: Wire, query: str = "") -> list[str]:
    return [entry["fingerprint_id"] for entry in fine(api.get(f"/blocklist{query}")).json]


def blocked(reply: Reply) -> bool:
    """Whether a confirmation was told that its card is blocked: with status 200, and an error all the same."""
    assert reply.status == 200, reply.raw
    return "error" in reply.json


# entries


def test_an_entry_says_what_it_is(api: Wire) -> None:
    made = fine(block(api))
    assert made.json == {
        "fingerprint_id": "424242",
        "data_kind": "card_bin",
        "metadata": None,
        "created_at": "2026-01-01T00:00:00.000Z",
    }
    assert api.get("/blocklist").json == [made.json]
    assert fine(api.delete("/blocklist", BIN)).json == made.json
    assert api.get("/blocklist").json == []


def test_entries_are_listed_the_newest_first(api: Wire, clock: ManualClock) -> None:
    for number in range(12):
        fine(block(api, data=f"40000{number % 10}" if number < 10 else f"50000{number % 10}"))
        clock.advance(1000)
    fine(block(api, type="fingerprint", data="abc"))
    assert len(entries(api)) == 10
    assert entries(api)[0] == "abc"
    assert entries(api, "?limit=2&offset=1") == ["500001", "500000"]
    assert entries(api, "?data_kind=payment_method") == entries(api, "?data_kind=fingerprint") == ["abc"]
    assert len(entries(api, "?data_kind=card_bin&limit=100")) == 12


REFUSALS: list[tuple[str, Callable[[Wire], Reply], int, str]] = [
    ("twice", lambda api: (block(api), block(api))[1], 400, "IR_16"),
    ("not there", lambda api: api.delete("/blocklist", BIN), 404, "IR_37"),
    ("another kind", lambda api: (block(api), api.delete("/blocklist", {**BIN, "type": "fingerprint"}))[1], 404, "IR_37"),
    ("eight digits", lambda api: block(api, type="extended_card_bin", data="42424242"), 501, "IR_00"),
    ("too few digits", lambda api: block(api, data="42424"), 400, "IR_04"),
    ("too many digits", lambda api: block(api, data="4242424"), 400, "IR_04"),
    ("no digits", lambda api: block(api, data="visa42"), 400, "IR_04"),
    ("unknown type", lambda api: block(api, type="country"), 400, "IR_04"),
    ("no type", lambda api: api.post("/blocklist", {"data": "424242"}), 400, "IR_04"),
    ("no data", lambda api: api.post("/blocklist", {"type": "card_bin"}), 400, "IR_04"),
    ("unknown field", lambda api: block(api, reason="x"), 400, "IR_06"),
    ("nothing to remove", lambda api: api.delete("/blocklist"), 400, "IR_04"),
    ("a broken body to remove", lambda api: api.call("DELETE", "/blocklist", raw=b"{"), 400, "IR_06"),
    ("unknown kind", lambda api: api.get("/blocklist?data_kind=country"), 400, "IR_04"),
    ("limit", lambda api: api.get("/blocklist?limit=0"), 400, "IR_04"),
    ("unknown parameter", lambda api: api.get("/blocklist?status=true"), 400, "IR_06"),
    ("no switch", lambda api: api.post("/blocklist/toggle"), 400, "IR_04"),
    ("half a switch", lambda api: api.post("/blocklist/toggle?status=maybe"), 400, "IR_04"),
    ("publishable key", lambda api: api.as_key("pk_snd_test_0123456789").get("/blocklist"), 401, "IR_01"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_what_is_refused(api: Wire, ask: Callable[[Wire], Reply], status: int, code: str) -> None:
    assert refused(ask(api)) == (status, code)


def test_the_list_is_the_merchants_own(api: Wire) -> None:
    fine(block(api))
    other = api.as_key("snd_somebody_else")
    assert entries(other) == []
    assert not blocked(other.pay())


# what it does


def test_a_blocked_card_fails_as_the_facts_say(api: Wire) -> None:
    fine(block(api))
    reply = api.pay()
    assert (reply.status, list(reply.json)) == (200, ["error"])
    error = reply.error
    assert (error["type"], error["code"], error["reason"]) == ("blocked", "HE_03", "Blocked")
    kept = fine(api.get(f"/payments/{error['payment_id']}"))
    assert (kept["status"], kept["merchant_decision"]) == ("failed", "rejected")
    assert kept["error_code"] == "HE-03"
    assert kept["connector_transaction_id"] is None
    assert told(api, kept["payment_id"]) == ["payment_failed"]


def _confirm(api: Wire) -> Reply:
    made = fine(api.post("/payments", card_payment()))
    return api.post(f"/payments/{made['payment_id']}/confirm")


def _confirm_with_card(api: Wire) -> Reply:
    made = fine(api.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_shop"}))
    method = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
    return api.post(f"/payments/{made['payment_id']}/confirm", method)


def _update(api: Wire) -> Reply:
    made = fine(api.post("/payments", card_payment()))
    return api.post(f"/payments/{made['payment_id']}", {"confirm": True})


def _replace(api: Wire) -> Reply:
    made = fine(api.post("/payments", card_payment()))
    return api.put(f"/payments/{made['payment_id']}", card_payment(confirm=True))


@pytest.mark.parametrize("ask", [_confirm, _confirm_with_card, _update, _replace])
def test_every_way_to_confirm_asks_the_list(api: Wire, ask: Callable[[Wire], Reply]) -> None:
    fine(block(api))
    assert blocked(ask(api))
    switch(api, on=False)
    assert not blocked(ask(api))


@pytest.mark.parametrize("card", ["visa_3ds_required", "visa_pending", "visa_review", "visa_generic_decline"])
def test_a_blocked_card_is_not_even_asked_about(api: Wire, card: str) -> None:
    number = card_payment(card)["payment_method_data"]["card"]["card_number"]
    fine(block(api, data=number[:6]))
    assert blocked(api.pay(card))


def test_a_fingerprint_blocks_one_card_alone(api: Wire) -> None:
    seen = fine(api.pay())["fingerprint"]
    fine(block(api, type="fingerprint", data=seen))
    assert blocked(api.pay())
    assert not blocked(api.pay("visa_success_1111"))
    fine(api.delete("/blocklist", {"type": "fingerprint", "data": seen}))
    assert not blocked(api.pay())


def test_other_cards_and_methods_pass(api: Wire) -> None:
    fine(block(api))
    assert not blocked(api.pay("mastercard_success"))
    sepa: dict[str, Any] = {"bank_transfer": {"sepa": {}}}
    body = {"payment_method": "bank_transfer", "payment_method_type": "sepa", "payment_method_data": sepa}
    assert not blocked(api.post("/payments", {**card_payment(), **body, "currency": "EUR", "confirm": True}))


def test_the_switch(api: Wire) -> None:
    assert switch(api, on=False).json == {"blocklist_guard_status": "disabled"}
    fine(block(api))
    assert not blocked(api.pay())
    assert switch(api, on=True).json == {"blocklist_guard_status": "enabled"}
    assert blocked(api.pay())
    fine(api.delete("/blocklist", BIN))
    assert not blocked(api.pay())
    fine(block(api))
    assert blocked(api.pay())


def test_what_was_paid_before_stays_paid(api: Wire) -> None:
    payment = paid(api, capture_method="manual")
    fine(block(api))
    assert fine(api.post(f"/payments/{payment}/capture"))["status"] == "succeeded"


def test_a_repeat_under_a_key_is_told_the_same(api: Wire) -> None:
    fine(block(api))
    body = card_payment(confirm=True)
    first = api.post("/payments", body, X_Idempotency_Key="k")
    again = api.post("/payments", body, X_Idempotency_Key="k")
    assert blocked(first)
    assert (again.status, again.raw, again.headers.get("X-Sandbox-Replayed")) == (200, first.raw, "true")
    assert api.get("/payments/list")["total_count"] == 1
