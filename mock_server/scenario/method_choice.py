"""What a payment without a card comes to by itself: its method's default, or what its UPI address says."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mock_server.domain import method_answers, methods
from mock_server.domain.outcomes import APPROVED, Because, Decision, Moment
from mock_server.scenario.outcome_words import say


def method_default(moment: Moment) -> Decision:
    """What a charge without a card comes to; it always answers."""
    payment: Any = moment.records.get("payment")
    category, type_ = getattr(payment, "payment_method", None), getattr(payment, "payment_method_type", None)
    kept = getattr(payment, "method", None)
    if getattr(moment.records.get("asking"), "saved", False):
        return _saved(category or "method")
    if category is None or type_ is None:
        return nothing_speaks(moment.names[0])
    return _default(category, type_, getattr(kept, "name", None), getattr(kept, "hint", None))


@lru_cache(maxsize=1024)
def _default(category: str, type_: str, payload: str | None, vpa: str | None) -> Decision:
    inputs: dict[str, object] = {"payment.payment_method": category, "payment.payment_method_type": type_}
    row = methods.find(category, type_)
    if row is None:
        return Decision(APPROVED, Because("method", f"{category} {type_}: succeeded", None, inputs))
    outcome = method_answers.answer(row, payload, vpa)
    if vpa is not None:
        inputs["vpa_id"] = vpa
    if payload and payload != type_:
        inputs["payment_method_data"] = payload
    said = f"default of {category} {type_}" if vpa is None else f"UPI address {vpa}"
    return Decision(outcome, Because("method", f"{said}: {say(outcome)}", f"{category}/{type_}", inputs))


@lru_cache(maxsize=64)
def _saved(category: str) -> Decision:
    return Decision(APPROVED, Because("method", f"saved {category}, charged again: succeeded"))


@lru_cache(maxsize=64)
def nothing_speaks(name: str) -> Decision:
    """What is left where nobody has a word."""
    return Decision(APPROVED, Because("default", f"no rule matched {name}: succeeded"))
