"""A receiver that does not accept an event is found after its last retry, however it fails; never passed in silence.

Nobody at the address is no receiver, so nothing is said of it, however long nobody answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import State, judge
from tests.verdict.clients.broken import ANSWERED_200, receiver
from tests.webhooks import receivers
from tests.webhooks.receivers import OK, Line, Receiver, unused_port

Judged = tuple[State, State]
"""What `webhook-refused` and `webhook-late` say."""
TO_THE_END_DAYS: Final = 4


def says(data: bytes) -> Callable[[Line], None]:
    """Closes the connection after these bytes."""

    def behave(line: Line) -> None:
        line.request()
        line.send(data)

    return behave


def raises(environ: Any, start_response: Any) -> Iterable[bytes]:
    raise ValueError


def is_silent(environ: Any, start_response: Any) -> Iterable[bytes]:
    return [b""]


def is_no_http(environ: Any, start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("fine", [])
    return [b""]


APPS: Final = {"raises": raises, "is silent": is_silent, "is no HTTP": is_no_http, "500": receiver("500 Oops")}
SOCKETS: Final[dict[str, Callable[[Line], object]]] = {
    "resets": receivers.resets,
    "leaves": receivers.leaves,
    "babbles": receivers.babbles,
    "endless headers": receivers.sends_endless_headers,
    **{f"cut after {length} bytes": says(OK[:length]) for length in (1, 9, 12, 13, 15, 16, 17, 20, len(OK) - 4)},
    **{str(status): says(b"HTTP/1.1 %d Said\r\n\r\n" % status) for status in (302, 408, 429, 503)},
}
ODD: Final[dict[str, bytes]] = {
    "no reason": b"HTTP/1.1 200\r\n\r\n",
    "old": b"HTTP/1.0 204 No Content\r\n\r\n",
    "bare newlines": b"HTTP/1.1 202 Accepted\nServer: shop\n\n",
    "its body is cut": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab",
    "after an interim answer": b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK,
}
"""Answers that are accepted: only the status matters."""


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"workspaces": 10_000, "advance_delivery_timeout": "30s"}) as found:
        yield found


def evidence_of(sandbox: Sandbox, *, to_the_end: bool) -> dict[str, Any]:
    sandbox.client.pay()
    sandbox.webhooks.settle(timeout=30)
    if to_the_end:
        sandbox.clock.advance(days=TO_THE_END_DAYS)
    return gathered(lambda path: sandbox.control.get(f"/{path}"))


def judged(evidence: dict[str, Any]) -> Judged:
    states = {one.rule.id: one.state for one in judge(read(evidence)).results}
    return states["webhook-refused"], states["webhook-late"]


@pytest.mark.parametrize("to_the_end", [True, False], ids=["to the end", "so far"])
@pytest.mark.parametrize("name", [*APPS, *SOCKETS])
def test_who_never_accepts_is_found_after_the_last_retry(server: SandboxServer, name: str, to_the_end: bool) -> None:
    with Sandbox(server=server, seed="tests") as sandbox, Receiver(SOCKETS.get(name, receivers.leaves)) as listening:
        if name in APPS:
            sandbox.webhooks.connect(APPS[name])
        else:
            sandbox.webhooks.send_to(listening.url)
        found = judged(evidence_of(sandbox, to_the_end=to_the_end))
    refused = State.FOUND if to_the_end else State.NO_OCCASION
    assert found == (refused, State.WELL)


@pytest.mark.parametrize("name", ODD)
def test_who_accepts_in_an_odd_way_passes(server: SandboxServer, name: str) -> None:
    with Sandbox(server=server, seed="tests") as sandbox, Receiver(says(ODD[name])) as listening:
        sandbox.webhooks.send_to(listening.url)
        found = judged(evidence_of(sandbox, to_the_end=False))
    assert found == (State.WELL, State.WELL)


def test_nobody_is_no_receiver(server: SandboxServer) -> None:
    with Sandbox(server=server, seed="tests") as sandbox:
        sandbox.webhooks.send_to(f"http://127.0.0.1:{unused_port()}/")
        evidence = evidence_of(sandbox, to_the_end=True)
    slow = deepcopy(evidence)
    for one in attempts(slow):
        one["took_ms"] = 30_000  # the network drops what it cannot deliver
    assert judged(evidence) == judged(slow) == (State.NO_OCCASION, State.NO_OCCASION)


def attempts(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    return [attempt for event in evidence["webhooks"]["data"] for attempt in event["deliveries"]]


@pytest.mark.parametrize("accepts", [False, True])
def test_who_is_given_less_time_than_five_seconds_is_not_judged(accepts: bool) -> None:
    """Nor passed: with the time that there should be, it is late, and found by that rule."""
    with (
        SandboxServer({"webhook_timeout": "50ms", "advance_delivery_timeout": "10ms"}) as server,
        Sandbox(server=server, seed="tests") as sandbox,
        Receiver(receivers.hangs) as listening,
    ):
        sandbox.webhooks.send_to(listening.url)
        evidence = evidence_of(sandbox, to_the_end=not accepts)
        if accepts:
            sandbox.webhooks.connect(receiver(ANSWERED_200))
            sandbox.clock.advance(days=TO_THE_END_DAYS)
            evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
    assert judged(evidence) == (State.WELL if accepts else State.NOT_JUDGED, State.NOT_JUDGED)
    for one in attempts(evidence):
        one["took_ms"] = 1 if one["status"] else 30_000
    assert judged(evidence) == (State.WELL if accepts else State.NOT_JUDGED, State.FOUND)


def test_a_forged_delivery_that_is_accepted_is_no_acceptance() -> None:
    attempt = {"status": 403, "error": None, "took_ms": 1, "because": None}
    forged = {**attempt, "status": 200, "because": "signature wrong"}
    event = {"event_type": "payment_failed", "number": 1, "payment_id": None, "fate": None, "event_class": "refunds"}
    given = {"journal": {"data": []}, "webhooks": {"data": [{**event, "deliveries": [forged, attempt]}]}}
    assert judged(given) == (State.FOUND, State.WELL)
