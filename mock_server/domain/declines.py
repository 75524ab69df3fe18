"""Why a charge can fail: one row per reason, with every text that a failed payment shows (facts §4.5).

A row has what the connector and the issuer answer; the row of its standardised code says what that means for the
merchant, and the row of its unified code whose problem it is. All wording is ours. An `error_code` is `DC_…` if the
public dummy connector has one (facts §7.1), otherwise the decline's own name.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class Unified(NamedTuple):
    """Whose problem it is."""

    code: str
    category: str
    message: str


CUSTOMER: Final = Unified("UE_1000", "customer error", "There is a problem with the payment method's details")
CONFIGURATION: Final = Unified("UE_2000", "connector decline", "There is a problem with the configuration")
TECHNICAL: Final = Unified("UE_3000", "connector error", "There is a technical problem at the provider")
INTEGRATION: Final = Unified("UE_4000", "integration error", "There is a problem in the integration")
OTHER: Final = Unified("UE_9000", "other", "Something went wrong")


class Standard(NamedTuple):
    """One standardised code: what it means, what a retry engine should do, what to tell the customer."""

    code: str
    unified: Unified
    description: str
    recommended_action: str
    user_guidance: str


_OTHER_METHOD = "retry_with_different_payment_method_data"
_UPDATED = "retry_after_instrument_update"
DO_NOT_RETRY: Final = "do_not_retry"
_LATER = "retry_later"
_ANOTHER = "Please use another payment method."
_CHECK = "Please check the card's details and try again."
_BANK = "Please call your bank or use another payment method."
_AGAIN = "Please try again in a few minutes."
_SHOP = "Please contact the shop."

# ruff: noqa: E501 — one row, one line
# fmt: off
METHOD: Final = Standard("PAYMENT_METHOD_ISSUE", CUSTOMER, "The payment method cannot be used", _OTHER_METHOD, _ANOTHER)
CARD_NUMBER: Final = Standard("INVALID_CARD_NUMBER", CUSTOMER, "The card number is not valid", _OTHER_METHOD, _CHECK)
EXPIRY: Final = Standard("INVALID_EXPIRY_DATE", CUSTOMER, "The card has expired or its expiry date is wrong", _UPDATED, "Please check the expiry date or use another card.")
CVV: Final = Standard("INVALID_CVV", CUSTOMER, "The security code is wrong", _OTHER_METHOD, "Please check the security code on the card.")
WRONG_ADDRESS: Final = Standard("PM_ADDRESS_MISMATCH", CUSTOMER, "The address does not match", _OTHER_METHOD, "Please check the billing address.")
FUNDS: Final = Standard("INSUFFICIENT_FUNDS", CUSTOMER, "The account has insufficient funds", "retry_after_24_hours", "Please use another payment method or try again when there is money in the account.")
CREDIT_LIMIT: Final = Standard("CREDIT_LIMIT_EXCEEDED", CUSTOMER, "The amount is over the card's limit", "retry_after_24_hours", _BANK)
VELOCITY: Final = Standard("VELOCITY_LIMIT_EXCEEDED", CUSTOMER, "The card was used too often or for too much", "retry_after_24_hours", _BANK)
LOST_OR_STOLEN: Final = Standard("CARD_LOST_OR_STOLEN", CUSTOMER, "The card was reported lost or stolen", DO_NOT_RETRY, _BANK)
CARD_RESTRICTED: Final = Standard("CARD_NOT_SUPPORTED_RESTRICTED", CUSTOMER, "The card cannot be used here", _OTHER_METHOD, _ANOTHER)
ACCOUNT: Final = Standard("ACCOUNT_CLOSED_OR_INVALID", CUSTOMER, "The account is closed or not valid", DO_NOT_RETRY, _ANOTHER)
REVOKED: Final = Standard("AUTHORIZATION_MISSING_OR_REVOKED", CUSTOMER, "The authorization is missing, expired or revoked", "stop_recurring", _SHOP)
PIN: Final = Standard("INCORRECT_AUTHENTICATION_CODE", CUSTOMER, "The PIN or code is wrong", _OTHER_METHOD, "Please check the code and try again.")
SESSION_TIMEOUT: Final = Standard("PAYMENT_SESSION_TIMEOUT", CUSTOMER, "The customer did not finish in time", _LATER, "The payment has expired. Please start again.")
AUTHENTICATION: Final = Standard("AUTHENTICATION_FAILED", CUSTOMER, "The customer could not be authenticated", _OTHER_METHOD, "Please try again or use another payment method.")
CANCELLED_BY_CUSTOMER: Final = Standard("PAYMENT_CANCELLED_BY_USER", CUSTOMER, "The customer cancelled", DO_NOT_RETRY, "You cancelled the payment.")
NOT_PERMITTED: Final = Standard("TRANSACTION_NOT_PERMITTED", CUSTOMER, "The issuer does not permit this payment", _OTHER_METHOD, _BANK)
CURRENCY: Final = Standard("CURRENCY_OR_CORRIDOR_NOT_ENABLED", CONFIGURATION, "The currency is not enabled", _OTHER_METHOD, _ANOTHER)
ISSUER_DOWN: Final = Standard("ISSUER_UNAVAILABLE", TECHNICAL, "The issuer could not be reached", "retry_after_1_hour", _AGAIN)
TIMED_OUT: Final = Standard("TRANSACTION_TIMEDOUT", TECHNICAL, "No answer came in time", _LATER, _AGAIN)
DO_NOT_HONOR: Final = Standard("DO_NOT_HONOR", TECHNICAL, "The issuer declined without a reason", _LATER, _BANK)
FRAUD: Final = Standard("SUSPECTED_FRAUD", TECHNICAL, "The payment is suspected to be fraud", DO_NOT_RETRY, _BANK)
BLOCKED_BY_RISK: Final = Standard("PSP_FRAUD_ENGINE_DECLINE", TECHNICAL, "The risk engine blocked the payment", DO_NOT_RETRY, _ANOTHER)
CONNECTOR: Final = Standard("PSP_ACQUIRER_ERROR", TECHNICAL, "The connector or acquirer failed", _LATER, _AGAIN)
THREE_DS_SERVICE: Final = Standard("THREEDS_AUTHENTICATION_SERVICE_ISSUE", TECHNICAL, "The 3-D Secure service did not answer", _LATER, _AGAIN)
NEEDS_AUTHENTICATION: Final = Standard("AUTHENTICATION_REQUIRED", TECHNICAL, "The issuer requires authentication", _OTHER_METHOD, "Please confirm the payment with your bank.")
PARAMETER: Final = Standard("MISSING_OR_INVALID_PARAM", INTEGRATION, "A value is missing or not valid", DO_NOT_RETRY, _SHOP)
NOT_ALLOWED: Final = Standard("OPERATION_NOT_ALLOWED", INTEGRATION, "The connector does not allow the operation", DO_NOT_RETRY, _SHOP)
DUPLICATE: Final = Standard("DUPLICATE_REQUEST", INTEGRATION, "The request was sent twice", DO_NOT_RETRY, "The payment was made already. Please check before you try again.")
UNKNOWN_REASON: Final = Standard("GEN_UNKNOWN_ERROR", OTHER, "The reason is not known", _LATER, _AGAIN)
# fmt: on


class Origin(StrEnum):
    """Who declines."""

    ISSUER = "issuer"
    AUTHENTICATION = "authentication"
    BANK = "bank"
    PROCESSOR = "processor"
    MERCHANT = "merchant"


_ISSUER, _AUTHENTICATION, _BANK = Origin.ISSUER, Origin.AUTHENTICATION, Origin.BANK
_PROCESSOR, _MERCHANT = Origin.PROCESSOR, Origin.MERCHANT


class Decline(NamedTuple):
    """One reason to fail; `network_code` is the issuer's ISO 8583 response code, None if no issuer was asked."""

    name: str
    error_code: str
    error_message: str
    standard: Standard
    network_code: str | None
    origin: Origin
    source: str

    @property
    def is_final(self) -> bool:
        """Whether it is declined for good, so that nobody should try again."""
        return self.standard.recommended_action == DO_NOT_RETRY


