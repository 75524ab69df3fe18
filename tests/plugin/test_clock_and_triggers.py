"""The clock, the customer and the bank in the hands of a test."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any

import pytest

from mock_server.testing import ControlRefused, Sandbox
from mock_server.testing.control import UNITS
from tests.counts import SOAK, times
from tests.scenario.misspelling import KINDS, misspelled

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_the_clock_takes_every_unit_of_a_timedelta_and_no_misspelled_one(sandbox: Sandbox, unit: str) -> None:
    assert sandbox.clock.freeze(NEW_YEAR) == NEW_YEAR
    one: dict[str, Any] = {unit: 2_000 if unit.endswith("seconds") else 2}
    assert sandbox.clock.advance(**one).now == NEW_YEAR + timedelta(**one)
    for kind in KINDS:
        with pytest.raises(TypeError, match=r"takes one of: timedelta's keywords \(hours=24\)"):
            sandbox.clock.advance(**{misspelled(unit, kind): one[unit]})


@pytest.mark.parametrize(
    ("how", "hours"),
    [
        ({"hours": 24}, 24),
        ({"days": 1, "hours": 1}, 25),
        ({"by": "24h"}, 24),
        ({"by": timedelta(minutes=90)}, 1.5),
        ({"to": NEW_YEAR + timedelta(hours=2)}, 2),
        ({"to": "2026-01-01T03:00:00Z"}, 3),
    ],
)
def test_the_clock_goes_as_far_as_it_is_told(sandbox: Sandbox, how: dict[str, object], hours: float) -> None:
    assert sandbox.clock.freeze(NEW_YEAR) == NEW_YEAR
    assert sandbox.clock.advance(**how).now == NEW_YEAR + timedelta(hours=hours)  # type: ignore[arg-type]  # several sorts
    assert sandbox.clock.now == NEW_YEAR + timedelta(hours=hours)


@pytest.mark.parametrize("how", [{}, {"by": "1h", "hours": 1}, {"by": "1h", "to": "2026-01-01T03:00:00Z"}])
def test_the_clock_wants_one_way_to_say_how_far(sandbox: Sandbox, how: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="takes one of"):
        sandbox.clock.advance(**how)  # type: ignore[arg-type]  # wrong on purpose


NO_INSTANTS = [datetime(2026, 1, 1), date(2026, 1, 1), time(9, 5), 1_767_225_600, 1.5]  # noqa: DTZ001 - on purpose


@pytest.mark.parametrize("at", NO_INSTANTS, ids=str)
def test_an_instant_needs_its_zone(sandbox: Sandbox, at: Any) -> None:
    with pytest.raises(ValueError, match="time zone"):
        sandbox.clock.freeze(at)
    with pytest.raises(ValueError, match="time zone"):
        sandbox.clock.advance(to=at)


@pytest.mark.parametrize("back", [{unit: -1} for unit in (sorted(UNITS) if SOAK else ["hours"])], ids=str)
def test_what_goes_back_is_refused_in_the_words_of_the_call(sandbox: Sandbox, back: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the clock cannot go back"):
        sandbox.clock.advance(**back)


def test_a_frozen_clock_goes_on_when_told(sandbox: Sandbox) -> None:
    sandbox.clock.freeze()
    assert sandbox.clock.state()["frozen"]
    sandbox.clock.resume()
    assert not sandbox.clock.state()["frozen"]


def test_what_falls_due_is_told_in_order(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay("pending_succeeds")
    fired = sandbox.clock.advance(minutes=1).fired
    assert [one["subject"] for one in fired][:1] == [paid["payment_id"]]
    assert sandbox.client.get(f"/payments/{paid['payment_id']}")["status"] == "succeeded"


def test_the_customer_ends_a_challenge(sandbox: Sandbox) -> None:
    assert sandbox.trigger.authenticate(sandbox.client.pay("3ds_required").json())["status"] == "succeeded"
    declined = sandbox.client.pay("3ds_required").json()
    assert sandbox.trigger.authenticate(declined["payment_id"], "declined")["status"] == "failed"


def test_an_open_payment_is_closed_by_hand(sandbox: Sandbox) -> None:
    assert sandbox.trigger.settle(sandbox.client.pay("pending_succeeds").json())["status"] == "succeeded"
    failed = sandbox.trigger.fail(sandbox.client.pay("pending_succeeds").json(), decline="lost_card")
    assert failed["status"] == "failed"
    expired = sandbox.trigger.expire(sandbox.client.pay(capture_method="manual").json(), "authorization")
    assert expired["status"] == "expired"


def test_a_payment_is_held_for_review(sandbox: Sandbox) -> None:
    assert sandbox.trigger.hold(sandbox.client.pay("pending_succeeds").json())["status"] == "requires_merchant_action"


def test_a_dispute_and_a_refund_come_to_their_ends(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay().json()
    dispute = sandbox.trigger.dispute(paid, reason="product_not_received", amount=1000)
    assert sandbox.trigger.advance_dispute(dispute, "lost")["dispute_status"] == "dispute_lost"
    sandbox.next("refunds.create", outcome="pending")
    refund = sandbox.client.post("/refunds", {"payment_id": paid["payment_id"], "amount": 500}).json()
    assert refund["status"] == "pending"
    assert sandbox.trigger.settle_refund(refund)["status"] == "succeeded"


def test_an_event_is_told_by_hand(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay().json()
    told = sandbox.trigger.webhook("payment_succeeded", paid["payment_id"], overrides={"amount": 1})
    assert told.object["amount"] == 1


def test_what_is_no_payment_is_said(sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="no payment_id"):
        sandbox.trigger.fail({"error": {}})
    with pytest.raises(ControlRefused, match="404") as refused:
        sandbox.trigger.fail("pay_nobody_knows")
    assert (refused.value.status, refused.value.code) == (404, "HE_02")


def test_a_client_pays_with_each_card_by_its_name_and_by_its_number(sandbox: Sandbox) -> None:
    for card in Random(1).sample(list(sandbox.cards), times(8, soak=len(sandbox.cards))):
        bodies = [sandbox.client.payment(word)["payment_method_data"] for word in (card.name, card.number)]
        assert bodies == [{"card": card.as_data()}] * 2
    with pytest.raises(KeyError, match="4539578763621486"):
        sandbox.client.pay("4539578763621486")
