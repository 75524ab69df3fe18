"""Whatever the clock changes is dated at the instant at which it was due, however late somebody looks."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from mock_server.domain.instants import parse
from mock_server.engine import timeline
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Reply, Wire, wire

DATE: Final = "modified_at"
CHARGES: Final[tuple[dict[str, Any], ...]] = (
    {"outcome": "succeeded", "expires": "2d"},
    {"challenge": {"result": "approved", "after": "20s"}},
    {"challenge": "abandoned", "expires": "1h"},
    {"settles": {"after": "3h", "as": "succeeded"}},
    {"settles": {"after": "3h", "as": "failed"}},
    {"outcome": "succeeded", "dispute": {"after": "1d", "reason": "fraudulent", "respond_within": "1h"}},
    {"outcome": "succeeded", "later": {"capture": {"settles": {"after": "8d", "as": "failed"}}}},
    {"outcome": "succeeded", "later": {"cancel": {"settles": {"after": "8d", "as": "failed"}}}},
    {"outcome": "succeeded", "later": {"refund": {"settles": {"after": "3d", "as": "failed"}}}},
    {"outcome": "succeeded", "later": {"refund": {"outcome": "pending"}}},
)
HOW: Final = ("automatic", "manual", "manual_multiple")
NEXT: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("/payments/{}/capture", {"amount_to_capture": 100}),
    ("/payments/{}/cancel", {}),
    ("/refunds", {"payment_id": "{}", "amount": 10}),
    ("/refunds", {"payment_id": "{}", "amount": 10, "refund_type": "scheduled"}),
    ("/_sandbox/payments/{}/dispute", {"amount": 10}),
)
Case = tuple[dict[str, Any], str, tuple[str, dict[str, Any]]]
CASES: Final[list[Case]] = [*product(CHARGES, HOW, NEXT)][:: times(4, soak=1)]
"""The step has no divisor in common with the 15 pairs of a charge, so that the next charge meets others of them."""


def rows(api: Wire) -> dict[tuple[str, int], dict[str, Any]]:
    """The records that have a date of their last change, by kind and number."""
    assert api.put("/_sandbox/snapshots/now").status == 200
    found = api.get("/_sandbox/snapshots/now").json["workspace"]["records"]
    return {(kind, row[0]): row[2] for kind, table in found.items() for row in table["rows"] if DATE in row[2]}


def due(api: Wire, payment: str) -> list[tuple[str, str]]:
    return [(one["at"], one["what"]) for one in api.get(f"/_sandbox/payments/{payment}/why")["due"]]


def begun(case: Case) -> tuple[Wire, ManualClock, str, Reply]:
    """The payment, and the answer to what follows it."""
    then, how, (path, body) = case
    clock = ManualClock()
    api = wire(clock=clock)
    assert api.post("/_sandbox/next", {"on": "charge", "then": then}).status == 200
    payment = api.pay(capture_method=how)["payment_id"]
    clock.advance(1_000)
    following = {name: payment if value == "{}" else value for name, value in body.items()}
    return api, clock, payment, api.post(path.format(payment), following)


def test_each_follow_up_is_accepted_somewhere() -> None:
    accepted = [case[2] for case in CASES if begun(case)[3].status == 200]
    assert [following for following in NEXT if following not in accepted] == []


@pytest.mark.parametrize("case", CASES)
def test_a_change_has_the_date_at_which_it_was_due(case: Case) -> None:
    api, clock, payment, _ = begun(case)
    for _ in range(6):
        if not (scheduled := due(api, payment)):
            break
        at, what = scheduled[0]
        assert what in timeline.SORTS
        before, wait_ms = rows(api), parse(at) - clock.now_ms()
        clock.advance(wait_ms + 500 * (len(scheduled) == 1))
        after = rows(api)
        changed = {place: row for place, row in after.items() if row != before.get(place)}
        assert changed, what
        assert {place: row[DATE] for place, row in changed.items()} == dict.fromkeys(changed, parse(at)), what
