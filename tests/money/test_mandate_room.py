"""What a mandate allows is what its charges leave: never more is taken, and never less is allowed.

Each charge counts with the most that it can still take until it is over, and then with what it captured. The run is
some hundreds of operations; with PAYMENT_SANDBOX_SOAK it is ten thousand.
"""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from tests.api.saving import ACCEPTANCE, CUSTOMER, mandate
from tests.counts import times
from tests.money.laws import TERMINAL
from tests.money.laws import WITHOUT_MONEY as UNCHARGED
from tests.wire import Reply, Wire, wire

LIMIT: Final = 1_000
SEEDS: Final = times(12, soak=200)
STEPS: Final = times(25, soak=50)
WORDS: Final = (None, None, None, "pending", "failed")


class Mandates:
    """One mandate, and all that was ever charged by it."""

    def __init__(self, seed: int, kind: str) -> None:
        self.api: Wire = wire()
        self.kind = kind
        self.draw = random.Random(seed)
        self.mandate_id = mandate(self.api, kind, amount=LIMIT)
        self.charges: dict[str, dict[str, Any]] = {}
        self.asked: dict[str, int] = {}

    def post(self, path: str, body: object, wish: str | None) -> Reply:
        return self.api.post(path, body, **({} if wish is None else {"X_Sandbox_Outcome": wish}))

    def look(self) -> None:
        for payment_id in self.charges:
            self.charges[payment_id] = self.api.get(f"/payments/{payment_id}").json

    def taken(self, payment: dict[str, Any]) -> int:
        received = int(payment["amount_received"] or 0)
        if payment["status"] in TERMINAL:
            return received
        return max(int(payment["net_amount"]), received + self.asked.get(payment["payment_id"], 0))

    @property
    def room(self) -> int:
        return LIMIT - sum(map(self.taken, self.charges.values()))

    def charge(self, amount: int, wish: str | None, **fields: Any) -> Reply:
        headers = {} if wish is None else {"X_Sandbox_Outcome": wish}
        asked = {"amount": amount, "customer_id": CUSTOMER, **fields}
        body = {"currency": "USD", "profile_id": "pro_shop", "confirm": True, "off_session": True, **asked}
        details = {"type": "mandate_id", "data": self.mandate_id}
        return self.api.post("/payments", {**body, "recurring_details": details}, **headers)

    def check(self) -> None:
        """One more than is left is refused, and exactly what is left is not."""
        self.look()
        assert self.room >= 0, self.charges
        used = self.kind == "single_use" and any(one["status"] not in UNCHARGED for one in self.charges.values())
        assert self.charge(self.room + 1, "failed").status == 400
        assert self.charge(self.room, "failed").status == (400 if used else 200)

    def step(self) -> None:
        if not self.charges or self.draw.random() < 0.3:
            self.renew()
            return
        payment_id = self.draw.choice(list(self.charges)[-4:])
        path, wish = f"/payments/{payment_id}", self.draw.choice(WORDS)
        amount = self.draw.choice((1, LIMIT // 8, LIMIT // 4, LIMIT // 3 * 6 // 5, LIMIT))
        move = self.draw.choice(("capture", "capture", "cancel", "reverse", "increment", "settle", "wait"))
        if move == "capture":
            if self.post(f"{path}/capture", {"amount_to_capture": amount}, wish).status == 200:
                self.asked[payment_id] = self.asked.get(payment_id, 0) + amount if wish == "pending" else 0
        elif move == "settle":
            word = self.draw.choice(("succeeded", "failed"))
            if self.post(f"/_sandbox{path}/settle", {"as": word}, None).status == 200:
                self.asked[payment_id] = 0
        elif move == "wait":
            self.post("/_sandbox/clock/advance", {"by": self.draw.choice(("1d", "8d"))}, None)
        elif move == "increment":
            self.post(f"{path}/incremental_authorization", {"amount": amount}, wish)
        else:
            self.post(f"{path}/{'cancel' if move == 'cancel' else 'cancel_post_capture'}", {}, wish)

    def renew(self) -> None:
        draw, method = self.draw, self.draw.choice(("automatic", "manual", "manual_multiple"))
        fields = {"request_incremental_authorization": draw.choice((True, False)), "capture_method": method}
        if method == "manual":
            fields["enable_overcapture"] = draw.choice((True, False))
        amount, wish = draw.choice((1, LIMIT // 4, LIMIT // 3, self.room)), draw.choice((*WORDS, "requires_action"))
        reply = self.charge(amount, wish, **fields)
        assert reply.status in (200, 400), reply.raw
        if reply.status == 200:
            self.charges[reply["payment_id"]] = reply.json


@pytest.mark.parametrize("kind", ["multi_use", "single_use"])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_mandate_allows_what_its_charges_leave(seed: int, kind: str) -> None:
    mandates = Mandates(seed, kind)
    for _ in range(STEPS):
        mandates.step()
        mandates.check()


def test_a_charge_that_was_approved_in_part_leaves_the_rest() -> None:
    mandates = Mandates(1, "multi_use")
    agreed = {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": {"amount": LIMIT, "currency": "USD"}}}
    part = {"enable_partial_authorization": True}
    card = mandates.api.pay(
        "visa_partial_authorization",
        customer_id=CUSTOMER,
        setup_future_usage="off_session",
        mandate_data=agreed,
        **part,
    )
    mandates.mandate_id = card["mandate_id"]
    assert mandates.charge(600, None, capture_method="manual", **part)["amount_capturable"] == 300
    assert mandates.charge(LIMIT - 300 + 1, "failed").status == 400
    assert mandates.charge(LIMIT - 300, "failed").status == 200
