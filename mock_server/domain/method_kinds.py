"""What a row about a payment method says: how its customer pays, and what a request must have."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Flow(StrEnum):
    """How the customer pays."""

    CHARGE = "charge"
    REDIRECT = "redirect"
    QR_CODE = "qr_code"
    VOUCHER = "voucher"
    BANK_TRANSFER = "bank_transfer"
    WAIT_SCREEN = "wait_screen"
    UPI_INTENT = "upi_intent"
    UPI_QR = "upi_qr"
    CODE = "phone_code"
    DEBIT = "debit"


class Need(StrEnum):
    """What a confirmation needs besides the method's own data."""

    RETURN_URL = "return_url"
    EMAIL = "email"
    BILLING_COUNTRY = "billing.address.country"
    WALLET_IDENTITY = "wallet_identities"


NEXT_ACTIONS: Final = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "qr_code_information",
    Flow.VOUCHER: "display_voucher_information",
    Flow.BANK_TRANSFER: "display_bank_transfer_information",
    Flow.WAIT_SCREEN: "wait_screen_information",
    Flow.UPI_INTENT: "invoke_upi_intent_sdk",
    Flow.UPI_QR: "invoke_upi_qr_flow",
    Flow.CODE: "collect_otp",
}
"""The `next_action.type` of each flow that has one (facts §2.3)."""


class Method(NamedTuple):
    """One category and type.

    `asynchronous`: the money arrives some time after the customer has paid, and the payment is pending in between.
    `customer_time_ms` is how long page, code, voucher or instructions are valid, `aliases` are further names of the
    type, and `asks` the fields that its data must have. The public dialect offers it for these currencies and countries
    only, if any are named; `is_public`: no other dialect offers it.
    """

    category: str
    type: str
    flow: Flow
    asynchronous: bool
    needs: tuple[Need, ...]
    customer_time_ms: int
    source: str
    aliases: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    is_public: bool = False

    @property
    def next_action(self) -> str | None:
        """The `next_action.type` of its flow; a payload can choose another one, see `flow_of`."""
        return NEXT_ACTIONS.get(self.flow)


class Payload(NamedTuple):
    """One name under `payment_method_data.<group>`; `fields` None: free-form, otherwise the names that it may have."""

    group: str
    name: str
    category: str
    type: str
    flow: Flow
    fields: tuple[str, ...] | None = None
    required: tuple[str, ...] = ()
    source: str = "facts §2.2"
