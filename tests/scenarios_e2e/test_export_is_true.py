"""An export that says it is verified leads to the same money, whatever happened to the payment, and wherever its
journal begins. With a whole journal it is verified, also if a dispute was opened by the bank and not by a trigger.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from random import Random
from typing import Any, Final

import pytest

from mock_server.control.export import InProcess
from mock_server.dialects import DIALECTS
from mock_server.domain.limits import LIST_MAX
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.story.player import play
from tests.counts import times
from tests.wire import Reply, Wire, wire

# every step of some lives, and the journal from any moment on


def wait(api: Wire, by: str) -> Reply:
    return api.post("/_sandbox/clock/advance", {"by": by})


CARDS: Final = (
    "success", "visa_3ds_required", "visa_pending_succeeds", "visa_pending_fails", "visa_refund_pending",
    "visa_refund_fails_later", "visa_capture_fails", "visa_review", "visa_dispute_part", "visa_dispute_twice",
    "visa_partial_authorization", "visa_insufficient_funds",
)  # fmt: skip
SUMS: Final[Mapping[str, Any]] = {"shipping_cost": 300, "order_tax_amount": 200, "enable_partial_authorization": True}
STEPS: Final[Mapping[str, Callable[[Wire, Random], object]]] = {
    "capture": lambda api, draw: api.post("/payments/pay_1/capture", {"amount_to_capture": draw.choice((100, 6540))}),
    "cancel": lambda api, draw: api.post("/payments/pay_1/cancel"),
    "approve": lambda api, draw: api.post("/payments/pay_1/approve"),
    "refund": lambda api, draw: api.post("/refunds", {"payment_id": "pay_1", "amount": draw.choice((10, 20, 30))}),
    "pass": lambda api, draw: wait(api, draw.choice(("10s", "1h", "8d"))),
    "look": lambda api, draw: api.get("/payments/pay_1"),
    "authenticate": lambda api, draw: api.post("/_sandbox/payments/pay_1/authenticate", {"result": "approved"}),
    "dispute": lambda api, draw: api.post("/_sandbox/payments/pay_1/dispute", {"amount": draw.choice((40, 50))}),
    "answer": lambda api, draw: api.post("/disputes/evidence", {**_dispute(api), "uncategorized_text": "x"}),
    "end": lambda api, draw: api.post(f"/_sandbox/disputes/{_dispute(api)['dispute_id']}/advance", {"to": "won"}),
}
MANY: Final = 10


def _dispute(api: Wire) -> dict[str, str]:
    found = api.get("/_sandbox/records/disputes")["data"]
    return {"dispute_id": found[0]["dispute_id"] if found else "dp_none"}


def live(api: Wire, seed: int) -> bool:
    """A payment's life; in every second one the journal is cleared at some moment. Whether it was."""
    draw = Random(seed)
    api.post("/_sandbox/clock/freeze")
    moment = draw.randrange(1, MANY) if seed % 2 else None
    how = draw.choice(("automatic", "manual", "manual_multiple"))
    assert api.pay(draw.choice(CARDS), payment_id="pay_1", capture_method=how, **SUMS).status == 200
    for number in range(1, MANY):
        if number == moment:
            assert api.delete("/_sandbox/journal").status == 200
        STEPS[draw.choice(list(STEPS))](api, draw)
    return moment is not None


def money(payment: Mapping[str, Any]) -> dict[str, object]:
    """What an export has to lead to."""
    names = ("status", "amount", "net_amount", "amount_capturable", "amount_received")
    parts = {"refunds": ("amount", "status"), "disputes": ("amount", "dispute_stage", "dispute_status")}
    return {
        **{name: payment[name] for name in names},
        **{part: sorted([one[field] for field in of] for one in payment[part] or ()) for part, of in parts.items()},
    }


def exported(api: Wire) -> tuple[dict[str, Any], str]:
    """The scenario, and what it says of itself."""
    found: Reply = api.get("/_sandbox/payments/pay_1/export", Accept="application/json")
    return found.json, found.headers["X-Sandbox-Verified"]


