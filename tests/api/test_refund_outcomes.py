"""How a refund ends: by card, header, metadata, queue, clock, retrieves and by hand (facts §3.7, §7.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.statuses import RefundStatus as R
from mock_server.scenario.deciding.queue_and_scenarios import enqueue
from tests.api.money_places import AMOUNT, REFUNDS, dispute, fine, needed, paid, refund, refused, settle, told
from tests.api.places import workspace
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

SECOND_MS = 1000


def state(api: Wire, payment_id: str) -> Any:
    return api.get(f"/payments/{payment_id}")["state_metadata"]


def again(api: Wire, made: Reply) -> Reply:
    return fine(api.get(f"/refunds/{made['refund_id']}"))


def wished(api: Wire, wish: str, payment_id: str | None = None, **fields: Any) -> Reply:
    body = {"payment_id": payment_id or paid(api), **fields}
    return api.post("/refunds", body, X_Sandbox_Outcome=wish)


# by card

CARDS = [
    ("success", "succeeded", "succeeded", None, ["refund_succeeded"]),
    ("visa_refund_pending", "pending", "succeeded", None, ["refund_succeeded"]),
    ("visa_refund_fails_later", "succeeded", "failed", "refund_account_closed", ["refund_succeeded", "refund_failed"]),
    ("visa_refund_fails", "failed", "failed", "refund_failed", ["refund_failed"]),
    ("visa_refund_pending_fails", "pending", "failed", "refund_failed", ["refund_failed"]),
]  # fmt: skip


@pytest.mark.parametrize(("card", "first", "last", "code", "events"), CARDS, ids=[row[0] for row in CARDS])
def test_a_card_says_how_its_refunds_end(
    api: Wire, clock: ManualClock, card: str, first: str, last: str, code: str | None, events: list[str]
) -> None:
    payment = paid(api, card)
    made = fine(refund(api, payment))
    assert made["status"] == first
    clock.advance(10 * SECOND_MS)
    ended = again(api, made)
    assert (ended["status"], ended["error_code"]) == (last, code)
    assert told(api, payment) == ["payment_succeeded", *events]
    assert (state(api, payment) or {}).get("total_refunded_amount") == (AMOUNT if last == "succeeded" else None)


def test_nothing_changes_before_its_time(api: Wire, clock: ManualClock) -> None:
    made = fine(refund(api, paid(api, "visa_refund_pending")))
    clock.advance(10 * SECOND_MS - 1)
    assert again(api, made)["status"] == "pending"
    clock.advance(1)
    ended = again(api, made)
    assert (ended["status"], ended["updated_at"]) == ("succeeded", "2026-01-01T00:00:10.000Z")


def test_a_failed_refund_explains_itself(api: Wire) -> None:
    made = fine(refund(api, paid(api, "visa_refund_fails")))
    assert made["error_message"] == "The refund failed at the connector"
    assert made["unified_code"] == "UE_3000"
    assert (made["issuer_error_code"], made["issuer_error_message"]) == (None, None)


def test_what_an_issuer_said_is_given_as_its_own(api: Wire, clock: ManualClock) -> None:
    made = fine(refund(api, paid(api, "visa_refund_fails_later")))
    clock.advance(10 * SECOND_MS)
    ended = again(api, made)
    assert ended["issuer_error_code"] == "46"
    assert ended["issuer_error_message"] == ended["error_message"]


# by wish, queue and scenario

WISHES = [
    ("succeeded", "succeeded", None),
    ("failed", "failed", "refund_failed"),
    ("failed:insufficient_funds", "failed", "DC_08"),
    ("pending", "pending", None),
    ("pending:succeeded:30s", "pending", None),
]


@pytest.mark.parametrize(("wish", "status", "code"), WISHES)
def test_a_header_chooses(api: Wire, wish: str, status: str, code: str | None) -> None:
    made = fine(wished(api, wish))
    assert (made["status"], made["error_code"]) == (status, code)
    assert wish in made.headers["X-Sandbox-Because"]


def test_metadata_chooses_too_and_before_the_card(api: Wire) -> None:
    payment = paid(api, "visa_refund_fails")
    made = fine(refund(api, payment, metadata={"sandbox_outcome": "succeeded"}))
    assert made["status"] == "succeeded"


@pytest.mark.parametrize("wish", ["requires_action", "won", "nonsense", "failed:no_such_decline"])
def test_a_wish_that_cannot_be_had_is_refused_and_leaves_nothing(api: Wire, wish: str) -> None:
    payment = paid(api)
    assert refused(wished(api, wish, payment)) == (400, "IR_04")
    assert api.get("/refunds/list")["total_count"] == 0
    assert state(api, payment) is None


def test_the_queue_chooses_once(api: Wire) -> None:
    workspace(api).space.transact(lambda tx: enqueue(tx, ("refunds.create",), json.dumps({"decline": "refund_failed"})))
    payment = paid(api)
    assert fine(refund(api, payment, amount=1))["status"] == "failed"
    assert fine(refund(api, payment, amount=1))["status"] == "succeeded"


@pytest.mark.parametrize(("word", "event"), [("succeeded", "refund_succeeded"), ("failed", "refund_failed")])
def test_the_clock_settles(api: Wire, clock: ManualClock, word: str, event: str) -> None:
    payment = paid(api)
    made = fine(wished(api, f"pending:{word}:30s", payment))
    clock.advance(30 * SECOND_MS)
    ended = again(api, made)
    assert (ended["status"], ended["updated_at"]) == (word, "2026-01-01T00:00:30.000Z")
    assert told(api, payment)[-1] == event


@pytest.mark.parametrize(("word", "polls"), [("succeeded", 1), ("failed", 3)])
def test_so_many_retrieves_settle(api: Wire, word: str, polls: int) -> None:
    then = json.dumps({"settles": {"after_polls": polls, "as": word}})
    workspace(api).space.transact(lambda tx: enqueue(tx, ("refunds.create",), then))
    made = fine(refund(api, paid(api)))
    seen = [again(api, made)["status"] for _ in range(polls + 1)]
    assert seen == ["pending"] * (polls - 1) + [word, word]


# scheduled


def test_a_scheduled_refund_waits_for_the_scheduler(api: Wire, clock: ManualClock) -> None:
    payment = paid(api)
    made = fine(refund(api, payment, refund_type="scheduled"))
    assert (made["status"], made["connector_refund_id"]) == ("pending", None)
    assert refused(refund(api, payment, amount=1)) == (400, "IR_13")
    clock.advance(10 * SECOND_MS)
    ended = again(api, made)
    assert ended["status"] == "succeeded"
    assert ended["connector_refund_id"].startswith("txn_")


@pytest.mark.parametrize(
    ("wish", "last"), [("failed", "failed"), ("pending", "pending"), ("pending:failed:5s", "failed")]
)
def test_how_a_scheduled_refund_ends_was_said_when_it_was_made(
    api: Wire, clock: ManualClock, wish: str, last: str
) -> None:
    made = fine(wished(api, wish, refund_type="scheduled"))
    assert made["status"] == "pending"
    clock.advance(10 * SECOND_MS)
    assert again(api, made)["status"] == ("pending" if "pending" in wish else last)
    clock.advance(5 * SECOND_MS)
    assert again(api, made)["status"] == last


# by hand

MAY_FOLLOW = {
    R.PENDING: {"succeeded", "failed", "review"},
    R.REVIEW: {"succeeded", "failed"},
    R.SUCCEEDED: {"failed"},
    R.FAILED: set(),
}


@pytest.mark.parametrize("word", ["succeeded", "failed", "review"])
@pytest.mark.parametrize("status", list(R))
def test_a_trigger_brings_it_where_the_table_leads(api: Wire, status: R, word: str) -> None:
    refund_id = REFUNDS[status](api)
    before = api.get(f"/refunds/{refund_id}")
    assert before["status"] == status
    reply = settle(api, refund_id, word)
    if word in MAY_FOLLOW[status]:
        assert fine(reply)["status"] == word
        assert reply["connector_refund_id"] == before["connector_refund_id"]
        assert api.get(f"/refunds/{refund_id}").json == reply.json
    else:
        allowed = [str(one) for one in R if word in MAY_FOLLOW[one]]
        assert (*refused(reply), needed(reply)) == (400, "IR_16", allowed)
        assert api.get(f"/refunds/{refund_id}")["status"] == status


def test_a_trigger_names_the_reason(api: Wire) -> None:
    made = fine(settle(api, REFUNDS[R.PENDING](api), "failed", decline="refund_account_closed"))
    assert made["error_code"] == "refund_account_closed"


@pytest.mark.parametrize(
    "body", [{}, {"as": "pending"}, {"as": "nonsense"}, {"as": 1}, {"as": "failed", "decline": "none"}]
)
def test_a_trigger_is_held_to_its_words(api: Wire, body: dict[str, object]) -> None:
    reply = api.post(f"/_sandbox/refunds/{REFUNDS[R.PENDING](api)}/settle", body)
    assert refused(reply) == (400, "IR_04")


def test_what_was_settled_by_hand_is_not_settled_again(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_refund_pending_fails")
    made = fine(refund(api, payment))
    fine(settle(api, made["refund_id"], "succeeded"))
    clock.advance(60 * SECOND_MS)
    assert again(api, made)["status"] == "succeeded"
    assert told(api, payment) == ["payment_succeeded", "refund_succeeded"]


# what it does to the payment


def test_an_open_refund_counts_toward_the_bound_and_not_as_refunded(api: Wire) -> None:
    payment = paid(api)
    fine(wished(api, "pending", payment, amount=6000))
    assert state(api, payment) is None
    assert refused(refund(api, payment, amount=541)) == (400, "IR_13")
    fine(refund(api, payment, amount=540))
    assert state(api, payment)["total_refunded_amount"] == 540


def test_a_refund_that_comes_back_can_be_made_again(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_refund_fails_later")
    fine(refund(api, payment))
    clock.advance(10 * SECOND_MS)
    assert fine(refund(api, payment))["status"] == "succeeded"


def test_a_refund_covers_a_dispute_for_as_long_as_it_stands(api: Wire, clock: ManualClock) -> None:
    payment = paid(api, "visa_refund_fails_later")
    opened = fine(dispute(api, payment, amount=1000))
    path = f"/disputes/{opened['dispute_id']}"
    assert opened["is_already_refunded"] is False
    fine(refund(api, payment, amount=999))
    assert api.get(path)["is_already_refunded"] is False
    fine(refund(api, payment, amount=1))
    assert api.get(path)["is_already_refunded"] is True
    clock.advance(10 * SECOND_MS)
    assert api.get(path)["is_already_refunded"] is False


@pytest.mark.parametrize("chosen", [["succeeded"], ["failed"], None, []])
def test_a_profile_hears_of_the_refunds_that_it_wants_to(api: Wire, chosen: list[str] | None) -> None:
    from mock_server.domain.merchant import WebhookDetails
    from mock_server.engine.kinds import PROFILES

    payment = paid(api)
    space = workspace(api).space

    def choose(tx: Any) -> None:
        wanted = None if chosen is None else tuple(chosen)
        details = WebhookDetails(webhook_url="http://127.0.0.1:9/", refund_statuses_enabled=wanted)
        tx.put(PROFILES, structs.replace(tx.get(PROFILES, "pro_shop"), webhook_details=details))

    space.transact(choose)
    before = len(space.transact(lambda tx: tx.all_due()))
    fine(refund(api, payment))
    assert len(space.transact(lambda tx: tx.all_due())) - before == (0 if chosen == ["failed"] else 1)
