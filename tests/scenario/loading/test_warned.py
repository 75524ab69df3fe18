"""An answer that a rule never gives is warned of, by the file alone; whether it is given, many calls say."""

from __future__ import annotations

import json
from itertools import product
from typing import Any, Final

import pytest
from marshmallow import Schema

from mock_server.contract.operations import BY_NAME, CHARGE
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.card_brands import BRANDS, OTHER, Brand, luhn
from mock_server.scenario.conditions.on import LISTENED, has
from mock_server.scenario.loading.load import load_text
from tests.scenario.workspace import Workspace, charge
from tests.wire import card_payment, wire

DECLINES: Final = ("lost_card", "stolen_card", "expired_card")
CALLS: Final = 12
"""As many as every answer of a list needs, with all that is skipped before."""
LIMITS: Final[dict[str, tuple[Any, ...]]] = {
    "times": (None, 1, 2, 3),
    "skip": (None, 2),
    "every": (None, 2),
    "probability": (None, 0, "0%", 1),
    "repeat": (None, "stop"),
}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_rule_that_leaves_answers_out_is_warned_of(size: int) -> None:
    then = [{"decline": name} for name in DECLINES[:size]]
    for values in product(*LIMITS.values()):
        limits = {name: value for name, value in zip(LIMITS, values, strict=True) if value is not None}
        text = json.dumps({"name": "s", "rules": [{"on": "charge", "then": then, **limits}]})
        workspace, warnings = Workspace(text), load_text(text, "s.yaml").warnings
        given = {workspace.decide(charge()).outcome.decline for _ in range(CALLS)} - {None}
        assert bool(warnings) is (len(given) < size), (limits, given, warnings)


LISTED: Final = sorted(name for name in LISTENED if has("attempt", name, answered=False))


@pytest.mark.parametrize("name", LISTED)
def test_a_condition_on_the_attempt_of_no_payment_is_warned_of(name: str) -> None:
    """It is 1 in each such call, where the author counts calls; a call names its payment by one of three ids."""
    row = BY_NAME.get(name)
    sent = [row.path] if row else [name]
    shape: Any = row and row.takes[0] and row.takes[0].of(INTERFACE)
    sent += getattr(getattr(shape, "one", shape), "schema", Schema()).load_fields
    names_one = row is None or any(f"{kind}_id" in part for kind in ("payment", "refund", "dispute") for part in sent)
    is_warned = not names_one or name == "payments.create"
    then = {"copies": 2} if "webhook." in name else {"decline": "lost_card"} if name == CHARGE else {"delay": "1ms"}
    told = warned({"rules": [{"on": name, "when": {"attempt": 1}, "then": then}]})
    assert [message[:28] for message in told] == ["attempt is 1 without an earl"] * is_warned
    assert warned({"rules": [{"on": name, "then": then}]}) == []


@pytest.mark.parametrize("brand", [*BRANDS, OTHER], ids=lambda brand: str(brand.name))
def test_a_card_whose_number_no_payment_takes_is_warned_of(brand: Brand) -> None:
    api, prefix = wire(), brand.prefixes[0][0] if brand.prefixes else "9"
    for length, wrong_by in product(range(12, 20), (0, 1)):
        digits = prefix.ljust(length - 1, "0")
        right = next(last for last in range(10) if luhn(f"{digits}{last}"))
        number = f"{digits}{(right + wrong_by) % 10}"
        card = {
            "card_number": number,
            "card_exp_month": "12",
            "card_exp_year": "2035",
            "card_cvc": "1234"[: 3 + (length == 15)],
        }
        reply = api.post("/payments", card_payment(payment_method_data={"card": card}))
        told = warned({"cards": {number: {"name": "own", "decline": "lost_card"}}})
        assert bool(told) is (reply.status != 200), (number, told, reply.raw)


@pytest.mark.parametrize("of", ["pay", "pay.refunds.0", "pay_", "$pay", "other", "paying"])
@pytest.mark.parametrize("given", [None, "pay", "pay.refunds.0"])
def test_a_name_of_a_step_is_not_meant_as_an_id(of: str, given: str | None) -> None:
    ids = {} if given is None else {"payment_id": given}
    first = {"do": "payments.create", "with": {"amount": 100, "currency": "EUR", **ids}, "as": "pay"}
    told = warned({"story": [first, {"do": "payments.retrieve", "of": of}]})
    is_meant = of in ("pay", "pay.refunds.0") and of != given
    assert told == ([f"of is the ID {of}; the answer of that step is ${of}"] if is_meant else [])
    assert warned({"story": [{"do": "payments.retrieve", "of": of.strip("$")}, first]}) == []


def warned(scenario: dict[str, Any]) -> list[str]:
    return [warning.message for warning in load_text(json.dumps(scenario), "s.yaml").warnings]
