"""A customer of a merchant (facts §2.6)."""

from __future__ import annotations

from dataclasses import dataclass

from mock_server.domain.commands import JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """Who pays; `redacted` once deleted, when the record still answers with its texts blacked out."""

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