_F71, _F72, _OURS = "facts §7.1", "facts §7.2", "ours"

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
    Decline("fraudulent", "fraudulent", "Blocked: the payment was classified as fraud", BLOCKED_BY_RISK, "59", _PROCESSOR, _F72),
    Decline("highest_risk_level", "highest_risk_level", "Blocked: the highest level of risk", BLOCKED_BY_RISK, None, _PROCESSOR, _F72),
    Decline("do_not_honor", "do_not_honor", "The issuer declined without a reason", DO_NOT_HONOR, "05", _ISSUER, _OURS),
    Decline("call_issuer", "call_issuer", "The customer must call the issuer", DO_NOT_HONOR, "01", _ISSUER, _OURS),
    Decline("no_action_taken", "no_action_taken", "The issuer took no action", DO_NOT_HONOR, "21", _ISSUER, _OURS),
    Decline("card_not_supported", "card_not_supported", "The card cannot be used for this kind of payment", CARD_RESTRICTED, "57", _ISSUER, _OURS),
    Decline("currency_not_supported", "currency_not_supported", "The card cannot be charged in this currency", CURRENCY, "57", _ISSUER, _OURS),
    Decline("invalid_account", "invalid_account", "The card or its account is not valid", ACCOUNT, "14", _ISSUER, _OURS),
    Decline("new_account_information_available", "new_account_information_available", "The card or its account has changed", ACCOUNT, "78", _ISSUER, _OURS),
    Decline("account_closed", "account_closed", "The account is closed", ACCOUNT, "46", _ISSUER, _OURS),
    Decline("pickup_card", "pickup_card", "The issuer wants the card to be retained", LOST_OR_STOLEN, "04", _ISSUER, _OURS),
    Decline("restricted_card", "restricted_card", "The card is restricted", CARD_RESTRICTED, "62", _ISSUER, _OURS),
    Decline("security_violation", "security_violation", "The issuer reported a security violation", FRAUD, "63", _ISSUER, _OURS),
    Decline("try_again_later", "try_again_later", "The issuer asks to try again later", ISSUER_DOWN, "19", _ISSUER, _OURS),
    Decline("issuer_not_available", "issuer_not_available", "The issuer could not be reached", ISSUER_DOWN, "91", _ISSUER, _OURS),
    Decline("reenter_transaction", "reenter_transaction", "The issuer could not process the payment; send it again", ISSUER_DOWN, "19", _ISSUER, _OURS),
    Decline("transaction_not_allowed", "transaction_not_allowed", "The issuer does not allow this payment", NOT_PERMITTED, "57", _ISSUER, _OURS),
    Decline("not_permitted", "not_permitted", "The payment is not permitted", NOT_PERMITTED, "58", _ISSUER, _OURS),
    Decline("service_not_allowed", "service_not_allowed", "The card does not support this service", NOT_PERMITTED, "40", _ISSUER, _OURS),
    Decline("authentication_required", "authentication_required", "The issuer requires authentication", NEEDS_AUTHENTICATION, "1A", _ISSUER, _OURS),
    Decline("approve_with_id", "approve_with_id", "The issuer requires identification", NEEDS_AUTHENTICATION, "08", _ISSUER, _OURS),
    Decline("withdrawal_count_limit_exceeded", "withdrawal_count_limit_exceeded", "Too many payments with this card", VELOCITY, "65", _ISSUER, _OURS),
    Decline("credit_limit_exceeded", "credit_limit_exceeded", "The amount is over the credit limit", CREDIT_LIMIT, "61", _ISSUER, _OURS),
    Decline("invalid_amount", "invalid_amount", "The issuer does not accept this amount", PARAMETER, "13", _ISSUER, _OURS),
    Decline("incorrect_zip", "incorrect_zip", "The postal code is wrong", WRONG_ADDRESS, "N7", _ISSUER, _OURS),
    Decline("incorrect_address", "incorrect_address", "The address is wrong", WRONG_ADDRESS, "N7", _ISSUER, _OURS),
    Decline("invalid_cvc", "invalid_cvc", "The security code is not valid", CVV, "82", _ISSUER, _OURS),
    Decline("invalid_expiry_month", "invalid_expiry_month", "The expiry month is not valid", EXPIRY, "54", _ISSUER, _OURS),
    Decline("invalid_expiry_year", "invalid_expiry_year", "The expiry year is not valid", EXPIRY, "54", _ISSUER, _OURS),
    Decline("invalid_pin", "invalid_pin", "The PIN is wrong", PIN, "55", _ISSUER, _OURS),
    Decline("pin_try_exceeded", "pin_try_exceeded", "The PIN was entered incorrectly too often", PIN, "75", _ISSUER, _OURS),
    Decline("offline_pin_required", "offline_pin_required", "The card requires a PIN", PIN, "70", _ISSUER, _OURS),
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
    Decline("settlement_failed", "settlement_failed", "The payment failed during settlement", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("upi_payment_failed", "DC_06", "The UPI payment was not successful", METHOD, "U30", _BANK, _F71),
    Decline("upi_invalid_vpa", "DC_08", "Payment declined: not a valid UPI id", PARAMETER, "ZH", _BANK, _F71),
    Decline("connector_error", "DC_00", "The connector had an internal error", CONNECTOR, None, _PROCESSOR, _F71),
    Decline("capture_failed", "capture_failed", "The capture failed at the connector", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("void_failed", "void_failed", "The authorization could not be released", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("authorization_expired", "authorization_expired", "The authorization has expired", REVOKED, "R1", _ISSUER, _OURS),
    Decline("refund_failed", "refund_failed", "The refund failed at the connector", CONNECTOR, None, _PROCESSOR, _OURS),
    Decline("refund_account_closed", "refund_account_closed", "The refund was returned: the account is closed", ACCOUNT, "46", _ISSUER, _OURS),
    Decline("blocklisted", "HE-03", "Blocked: the card is on the block list", BLOCKED_BY_RISK, None, _MERCHANT, "facts §8"),
    Decline("rejected_in_review", "manual_review", "Rejected by the merchant after a review", FRAUD, None, _MERCHANT, "facts §3.6"),
    Decline("operation_not_allowed", "operation_not_allowed", "The connector does not allow this operation", NOT_ALLOWED, None, _PROCESSOR, _OURS),
    Decline("unknown_error", "unknown_error", "The connector failed without a reason", UNKNOWN_REASON, None, _PROCESSOR, _OURS),
)
# fmt: on

_BY_NAME: Final = {row.name: row for row in DECLINES}

DECLINE_OF: Final = {(row.error_code, row.error_message): row for row in DECLINES}
"""The row of a decline by what a failed payment shows of it."""

UNKNOWN: Final = _BY_NAME["unknown_error"]
"""The row of any other name."""

find: Final = _BY_NAME.get
"""The row of a decline name, as cards, scenarios and triggers use it, or None."""


def names() -> tuple[str, ...]:
    """Every decline name, in the table's order."""
    return tuple(_BY_NAME)
