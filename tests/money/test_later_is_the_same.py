"""What is answered later ends as what is answered at once: the same payment, told in the same words, but for dates."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from tests.clocks import ManualClock
from tests.wire import card_payment, wire

LATER_MS: Final = 20_000
DATES: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z?")
MANUAL: Final = {"capture_method": "manual"}
SEVERAL: Final = {"capture_method": "manual_multiple"}
Act = tuple[str, dict[str, Any]]
CAPTURE: Final = "/payments/{}/capture"
CANCEL: Final = "/payments/{}/cancel"
REFUND: Final = "/refunds"
LIVES: Final[dict[str, tuple[dict[str, Any], tuple[Act, ...]]]] = {
    "a sale": ({}, ()),
    "an authorization": (MANUAL, ()),
    "a capture": (MANUAL, ((CAPTURE, {}),)),
    "a capture of a part": (MANUAL, ((CAPTURE, {"amount_to_capture": 2000}),)),
    "one of several": (SEVERAL, ((CAPTURE, {"amount_to_capture": 2000}),)),
    "the last of several": (SEVERAL, ((CAPTURE, {"amount_to_capture": 2000}), (CAPTURE, {"amount_to_capture": 4540}))),
    "a void": (MANUAL, ((CANCEL, {"cancellation_reason": "sold out"}),)),
    "a void of the rest": (SEVERAL, ((CAPTURE, {"amount_to_capture": 2000}), (CANCEL, {}))),
    "a refund": ({}, ((REFUND, {"amount": 1000}),)),
    "a refund of all": ({}, ((REFUND, {}),)),
}
"""What is created, and what follows; the last of it is answered later."""


ON: Final = {"/payments": "charge", CAPTURE: "payments.capture", CANCEL: "payments.cancel", REFUND: "refunds.create"}
FAILED: Final = {"outcome": "failed", "decline": "processing_error"}


def told(life: str, end: dict[str, Any]) -> dict[str, Any]:
    """The payment after such a life with this end, and what is said of it, without dates."""
    clock = ManualClock()
    api, payment = wire(clock=clock), "pay_later"
    fields, acts = LIVES[life]
    calls = [("/payments", {**card_payment("success"), "confirm": True, "payment_id": payment, **fields}), *acts]
    for path, body in calls:
        if (path, body) == calls[-1]:
            assert api.post("/_sandbox/next", {"on": ON[path], "then": end}).status == 200
        sent = {**body, "payment_id": payment} if path == REFUND else body
        assert api.post(path.format(payment), sent).status == 200
    clock.advance(LATER_MS)
    shown = api.get(f"/payments/{payment}?expand_attempts=true&expand_captures=true").json
    why = api.get(f"/_sandbox/payments/{payment}/why").json
    said = {name: why[name] for name in ("headline", "tone", "failure", "waits_for", "due")}
    return {name: DATES.sub("…", json.dumps(value)) for name, value in {**shown, **said}.items()}


@pytest.mark.parametrize("end", [{"outcome": "succeeded"}, FAILED], ids=["succeeded", "failed"])
@pytest.mark.parametrize("life", LIVES)
def test_it_ends_the_same(life: str, end: dict[str, str]) -> None:
    as_later = {"after": "10s", **{{"outcome": "as"}.get(name, name): word for name, word in end.items()}}
    at_once, later = told(life, end), told(life, {"outcome": "pending", "settles": as_later})
    assert {name: (at_once[name], later[name]) for name in at_once if at_once[name] != later[name]} == {}
