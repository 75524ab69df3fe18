"""Which fields of bodies take anything: each stands here with its reason, and all others are read with their types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from marshmallow import Schema

from mock_server.contract.kinds.objects import Items, ObjectOf, Variant
from mock_server.contract.kinds.values import Anything, Free
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE

MANY: Final = "more than a few fields of many shapes, and none has a function here (decision 0028)"
KEYS: Final = "credentials, of which nothing is returned"
DROPPED: Final = "nothing of it is returned or has an effect"
LOOKS: Final = "how a link looks, in names and sizes of the shop's own"
UNREAD: Final = {
    **dict.fromkeys(("connector_metadata", "feature_metadata", "frm_metadata", "routing", "split_payments"), MANY),
    **dict.fromkeys(("split_refunds", "acquirer_configs", "additional_merchant_data", "frm_configs"), MANY),
    **dict.fromkeys(("pm_auth_config", "payment_method_blocking", "pm_collect_link_config"), MANY),
    **dict.fromkeys(("routing_algorithm", "frm_routing_algorithm", "payout_routing_algorithm"), MANY),
    **dict.fromkeys(("payout_link_config", "authentication_product_ids"), MANY),
    **dict.fromkeys(("connector_account_details", "connector_webhook_details", "connector_wallets_details"), KEYS),
    "network_tokenization_credentials": KEYS,
    **dict.fromkeys(("merchant_connector_details", "bank_transfer", "bank_transfer_data", "wallet"), DROPPED),
    **dict.fromkeys(("transaction_details", "background_image", "business_specific_configs"), LOOKS),
    **dict.fromkeys(("sdk_ui_rules", "payment_link_ui_rules", "custom_message_for_payment_method_types"), LOOKS),
    "metadata": "the shop's own",
    "number_of_installments": "a text in the public document, and an array on its server",
    "payment_channel": "a word or an object, by a rule of its own",
    "primary_business_details": "only the public dialect makes profiles of them",
    "filters": "the dimensions of figures, which the engine reads",
    "payment_method_data": "of an eligibility call, which looks at a card's first digits alone",
    "data": "a wallet's decrypted token",
}
"""The fields by their last name, with the reason."""
PAYLOADS: Final = {"payment_method_data", "wallet", "pay_later", "bank_redirect", "bank_transfer"}
"""What holds payloads of wallets and banks, whose shapes their own scripts set (interface §2.4)."""


def unread(schema: Schema, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every field that takes anything, at any depth."""
    for name, field in schema.load_fields.items():
        inner, here = (field.inner if isinstance(field, Items) else field), (*path, name)
        if type(inner) in (Free, Anything):
            yield here
        elif isinstance(inner, Variant):
            for kind in inner.variants:
                yield from unread(inner.schema_for({inner.on: kind}), here)
        elif isinstance(inner, ObjectOf):
            yield from unread(inner.schema, here)


def found() -> set[str]:
    names = set()
    for dialect in (INTERFACE, HYPERSWITCH):
        for row in BY_NAME.values():
            shape: Any = None if row.takes[0] is None or row.multipart else row.takes[0].of(dialect)
            schema = getattr(getattr(shape, "one", shape), "schema", None)
            if isinstance(schema, Schema):
                names |= {path[-1] for path in unread(schema) if PAYLOADS.isdisjoint(path[:-1])}
    return names


def test_what_takes_anything_has_its_reason() -> None:
    assert found() == set(UNREAD)
