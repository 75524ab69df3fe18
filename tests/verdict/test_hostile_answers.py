"""What a scenario answers in the API's place has any value in any field: the verdict still answers."""

from __future__ import annotations

import json
import random
from typing import Any, Final

import pytest

from mock_server.verdict.evidence import read
from mock_server.verdict.rules import judge
from tests.control.mutants import nested
from tests.counts import times
from tests.dashboard.visitor import Visitor
from tests.verdict.clients_by_kind import Client
from tests.verdict.conftest import Left
from tests.verdict.test_growth import CLIENTS
from tests.verdict.test_hostile_calls import ODD, VIEWS
from tests.wire import card_payment, wire

MANY: Final = times(60, soak=3_000)
"""For each client."""
AT_ONCE: Final = 3
"""How many are odd when it is judged: each rule looks at few of them."""


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_an_answer_of_any_kind_is_judged(left: Left, client: Client) -> None:
    evidence = left(client)
    places = [(line, name) for line in evidence["journal"]["data"] for name in ("response", "request") if line[name]]
    places += [(event, "body") for event in evidence["webhooks"]["data"]]
    chance = random.Random(client.__name__)
    for _ in range(0, MANY if places else 0, AT_ONCE):
        some = chance.sample(places, min(AT_ONCE, len(places)))
        wholes = [place[name] for place, name in some]
        for place, name in some:
            place[name] = changed(place[name], chance, chance.choice((*ODD, nested(60))))
        judge(read(evidence))
        for (place, name), whole in zip(some, wholes, strict=True):
            place[name] = whole


def changed(value: Any, chance: random.Random, odd: Any) -> Any:
    """A value with something odd in one place, mostly near the top."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(list(value))
        return {**value, name: changed(value[name], chance, odd) if chance.random() < 0.3 else odd}
    return odd


CALLS: Final[dict[str, tuple[str, str, Any]]] = {
    "payments.create": ("POST", "/payments", {**card_payment("visa_insufficient_funds"), "confirm": True}),
    "payments.retrieve": ("GET", "/payments/{0}", None),
    "payments.capture": ("POST", "/payments/{0}/capture", {}),
    "refunds.create": ("POST", "/refunds", {"payment_id": "{0}", "amount": 1}),
}
WRITABLE: Final = [odd for odd in ODD if odd != 10**30]
"""What a scenario can hold."""


@pytest.mark.parametrize("seed", range(times(10, soak=500)))
def test_an_answer_of_any_kind_is_shown(seed: int) -> None:
    api, chance = wire(), random.Random(seed)
    sound = api.pay(capture_method="manual").json
    payment = sound["payment_id"]
    rules = [
        {"on": name, "then": {"effect": "kept", "respond": {"status": 200, "body": changed(sound, chance, odd)}}}
        for name, odd in zip(CALLS, chance.choices((*WRITABLE, nested(9)), k=len(CALLS)), strict=True)
    ]
    assert api.put("/_sandbox/scenarios/odd", {"version": 1, "rules": rules}).status == 200, rules
    assert api.post("/_sandbox/scenarios/odd/activate").status == 200
    client = api.app.test_client()  # `api` would hold the answers against the document
    for method, path, body in (*CALLS.values(), CALLS["payments.create"], CALLS["refunds.create"]):
        sent = json.loads(json.dumps(body).replace("{0}", payment))
        reply = client.open(path.format(payment), method=method, json=sent, headers={"api-key": str(api.key)})
        assert reply.status_code == 200, reply.data
    visitor = Visitor(api)
    for view in VIEWS:
        assert visitor.look(view.format(payment)).status == 200, (view, rules)
    for view in (f"payments/{payment}/timeline", f"payments/{payment}/export", "verdicts", "journal"):
        assert api.get(f"/_sandbox/{view}").status == 200, (view, rules)
