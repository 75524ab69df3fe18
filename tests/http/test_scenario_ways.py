"""What a scenario answers, with headers of the connection and in statuses without a body, is the same in every way."""

from __future__ import annotations

import json
from contextlib import ExitStack
from itertools import product
from typing import Any, Final

import pytest

from tests.counts import times
from tests.http.test_three_ways import Ask, Got, Way, flasks_client, other_server, our_server
from tests.wire import card_payment

OF_THE_LINE: Final = {
    "Content-Length": ("0", "5", "99999", "abc", "-1"),
    "Transfer-Encoding": ("chunked", "gzip"),
    "Connection": ("close", "keep-alive", "Upgrade"),
    "Keep-Alive": ("timeout=5",),
    "TE": ("trailers",),
    "Trailers": ("X-Sum",),
    "Upgrade": ("h2c",),
    "Proxy-Authenticate": ("Basic",),
    "Proxy-Authorization": ("Basic Og==",),
    "X-Content-Type-Options": ("sniff",),
}
"""Fields that say where an answer ends, or what its connection is: the server's own, whatever it is."""
STATUSES: Final = (200, 201, 204, 205, 206, 301, 304, 400, 401, 407, 418, 426, 429, 499, 500, 503, 599)
BODIES: Final[tuple[Any, ...]] = (None, "", "tëxt", {"a": 1}, [], 0, False, "x" * 300_000)
PAYMENT: Final = json.dumps({**card_payment(), "confirm": True}).encode()
Then = dict[str, Any]


def answers() -> list[Then]:
    headers = [{spell(name): one} for name, many in OF_THE_LINE.items() for one in many for spell in (str, str.lower)]
    whole = [{"respond": {"status": status, "body": body}} for status, body in product(STATUSES, BODIES)]
    more = [{"respond": {"status": status, "headers": one}} for status, one in product((200, 204, 304, 429), headers)]
    return [*({"headers": one} for one in headers), *more, *whole]


def got(way: Way, then: Then, method: str) -> list[Got]:
    """The answers to a call that the scenario answers, and to one after it."""
    on, path = ("payments.create", "/payments") if method == "POST" else ("payments.retrieve", "/payments/pay_none")
    rules = json.dumps({"rules": [{"on": on, "then": then}]}).encode()
    for one in (Ask("PUT", "/_sandbox/scenarios/own", rules), Ask("POST", "/_sandbox/scenarios/own/activate", b"")):
        assert way(one).status == 200, then
    return [way(Ask(method, path, PAYMENT if method == "POST" else b"")), way(Ask("GET", "/health", b""))]


@pytest.mark.parametrize("part", range(times(1, soak=3)))
def test_every_way_gives_the_same_answer(part: int) -> None:
    every = list(product(answers(), ("POST", "HEAD")))
    wrong = []
    with ExitStack() as opened:
        ours, *others = (opened.enter_context(way()) for way in (our_server, flasks_client, other_server))
        for then, method in every[part :: times(12, soak=3)]:
            want = got(ours, then, method)
            wrong += [(then, method, want, found) for way in others if (found := got(way, then, method)) != want]
    assert wrong[:2] == [], len(wrong)
