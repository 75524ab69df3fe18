"""The pages of the inbox and of the journal add up to all of it, by every way from page to page, with every filter."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.wire import Wire

PAID: Final = 4
FILTERS: Final = {
    "webhooks": ("", "&type=payment_succeeded", "&payment_id=pay_1", "&type=refund_succeeded&payment_id=pay_1"),
    "journal": ("", "&operation=payments.create", "&payment_id=pay_1", "&operation=refunds.*&status=2xx"),
}


@pytest.fixture
def filled(api: Wire) -> Wire:
    for number in range(PAID):
        api.pay(payment_id=f"pay_{number}")
        api.post("/refunds", {"payment_id": f"pay_{number}", "amount": 1})
    return api


def read(api: Wire, log: str, query: str) -> Any:
    reply = api.get(f"/_sandbox/{log}?{query}")
    assert reply.status == 200, reply.raw
    return reply.json


@pytest.mark.parametrize("limit", [1, 3, 2 * PAID])
@pytest.mark.parametrize("log", FILTERS)
def test_pages_add_up(log: str, limit: int, filled: Wire) -> None:
    for filters in FILTERS[log]:
        all_ = read(filled, log, f"limit=1000{filters}")["data"]
        assert len(all_) == 2 * PAID if not filters else 0 < len(all_) < 2 * PAID
        newest = read(filled, log, f"limit={limit}{filters}")
        assert (newest["data"], newest["total_count"]) == (all_[-limit:], len(all_))
        if log == "webhooks":
            pages = [read(filled, log, f"limit={limit}&offset={at}{filters}") for at in range(0, len(all_) + 1, limit)]
            assert [one for page in reversed(pages) for one in page["data"]] == all_
            assert {page["total_count"] for page in pages} == {len(all_)}
        for at, last in enumerate([0, *(one["number"] for one in all_)]):
            page, left = read(filled, log, f"limit={limit}&after={last}{filters}"), all_[at:]
            assert page["data"] == (left[:limit] if log == "webhooks" else left[-limit:])
            assert page["total_count"] == len(left)


@pytest.mark.parametrize("limit", [1, 100])
def test_the_newest_are_sent_again_in_their_order(limit: int, filled: Wire) -> None:
    sent = filled.post("/_sandbox/webhooks/resend", {"limit": limit}).json["event_ids"]
    assert sent == [one["event_id"] for one in read(filled, "webhooks", f"limit={limit}")["data"]]
