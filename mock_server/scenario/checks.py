"""What is sound word by word and still wrong or useless: rules that never match, fields that nothing has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Final

from mock_server.domain.card_brands import luhn
from mock_server.domain.customer import Customer
from mock_server.domain.payment import Payment
from mock_server.domain.payment_parts import KeptCard
from mock_server.scenario.build import names_twice
from mock_server.scenario.conditions import Condition
from mock_server.scenario.mistakes import nearest
from mock_server.scenario.nodes import Way
from mock_server.scenario.paths import ALIASES
from mock_server.scenario.takers import Takers

Found = tuple[Way, str]


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """What keeps a scenario from being used, as far as its values could be read."""
    yield from _never_matching(values.get("rules") or ())
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
    for at, taker in Takers().found(rules):
        yield ("rules", at), f"rule {at + 1} can never match: rule {taker + 1} takes all its calls first"


def _unknown_field(condition: Condition) -> str | None:
    root, step = condition.path.root.name, condition.path.steps[:1]
    known = _fields().get(root)
    if known is None or not step or step[0] in known:
        return None
    return f"no {root} has a field {step[0]}{nearest(step[0], known)}; the condition will never hold"


@cache
def _fields() -> Mapping[str, frozenset[str]]:
    """The fields of the records that are known here; echoed ones of a payment by their documented names."""
    return {
        "payment": _of(Payment) | frozenset(ALIASES) | ECHOED,
        "card": _of(KeptCard),
        "customer": _of(Customer) | frozenset(ALIASES),
    }


def _of(kind: type[Any]) -> frozenset[str]:
    properties = {name for name in dir(kind) if isinstance(getattr(kind, name), property)}
    return frozenset(field.name for field in fields(kind)) | properties


ECHOED: Final = frozenset(
    [
        "description",
        "billing",
        "shipping",
        "browser_info",
        "order_details",
        "statement_descriptor_name",
        "statement_descriptor_suffix",
        "billing_descriptor",
        "connector_metadata",
        "feature_metadata",
        "frm_metadata",
        "allowed_payment_method_types",
        "payment_experience",
        "business_country",
        "business_label",
        "business_sub_label",
        "routing",
        "payment_link",
        "request_external_three_ds_authentication",
        "force_3ds_challenge",
        "payment_channel",
        "split_payments",
        "all_keys_required",
        "is_iframe_redirection_enabled",
        "tax_status",
        "discount_amount",
        "shipping_amount_tax",
        "duty_amount",
        "order_date",
        "is_stored_credential",
        "mit_category",
        "tokenization",
    ]
)
"""Fields that are only given back (facts §2.1)."""
