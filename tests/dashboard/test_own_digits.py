"""Digits of our own that pass for a card's number by chance are shown whole: half a link helps nobody."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from hashlib import sha256
from itertools import count, islice, pairwise
from pathlib import Path

import pytest

from mock_server.domain import hiding
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.events import signature
from tests.api.canaries import views
from tests.api.paying import EXPECTED, PAYER
from tests.counts import times
from tests.dashboard.test_saving import save, seen_on
from tests.dashboard.visitor import Visitor, passes, said, text
from tests.wire import card_payment, wire

HALF: re.Pattern[str] = re.compile(rf"\w{re.escape(hiding.HIDDEN)}|{re.escape(hiding.HIDDEN)}\w")


def place_of(key: str) -> str:
    found = parse(key)
    assert isinstance(found, ApiKey)
    return found.digest


def unlucky() -> Iterator[str]:
    """Keys whose workspaces have a number in their names."""
    return (key for at in count() if passes(place_of(key := f"snd_unlucky_{at}")))


@pytest.mark.parametrize("made", range(times(2, soak=60)))
def test_every_view_of_an_unlucky_workspace_shows_all_that_is_ours(made: int) -> None:
    api = wire().as_key(next(islice(unlucky(), made, None)))
    for (method, type_), row in EXPECTED.items():
        kind = {"payment_method": method, "payment_method_type": type_, "payment_method_data": row.data}
        reply = api.post("/payments", {**card_payment(), "confirm": True, "currency": row.currency, **kind, **PAYER})
        assert reply.status == 200, reply.raw
    seen = 0
    for path, _, shown in views(api, times(40, soak=300)):
        assert [shown[half.start() - 60 :][:100] for half in HALF.finditer(shown)] == [], path
        seen += place_of(str(api.key)) in shown
    assert seen > 30


def test_the_signature_of_an_event_is_shown(visitor: Visitor) -> None:
    visitor.api.pay()
    event = visitor.api.get("/_sandbox/webhooks")["data"][0]
    secrets = (f"secret {at}" for at in count())
    secret = next(one for one in secrets if passes(signature(one, event["payload"].encode())))
    visitor.api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/x", "secret": secret})
    visitor.api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")
    page = visitor.read(f"webhooks/{event['event_id']}")
    parts = shlex.split(said(page, "curl-receiver"))
    sent = dict(part.split(": ", 1) for before, part in pairwise(parts) if before == "-H")
    assert sent["X-Webhook-Signature-512"] == signature(secret, event["payload"].encode())
    assert said(page, "signature") == sent["X-Webhook-Signature-512"]


def test_a_scenario_is_saved_whatever_its_digest_is(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    texts = (f"rules:\n  - on: charge\n    then: {{decline: lost_card}} # {at}\n" for at in count())
    body = next(one for one in texts if passes(sha256(one.encode()).hexdigest()))
    visitor = Visitor(wire(scenarios=str(folder), scenarios_writable=True))
    assert save(visitor, "rainy", body).status == 200
    again = save(visitor, "rainy", "rules: []\n", seen_on(visitor.read("scenarios/rainy")))
    assert again.status == 200, text(again)
