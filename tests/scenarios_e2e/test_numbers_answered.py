"""Numbers in the answers of a scenario or of a one-shot entry are answered as they were given, and can be kept."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.wire import Wire, card_payment, wire

NUMBERS: Final = (2.0**53, 1e16, 1e20, -1e20, 1e21, 1.5e300, 1e-7, 2**53 - 1)


def once(api: Wire, then: dict[str, Any]) -> None:
    assert api.post("/_sandbox/next", {"on": "payments.create", "then": then}).status == 200


def always(api: Wire, then: dict[str, Any]) -> None:
    scenario = {"version": 1, "rules": [{"on": "payments.create", "then": then}]}
    assert api.call("PUT", "/_sandbox/scenarios/numbers", scenario).status in (200, 201)
    assert api.post("/_sandbox/scenarios/numbers/activate").status == 200


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("begin", [once, always])
def test_a_number_is_answered_and_kept(begin: Any, number: float) -> None:
    api = wire()
    begin(api, {"respond": {"status": 418, "body": {"x": number}}})
    assert api.call("PUT", "/_sandbox/snapshots/before").status == 200
    for _ in range(2):
        answered = api.post("/payments", {**card_payment(), "confirm": True})
        assert (answered.status, json.loads(answered.raw)["x"]) == (418, number)
        assert api.post("/_sandbox/snapshots/before/restore").status == 200
