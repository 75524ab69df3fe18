"""A scenario's header is sent once, instead of the sandbox's own of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from tests.wire import card_payment, wire

OWN = ("Content-Type", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id", "X-Sandbox-Because", "Retry-After")
ANSWERS: Final[Mapping[str, Callable[[dict[str, str]], dict[str, Any]]]] = {
    "the real answer": lambda headers: {"headers": headers},
    "an error": lambda headers: {"error": {"code": "HE_00", "status": 429}, "headers": headers},
    "an answer of its own": lambda headers: {"respond": {"status": 503, "headers": headers, "body": {"a": 1}}},
    "both": lambda headers: {"respond": {"status": 503, "body": "x"}, "headers": headers},
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("name", [*OWN, *map(str.lower, OWN)])
def test_a_header_is_sent_once(name: str, answer: str) -> None:
    api = wire()
    rules = [{"on": "payments.create", "then": ANSWERS[answer]({name: "own"})}]
    assert api.put("/_sandbox/scenarios/own", {"name": "own", "rules": rules}).status < 300
    assert api.post("/_sandbox/scenarios/own/activate").status < 300
    client = api.app.test_client()
    reply = client.post("/payments", json=card_payment(), headers={"api-key": str(api.key)})
    assert reply.headers.getlist(name) == ["own"]
