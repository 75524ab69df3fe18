"""A payment's badge and headline say all that happened to it, in every place that has one."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any, Final, NamedTuple

import pytest

from mock_server.domain.dispute import DISPUTE_MACHINE
from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.domain.statuses import DisputeStatus, PaymentStatus
from mock_server.engine.disputes import HAPPENINGS
from mock_server.story import standing
from tests.architecture.sources import ROOT
from tests.counts import times
from tests.dashboard.visitor import Visitor, said
from tests.wire import Wire, wire

AT: Final = "2026-03-02T10:00:00Z"


def paid(api: Wire, **fields: Any) -> str:
    return str(api.pay(amount=6540, currency="USD", **fields)["payment_id"])


def refund(api: Wire, payment: str, outcome: str | None = None, **fields: Any) -> Any:
    if outcome:
        api.post("/_sandbox/next", {"on": "refunds.create", "then": {"outcome": outcome}})
    return api.post("/refunds", {"payment_id": payment, **fields})["refund_id"]


def refunded(outcome: str | None = None, **fields: Any) -> Callable[[Wire], str]:
    def make(api: Wire) -> str:
        payment = paid(api)
        refund(api, payment, outcome, **fields)
        return payment

    return make


def reviewed(api: Wire) -> str:
    payment = paid(api)
    refund_id = refund(api, payment, "pending")
    assert api.post(f"/_sandbox/refunds/{refund_id}/settle", {"as": "review"}).status == 200
    return payment


def disputed(*goes: str, later: str = "", **fields: Any) -> Callable[[Wire], str]:
    def make(api: Wire) -> str:
        payment = paid(api)
        dispute = api.post(f"/_sandbox/payments/{payment}/dispute", fields)["dispute_id"]
        for to in goes:
            api.post(f"/_sandbox/disputes/{dispute}/advance", {"to": to})
        if later:
            api.post("/_sandbox/clock/advance", {"by": later})
        return payment

    return make


def failed_then_refunded(api: Wire) -> str:
    payment = paid(api)
    refund(api, payment, "failed")
    refund(api, payment)
    return payment


def refunded_and_disputed(api: Wire) -> str:
    payment = paid(api)
    refund(api, payment, amount=1000)
    api.post(f"/_sandbox/payments/{payment}/dispute", {})
    return payment


def reversed_(api: Wire) -> str:
    payment = paid(api)
    assert api.post(f"/payments/{payment}/cancel_post_capture", {"cancellation_reason": "same_day"}).status == 200
    return payment


def captured(amount: int, capture_method: str = "manual", **fields: object) -> Callable[[Wire], str]:
    def make(api: Wire) -> str:
        payment = paid(api, capture_method=capture_method, **fields)
        assert api.post(f"/payments/{payment}/capture", {"amount_to_capture": amount}).status == 200
        return payment

    return make


def cancelled(api: Wire) -> str:
    payment = paid(api, capture_method="manual")
    api.post(f"/payments/{payment}/cancel", {"cancellation_reason": "out of stock"})
    return payment


class Case(NamedTuple):
    """What happens to a payment, and what is said of it then."""

    make: Callable[[Wire], str]
    badge: str
    headline: str


CASES: Final = {
    "succeeded": Case(paid, "succeeded", "Payment succeeded."),
    "refunded": Case(refunded(), "refunded in full", "Refunded in full."),
    "part": Case(refunded(amount=1000), "refunded in part", "Refunded in part: 10.00 of 65.40 USD."),
    "pending": Case(refunded("pending"), "refund pending", "Refund pending: 65.40 USD."),
    "part pending": Case(refunded("pending", amount=1), "refund pending", "Refund pending: 0.01 of 65.40 USD."),
    "review": Case(reviewed, "refund in review", "Refund held for review: 65.40 USD."),
    "refund failed": Case(
        refunded("failed"),
        "refund failed",
        "Refund of 65.40 USD failed: the refund failed at the connector (refund_failed).",
    ),
    "failed, then refunded": Case(failed_then_refunded, "refunded in full", "Refunded in full."),
    "disputed": Case(
        disputed(later="2d"), "disputed, 5 days left", "Disputed: answer by 2026-03-09 10:00 UTC (5 days left)."
    ),
    "disputed in part": Case(
        disputed(amount=1000),
        "disputed, 7 days left",
        "Disputed over 10.00 of 65.40 USD: answer by 2026-03-09 10:00 UTC (7 days left).",
    ),
    "disputed later": Case(
        disputed("pre_arbitration"),
        "disputed, 7 days left",
        "Disputed (pre arbitration): answer by 2026-03-09 10:00 UTC (7 days left).",
    ),
    "disputed in the end": Case(
        disputed("dispute_reversal"),
        "disputed",
        "Disputed (dispute reversal): it cannot be answered at this stage.",
    ),
    "challenged": Case(
        disputed("challenged"), "dispute challenged", "Dispute challenged: the bank is reviewing your evidence."
    ),
    "won": Case(disputed("won"), "dispute won", "Dispute won: you keep the money."),
    "withdrawn": Case(disputed("cancelled"), "dispute withdrawn", "Dispute withdrawn: you keep the money."),
    "lost": Case(disputed("lost"), "dispute lost", "Dispute lost: 65.40 USD was returned to the customer."),
    "accepted": Case(
        disputed("accepted"), "dispute accepted", "Dispute accepted: 65.40 USD was returned to the customer."
    ),
    "not answered": Case(
        disputed(later="8d"),
        "dispute lost",
        "Dispute lost: it was not answered in time, and 65.40 USD was returned to the customer.",
    ),
    "refunded and disputed": Case(
        refunded_and_disputed,
        "disputed, 7 days left",
        "Disputed over 55.40 of 65.40 USD: answer by 2026-03-09 10:00 UTC (7 days left). "
        "Refunded in part: 10.00 of 65.40 USD.",
    ),
    "reversed": Case(
        reversed_, "reversed", "Reversed after capture: 65.40 USD was returned to the customer (same day)."
    ),
    "cancelled": Case(cancelled, "cancelled", "Cancelled (out of stock)."),
    "captured beyond its amount": Case(
        captured(7000, enable_overcapture=True), "succeeded", "Payment succeeded: 70.00 USD was captured."
    ),
    "a part that was authorized": Case(
        captured(3270, card="visa_partial_authorization", enable_partial_authorization=True),
        "succeeded",
        "Payment succeeded: 32.70 USD was captured.",
    ),
    "captured in part": Case(captured(1000), "partially captured", "Captured in part: 10.00 of 65.40 USD."),
    "capturable": Case(
        captured(1000, "manual_multiple"),
        "partially captured and capturable",
        "Captured in part: 10.00 of 65.40 USD; the rest can still be captured or released.",
    ),
    "declined": Case(
        lambda api: paid(api, card="visa_insufficient_funds"),
        "failed",
        "Payment declined: insufficient funds (DC_08).",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_said_alike_wherever_it_is_said(name: str) -> None:
    case, api = CASES[name], wire()
    api.post("/_sandbox/clock/freeze", {"at": AT})
    payment = case.make(api)
    assert api.get(f"/_sandbox/payments/{payment}/why")["headline"] == case.headline
    assert api.get(f"/_sandbox/payments/{payment}/timeline")["headline"] == case.headline
    text = api.get(f"/_sandbox/payments/{payment}/timeline?format=text").raw.decode()
    assert text.splitlines()[-1] == f"Now: {case.headline}"
    visitor = Visitor(api)
    page = visitor.read(f"payments/{payment}")
    assert (said(page, "headline"), said(page, "status")) == (case.headline, case.badge)
    assert said(visitor.read("payments"), "badge") == case.badge
    assert case.badge in visitor.read("/_sandbox/ui")


DISPUTES: Final = ("", *HAPPENINGS)
"""What a dispute can come to; it is open without a word."""
RETURNED: Final = {"lost", "accepted", "expired"}
KEPT: Final = {"won", "cancelled"}


@pytest.mark.parametrize("first", DISPUTES)
def test_several_disputes_are_summed(first: str) -> None:
    """Each state is said once, with the sum of its disputes; what is returned and what is kept add up to the whole."""
    api = wire()
    api.post("/_sandbox/clock/freeze", {"at": AT})
    visitor = Visitor(api)
    for rest in product(DISPUTES, repeat=times(1, soak=2)):
        payment, amounts = paid(api), dict.fromkeys(DISPUTES, 0)
        for to, amount in zip((first, *rest), (1000, 2000, 3540) if rest[1:] else (3000, 3540), strict=True):
            made = api.post(f"/_sandbox/payments/{payment}/dispute", {"amount": amount})["dispute_id"]
            assert not to or api.post(f"/_sandbox/disputes/{made}/advance", {"to": to}).status == 200
            amounts[to] += amount
        headline = str(api.get(f"/_sandbox/payments/{payment}/why")["headline"])
        sentences = re.findall(r".+?\.(?= |$)", headline)
        assert len(sentences) == len(set(sentences)) == sum(amount > 0 for amount in amounts.values()), headline

        def total(words: str, text: str = headline) -> int:
            found = re.findall(words, text)
            return sum(int(one.replace(".", "")) for one in found)

        whole = sum(amounts.values())
        assert total(r"([\d.]+) (?:of 65.40 )?USD was returned") == sum(amounts[one] for one in RETURNED), headline
        kept = sum(amounts[one] for one in KEPT)
        assert ("you keep the money" in headline) == (kept == whole), headline
        assert kept == whole or total(r"you keep ([\d.]+)") == kept, headline
        for word, verb in (("", r"Disputed over ([\d.]+)"), ("challenged", r"Dispute over ([\d.]+) .*? challenged")):
            assert total(verb) == (amounts[word] if amounts[word] < whole else 0), headline
        shown = re.search(
            r'data-testid="badge">([^<]*)</span>(?: <span class="says">([\d.]+) USD)?', visitor.read("payments")
        )
        assert shown is not None
        badges = {"disputed": {""}, "dispute lost": {"lost", "expired"}, "dispute won": {"won"},
            "dispute withdrawn": {"cancelled"}}  # fmt: skip
        alike = badges.get(shown[1].partition(",")[0], {shown[1].partition(" ")[2]})
        noted = sum(amounts[one] for one in alike)
        assert (shown[2] or "65.40").replace(".", "") == str(noted), (shown[0], headline)


def test_every_status_has_its_words() -> None:
    assert set(standing._BY_STATUS) == set(PaymentStatus)
    assert set(standing._BY_DISPUTE) == set(DisputeStatus) == {row.target for row in DISPUTE_MACHINE.rows}


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (7 * DAY_MS, "7 days left"),
        (2 * DAY_MS - 1, "2 days left"),
        (DAY_MS * 19 // 10, "1 day left"),
        (DAY_MS - 1, "1 day left"),
        (DAY_MS * 9 // 10, "21 hours left"),
        (HOUR_MS, "1 hour left"),
        (HOUR_MS - 1, "less than an hour left"),
        (0, "less than an hour left"),
    ],
)
def test_the_time_left(ms: int, words: str) -> None:
    assert standing.left(ms, 0) == words


def test_nobody_is_promised_money() -> None:
    files = [*(ROOT / "mock_server").rglob("*.py"), *(ROOT / "mock_server").rglob("*.html")]
    assert [str(file) for file in files if "money is yours" in file.read_text("utf-8").lower()] == []
