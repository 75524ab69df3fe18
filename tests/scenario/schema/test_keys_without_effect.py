"""Keys of one answer that are allowed alone, and useless beside others: they are refused, and the message names them.

A key that changes nothing is a mistake that nobody notices: the payment succeeds that the file says is declined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any, Final

import pytest

from mock_server.domain.faults import LineFault
from mock_server.scenario.model.answers import ISSUER_KEYS
from tests.scenario.refusals import problems

LATER: Final = {"refund": "failed"}
VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "error": ("HE_00", {"code": "RL_01", "status": 429}),
    "respond": ({"status": 418, "body": {"tea": "pot"}},),
    "fault": tuple(map(str, LineFault)),
    "effect": ("kept", "none"),
    "headers": ({"X-Note": "a"},),
    "delay": ("1s",),
    "decline": ("lost_card",),
    "challenge": ("declined",),
    "settles": ({"after": "30s"},),
    "later": (LATER,),
    "dispute": ({"after": "1d"},),
    "expires": ("10m",),
    "outcome": ("succeeded", "failed", "pending"),
}
SILENT: Final = {"connection_reset", "empty_response", "hang"}
"""Faults after which the client has no answer at all."""


def useless(then: Mapping[str, Any]) -> Iterator[str]:
    """The keys that change nothing: parts of an answer that is not sent, and outcomes of what is not performed."""
    if then.get("fault") in SILENT:
        yield from {"error", "respond", "headers"} & then.keys()
    breaks = then.get("fault", "slow_body") != "slow_body"
    if then.get("effect") != "kept" and (breaks or not then.keys().isdisjoint(("error", "respond"))):
        yield from {*ISSUER_KEYS} & then.keys()
    if then.get("effect") == "none" and then.get("fault") == "slow_body" and not then.keys() & {"error", "respond"}:
        yield "effect"


def mistakes(then: Mapping[str, Any], on: str = "payments.create") -> list[str]:
    return problems({"rules": [{"on": on, "then": then}]})


@pytest.mark.parametrize("keys", [*combinations(VALUES, 2), *combinations(VALUES, 3)], ids=" ".join)
def test_an_answer_says_nothing_in_vain(keys: tuple[str, ...]) -> None:
    for values in product(*map(VALUES.__getitem__, keys)):
        then = dict(zip(keys, values, strict=True))
        found = mistakes(then)
        for key in useless(then):
            assert any(one.startswith(f"{key} ") for one in found), (then, found)
        if not any(useless(then)):
            assert not any("no effect" in one and "charge fails" not in one for one in found), (then, found)


IN_VAIN: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "never": ({"settles": {"as": "failed"}}, "settles needs either after or after_polls"),
    "never at all": ({"settles": {}}, "settles needs either after or after_polls"),
    "looks at a review": (
        {"outcome": "requires_merchant_action", "settles": {"after_polls": 2}},
        "settles needs after",
    ),
    "two declines": (
        {"decline": "lost_card", "settles": {"after": "1s", "as": "failed", "decline": "do_not_honor"}},
        "settles has a decline of its own",
    ),
    "nobody comes back": ({"challenge": {"result": "abandoned", "after": "2s"}}, "challenge has no after"),
    "after a failure": ({"settles": {"after": "1s", "as": "failed"}, "later": LATER}, "later has no effect"),
    "after a failure too": ({"settles": {"after": "1s", "as": "failed"}, "expires": "1d"}, "expires has no effect"),
}


@pytest.mark.parametrize(("then", "said"), IN_VAIN.values(), ids=IN_VAIN)
@pytest.mark.parametrize("on", ["charge", "payments.create"])
def test_an_outcome_says_nothing_in_vain(then: dict[str, Any], said: str, on: str) -> None:
    (found,) = mistakes(then, on)
    assert found.startswith(said)


COUNTED: Final[dict[str, tuple[dict[str, Any], bool]]] = {
    "nothing": ({}, False), "a period": ({"during": {"from": "1s"}}, False), "chance": ({"probability": "5%"}, False),
    "skip": ({"skip": 1}, True), "times": ({"times": 1}, True), "every": ({"every": 2}, True),
    "stop": ({"repeat": "stop"}, True), "a list": ({"then": [{"decline": "lost_card"}, {}]}, True),
}  # fmt: skip


@pytest.mark.parametrize(("more", "counts"), COUNTED.values(), ids=COUNTED)
@pytest.mark.parametrize("per", ["payment", "customer", "header.X-Tenant"])
def test_what_is_counted_by_is_for_rules_that_count(per: str, more: dict[str, Any], counts: bool) -> None:
    found = problems({"rules": [{"on": "charge", "per": per, "then": {"decline": "lost_card"}, **more}]})
    assert [one[:17] for one in found] == ([] if counts else ["per has no effect"])
    delivered = problems({"rules": [{"on": "webhook.refund_failed", "per": per, "times": 1, "then": {"drop": True}}]})
    assert [one[:17] for one in delivered] == (["per has no effect"] if per.startswith("header.") else [])


@pytest.mark.parametrize("share", ["hang", "error", "decline", "webhook_drop", None])
def test_an_effect_of_chaos_needs_a_failure_of_the_connection(share: str | None) -> None:
    given: dict[str, Any] = {"error": {"HE_00": "1%"}, "decline": {"lost_card": "1%"}}
    chaos = {"effect": "kept", **({share: given.get(share, "1%")} if share else {})}
    found = problems({"chaos": chaos})
    assert [one[:32] for one in found] == ([] if share in ("hang", "error") else ["effect needs a fault or an error"])
