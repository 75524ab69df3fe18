"""A button charges what its page showed, whatever a client or another tab changed meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.reading import Page
from tests.dashboard.test_possible import BEGUN
from tests.dashboard.visitor import Visitor, said, text
from tests.story.test_ends import Made
from tests.wire import Wire

INCREMENTAL: Final[dict[str, Any]] = {"capture_method": "manual", "request_incremental_authorization": True}
MADE: Final[Mapping[str, Made]] = {
    **BEGUN,
    "can be authorized for more": lambda api: str(api.pay(**INCREMENTAL)["payment_id"]),
}
CHANGES: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("/payments/{}", {"amount": 999_900}),
    ("/payments/{}/incremental_authorization", {"amount": 20_000}),
    ("/payments/{}", {"currency": "JPY"}),
    ("/payments/{}/capture", {"amount_to_capture": 1_000}),
    ("/refunds", {"payment_id": "{}", "amount": 500}),
    ("/payments/{}", {"shipping_cost": 500}),
    ("/payments/{}", {"description": "Two seats"}),
)
CHARGE: Final = ("payments.confirm", "payments.capture")
"""What charges a payment that can change; in the states of the others nothing can."""


@pytest.mark.parametrize("state", MADE)
def test_what_was_shown_is_charged(api: Wire, state: str) -> None:
    visitor = Visitor(api)
    page = visitor.read(f"payments/{MADE[state](api)}")
    offered = [do for do in CHARGE if f'name="do" value="{do}"' in page]
    compared = 0
    for do, (path, body) in product(offered, CHANGES[: times(4, soak=len(CHANGES))]):
        payment = MADE[state](api)
        page = visitor.read(f"payments/{payment}")
        form = next(one for one in Page(page).forms if ("do", do) in one.values)
        sent = {name: payment if value == "{}" else value for name, value in body.items()}
        if api.post(path.format(payment), sent).status != 200:
            continue
        compared += 1
        reply = visitor.send(f"payments/{payment}", form.values)
        shown, now = said(page, "sum"), said(visitor.read(f"payments/{payment}"), "sum")
        if shown != now:
            assert reply.status == 400, (do, shown, now)
            assert f"is now {now}" in said(text(reply), "notice")
            again = next(one for one in Page(text(reply)).forms if ("do", do) in one.values)
            reply = visitor.send(f"payments/{payment}", again.values)
        assert "Nothing was done" not in text(reply)
    assert compared or not offered
