"""A verdict is the same whenever a busy server sends an event: during the call that caused it, or after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import judge
from tests.counts import times
from tests.verdict.clients_by_kind import BROKEN, CORRECT, VARIANTS

Client = Callable[[Sandbox], None]
CLIENTS = [*VARIANTS, *(() if times(0, soak=1) == 0 else (*BROKEN.values(), *CORRECT))]
"""More of VARIANTS depend on what a webhook told."""
PLACES = times(2, soak=10)
"""In how many places of the call's time, and of the time until the next one, an event is sent."""


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"advance_delivery_timeout": "100ms"}) as started:
        yield started


def moved(evidence: dict[str, Any], part: float, *, during: bool) -> dict[str, Any]:
    """The evidence as if each event had been sent in the call that caused it, or between it and the next one."""
    shifted: dict[str, Any] = json.loads(json.dumps(evidence))
    calls = sorted(
        (*shifted["journal"]["data"], *shifted["by_hand"]["data"]), key=lambda call: (call["began_us"], call["number"])
    )
    makers = {number: at for at, call in enumerate(calls) for number in call["events"]}
    for event in shifted["webhooks"]["data"]:
        at, deliveries = makers.get(event["number"], len(calls)), event["deliveries"]
        if at + 1 >= len(calls) or len(deliveries) != 1:
            continue
        began_us, took_us = calls[at]["began_us"], (deliveries[0]["took_ms"] + 1) * 1_000
        ended_us, next_us = began_us + calls[at]["took_ms"] * 1_000, calls[at + 1]["began_us"] - took_us
        if deliveries[0]["began_us"] < next_us and ended_us < next_us:
            start, end = (began_us, ended_us) if during else (ended_us, next_us)
            deliveries[0]["began_us"] = start + part * (end - start)
    return shifted


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_it_does_not_matter_when_an_event_is_sent(server: SandboxServer, client: Client) -> None:
    with Sandbox(server=server, seed="tests") as sandbox:
        client(sandbox)
        sandbox.webhooks.settle(timeout=30)
        evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
    found = [
        [result.rule.id for result in judge(read(moved(evidence, number / PLACES, during=during))).found()]
        for during in (True, False)
        for number in range(1, PLACES)
    ]
    assert found == [found[-1]] * len(found)
