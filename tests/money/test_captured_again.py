"""What is captured: as a payment plans it, and a second time, only of several and only of what the first one left."""

from __future__ import annotations

import itertools
from typing import Final

import pytest

from tests.wire import Wire, wire

WHOLE: Final = 6540
PART: Final = 2000
CASES: Final = list(
    itertools.product(
        ("automatic", "manual", "manual_multiple"),
        ("succeeded", "pending", "failed"),
        (PART, WHOLE),
        (1, WHOLE - PART, WHOLE - PART + 1),
    )
)


def left(how: str, wish: str, first: int) -> int | None:
    """What a first capture leaves to capture; None if the payment cannot be captured any more."""
    if how != "manual_multiple" or wish == "failed" or (wish == "succeeded" and first == WHOLE):
        return None
    return WHOLE - first


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


@pytest.mark.parametrize(("how", "wish", "first", "second"), CASES)
def test_the_second_capture(api: Wire, how: str, wish: str, first: int, second: int) -> None:
    path = f"/payments/{api.pay(capture_method=how)['payment_id']}/capture"
    begun = api.post(path, {"amount_to_capture": first}, X_Sandbox_Outcome=wish)
    assert (begun.status == 200) is (how != "automatic")
    rest, again = left(how, wish, first), api.post(path, {"amount_to_capture": second})
    told = again.status, again.json.get("error", {}).get("code")
    assert told == ((400, "IR_14") if rest is None else (200, None) if second <= rest else (422, "IR_06"))


@pytest.mark.parametrize("how", [None, "automatic", "manual", "manual_multiple"])
@pytest.mark.parametrize("planned", [1, PART, WHOLE, WHOLE + 1])
def test_the_planned_amount(api: Wire, how: str | None, planned: int) -> None:
    """An automatic capture is of all; a manual one without an amount is of what was planned."""
    made = api.pay(amount_to_capture=planned, **({"capture_method": how} if how else {}))
    fits = planned == WHOLE or (planned < WHOLE and how in ("manual", "manual_multiple"))
    assert (made.status == 200) is fits, made.raw
    if fits and how == "manual":
        assert api.post(f"/payments/{made['payment_id']}/capture", {})["amount_received"] == planned
