"""Why a charge can fail: one row a reason, with every word that a failed payment then shows (facts §4.5).

A row says what the connector and the issuer answer; what that means for the merchant stands once, in the row of its
standardised code, and what kind of trouble it is in the row of its unified code. All wording is ours. An
`error_code` is `DC_…` where the public dummy connector has one (facts §7.1), otherwise the decline's own name.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.domain.standard_codes import (
    ACCOUNT,
    AUTHENTICATION,
    BLOCKED_BY_RISK,
    CANCELLED_BY_CUSTOMER,
    CARD_NUMBER,
    CARD_RESTRICTED,
    CONNECTOR,
    CREDIT_LIMIT,
    CURRENCY,
    CVV,
    DO_NOT_HONOR,
    DUPLICATE,
    EXPIRY,
    FRAUD,
    FUNDS,
    ISSUER_DOWN,
    LOST_OR_STOLEN,
    METHOD,
    NEEDS_AUTHENTICATION,
    NOT_ALLOWED,
    NOT_PERMITTED,
    PARAMETER,
    PIN,
    REVOKED,
    SESSION_TIMEOUT,
    THREE_DS_SERVICE,
    TIMED_OUT,
    VELOCITY,
    WRONG_ADDRESS,
    Standard,
)
from mock_server.domain.standard_codes import UNKNOWN as UNKNOWN_REASON


class Origin(StrEnum):
    """Who says no."""

    ISSUER = "issuer"
    AUTHENTICATION = "authentication"
    BANK = "bank"
    PROCESSOR = "processor"
    MERCHANT = "merchant"


_ISSUER, _AUTHENTICATION, _BANK = Origin.ISSUER, Origin.AUTHENTICATION, Origin.BANK
_PROCESSOR, _MERCHANT = Origin.PROCESSOR, Origin.MERCHANT


class Decline(NamedTuple):
    """One reason to fail; `network_code` is the issuer's ISO 8583 response code, None where no issuer was asked."""

    name: str
    error_code: str
    error_message: str
    standard: Standard
    network_code: str | None
    origin: Origin
    source: str

    @property
    def unified_code(self) -> str:
        """`UE_1000` and its like."""
        return self.standard.unified.code

    @property
    def unified_message(self) -> str:
        """The merchant's sentence for the unified code."""
        return self.standard.unified.message

    @property
    def category(self) -> str:
        """Whose problem it is."""
        return self.standard.unified.category

    @property
    def standardised_code(self) -> str:
        """`INSUFFICIENT_FUNDS` and its like."""
        return self.standard.code

    @property
    def recommended_action(self) -> str:
        """What a retry engine should do."""
        return self.standard.recommended_action

    @property
    def user_guidance(self) -> str:
        """What to tell the customer."""
        return self.standard.user_guidance


_F71, _F72, _OURS = "facts §7.1", "facts §7.2", "ours"

