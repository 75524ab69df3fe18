"""Every kind of step with every key: one that has no meaning there is refused, and none that has one."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.operations import BY_NAME
from mock_server.scenario.story.requests import AGAIN, AUTHENTICATE, STEPS, VERBS
from tests.scenario.refusals import problems

PAID: Final[dict[str, Any]] = {"do": "payments.create", "with": {"amount": 100, "card": "success"}, "as": "paid"}
KEYS: Final[dict[str, Any]] = {
    "of": "$paid", "with": {}, "by": "30s", "key": "abc", "headers": {"X-Any": "b"}, "see": {"payments": 1},
    "as": "this", "bare": True,
}  # fmt: skip
NEEDED: Final = {"clock.advance": ("by",), "dispute.advance": ("with",), "next": ("with",)}
WITH: Final = {"dispute.advance": {"to": "won"}, "next": {"then": {"decline": "lost_card"}}}


def taken(do: str | None) -> set[str]:
    """The keys that have a meaning, said once more and by the paths and methods of the calls."""
    row, by_hand = BY_NAME.get(do or ""), STEPS.get(do or "")
    if do is None:
        return {"see"}
    if do == AGAIN:
        return {"key", "see", "as"}
    if by_hand is not None:
        more = {"of"} if "<id>" in by_hand.path else {"by"} if do == "clock.advance" else set()
        return {"see", "as"} | more | ({"with"} if by_hand.path != AUTHENTICATE else set())
    assert row is not None
    new = do == "payments.create"
    return {"with", "headers", "see", "as"} | ({"key"} if row.changes else set()) | ({"bare"} if new else {"of"})


def step(do: str | None, *keys: str) -> dict[str, Any]:
    needed = [
        *(["see"] if do in ("files.create", "disputes.attach_evidence", "analytics.metrics") else []),  # always refused
        *NEEDED.get(do or "", ()),
        *(["of"] if "<" in getattr(BY_NAME.get(do or "") or STEPS.get(do or ""), "path", "") else []),
    ]
    more = {**KEYS, "with": WITH.get(do or "", {}), "see": {"http": 400} if do else KEYS["see"]}
    return {**({"do": do} if do else {}), **{key: more[key] for key in (*needed, *keys, *(() if do else ("see",)))}}


def problems_of(*steps: dict[str, Any]) -> list[str]:
    return problems({"story": [PAID, *steps]})


@pytest.mark.parametrize("do", [None, *VERBS])
def test_a_step_takes_the_keys_that_it_uses_and_no_other(do: str | None) -> None:
    for key in KEYS:
        found = problems_of(step(do, key))
        if key in taken(do):
            assert found == [], (key, found)
        else:
            assert found == [f"{key} is not allowed on {do}" if do else f"{key} needs do"]


@pytest.mark.parametrize("name", ["$paid", "a.b", "a-b", "1st", "a b", ""])
def test_a_name_is_one_that_can_be_referred_to(name: str) -> None:
    (found, *_) = problems_of({"do": "payments.list", "as": name})
    assert "as " in found


@pytest.mark.parametrize("result", ["declined", "approved"])
def test_what_the_customer_does_is_said_once(result: str) -> None:
    for name, by_hand in STEPS.items():
        if by_hand.path == AUTHENTICATE:
            assert problems_of({"do": name, "of": "$paid", "with": {"result": result}}) == [
                f"with is not allowed on {name}"
            ]
