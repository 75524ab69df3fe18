"""A charge that is settled in part keeps all that one keeps which is settled in full: only the money differs.

Every field of the stored payment is compared, and what its card's bank planned for later.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.domain.payment import Payment
from mock_server.engine.kinds import MANDATES, PAYMENT_METHODS
from tests.api.places import workspace
from tests.api.saving import ACCEPTANCE, CUSTOMER, mandate
from tests.clocks import ManualClock
from tests.wire import Wire, wire

MONEY: Final = {"status", "authorized_amount", "captured_amount", "disputed_amount"}
OWN: Final = {"payment_id", "client_secret", "told", "past_attempts"}
PLANS: Final[dict[str, dict[str, Any]]] = {
    "a dispute": {"dispute": {"after": "1d", "reason": "fraudulent", "amount": "50%"}},
    "two disputes": {"dispute": [{"after": "1d", "amount": 10}, {"after": "2d", "amount": 20}]},
    "a refund that fails": {"later": {"refund": "failed"}},
}
SAVES: Final[dict[str, dict[str, Any]]] = {
    "nothing": {},
    "its method": {"setup_future_usage": "off_session", "customer_acceptance": ACCEPTANCE},
    "a mandate": {
        "setup_future_usage": "off_session",
        "mandate_data": {"customer_acceptance": ACCEPTANCE, "mandate_type": {"multi_use": None}},
    },
    "a use of a mandate": {"off_session": True},
}
AMOUNT, PART = 1000, 600


class Settled:
    """A pending charge that was settled, with all that the sandbox keeps of it."""

    def __init__(self, plans: tuple[str, ...], saves: str, amount: int | None) -> None:
        clock = ManualClock()
        self.api: Wire = wire(clock=clock)
        by = {"mandate_id": mandate(self.api, "multi_use")} if saves == "a use of a mandate" else {}
        then: dict[str, Any] = {"settles": {"after": "1h", "as": "succeeded"}}
        for plan in plans:
            then |= PLANS[plan]
        assert self.api.post("/_sandbox/next", {"on": "charge", "then": then}).status == 200
        how = {"customer_id": CUSTOMER, "amount": AMOUNT, **SAVES[saves], **by}
        if by:
            body = {"currency": "USD", "profile_id": "pro_shop", "confirm": True, **how}
            made = self.api.post("/payments", body)
        else:
            made = self.api.pay(**how)
        assert made["status"] == "pending", made.raw
        said = {"as": "succeeded", **({} if amount is None else {"amount": amount})}
        reply = self.api.post(f"/_sandbox/payments/{made['payment_id']}/settle", said)
        assert reply["amount_received"] == (amount or AMOUNT), reply.raw
        self.payment_id = str(made["payment_id"])
        self.refund = self.api.post("/refunds", {"payment_id": self.payment_id, "amount": 1})["status"]
        clock.advance(3 * 24 * 60 * 60 * 1000)
        self.api.get(f"/payments/{self.payment_id}")

    def kept(self) -> dict[str, Any]:
        """What stays of the payment, but the money."""
        found = workspace(self.api).find_payment(self.payment_id)
        assert isinstance(found, Payment)
        space = workspace(self.api).space
        saved = space.get(PAYMENT_METHODS, found.payment_method_id or "")
        agreed = space.get(MANDATES, found.mandate_id or "")
        return {
            **{name: value for name, value in structs.asdict(found).items() if name not in MONEY | OWN},
            "method": saved and (saved.status, saved.usage, saved.connector_mandate_id),
            "mandate": agreed and (agreed.status, agreed.uses),
            "refund": self.refund,
        }


@pytest.mark.parametrize("saves", SAVES)
def test_a_part_keeps_what_the_whole_keeps(saves: str) -> None:
    found = []
    for plans in (one for size in range(len(PLANS) + 1) for one in combinations(PLANS, size)):
        whole, part = Settled(plans, saves, None).kept(), Settled(plans, saves, PART).kept()
        differs = {name: (part[name], whole[name]) for name in whole if part[name] != whole[name]}
        if differs:
            found.append((plans, differs))
    assert not found, (len(found), found[:3])
