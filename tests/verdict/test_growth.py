"""Four times as many calls take four times as long to judge, whichever mistake a client makes over and over."""

from __future__ import annotations

import json
from functools import partial
from itertools import chain
from typing import Any, Final

import pytest

from mock_server.domain.instants import iso, parse
from mock_server.verdict.evidence import read
from mock_server.verdict.rules import judge
from tests.counts import SOAK, times
from tests.lines_run import lines_run
from tests.verdict.clients_by_kind import BROKEN, CORRECT, NOT_CHECKED, VARIANTS, Client
from tests.verdict.conftest import Left

CLIENTS: Final = tuple(dict.fromkeys((*BROKEN.values(), *CORRECT, *VARIANTS, *NOT_CHECKED)))
REPEATS: Final = times(4, soak=100)
MORE: Final = 4
ABOUT: Final = ("the same payments", "others")
AT_MOST: Final = 4.1
"""What is done for each call takes four times as long, and what is done once makes that less."""


def repeated(evidence: dict[str, Any], many: int, about: str) -> dict[str, Any]:
    """What a client leaves that does everything so often, one after the other."""
    lines, events = evidence["journal"]["data"], evidence["webhooks"]["data"]
    began, at = [line["began_us"] for line in lines], [parse(line["at"]) for line in lines]
    lasts_us, lasts_ms = (max(instants) - min(instants) for instants in (began, at))
    numbers = max(one["number"] for one in (*lines, *events))
    payments = {one["payment_id"] for one in (*lines, *events) if one["payment_id"]} if about == "others" else ()
    text = json.dumps([lines, events])
    made: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []
    for turn in range(many):
        renamed = text
        for payment in payments:
            renamed = renamed.replace(payment, f"{payment}_{turn}")
        lines, events = json.loads(renamed)
        for line in lines:
            line["began_us"] += turn * (lasts_us + 1_000_000)
            line["at"] = iso(parse(line["at"]) + turn * (lasts_ms + 1_000))
            line["number"] += turn * numbers
            line["events"] = [number + turn * numbers for number in line["events"]]
            if line["idempotency"]:
                line["idempotency"][0] += f"-{turn}"
        for event in events:
            event["number"] += turn * numbers
            event["created"] = iso(parse(event["created"]) + turn * (lasts_ms + 1_000))
            for one in event["deliveries"]:
                one["began_us"] += turn * (lasts_us + 1_000_000)
        made.append((lines, events))
    journal, webhooks = (list(chain.from_iterable(parts)) for parts in zip(*made, strict=True))
    return {"journal": {"data": journal}, "webhooks": {"data": webhooks}}


def steps(evidence: dict[str, Any]) -> int:
    """How many lines of the verdict's code run."""
    return lines_run(partial(judge, read(evidence)), "/verdict/")[0]


@pytest.mark.no_cover
@pytest.mark.parametrize("client", CLIENTS, ids=lambda one: one.__name__)
def test_more_calls_take_no_longer_each(left: Left, client: Client) -> None:
    evidence = left(client)
    for about in ABOUT if SOAK else (ABOUT[CLIENTS.index(client) % 2],):
        few, many = (steps(repeated(evidence, turns, about)) for turns in (REPEATS, MORE * REPEATS))
        assert many <= AT_MOST * few, f"{client.__name__} about {about}: {few} steps, then {many}"
