"""Disputes over HTTP: opened in every way, conceded, decided, too late (facts §1.3, §2.5, §3.7, §7.2)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.cards import CARDS
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.statuses import DisputeStage, PaymentStatus
from mock_server.domain.statuses import DisputeStatus as S
from tests.api.money_places import AMOUNT, STAGES, advance, dispute, disputed, fine, needed, paid, refund, refused, told
from tests.api.places import PLACES
from tests.clocks import ManualClock
from tests.wire import Wire

DAY_MS = 24 * 60 * 60 * 1000
NAMES = [
    *("dispute_id", "payment_id", "attempt_id", "amount", "currency", "dispute_stage", "dispute_status", "connector"),
    *("connector_status", "connector_dispute_id", "connector_reason", "connector_reason_code", "challenge_required_by"),
    *("connector_created_at", "connector_updated_at", "created_at", "profile_id", "merchant_connector_id"),
    "is_already_refunded",
]
SHORT = [
    *("dispute_id", "dispute_stage", "dispute_status", "amount", "connector_status", "connector_dispute_id"),
    *("connector_reason", "connector_reason_code", "challenge_required_by", "connector_created_at"),
    *("connector_updated_at", "created_at"),
]
"""Facts §2.5: alone, and inside its payment."""


def the_disputes(api: Wire, payment_id: str) -> list[dict[str, Any]]:
    """A payment's disputes, the oldest first."""
    found: list[dict[str, Any]] = fine(api.get(f"/disputes/list?payment_id={payment_id}"))["data"]
    return found[::-1]


# opened


def test_what_a_dispute_says(api: Wire) -> None:
    payment = paid(api)
    opened = fine(dispute(api, payment, reason="product_not_received"))
    assert list(opened.json) == NAMES
    assert (opened["payment_id"], opened["attempt_id"]) == (payment, f"{payment}_1")
    assert (opened["amount"], opened["currency"]) == (str(AMOUNT), "USD")
    assert (opened["dispute_stage"], opened["dispute_status"]) == ("dispute", "dispute_opened")
    assert (opened["connector_reason"], opened["connector_reason_code"]) == ("product_not_received", "13.1")
    assert opened["challenge_required_by"] == "2026-01-08T00:00:00.000Z"
    assert opened["is_already_refunded"] is False
    assert api.get(f"/disputes/{opened['dispute_id']}").raw == opened.raw
    assert api.get(f"/disputes/{opened['dispute_id']}?force_sync=true").raw == opened.raw


def test_a_payment_shows_its_disputes_in_short_and_keeps_its_status(api: Wire) -> None:
    payment = paid(api)
    opened = fine(dispute(api, payment, amount=1000))
    shown = api.get(f"/payments/{payment}")
    assert [list(one) for one in shown["disputes"]] == [SHORT]
    assert shown["disputes"][0] == {name: opened[name] for name in SHORT}
    assert (shown["status"], shown["amount_received"]) == ("succeeded", AMOUNT)
    assert shown["state_metadata"]["total_disputed_amount"] == 1000


DISPUTED_CARDS = [card for card in CARDS if card.issuer.says.disputes]


