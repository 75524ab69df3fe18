"""What a scenario answers has any header, and any text as its body: everything that looks at it later still answers."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.visitor import Visitor
from tests.verdict.test_hostile_calls import VIEWS
from tests.wire import KEY, Wire, card_payment, wire

NAMES: Final = (
    "Retry-After", "Content-Type", "Set-Cookie", "Location", "Content-Encoding", "X-Request-Id", "X-RateLimit-Reset",
    "X-RateLimit-Remaining", "X-Sandbox-Because", "X-Sandbox-Replayed", "Date", "ETag", "Allow", "Vary",
)  # fmt: skip
"""Names that somebody reads, also of this program."""
VALUES: Final = (
    "9" * 4_000, "9" * 400, "9" * 310, "0" * 400, "-1", "1.5", "", " ", "soon", "Wed, 21 Oct 2015 07:28:00 GMT",
    "\x80é", "%", "%ff", "=", ";", "a=b; Max-Age=" + "9" * 400, "gzip", "text/html; charset=none", "application/json;",
)  # fmt: skip
TEXTS: Final = (
    "[" * 20_000, "[" * 20_000 + "]" * 20_000, '{"a":' * 6_000 + "1" + "}" * 6_000, "9" * 5_000, '{"a":1e400}', "NaN",
    '"\\ud800"', "\ufeff{}", "", "\0", "<html>", '{"a":1,"a":2}', '{"error":1}', "null", "1", " ", '{"payment_id":[]}',
)  # fmt: skip
"""Texts that readers of JSON do not read, or read differently."""
SPELLED: Final = (str, str.lower, str.upper)
Then = dict[str, Any]


def answered(then: Then, *, times_called: int = 3) -> Wire:
    """A workspace whose client got this instead of its payments, and called again at once."""
    api = wire()
    api.pay()
    rules = [{"on": "payments.create", "then": then}]
    assert api.put("/_sandbox/scenarios/odd", {"rules": rules}).status == 200, then
    assert api.post("/_sandbox/scenarios/odd/activate").status == 200
    client = api.app.test_client(use_cookies=False)  # `api` would hold the answers against the document
    for _ in range(times_called):
        client.post("/payments", json={**card_payment(), "confirm": True}, headers={"api-key": KEY})
    assert api.post("/_sandbox/scenarios/odd/deactivate").status == 200
    return api


def looked_at(api: Wire, then: Then) -> None:
    payments = [row["payment_id"] for row in api.get("/payments/list").json["data"]]
    for payment in payments:
        for view in ("timeline", "why", "export"):
            assert api.get(f"/_sandbox/payments/{payment}/{view}").status == 200, (view, then)
    for view in ("verdicts", "journal", "search?text=pay_"):
        assert api.get(f"/_sandbox/{view}").status == 200, (view, then)
    visitor = Visitor(api)
    for view in VIEWS:
        assert visitor.look(view.format(payments[0])).status == 200, (view, then)


@pytest.mark.parametrize("name", NAMES)
def test_any_value_of_a_header(name: str) -> None:
    chance = random.Random(name)
    for value in chance.sample(VALUES, times(1, soak=len(VALUES))):
        headers = {chance.choice(SPELLED)(name): value}
        way: Then = chance.choice(({"respond": {"status": 429, "headers": headers}}, {"headers": headers}))
        looked_at(answered({**way, **({"effect": "kept"} if "respond" in way else {})}), way)


@pytest.mark.parametrize("value", VALUES[:4], ids=len)
def test_a_wait_of_any_length_is_judged(value: str) -> None:
    api = answered({"respond": {"status": 429, "headers": {"Retry-After": value}}})
    assert api.get("/_sandbox/verdicts").status == 200


@pytest.mark.parametrize("at", range(times(6, soak=len(TEXTS))))
def test_any_text_as_a_body(at: int) -> None:
    then: Then = {"effect": "kept", "respond": {"status": 200, "body": TEXTS[at]}}
    looked_at(answered(then, times_called=1), then)


@pytest.mark.parametrize("spell", SPELLED)
@pytest.mark.parametrize("way", ["respond", "error", "headers"])
def test_the_wait_is_judged_however_its_header_is_spelled(way: str, spell: Any) -> None:
    headers = {spell("Retry-After"): "30"}
    own: Then = {"status": 429} | ({"headers": headers} if way == "respond" else {"code": "RL_01"})
    then: Then = {way: own, "headers": headers} if way == "error" else {"headers": headers}
    api = answered({"respond": own} if way == "respond" else then)
    rules = api.get("/_sandbox/verdicts").json["data"][0]["rules"]
    found = next(rule for rule in rules if rule["id"] == "retried-too-soon")
    assert found["state"] == "failed", then
