"""Scenario texts that an earlier version kept, when fewer things were a mistake: they stay readable, as they were.

A workspace that has one answers, makes the records of before, and restores its snapshot; a new text is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.jsontext import canonical
from mock_server.scenario.loading import uploaded
from tests.wire import Wire, wire

_PAID: Final = {"payment_id": "pay_old", "amount": 100, "currency": "USD"}
TAKEN: Final[dict[str, dict[str, Any]]] = {
    "long metadata": {"payments": [{**_PAID, "metadata": {"note": "n" * 600}}]},
    "a long key of metadata": {"payments": [{**_PAID, "metadata": {"k" * 41: "n"}}]},
    "metadata that steers": {"payments": [{**_PAID, "metadata": {"sandbox-outcome": "failed"}}]},
    "metadata of a customer": {"customers": [{"customer_id": "cus_old", "metadata": {"note": ["n" * 600]}}]},
    "the email of a payment": {"payments": [{**_PAID, "email": "none yet"}]},
    "the email of a customer": {"customers": [{"customer_id": "cus_old", "email": "none yet"}]},
    "a long reason": {"payments": [{**_PAID, "refunds": [{"amount": 1, "reason": "r" * 500}]}]},
    "one refund twice": {"payments": [{**_PAID, "refunds": [{"amount": 1, "refund_id": "ref_1"}] * 2}]},
    "a part of nothing": {"payments": [{**_PAID, "amount": 0, "status": "partially_captured"}]},
    "a part of one": {"payments": [{**_PAID, "amount": 1, "status": "partially_captured_and_capturable"}]},
    "nothing to capture": {"payments": [{**_PAID, "amount": 0, "status": "requires_capture"}]},
    "many of nothing": {"payments": {"count": 2, "amount": [0, 1], "status": "partially_captured"}},
    "a refund of nothing": {"payments": [{**_PAID, "amount": 0, "refunds": [{}]}]},
    "a dispute of nothing": {"payments": [{**_PAID, "amount": 0, "disputes": [{}]}]},
    "a failed refund of more": {"payments": [{**_PAID, "refunds": [{"amount": 999, "status": "failed"}]}]},
    "a won dispute of more": {"payments": [{**_PAID, "disputes": [{"amount": 999, "status": "dispute_won"}]}]},
}


def text_of(given: dict[str, Any]) -> dict[str, Any]:
    rule = {"on": "charge", "then": {"decline": "lost_card"}}
    return {"name": "old", "summary": "Old.", "given": given, "rules": [rule]}


def keep(api: Wire, given: dict[str, Any]) -> None:
    """Keeps a text as the earlier version did, after it was turned on."""
    assert api.pay().status == 200
    space = api.sandbox.workspaces()[0].space
    space.transact(lambda tx: uploaded.keep(tx, "old", canonical(text_of(given)), "json"))


def works(api: Wire) -> None:
    """The text is found, acts, and gives its records."""
    assert [row["name"] for row in api.get("/_sandbox/scenarios")["scenarios"]].count("old") == 1
    assert api.get("/_sandbox/scenarios/old").status == 200
    assert api.post("/_sandbox/scenarios/old/activate").status == 200
    assert api.pay()["status"] == "failed"
    shown = [api.get(f"/{kind}/list?limit=100").json for kind in ("payments", "customers", "refunds", "disputes")]
    assert all("data" in page for page in shown), shown
    for one in shown[0]["data"]:
        assert api.get(f"/payments/{one['payment_id']}").status == 200


@pytest.mark.parametrize("given", TAKEN.values(), ids=TAKEN)
def test_a_data_file_with_an_earlier_text_is_read(given: dict[str, Any], tmp_path: Path) -> None:
    api = wire(data=tmp_path / "old.sqlite")
    keep(api, given)
    assert api.sandbox.lasting is not None
    api.sandbox.lasting.end()
    again = wire(data=tmp_path / "old.sqlite")
    works(again)
    assert again.sandbox.lasting is not None
    again.sandbox.lasting.end()


@pytest.mark.parametrize("given", TAKEN.values(), ids=TAKEN)
def test_a_snapshot_with_an_earlier_text_is_restored(given: dict[str, Any]) -> None:
    api, other = wire(), wire()
    keep(api, given)
    assert api.put("/_sandbox/snapshots/old").status == 200
    taken = api.get("/_sandbox/snapshots/old").raw
    assert other.call("PUT", "/_sandbox/snapshots/old", raw=taken).status == 200
    reply = other.post("/_sandbox/snapshots/old/restore")
    assert reply.status == 200, reply.raw
    works(other)


@pytest.mark.parametrize("given", TAKEN.values(), ids=TAKEN)
def test_a_new_text_is_refused_also_if_it_was_kept_before(given: dict[str, Any]) -> None:
    api = wire()
    keep(api, given)
    works(api)
    reply = api.put("/_sandbox/scenarios/old", text_of(given))
    assert reply.status == 400 and "is not valid" in reply.error["message"], reply.raw
    assert api.put("/_sandbox/scenarios/new", {**text_of(given), "name": "new"}).status == 400


def test_what_was_never_a_text_is_still_no_snapshot() -> None:
    api = wire()
    keep(api, {"payments": [{"amount": 100, "status": "failed", "refunds": [{}]}]})
    assert api.put("/_sandbox/snapshots/old").status == 200
    assert api.post("/_sandbox/snapshots/old/restore").status == 400
