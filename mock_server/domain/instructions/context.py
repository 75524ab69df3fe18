"""The input of instructions: the payment's values, the links of its pages, and a source of digits."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

Digits = Callable[[int], str]
"""Returns so many decimal digits, different ones at each call."""

QrImage = Callable[[str], str]
"""Draws a QR code of a text, as a `data:image/…` URL."""


class Context(Struct, frozen=True, kw_only=True):
    """One payment whose customer has something to do. Amount in minor units, instants in milliseconds.

    `country` is that of the billing address, `page_url` the customer's page, `qr_code_url` a picture of its code;
    without `qr_image` no picture is in the answer itself, without `expires_at` it never expires.
    """

    payment_id: str
    amount: int
    currency: str
    merchant_name: str
    page_url: str
    qr_code_url: str
    now: int
    expires_at: int | None
    digits: Digits
    country: str | None = None
    qr_image: QrImage | None = None
