"""What is scheduled about a payment: only what can still happen to it, in whichever way it got where it is."""

from __future__ import annotations

import itertools
import random
from typing import Any, Final

import pytest

from mock_server.domain.cards import CARDS
from mock_server.domain.events import DELIVER
from mock_server.domain.instants import iso
from mock_server.domain.statuses import DisputeStage
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.engine.disputes import TARGETS
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, wire

MINUTE_MS: Final = 60 * 1000
HELD: Final = (S.REQUIRES_CAPTURE, S.PARTIALLY_AUTHORIZED, S.PARTIALLY_CAPTURED_AND_CAPTURABLE)
ALWAYS: Final = {
    S.REQUIRES_ACTION: "payment.customer_time_over",
    **dict.fromkeys(HELD, "payment.authorization_expires"),
}
"""What is scheduled in a status whatever the card is."""
BY_CARD: Final = {S.REQUIRES_MERCHANT_ACTION: "payment.settles", S.PENDING: "payment.settles"}
"""What is scheduled for some cards. A dispute that the bank will open is scheduled wherever money is captured."""
CONTROL: Final = "/_sandbox/payments/{}"
STEPS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "settled": (f"{CONTROL}/settle", {"as": "succeeded"}),
    "failed": (f"{CONTROL}/settle", {"as": "failed"}),
    "authenticated": (f"{CONTROL}/authenticate", {"result": "approved"}),
    "not authenticated": (f"{CONTROL}/authenticate", {"result": "declined"}),
    "expired": (f"{CONTROL}/expire", {}),
    "captured": ("/payments/{}/capture", {}),
    "captured in part": ("/payments/{}/capture", {"amount_to_capture": 1000}),
    "cancelled": ("/payments/{}/cancel", {}),
    "approved": ("/payments/{}/approve", {}),
    "rejected": ("/payments/{}/reject", {}),
}
ISSUERS: Final = {repr(card.issuer): card.name for card in CARDS if card.number}
LIVES: Final = list(itertools.product(ISSUERS.values(), ("automatic", "manual", "manual_multiple"), STEPS, STEPS))


def scheduled(api: Wire, payment_id: str) -> tuple[S, set[str]]:
    """The status of a payment, and the kinds of what is scheduled about itself."""
    why = api.get(f"/_sandbox/payments/{payment_id}/why").json
    return S(why["status"]), {one["what"] for one in why["due"] if one["subject"] == payment_id}


@pytest.mark.parametrize("seed", range(times(2, soak=40)))
def test_only_what_can_still_happen_is_scheduled(seed: int) -> None:
    clock = ManualClock()
    api, draw = wire(clock=clock), random.Random(seed)
    for card, how, *steps in draw.sample(LIVES, 50):
        made = api.pay(card, capture_method=how, return_url="https://shop.test").json
        for step in ("", *steps):
            path, body = STEPS.get(step, ("", {}))
            if step and api.post(path.format(made["payment_id"]), body).status != 200:
                continue
            clock.advance(MINUTE_MS)
            status, kinds = scheduled(api, made["payment_id"])
            needed = {ALWAYS[status]} if status in ALWAYS else set()
            possible = {*needed, BY_CARD.get(status, ""), "payment.disputed"}
            assert needed <= kinds <= possible, (card, how, steps, status)


Acts = tuple[tuple[str, dict[str, str]], ...]
MORE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    **STEPS,
    "refund": ("/refunds", {"amount": 10}),
    "disputed": (f"{CONTROL}/dispute", {"amount": 10}),
}


@pytest.mark.parametrize("seed", range(times(2, soak=40)))
def test_a_payment_tells_all_that_is_scheduled_about_it(seed: int) -> None:
    """Also what will happen to its refunds and disputes; beside deliveries, which the webhooks tell."""
    draw = random.Random(f"told {seed}")
    api = wire(clock=ManualClock())
    for number in range(25):
        api = api.as_key(f"snd_told_{seed:04}{number:04}")
        made = api.pay(draw.choice(list(ISSUERS.values())), capture_method=draw.choice(("automatic", "manual"))).json
        for step in draw.choices(["refund", "disputed", *MORE], k=4):
            path, body = MORE[step]
            api.post("/_sandbox/next", {"on": "refunds.create", "then": {"outcome": "pending"}})
            own = {"payment_id": made["payment_id"]} if step == "refund" else {}
            api.post(path.format(made["payment_id"]), {**body, **own})
        why = api.get(f"/_sandbox/payments/{made['payment_id']}/why").json
        api.put("/_sandbox/snapshots/told")
        kept = api.get("/_sandbox/snapshots/told").json["workspace"]["due"]["entries"]
        wanted = [(iso(at), what, subject) for at, _, what, subject, _ in sorted(kept) if what != DELIVER]
        assert [(one["at"], one["what"], one["subject"]) for one in why["due"]] == wanted


BY_BANK: Final[Acts] = tuple(("/_sandbox/disputes/{}/advance", {"to": to}) for to in TARGETS)
BY_SHOP: Final[Acts] = (("/disputes/accept/{}", {}), ("/disputes/evidence", {"dispute_id": "{}"}))
LATER: Final = {"on": "disputes.submit_evidence", "then": {"settles": {"after": "1d", "as": "won"}}}


@pytest.mark.parametrize("seed", range(times(3, soak=100)))
def test_only_what_can_still_happen_to_a_dispute_is_scheduled(seed: int) -> None:
    """Its deadline while it is open, and how the bank will end it while that is undecided."""
    draw, seen = random.Random(f"disputes {seed}"), set()
    api = wire(clock=ManualClock())
    for _ in range(25):
        payment = api.pay()["payment_id"]
        body: dict[str, str] = {"stage": draw.choice(list(DisputeStage))}
        made = api.post(f"/_sandbox/payments/{payment}/dispute", body)["dispute_id"]
        for _ in range(4):
            assert api.post("/_sandbox/next", LATER).status == 200
            path, body = draw.choice((*BY_BANK, *BY_SHOP, BY_SHOP[1], BY_SHOP[1]))
            api.post(path.format(made), {name: text.format(made) for name, text in body.items()})
            shown = api.get(f"/disputes/{made}")
            due = {one["what"] for one in api.get(f"/_sandbox/payments/{payment}/why")["due"]}
            is_open = shown["dispute_status"] == "dispute_opened" and shown["challenge_required_by"] is not None
            assert ("dispute.deadline" in due) is is_open
            assert "dispute.settles" not in due or shown["dispute_status"] == "dispute_challenged"
            seen |= due
    assert seen == {"dispute.deadline", "dispute.settles"}
