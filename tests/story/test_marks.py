"""Attempts and captures stand in the story after the call that made them, and before what came next."""

from __future__ import annotations

import random

import pytest

from tests.counts import times
from tests.wire import Wire, card_payment, wire


def fine(api: Wire, path: str, **body: object) -> None:
    assert api.post(path, dict(body)).status == 200


@pytest.mark.parametrize("seed", range(times(4, soak=200)))
def test_each_mark_follows_its_call(seed: int) -> None:
    chance, api = random.Random(seed), wire()
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    tries = [chance.choice(("visa_insufficient_funds", "visa_lost_card")) for _ in range(chance.randrange(4))]
    method = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
    first = api.pay((*tries, "visa_success")[0], capture_method="manual_multiple")
    path = f"/payments/{first['payment_id']}"
    fine(api, f"/account/{first['merchant_id']}/business_profile/pro_shop", is_manual_retry_enabled=True)
    for card in (*tries[1:], "visa_success")[: len(tries)]:
        between(api, chance, path)
        fine(api, f"{path}/confirm", **{**method, "payment_method_data": card_payment(card)["payment_method_data"]})
    for _ in range(chance.randrange(1, 6)):
        between(api, chance, path)
        fine(api, f"{path}/capture", amount_to_capture=10)
    rows = api.get(f"/_sandbox{path}/timeline")["data"]
    calls = [
        at for at, row in enumerate(rows) if row["kind"] == "call" and row["path"].endswith(("/confirm", "/capture"))
    ]
    marks = [at for at, row in enumerate(rows) if row["kind"] in ("attempt", "capture")]
    assert len(calls) == len(marks) > 0
    for call, mark in zip(calls, marks, strict=True):
        following = (at for at, row in enumerate(rows) if at > call and row["kind"] in ("call", "event", "clock"))
        assert call < mark < next(following, len(rows)), (seed, call, mark)


def between(api: Wire, chance: random.Random, path: str) -> None:
    """Time goes by, or stands still, and other calls are made: a mark only knows the time of its call."""
    for _ in range(chance.randrange(3)):
        if chance.random() < 0.5:
            api.post("/_sandbox/clock/advance", {"by": "7s"})
        api.get(path)
    if chance.random() < 0.5:
        api.post("/_sandbox/clock/advance", {"by": "1s"})
