"""What is sound word by word and still wrong or useless: rules that never match, fields that nothing has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from mock_server.domain.card_brands import luhn
from mock_server.domain.customer import Customer
from mock_server.domain.dispute import Dispute
from mock_server.domain.events import Event
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import KeptCard
from mock_server.domain.refund import Refund
from mock_server.scenario.conditions.paths import fields_of
from mock_server.scenario.conditions.when import Condition
from mock_server.scenario.loading import story_checks
from mock_server.scenario.loading.build import names_twice
from mock_server.scenario.loading.unreachable_rules import UnreachableRules
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.nodes import Way

Found = tuple[Way, str]


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """What keeps a scenario from being used, as far as its values could be read."""
    yield from _never_matching(values.get("rules") or ())
    yield from story_checks.mistakes(values)
    for number, name in names_twice(values.get("cards") or {}):
        yield ("cards", number, "name"), f"name {name} is the name of an earlier card"


def warnings(values: Mapping[str, Any]) -> Iterator[Found]:
    """What is allowed and surely not meant."""
    for at, rule in enumerate(values.get("rules") or ()):
        for condition in (rule or {}).get("when", ()):
            message = _unknown_field(condition)
            if message:
                yield ("rules", at, "when", condition.path.text), message
    for number in values.get("cards") or {}:
        if not luhn(number):
            yield ("cards", number), f"the card number {number} fails the check digit (Luhn) that payments are held to"


def _never_matching(rules: Sequence[Mapping[str, Any] | None]) -> Iterator[Found]:
    for at, taker in UnreachableRules().found(rules):
        yield ("rules", at), f"rule {at + 1} can never match: rule {taker + 1} takes all its calls first"


def _unknown_field(condition: Condition) -> str | None:
    root, step = condition.path.root.name, condition.path.steps[:1]
    known = known_fields().get(root)
    if known is None or not step or step[0] in known:
        return None
    return f"no {root} has a field {step[0]}{nearest(step[0], known)}; the condition will never hold"


@cache
def known_fields() -> Mapping[str, frozenset[str]]:
    """The fields that a path can lead to, by what it begins in."""
    # Bodies take 40 ms to make, and most scenarios ask for no field.
    from mock_server.contract.requests.payments.body import PLACES

    return {
        "payment": fields_of(Payment, PLACES.echoed),
        "card": fields_of(KeptCard),
        "customer": fields_of(Customer),
        "refund": fields_of(Refund),
        "dispute": fields_of(Dispute),
        "event": fields_of(Event),
    }
