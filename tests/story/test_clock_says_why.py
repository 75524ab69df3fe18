"""What is decided while the clock ends a challenge is explained as what is decided while a customer ends it."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from tests.counts import times
from tests.wire import Reply, Wire

ENDS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "a customer": ("payments/{}/authenticate", {"result": "approved"}),
    "the clock": ("clock/advance", {"by": "30s"}),
}
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "declined": {"decline": "insufficient_funds"},
    "pending": {"settles": {"after": "3d"}},
    "succeeded": {"outcome": "succeeded"},
}
CHALLENGE: Final = {"challenge": {"result": "approved", "after": "20s"}}


def queued(api: Wire, *answers: dict[str, Any]) -> None:
    for then in answers:
        assert api.post("/_sandbox/next", {"on": "charge", "then": then}).status == 200


def by_queue(api: Wire, answer: str) -> Reply:
    queued(api, CHALLENGE, ANSWERS[answer])
    return api.pay(return_url="https://shop.example/")


def by_card(api: Wire, answer: str) -> Reply:
    queued(api, CHALLENGE)
    cards = {"declined": "visa_insufficient_funds", "pending": "visa_pending"}
    return api.pay(cards.get(answer, "success"), return_url="https://shop.example/")


DECIDERS: Final = {one.__name__: one for one in (by_queue, by_card)}
CASES: Final = sorted(product(DECIDERS, ANSWERS))[:: times(5, soak=1)]


def explained(api: Wire, ended: str, decider: str, answer: str) -> list[str]:
    """The reasons in the explanation of a payment whose challenge ended so, other than what was done by hand."""
    payment = str(DECIDERS[decider](api, answer)["payment_id"])
    path, body = ENDS[ended]
    assert api.post(f"/_sandbox/{path.format(payment)}", body).status == 200
    assert api.get(f"/payments/{payment}")["status"] != "requires_action"
    why = [one["text"] for one in api.get(f"/_sandbox/payments/{payment}/why")["decisions"] if one["by"] != "hand"]
    rows = api.get(f"/_sandbox/payments/{payment}/timeline")["data"]
    assert [text for row in rows for text in row.get("because", ())] == why
    return why


@pytest.mark.parametrize(("decider", "answer"), CASES)
def test_the_clock_is_explained_as_the_customer_is(api: Wire, decider: str, answer: str) -> None:
    by_hand = explained(api.as_key("snd_by_hand_000"), "a customer", decider, answer)
    assert len(by_hand) == 2
    assert explained(api.as_key("snd_by_clock_00"), "the clock", decider, answer) == by_hand
