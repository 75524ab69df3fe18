"""Refunds, disputes and files under a store that runs work twice, through a snapshot, and in another dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.statuses import DisputeStage, DisputeStatus, RefundStatus
from tests.api.money_places import (
    PDF,
    REFUNDS,
    STAGES,
    advance,
    attach,
    bytes_of,
    dispute,
    disputed,
    fine,
    paid,
    refund,
    upload,
)
from tests.clocks import ManualClock
from tests.dialects.nonsense import MARK, NONSENSE, renamed
from tests.store.retrying import RetryingStore
from tests.wire import Reply, Wire, wire

DAY_MS = 24 * 60 * 60 * 1000


def life(api: Wire, clock: ManualClock) -> list[Reply]:
    """Everything that can happen, one after the other; gives every answer."""
    seen: list[Reply] = []

    def say(reply: Reply) -> Reply:
        seen.append(reply)
        return reply

    payment = paid(api, "visa_refund_fails_later")
    say(refund(api, payment, amount=1000, metadata={"n": 1}))
    say(refund(api, payment, amount=1000, refund_type="scheduled"))
    say(refund(api, payment, amount=9000))
    opened = say(dispute(api, payment, amount=500))["dispute_id"]
    file_id = say(attach(api, opened))["file_id"]
    say(api.post("/disputes/evidence", {"dispute_id": opened, "refund_policy": say(upload(api, opened))["file_id"]}))
    say(api.delete(f"/files/{file_id}"))
    clock.advance(DAY_MS)
    say(advance(api, opened, "lost"))
    say(advance(api, opened, "next_stage"))
    say(api.post("/blocklist", {"type": "card_bin", "data": "411111"}))
    say(api.pay("visa_success_1111"))
    say(api.pay())
    clock.advance(8 * DAY_MS)
    return [*seen, *looks(api, payment, opened)]


def looks(api: Wire, payment: str, dispute_id: str) -> list[Reply]:
    """What can be seen of it."""
    lists = ("/refunds/list", "/disputes/list", "/payments/list", "/refunds/aggregate", "/disputes/aggregate")
    own = (f"/payments/{payment}", f"/disputes/{dispute_id}", f"/disputes/evidence/{dispute_id}", "/blocklist")
    files = [f"/files/{one['file_metadata_response']['file_id']}" for one in api.get(own[2]).json]
    return [api.get(path) for path in (*lists, *own, *files)]


def test_work_that_runs_twice_gives_the_same_bytes() -> None:
    once, twice = ManualClock(), ManualClock()
    plain = life(wire(clock=once), once)
    again = life(wire(clock=twice, store=RetryingStore()), twice)
    assert bytes_of(again) == bytes_of(plain)
    assert {reply.status for reply in plain} == {200, 400, 404}


def test_a_snapshot_carries_everything(api: Wire, clock: ManualClock) -> None:
    seen = life(api, clock)
    before = fine(api.get("/payments/list?status=succeeded&limit=100"))["data"][-1]["payment_id"]
    opened = fine(api.get("/disputes/list"))["data"][0]["dispute_id"]
    fine(api.call("PUT", "/_sandbox/snapshots/kept"))
    fine(api.post("/_sandbox/reset", {}))
    assert api.get("/refunds/list")["total_count"] == 0
    fine(api.post("/_sandbox/snapshots/kept/restore"))
    restored = looks(api, before, opened)
    assert [reply.raw for reply in restored] == [reply.raw for reply in seen[-len(restored) :]]
    assert "error" in api.pay("visa_success_1111").json


def test_a_file_that_looks_like_a_record_at_rest_survives_a_snapshot(api: Wire) -> None:
    """The store knows its own bytes by how they begin; a stranger's may begin alike."""
    contents = [b"\xc1rec", b"\xc1rec" + bytes(40), b"\xc1nam\x80", PDF[1]]
    dispute_id = disputed(api)
    ids = [fine(upload(api, dispute_id, ("a.pdf", content, "application/pdf")))["file_id"] for content in contents]
    fine(api.call("PUT", "/_sandbox/snapshots/kept"))
    document = api.get("/_sandbox/snapshots/kept")
    fine(api.call("PUT", "/_sandbox/snapshots/sent", raw=document.raw))
    fine(api.post("/_sandbox/snapshots/sent/restore"))
    assert [api.get(f"/files/{file_id}").raw for file_id in ids] == contents


# another dialect

WORDS = {word.value for kind in (RefundStatus, DisputeStatus) for word in kind} - {"pending", "review", "failed"}
CODES = {row.code for row in INTERFACE.errors.values()}


def plain(value: Any) -> set[str]:
    """Every text of an answer."""
    if isinstance(value, dict):
        return {text for item in value.values() for text in plain(item)}
    if isinstance(value, list):
        return {text for item in value for text in plain(item)}
    return {value} if isinstance(value, str) else set()


def spoken(make: Callable[[Wire], str]) -> Wire:
    """A client of a nonsense server, once something was made there."""
    api = wire(dialect=NONSENSE)
    make(api)
    return api


@pytest.mark.parametrize("status", list(RefundStatus))
def test_a_refunds_status_is_translated_in_and_out(status: RefundStatus) -> None:
    api = spoken(REFUNDS[status])
    for name in (renamed("status"), "refund_status"):
        found = fine(api.post("/refunds/list", {name: renamed(status.value)}))
        assert found[renamed("total_count")] == 1
    (one,) = found[renamed("data")]
    assert one["status"] == renamed(status.value)
    assert plain(one) & (WORDS | CODES) == set()
    assert api.get(f"/refunds/{one['refund_id']}").json == one
    assert api.get("/refunds/aggregate").json["status_with_count"][renamed(status.value)] == 1
    assert api.get("/refunds/list?refund_status=" + status.value).status != 200


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("status", list(DisputeStatus))
def test_a_disputes_words_are_translated_in_and_out(status: DisputeStatus, stage: str) -> None:
    api = spoken(lambda api: disputed(api, stage, status))
    filters = {"dispute_status": renamed(status.value), "dispute_stage": [renamed(DisputeStage(stage).value)]}
    (one,) = fine(api.post("/disputes/list", filters))[renamed("data")]
    assert (one["dispute_status"], one["dispute_stage"]) == (renamed(status.value), renamed(stage))
    assert plain(one) & WORDS == set()
    (inside,) = api.get(f"/payments/{one['payment_id']}")["disputes"]
    assert (inside["dispute_status"], inside["dispute_stage"]) == (renamed(status.value), renamed(stage))
    told = api.get("/_sandbox/webhooks").json["data"][-1]["body"]["content"]["object"]
    assert told["dispute_status"].startswith(MARK)


def test_a_refusal_names_stage_and_status_in_the_dialects_words() -> None:
    api = spoken(lambda api: disputed(api, status=DisputeStatus.WON))
    (one,) = api.post("/disputes/list").json[renamed("data")]
    said = json.dumps(api.post(f"/disputes/accept/{one['dispute_id']}").json)
    assert renamed("dispute_won") in said
    assert "dispute_won" not in said