def replayed(api: Wire, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payment after the scenario was played in a new server."""
    client = InProcess(api.sandbox.scratch())
    client.control("PUT", f"scenarios/{document['name']}", document)
    client.control("POST", f"scenarios/{document['name']}/activate", None)
    scenario = load_mapping(document).scenario
    assert [step.did for step in play(scenario, client) if not step.holds] == []
    answer: Mapping[str, Any] = client.request("GET", "/payments/pay_1", None, {}).body
    return answer


@pytest.mark.parametrize("seed", range(times(33, soak=1_000)))
def test_an_export_that_is_verified_leads_to_the_same_money(seed: int) -> None:
    api = wire()
    is_cut = live(api, seed)
    payment = api.get("/payments/pay_1").json
    document, said = exported(api)
    assert is_cut or said.startswith("verified"), said
    if said.startswith("verified"):
        assert money(replayed(api, document)) == money(payment), json.dumps(document, indent=1)


# disputes, whoever opens them

OPENED: Final[Mapping[str, Callable[[Wire], object]]] = {
    "trigger": lambda api: (api.pay(payment_id="pay_1"), api.post("/_sandbox/payments/pay_1/dispute")),
    "card": lambda api: api.pay("visa_dispute_fraudulent", payment_id="pay_1"),
    "card, twice": lambda api: api.pay("visa_dispute_twice", payment_id="pay_1"),
    "card, later": lambda api: (api.pay("visa_dispute_later", payment_id="pay_1"), wait(api, "31d")),
    "card, captured": lambda api: (
        api.pay("visa_dispute_fraudulent", payment_id="pay_1", capture_method="manual"),
        api.post("/payments/pay_1/capture"),
    ),
    "queue": lambda api: (
        api.post("/_sandbox/next", {"on": "charge", "then": {"dispute": {"after": "1h", "reason": "fraudulent"}}}),
        api.pay(payment_id="pay_1"),
        wait(api, "2h"),
    ),
}
SEEN: Final[Mapping[str, Callable[[Wire, str], object]]] = {
    "never": lambda api, dispute_id: None,
    "in the payment": lambda api, dispute_id: api.get("/payments/pay_1"),
    "in a list": lambda api, dispute_id: api.get("/disputes/list?payment_id=pay_1"),
    "alone": lambda api, dispute_id: api.get(f"/disputes/{dispute_id}"),
}
DONE: Final[Mapping[str, Callable[[Wire, str], Reply]]] = {
    "retrieve": lambda api, dispute_id: api.get(f"/disputes/{dispute_id}"),
    "accept": lambda api, dispute_id: api.post(f"/disputes/accept/{dispute_id}"),
    "answer": lambda api, dispute_id: api.post(
        "/disputes/evidence", {"dispute_id": dispute_id, "uncategorized_text": "winning_evidence"}
    ),
    "evidence": lambda api, dispute_id: api.get(f"/disputes/evidence/{dispute_id}"),
    "win": lambda api, dispute_id: api.post(f"/_sandbox/disputes/{dispute_id}/advance", {"to": "won"}),
    "escalate": lambda api, dispute_id: api.post(f"/_sandbox/disputes/{dispute_id}/advance", {"to": "next_stage"}),
}
WAYS: Final = [*product(OPENED, SEEN, DONE, DIALECTS)]


@pytest.mark.parametrize(("opened", "seen", "done", "dialect"), WAYS[:: times(7, soak=1)])
def test_a_dispute_is_found_again(opened: str, seen: str, done: str, dialect: str) -> None:
    api = wire(dialect=DIALECTS[dialect]())
    api.post("/_sandbox/clock/freeze")
    OPENED[opened](api)
    every = [one["dispute_id"] for one in api.get("/_sandbox/records/disputes")["data"]]
    for dispute_id in every:
        SEEN[seen](api, dispute_id)
        assert DONE[done](api, dispute_id).status == 200
    payment = api.get("/payments/pay_1").json
    document, said = exported(api)
    assert said.startswith("verified"), said
    assert money(replayed(api, document)) == money(payment)


def test_more_disputes_than_a_payment_shows_are_verified() -> None:
    api = wire()
    api.pay(payment_id="pay_1")
    for _ in range(LIST_MAX + 1):
        assert api.post("/_sandbox/payments/pay_1/dispute", {"amount": 1}).status == 200
    _, said = exported(api)
    assert said.startswith("verified"), said