@pytest.mark.parametrize("card", DISPUTED_CARDS, ids=lambda card: card.name)
def test_a_card_opens_its_disputes(api: Wire, clock: ManualClock, card: Any) -> None:
    payment = paid(api, card.name)
    clock.advance(30 * DAY_MS)
    found = the_disputes(api, payment)
    plans = card.issuer.says.disputes
    assert [(one["connector_reason"], one["dispute_stage"]) for one in found] == [(p.reason, p.stage) for p in plans]
    assert [one["amount"] for one in found] == [str(AMOUNT * p.percent // 100) for p in plans]


def test_a_card_opens_its_dispute_at_its_time(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_dispute_later")
    clock.advance(30 * DAY_MS - 1)
    assert the_disputes(api, payment) == []
    clock.advance(1)
    assert [one["created_at"] for one in the_disputes(api, payment)] == ["2026-01-31T00:00:00.000Z"]


def test_nothing_is_disputed_before_it_is_captured(api: Wire) -> None:
    payment = paid(api, "visa_dispute_fraudulent", capture_method="manual")
    assert the_disputes(api, payment) == []
    fine(api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1000}))
    assert [one["amount"] for one in the_disputes(api, payment)] == ["1000"]


def test_a_released_authorization_is_never_disputed(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_dispute_fraudulent", capture_method="manual")
    fine(api.post(f"/payments/{payment}/cancel"))
    clock.advance(DAY_MS)
    assert the_disputes(api, payment) == []


def test_a_reversed_charge_is_not_disputed_later(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_dispute_later")
    fine(api.post(f"/payments/{payment}/cancel_post_capture"))
    clock.advance(31 * DAY_MS)
    assert the_disputes(api, payment) == []


def test_two_disputes_of_the_smallest_amount_do_not_exceed_it(api: Wire) -> None:
    payment = paid(api, "visa_dispute_twice", amount=1)
    assert [one["amount"] for one in the_disputes(api, payment)] == ["1"]


@pytest.mark.parametrize("stage", STAGES)
def test_a_trigger_opens_one_in_any_stage(api: Wire, stage: str) -> None:
    opened = fine(dispute(api, paid(api), stage=stage))
    assert opened["dispute_stage"] == stage
    assert (opened["challenge_required_by"] is None) is (stage == "dispute_reversal")


@pytest.mark.parametrize("reason", REASON_CODES)
def test_a_known_reason_has_its_code(api: Wire, reason: str) -> None:
    assert fine(dispute(api, paid(api), reason=reason))["connector_reason_code"] == REASON_CODES[reason]


def test_any_text_is_a_reason(api: Wire) -> None:
    opened = fine(dispute(api, paid(api), reason="The weather was bad"))
    assert (opened["connector_reason"], opened["connector_reason_code"]) == ("The weather was bad", None)


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_only_captured_money_is_disputed(api: Wire, status: PaymentStatus) -> None:
    reply = dispute(api, PLACES[status](api))
    if status in ("succeeded", "partially_captured", "partially_captured_and_capturable"):
        assert fine(reply)["amount"] == (str(AMOUNT) if status == "succeeded" else "1000")
    else:
        assert refused(reply) == (400, "IR_16")


@pytest.mark.parametrize(
    ("refunded", "before", "amount"), [(0, 0, 6540), (540, 0, 6000), (6540, 0, 6540), (0, 40, 6500), (500, 40, 6000)]
)
def test_a_dispute_is_over_the_captured_rest(api: Wire, refunded: int, before: int, amount: int) -> None:
    payment = paid(api)
    if refunded:
        fine(refund(api, payment, amount=refunded))
    if before:
        fine(dispute(api, payment, amount=before))
    opened = fine(dispute(api, payment))
    assert opened["amount"] == str(amount)
    assert opened["is_already_refunded"] is (refunded == 6540)


@pytest.mark.parametrize(
    "body",
    [{"stage": "late"}, {"amount": 0}, {"amount": "1"}, {"reason": 1}, {"reason": "x" * 256}, {"resaon": "x"}],
)
def test_a_trigger_is_held_to_its_words(api: Wire, body: dict[str, object]) -> None:
    assert dispute(api, paid(api), **body).status == 400


def test_no_dispute_takes_more_than_was_captured(api: Wire) -> None:
    payment = paid(api)
    assert refused(dispute(api, payment, amount=AMOUNT + 1)) == (400, "IR_16")
    fine(dispute(api, payment, amount=6000))
    assert refused(dispute(api, payment, amount=541)) == (400, "IR_16")
    fine(dispute(api, payment, amount=540))
    assert refused(dispute(api, payment)) == (400, "IR_16")
    assert refused(dispute(api, paid(api, amount=0))) == (400, "IR_16")


def test_an_unknown_payment_or_dispute_is_404(api: Wire) -> None:
    assert refused(dispute(api, "pay_nobody")) == (404, "HE_02")
    assert refused(api.get("/disputes/dp_nobody")) == (404, "HE_04")
    assert refused(advance(api, "dp_nobody", "won")) == (404, "HE_04")
    assert refused(api.post("/disputes/accept/dp_nobody")) == (404, "HE_04")
    assert refused(api.get("/disputes/evidence/dp_nobody")) == (404, "HE_04")
    assert refused(api.as_key("snd_somebody_else").get(f"/disputes/{disputed(api)}")) == (404, "HE_04")


def test_a_publishable_key_sees_no_dispute(api: Wire) -> None:
    assert refused(api.as_key("pk_snd_test_0123456789").get(f"/disputes/{disputed(api)}")) == (401, "IR_01")


# the matrix

MAY_ACCEPT = {(stage, status) for stage in STAGES[:4] for status in (S.OPENED, S.CHALLENGED)}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("status", list(S))
def test_it_is_conceded_where_the_facts_say(api: Wire, stage: str, status: S) -> None:
    dispute_id = disputed(api, stage, status)
    reply = api.post(f"/disputes/accept/{dispute_id}")
    if (stage, status) in MAY_ACCEPT:
        assert fine(reply)["dispute_status"] == "dispute_accepted"
    else:
        assert refused(reply) == (400, "HE_03")
        assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == status


@pytest.mark.parametrize("to", ["won", "lost", "challenged", "accepted", "cancelled", "expired"])
@pytest.mark.parametrize("status", list(S))
def test_the_bank_decides_what_is_open(api: Wire, status: S, to: str) -> None:
    dispute_id = disputed(api, status=status)
    reply = advance(api, dispute_id, to)
    if status in (S.OPENED, S.CHALLENGED):
        assert fine(reply)["dispute_status"] == f"dispute_{to}"
        assert reply["connector_status"] == to
    else:
        assert (*refused(reply), needed(reply)) == (400, "IR_16", ["dispute_opened", "dispute_challenged"])
        assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == status


@pytest.mark.parametrize("to", STAGES)
@pytest.mark.parametrize("stage", STAGES)
def test_stages_go_forward_only(api: Wire, stage: str, to: str) -> None:
    dispute_id = disputed(api, stage)
    reply = advance(api, dispute_id, to)
    if STAGES.index(to) > STAGES.index(stage):
        assert (fine(reply)["dispute_stage"], reply["dispute_status"]) == (to, "dispute_opened")
    elif to == "pre_dispute":
        assert refused(reply) == (400, "IR_04")
    else:
        assert (*refused(reply), needed(reply)) == (400, "IR_16", STAGES[: STAGES.index(to)])


@pytest.mark.parametrize("status", list(S))
def test_a_later_stage_opens_it_anew(api: Wire, clock: ManualClock, status: S) -> None:
    dispute_id = disputed(api, status=status)
    clock.advance(DAY_MS)
    again = fine(advance(api, dispute_id, "next_stage"))
    assert (again["dispute_stage"], again["dispute_status"]) == ("pre_arbitration", "dispute_opened")
    assert again["challenge_required_by"] == "2026-01-09T00:00:00.000Z"
    assert again["created_at"] == "2026-01-01T00:00:00.000Z"
    assert fine(api.post(f"/disputes/accept/{dispute_id}"))["dispute_status"] == "dispute_accepted"


def test_after_the_last_stage_comes_none(api: Wire) -> None:
    reply = advance(api, disputed(api, "dispute_reversal"), "next_stage")
    assert (*refused(reply), needed(reply)) == (400, "IR_16", STAGES[:-1])


def test_a_later_stage_takes_no_more_than_there_is(api: Wire) -> None:
    payment = paid(api)
    won = fine(dispute(api, payment))["dispute_id"]
    fine(advance(api, won, "won"))
    fine(dispute(api, payment))
    assert refused(advance(api, won, "next_stage")) == (400, "IR_16")


@pytest.mark.parametrize("body", [{}, {"to": "dispute_won"}, {"to": 1}, {"as": "won"}])
def test_the_banks_words_are_known(api: Wire, body: dict[str, object]) -> None:
    assert api.post(f"/_sandbox/disputes/{disputed(api)}/advance", body).status == 400


# the clock


@pytest.mark.parametrize("stage", STAGES)
def test_who_says_nothing_in_time_loses_the_right_to(api: Wire, clock: ManualClock, stage: str) -> None:
    dispute_id = disputed(api, stage)
    clock.advance(7 * DAY_MS - 1)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_opened"
    clock.advance(1)
    ended = api.get(f"/disputes/{dispute_id}")
    reversal = stage == DisputeStage.DISPUTE_REVERSAL
    assert ended["dispute_status"] == ("dispute_opened" if reversal else "dispute_expired")
    assert reversal or ended["connector_updated_at"] == "2026-01-08T00:00:00.000Z"


@pytest.mark.parametrize("status", [status for status in S if status is not S.OPENED])
def test_what_was_answered_in_time_does_not_expire(api: Wire, clock: ManualClock, status: S) -> None:
    dispute_id = disputed(api, status=status)
    clock.advance(30 * DAY_MS)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == status


def test_a_later_stage_has_its_own_time(api: Wire, clock: ManualClock) -> None:
    dispute_id = disputed(api)
    clock.advance(6 * DAY_MS)
    fine(advance(api, dispute_id, "arbitration"))
    clock.advance(2 * DAY_MS)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_opened"
    clock.advance(5 * DAY_MS)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_expired"


# money and events


@pytest.mark.parametrize("status", list(S))
def test_disputed_money_is_held_until_the_merchant_wins_it(api: Wire, status: S) -> None:
    payment = paid(api)
    opened = fine(dispute(api, payment, amount=1000))
    if status is not S.OPENED:
        fine(advance(api, opened["dispute_id"], status.removeprefix("dispute_")))
    free = status in (S.WON, S.CANCELLED)
    state = api.get(f"/payments/{payment}")["state_metadata"]
    assert (state or {}).get("total_disputed_amount") == (None if free else 1000)
    assert refund(api, payment).status == (200 if free else 400)


def test_each_event_is_told_once(api: Wire) -> None:
    payment = paid(api)
    dispute_id = fine(dispute(api, payment))["dispute_id"]
    for to in ("challenged", "lost", "next_stage", "challenged", "won", "next_stage", "cancelled"):
        last = fine(advance(api, dispute_id, to))
    events = ["dispute_opened", "dispute_challenged", "dispute_lost", "dispute_won", "dispute_cancelled"]
    assert told(api, payment) == ["payment_succeeded", *events]
    body = api.get(f"/_sandbox/webhooks?payment_id={payment}")["data"][-1]["body"]
    assert body["content"] == {"type": "dispute_details", "object": last.json}


@pytest.mark.parametrize("to", ["accepted", "expired"])
def test_every_end_is_told(api: Wire, to: str) -> None:
    payment = paid(api)
    fine(advance(api, fine(dispute(api, payment))["dispute_id"], to))
    assert told(api, payment)[-1] == f"dispute_{to}"


def test_an_event_about_the_payment_holds_its_disputes(api: Wire) -> None:
    payment = paid(api, capture_method="manual_multiple")
    fine(api.post(f"/payments/{payment}/capture", {"amount_to_capture": 1000}))
    fine(dispute(api, payment))
    fine(api.post(f"/payments/{payment}/capture", {"amount_to_capture": 5540}))
    event = api.get(f"/_sandbox/webhooks?payment_id={payment}")["data"][-1]["body"]
    assert event["event_type"] == "payment_succeeded"
    assert event["content"]["object"] == api.get(f"/payments/{payment}").json
    assert len(event["content"]["object"]["disputes"]) == 1