# ruff: noqa: E501 — one row, one line
# fmt: off
DECLINES: Final = (
    Decline("generic_decline", "DC_08", "Payment declined: card declined", DO_NOT_HONOR, "05", _ISSUER, _F71),
    Decline("insufficient_funds", "DC_08", "Payment declined: insufficient funds", FUNDS, "51", _ISSUER, _F71),
    Decline("lost_card", "DC_08", "Payment declined: lost card", LOST_OR_STOLEN, "41", _ISSUER, _F71),
    Decline("stolen_card", "DC_08", "Payment declined: stolen card", LOST_OR_STOLEN, "43", _ISSUER, _F71),
    Decline("expired_card", "expired_card", "The card has expired", EXPIRY, "54", _ISSUER, _F72),
    Decline("incorrect_cvc", "incorrect_cvc", "The security code is wrong", CVV, "N7", _ISSUER, _F72),
    Decline("processing_error", "processing_error", "The card could not be processed", CONNECTOR, "96", _ISSUER, _F72),
    Decline("incorrect_number", "incorrect_number", "The card number belongs to no account", CARD_NUMBER, "14", _ISSUER, _F72),
    Decline("card_velocity_exceeded", "card_velocity_exceeded", "The card is over its limit of payments or amount", VELOCITY, "65", _ISSUER, _F72),
    Decline("fraudulent", "fraudulent", "Blocked: the payment was taken for fraud", BLOCKED_BY_RISK, "59", _PROCESSOR, _F72),
    Decline("highest_risk_level", "highest_risk_level", "Blocked: the highest level of risk", BLOCKED_BY_RISK, None, _PROCESSOR, _F72),
    Decline("do_not_honor", "do_not_honor", "The issuer declined without a reason", DO_NOT_HONOR, "05", _ISSUER, _OURS),
    Decline("call_issuer", "call_issuer", "The issuer wants to be called", DO_NOT_HONOR, "01", _ISSUER, _OURS),
    Decline("no_action_taken", "no_action_taken", "The issuer took no action", DO_NOT_HONOR, "21", _ISSUER, _OURS),
    Decline("card_not_supported", "card_not_supported", "The card cannot be used for this kind of payment", CARD_RESTRICTED, "57", _ISSUER, _OURS),
    Decline("currency_not_supported", "currency_not_supported", "The card cannot be charged in this currency", CURRENCY, "57", _ISSUER, _OURS),
    Decline("invalid_account", "invalid_account", "The card or its account is not valid", ACCOUNT, "14", _ISSUER, _OURS),
    Decline("new_account_information_available", "new_account_information_available", "The card or its account has changed", ACCOUNT, "78", _ISSUER, _OURS),
    Decline("account_closed", "account_closed", "The account is closed", ACCOUNT, "46", _ISSUER, _OURS),
    Decline("pickup_card", "pickup_card", "The issuer wants the card to be kept", LOST_OR_STOLEN, "04", _ISSUER, _OURS),
    Decline("restricted_card", "restricted_card", "The card is restricted", CARD_RESTRICTED, "62", _ISSUER, _OURS),
    Decline("security_violation", "security_violation", "The issuer saw a breach of security", FRAUD, "63", _ISSUER, _OURS),
    Decline("try_again_later", "try_again_later", "The issuer asks for another try later", ISSUER_DOWN, "19", _ISSUER, _OURS),
    Decline("issuer_not_available", "issuer_not_available", "The issuer could not be reached", ISSUER_DOWN, "91", _ISSUER, _OURS),
    Decline("reenter_transaction", "reenter_transaction", "The issuer could not process the payment; send it again", ISSUER_DOWN, "19", _ISSUER, _OURS),
    Decline("transaction_not_allowed", "transaction_not_allowed", "The issuer does not allow this payment", NOT_PERMITTED, "57", _ISSUER, _OURS),
    Decline("not_permitted", "not_permitted", "The payment is not permitted", NOT_PERMITTED, "58", _ISSUER, _OURS),
    Decline("service_not_allowed", "service_not_allowed", "The card does not support this service", NOT_PERMITTED, "40", _ISSUER, _OURS),
    Decline("authentication_required", "authentication_required", "The issuer wants the customer to authenticate", NEEDS_AUTHENTICATION, "1A", _ISSUER, _OURS),
    Decline("approve_with_id", "approve_with_id", "The issuer wants to see identification", NEEDS_AUTHENTICATION, "08", _ISSUER, _OURS),
    Decline("withdrawal_count_limit_exceeded", "withdrawal_count_limit_exceeded", "Too many payments with this card", VELOCITY, "65", _ISSUER, _OURS),
    Decline("credit_limit_exceeded", "credit_limit_exceeded", "The amount is over the credit limit", CREDIT_LIMIT, "61", _ISSUER, _OURS),
    Decline("invalid_amount", "invalid_amount", "The issuer does not take this amount", PARAMETER, "13", _ISSUER, _OURS),
    Decline("incorrect_zip", "incorrect_zip", "The postal code is wrong", WRONG_ADDRESS, "N7", _ISSUER, _OURS),
    Decline("incorrect_address", "incorrect_address", "The address is wrong", WRONG_ADDRESS, "N7", _ISSUER, _OURS),
    Decline("invalid_cvc", "invalid_cvc", "The security code is not valid", CVV, "82", _ISSUER, _OURS),
    Decline("invalid_expiry_month", "invalid_expiry_month", "The expiry month is not valid", EXPIRY, "54", _ISSUER, _OURS),
    Decline("invalid_expiry_year", "invalid_expiry_year", "The expiry year is not valid", EXPIRY, "54", _ISSUER, _OURS),
    Decline("invalid_pin", "invalid_pin", "The PIN is wrong", PIN, "55", _ISSUER, _OURS),
    Decline("pin_try_exceeded", "pin_try_exceeded", "The PIN was wrong too often", PIN, "75", _ISSUER, _OURS),
    Decline("offline_pin_required", "offline_pin_required", "The card wants a PIN", PIN, "70", _ISSUER, _OURS),
    Decline("revocation_of_authorization", "revocation_of_authorization", "The customer revoked this authorization", REVOKED, "R1", _ISSUER, _OURS),
    Decline("revocation_of_all_authorizations", "revocation_of_all_authorizations", "The customer revoked all authorizations", REVOKED, "R3", _ISSUER, _OURS),
    Decline("stop_payment_order", "stop_payment_order", "The customer stopped this payment", REVOKED, "R0", _ISSUER, _OURS),
    Decline("merchant_blacklist", "merchant_blacklist", "The issuer declined: the card is on the merchant's block list", BLOCKED_BY_RISK, "05", _ISSUER, _OURS),
    Decline("duplicate_transaction", "duplicate_transaction", "The same payment was made a moment ago", DUPLICATE, "94", _ISSUER, _OURS),
    Decline("suspected_fraud", "suspected_fraud", "The issuer suspects fraud", FRAUD, "59", _ISSUER, _OURS),
    Decline("issuer_timeout", "issuer_timeout", "The issuer did not answer in time", TIMED_OUT, "68", _ISSUER, _OURS),
    Decline("authentication_failed", "AUTHENTICATION_FAILED", "The customer's authentication failed", AUTHENTICATION, None, _AUTHENTICATION, 'decisions "Cards"'),
    Decline("cancelled_by_customer", "PAYMENT_CANCELLED_BY_USER", "The customer cancelled the payment", CANCELLED_BY_CUSTOMER, None, _AUTHENTICATION, 'decisions "Cards"'),
    Decline("session_timeout", "PAYMENT_SESSION_TIMEOUT", "The customer did not finish in time", SESSION_TIMEOUT, None, _AUTHENTICATION, 'decisions "Cards"'),
    Decline("authentication_unavailable", "THREEDS_AUTHENTICATION_SERVICE_ISSUE", "The authentication service did not answer", THREE_DS_SERVICE, None, _AUTHENTICATION, 'decisions "Cards"'),
    Decline("card_not_in_table", "DC_04", "Card not supported: use a test card", CARD_NUMBER, None, _PROCESSOR, _F71),
    Decline("bank_declined", "bank_declined", "The customer's bank declined the payment", DO_NOT_HONOR, None, _BANK, _OURS),
    Decline("bank_unavailable", "bank_unavailable", "The customer's bank could not be reached", ISSUER_DOWN, None, _BANK, _OURS),
    Decline("wallet_declined", "wallet_declined", "The wallet declined the payment", METHOD, None, _BANK, _OURS),
    Decline("pay_later_declined", "pay_later_declined", "The pay-later provider declined the customer", METHOD, None, _BANK, _OURS),
    Decline("transfer_returned", "transfer_returned", "The bank transfer was returned", ACCOUNT, None, _BANK, _OURS),
    Decline("settlement_failed", "settlement_failed", "The payment failed while it was settled", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("upi_payment_failed", "DC_06", "The UPI payment was not successful", METHOD, "U30", _BANK, _F71),
    Decline("upi_invalid_vpa", "DC_08", "Payment declined: not a valid UPI id", PARAMETER, "ZH", _BANK, _F71),
    Decline("connector_error", "DC_00", "The connector had an internal error", CONNECTOR, None, _PROCESSOR, _F71),
    Decline("capture_failed", "capture_failed", "The capture failed at the connector", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("void_failed", "void_failed", "The authorization could not be released", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("authorization_expired", "authorization_expired", "The authorization has expired", REVOKED, "R1", _ISSUER, _OURS),
    Decline("refund_failed", "refund_failed", "The refund failed at the connector", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("refund_account_closed", "refund_account_closed", "The refund came back: the account is closed", ACCOUNT, "46", _ISSUER, _OURS),
    Decline("blocklisted", "HE-03", "Blocked: the card is on the block list", BLOCKED_BY_RISK, None, _MERCHANT, "facts §8"),
    Decline("rejected_in_review", "manual_review", "Rejected by the merchant after a review", FRAUD, None, _MERCHANT, "facts §3.6"),
    Decline("operation_not_allowed", "operation_not_allowed", "The connector does not allow this operation", NOT_ALLOWED, None, _PROCESSOR, _OURS),
    Decline("unknown_error", "unknown_error", "The connector failed without a reason", UNKNOWN_REASON, None, _PROCESSOR, _OURS),
)
# fmt: on

_BY_NAME: Final = {row.name: row for row in DECLINES}

UNKNOWN: Final = _BY_NAME["unknown_error"]
"""The row for a failure whose name is in no table."""


def find(name: str) -> Decline | None:
    """The row of a decline name, as cards, scenarios and triggers use it."""
    return _BY_NAME.get(name)


def names() -> tuple[str, ...]:
    """Every decline name, in the table's order."""
    return tuple(_BY_NAME)
