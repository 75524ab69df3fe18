"""What is found about one payment does not depend on what the client did with others before."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.domain.instants import iso, parse
from mock_server.verdict.evidence import read
from mock_server.verdict.rules import judge
from tests.counts import SOAK
from tests.verdict.clients_by_kind import Client
from tests.verdict.conftest import Left
from tests.verdict.test_growth import CLIENTS

DAY_MS: Final = 86_400_000
EACH: Final = 0 if SOAK else 3
"""After so many others each client is judged; 0: after each."""
OF_ALL_CALLS: Final = frozenset({"connection-for-each-call", "first-page-only", "retried-without-end"})
"""Rules about all that a client does: how it connects, what a list of everything gives, the same call again."""
Parts = dict[str, list[dict[str, Any]]]
"""Calls and events, as the control API shows them."""


def parts(evidence: dict[str, Any]) -> Parts:
    return {part: evidence[part]["data"] for part in ("journal", "webhooks")}


def after(other: Parts, mine: Parts) -> tuple[dict[str, Any], int]:
    """What another did more than a day before with other payments and orders, then mine; and where mine begins."""
    text = json.dumps(other)
    for name in {one["payment_id"] for part in other.values() for one in part if one["payment_id"]} | {"order-"}:
        text = text.replace(name, f"{name}_other")
    before, own = json.loads(text), json.loads(json.dumps(mine))
    first, last = (edge(instants(part)) for edge, part in ((min, own), (max, before)))
    ms, above = max(0, last - first) + DAY_MS, max(one["number"] for part in before.values() for one in part)
    for line in before["journal"]:
        line["began_us"] -= ms * 1_000
        line["at"] = iso(parse(line["at"]) - ms)
        if line["idempotency"]:
            line["idempotency"][0] += "-other"
    for event in before["webhooks"]:
        event["created"] = iso(parse(event["created"]) - ms)
        for one in event["deliveries"]:
            one["began_us"] -= ms * 1_000
    for line in own["journal"]:
        line["number"] += above
        line["events"] = [number + above for number in line["events"]]
    for event in own["webhooks"]:
        event["number"] += above
    return {part: {"data": [*before[part], *own[part]]} for part in own}, above


def instants(part: Parts) -> Iterator[int]:
    for line in part["journal"]:
        yield parse(line["at"])
    for event in part["webhooks"]:
        yield parse(event["created"])


def found(evidence: dict[str, Any], above: int = 0) -> list[Any]:
    """Each finding that is only about calls and events with greater numbers."""
    return sorted(
        (
            result.rule.id,
            one.what,
            tuple(number - above for number in one.calls),
            tuple(at - above for at in one.events),
        )
        for result in judge(read(evidence)).results
        if result.rule.id not in OF_ALL_CALLS
        for one in result.seen
        if all(number > above for number in (*one.calls, *one.events))
    )


@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.__name__)
def test_others_before_change_nothing(left: Left, client: Client) -> None:
    mine, wrong = parts(left(client)), {}
    alone = found({part: {"data": lines} for part, lines in mine.items()})
    named = {one.__name__: one for one in CLIENTS}
    for other in random.Random(client.__name__).sample(sorted(named), EACH or len(named)):
        together = found(*after(parts(left(named[other])), mine))
        if together != alone:
            wrong[other] = {"more": set(together) - set(alone), "fewer": set(alone) - set(together)}
    assert not wrong
