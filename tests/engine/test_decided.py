"""What is noted of a decision: the call that it was about, by whatever name its answer was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.wire import Wire, wire

CALLS: Final[dict[str, Callable[[Wire], Any]]] = {
    "payments.create": lambda api: api.pay(),
    "payments.confirm": lambda api: api.post(f"/payments/{api.pay(confirm=False)['payment_id']}/confirm", {}),
    "payments.capture": lambda api: api.post(f"/payments/{api.pay(capture_method='manual')['payment_id']}/capture", {}),
    "payments.cancel": lambda api: api.post(f"/payments/{api.pay(capture_method='manual')['payment_id']}/cancel", {}),
}


ASKED: Final = [*((operation, operation) for operation in CALLS), *((one, "charge") for one in list(CALLS)[:2])]


@pytest.mark.parametrize(("operation", "name"), ASKED)
def test_a_decision_names_its_call(operation: str, name: str) -> None:
    api = wire()
    entry = {"on": name, "then": {"decline": "expired_card"}}
    assert api.post("/_sandbox/next", entry).status == 200
    payment_id = CALLS[operation](api)["payment_id"]
    (decision,) = [one for one in api.get(f"/_sandbox/payments/{payment_id}/why")["decisions"] if one["by"] == "queue"]
    assert (decision["operation"], decision["inputs"]["operation"]) == (operation, operation)
