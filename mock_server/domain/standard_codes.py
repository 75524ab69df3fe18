"""What a failure means, whichever connector said it: unified and standardised codes (facts §4.5; wording ours)."""

from __future__ import annotations

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

UNIFIED: Final = (CUSTOMER, CONFIGURATION, TECHNICAL, INTEGRATION, OTHER)


class Standard(NamedTuple):
    """One standardised code: what it means, what a retry engine should do, what to tell the customer."""

    code: str
    unified: Unified
    description: str
    recommended_action: str
    user_guidance: str


RECOMMENDED_ACTIONS: Final = (
    "do_not_retry", "retry_later", "retry_after_1_hour", "retry_after_24_hours", "retry_after_2_days",
    "retry_after_4_days", "retry_after_6_days", "retry_after_8_days", "retry_after_10_days",
    "retry_after_instrument_update", "retry_with_different_payment_method_data", "stop_recurring",
)  # fmt: skip

_OTHER_METHOD = "retry_with_different_payment_method_data"
_UPDATED = "retry_after_instrument_update"
_NO = "do_not_retry"
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
WRONG_ADDRESS: Final = Standard("PM_ADDRESS_MISMATCH", CUSTOMER, "The address is not the one the issuer knows", _OTHER_METHOD, "Please check the billing address.")
FUNDS: Final = Standard("INSUFFICIENT_FUNDS", CUSTOMER, "The account has not enough money", "retry_after_24_hours", "Please use another payment method or try again when there is money in the account.")
CREDIT_LIMIT: Final = Standard("CREDIT_LIMIT_EXCEEDED", CUSTOMER, "The amount is over the card's limit", "retry_after_24_hours", _BANK)
VELOCITY: Final = Standard("VELOCITY_LIMIT_EXCEEDED", CUSTOMER, "The card was used too often or for too much", "retry_after_24_hours", _BANK)
LOST_OR_STOLEN: Final = Standard("CARD_LOST_OR_STOLEN", CUSTOMER, "The card was reported lost or stolen", _NO, _BANK)
CARD_RESTRICTED: Final = Standard("CARD_NOT_SUPPORTED_RESTRICTED", CUSTOMER, "The card cannot be used here", _OTHER_METHOD, _ANOTHER)
ACCOUNT: Final = Standard("ACCOUNT_CLOSED_OR_INVALID", CUSTOMER, "The account is closed or not valid", _NO, _ANOTHER)
REVOKED: Final = Standard("AUTHORIZATION_MISSING_OR_REVOKED", CUSTOMER, "The authorization is missing, expired or revoked", "stop_recurring", _SHOP)
PIN: Final = Standard("INCORRECT_AUTHENTICATION_CODE", CUSTOMER, "The PIN or code is wrong", _OTHER_METHOD, "Please check the code and try again.")
SESSION_TIMEOUT: Final = Standard("PAYMENT_SESSION_TIMEOUT", CUSTOMER, "The customer did not finish in time", _LATER, "The time is over. Please start again.")
AUTHENTICATION: Final = Standard("AUTHENTICATION_FAILED", CUSTOMER, "The customer could not be authenticated", _OTHER_METHOD, "Please try again or use another payment method.")
CANCELLED_BY_CUSTOMER: Final = Standard("PAYMENT_CANCELLED_BY_USER", CUSTOMER, "The customer cancelled", _NO, "You cancelled the payment.")
NOT_PERMITTED: Final = Standard("TRANSACTION_NOT_PERMITTED", CUSTOMER, "The issuer does not permit this payment", _OTHER_METHOD, _BANK)
TOKENISATION: Final = Standard("PM_TOKENISATION_ISSUE", CUSTOMER, "The payment method could not be tokenised", _OTHER_METHOD, _ANOTHER)
CONFIGURATION_ISSUE: Final = Standard("CONFIGURATION_ISSUE", CONFIGURATION, "The configuration is wrong", _NO, _SHOP)
MERCHANT_INACTIVE: Final = Standard("MERCHANT_INACTIVE", CONFIGURATION, "The merchant's account is not active", _NO, _SHOP)
METHOD_DISABLED: Final = Standard("CFG_PM_NOT_ENABLED_OR_MISCONFIGURED", CONFIGURATION, "The payment method is not enabled", _OTHER_METHOD, _ANOTHER)
CURRENCY: Final = Standard("CURRENCY_OR_CORRIDOR_NOT_ENABLED", CONFIGURATION, "The currency is not enabled", _OTHER_METHOD, _ANOTHER)
WALLET: Final = Standard("WALLET_OR_TOKEN_CONFIG_ISSUE", CONFIGURATION, "The wallet is not set up", _NO, _ANOTHER)
STORED_CREDENTIAL: Final = Standard("STORED_CREDENTIAL_OR_MIT_NOT_ENABLED", CONFIGURATION, "Stored credentials are not enabled", _NO, _SHOP)
THREE_DS_SETUP: Final = Standard("THREEDS_CONFIGURATION_ISSUE", CONFIGURATION, "3-D Secure is not set up", _NO, _SHOP)
PLAN_INACTIVE: Final = Standard("SUBSCRIPTION_PLAN_INACTIVE", CONFIGURATION, "The plan is not active", _NO, _SHOP)
TECHNICAL_ISSUE: Final = Standard("DOWNSTREAM_TECHNICAL_ISSUE", TECHNICAL, "Something failed behind the connector", _LATER, _AGAIN)
ISSUER_DOWN: Final = Standard("ISSUER_UNAVAILABLE", TECHNICAL, "The issuer could not be reached", "retry_after_1_hour", _AGAIN)
TIMED_OUT: Final = Standard("TRANSACTION_TIMEDOUT", TECHNICAL, "No answer came in time", _LATER, _AGAIN)
DO_NOT_HONOR: Final = Standard("DO_NOT_HONOR", TECHNICAL, "The issuer declined without a reason", _LATER, _BANK)
FRAUD: Final = Standard("SUSPECTED_FRAUD", TECHNICAL, "The payment is suspected to be fraud", _NO, _BANK)
BLOCKED_BY_RISK: Final = Standard("PSP_FRAUD_ENGINE_DECLINE", TECHNICAL, "The risk engine blocked the payment", _NO, _ANOTHER)
COMPLIANCE: Final = Standard("COMPLIANCE_OR_SANCTIONS_RESTRICTION", TECHNICAL, "A rule of law forbids the payment", _NO, _ANOTHER)
CONNECTOR: Final = Standard("PSP_ACQUIRER_ERROR", TECHNICAL, "The connector or acquirer failed", _LATER, _AGAIN)
THREE_DS_SERVICE: Final = Standard("THREEDS_AUTHENTICATION_SERVICE_ISSUE", TECHNICAL, "The 3-D Secure service did not answer", _LATER, _AGAIN)
NEEDS_AUTHENTICATION: Final = Standard("AUTHENTICATION_REQUIRED", TECHNICAL, "The issuer wants the customer to authenticate", _OTHER_METHOD, "Please confirm the payment with your bank.")
INTEGRATION_ISSUE: Final = Standard("INTEGRATION_ISSUE", INTEGRATION, "The request does not fit the connector", _NO, _SHOP)
PARAMETER: Final = Standard("MISSING_OR_INVALID_PARAM", INTEGRATION, "A value is missing or not valid", _NO, _SHOP)
CREDENTIALS: Final = Standard("INVALID_CREDENTIALS", INTEGRATION, "The connector's credentials are wrong", _NO, _SHOP)
NOT_ALLOWED: Final = Standard("OPERATION_NOT_ALLOWED", INTEGRATION, "The connector does not allow the operation", _NO, _SHOP)
DUPLICATE: Final = Standard("DUPLICATE_REQUEST", INTEGRATION, "The same request came twice", _NO, "The payment was made already. Please check before you try again.")
STATE: Final = Standard("INVALID_STATE", INTEGRATION, "The payment's state does not allow it", _NO, _SHOP)
THREE_DS_DATA: Final = Standard("THREEDS_DATA_OR_PROTOCOL_INVALID", INTEGRATION, "The 3-D Secure data are not valid", _NO, _SHOP)
RATE_LIMIT: Final = Standard("RATE_LIMIT", INTEGRATION, "Too many requests at the connector", _LATER, _AGAIN)
CRYPTOGRAPHY: Final = Standard("INTEG_CRYPTOGRAPHIC_ISSUE", INTEGRATION, "Signature or encryption is not valid", _NO, _SHOP)
UNKNOWN: Final = Standard("GEN_UNKNOWN_ERROR", OTHER, "The reason is not known", _LATER, _AGAIN)
# fmt: on

STANDARDS: Final = tuple(value for value in tuple(globals().values()) if isinstance(value, Standard))
"""Every standardised code, in the order of this file."""
