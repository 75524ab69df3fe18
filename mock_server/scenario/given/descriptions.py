"""Descriptions of given records, plain and frozen; the engine makes records of them."""

from __future__ import annotations

from msgspec import Struct


class CustomerSeed(Struct, frozen=True, kw_only=True):
    """A customer that is there from the start; instants in ms, `address` and `metadata` as JSON text."""

    customer_id: str
    created_at: int
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    address: str | None = None
    country: str | None = None
    metadata: str | None = None


class RefundSeed(Struct, frozen=True, kw_only=True):
    """A refund of a given payment; amount in minor units. Without an id the workspace makes one."""

    amount: int
    status: str
    created_at: int
    refund_id: str | None = None
    reason: str | None = None


class DisputeSeed(Struct, frozen=True, kw_only=True):
    """A dispute of a given payment."""

    amount: int
    reason: str
    stage: str
    status: str
    created_at: int


class PaymentSeed(Struct, frozen=True, kw_only=True):
    """A payment that is there from the start; `card` is a row's name, `metadata` JSON text.

    `customer` holds what the payment repeats of its customer. Without an id the workspace makes one.
    """

    amount: int
    currency: str
    status: str
    created_at: int
    card: str
    payment_id: str | None = None
    capture_method: str = "automatic"
    decline: str | None = None
    customer: CustomerSeed | None = None
    email: str | None = None
    description: str | None = None
    merchant_order_reference_id: str | None = None
    metadata: str = "{}"
    refunds: tuple[RefundSeed, ...] = ()
    disputes: tuple[DisputeSeed, ...] = ()


Seed = CustomerSeed | PaymentSeed
