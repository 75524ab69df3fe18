"""A customer of a merchant (facts §2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from msgspec import structs

from mock_server.domain.commands import JsonText
from mock_server.domain.records import Record

REDACTED: Final = "Redacted"
"""The texts of a deleted customer (ours)."""


class Customer(Record, frozen=True, kw_only=True):
    """Who pays; `redacted` once deleted: the record stays, with its texts replaced."""

    customer_id: str
    created_at: int
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    description: str | None = None
    tax_registration_id: str | None = None
    address: JsonText | None = None
    metadata: JsonText | None = None
    document_details: JsonText | None = None
    default_payment_method_id: str | None = None
    redacted: bool = False


class CustomerFields(NamedTuple):
    """The body of create, update and replace: the id, and what the record stores (facts §2.6).

    In a replacement, `carried` has None for what was not sent.
    """

    customer_id: str | None = None
    carried: Mapping[str, Any] = MappingProxyType({})


_TEXTS: Final = ("name", "email", "phone", "phone_country_code", "description", "tax_registration_id")
_FORGOTTEN: Final = ("address", "metadata", "document_details", "default_payment_method_id")


def redacted(customer: Customer) -> Customer:
    """The record of a deleted customer: its id, and which texts it had (facts §8)."""
    texts = {name: REDACTED for name in _TEXTS if getattr(customer, name) is not None}
    return structs.replace(customer, **texts, **dict.fromkeys(_FORGOTTEN), redacted=True)
