"""Errors of causes and of wrong fields: one error at a time, with the texts that clients compare (facts §4).

Messages that the public API does not have are those of the interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.dialect import CodeRow, ErrorRow
from mock_server.dialects.interface import ERROR_KEYS as INTERFACES
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import NO_BOUNDARY, Cause
from mock_server.domain.errors import Cause as C
from mock_server.domain.errors import ObjectKind as K


def _row(cause: C, status: int, code: str, message: str, reason: str = "") -> ErrorRow:
    return ErrorRow(cause, status, "invalid_request", code, message, reason)


def _json(cause: C, message: str) -> ErrorRow:
    """An error of a body that cannot be read; its type has another key (facts §4.1)."""
    return ErrorRow(cause, 400, "invalid_request", "IR_06", f"Json deserialize error: {message}", type_key="error_type")


_MISSING: Final = "Missing required param: {field}"
_BAD_KEY: Final = "API key not provided or invalid API key used"
_MANDATE: Final = "Mandate Validation Failed"
_NOT_ACTIVE: Final = "mandate is not active"
_ONE_OF: Final = "Expected one out of recurring_details and {other} but got both"
_NOT_POSSIBLE: Final = "This Payment could not be {} because it has a {} of {{value}}. The expected state is {{states}}"
_UNKNOWN: Final = "{} does not exist in our records"
_FORMAT: Final = "{} contains invalid data. Expected format is {}"

ERROR_KEYS: Final = INTERFACES._replace(fields=None)
ERRORS: Final = (
    _row(C.ROUTE_UNKNOWN, 404, "IR_02", "Unrecognized request URL"),
    _row(C.METHOD_NOT_ALLOWED, 405, "IR_03", "The HTTP method is not applicable for this API"),
    _json(C.CONTENT_TYPE_WRONG, "the content type is {given}, but must be {expected}"),
    _json(C.JSON_MALFORMED, "{reason} at line {line} column {column}"),
    _json(C.BODY_NOT_OBJECT, "invalid type: {given}, expected {expected}"),
    *(_row(cause, 401, "IR_01", _BAD_KEY) for cause in (C.KEY_MISSING, C.KEY_MALFORMED, C.KEY_UNKNOWN, C.KEY_UNUSED, C.KEY_PRODUCTION, C.KEY_KIND_NOT_ALLOWED, C.KEY_EXPIRED, C.KEY_REVOKED)),
    _row(C.EPHEMERAL_KEY_WRONG, 401, "IR_15", "Invalid Ephemeral Key for the customer"),
    _row(C.CLIENT_SECRET_MISSING, 400, "IR_04", "Missing required param: client_secret"),
    _row(C.CLIENT_SECRET_WRONG, 400, "IR_09", "The client_secret provided does not match the client_secret associated with the Payment"),
    _row(C.CLIENT_SECRET_EXPIRED, 400, "IR_08", "The provided client_secret has expired"),
    *(_row(cause, 400, "IR_04", _MISSING) for cause in (C.VALUE_MISSING, C.METHOD_DATA_MISSING, C.CUSTOMER_NEEDED, C.CAPTURE_AMOUNT_MISSING)),
    _row(C.RETURN_URL_MISSING, 404, "HE_03", "Return URL is not configured and not passed in payments request"),
    _row(C.PROFILE_NEEDED, 400, "IR_04", "Missing required param: profile_id or business_country, business_label"),
    _row(C.VALUE_INVALID, 400, "IR_06", "{field} {problem}"),
    *(_json(cause, "unknown field `{name}`{hint}") for cause in (C.UNKNOWN_FIELD, C.UNKNOWN_PARAMETER)),
    _row(C.METHOD_MISSING_AT_CONFIRM, 422, "IR_06", "A payment token or payment method data or ctp service details is required"),
    _row(C.METHOD_MISMATCH, 422, "IR_06", "payment_method_type doesn't correspond to the specified payment_method"),
    _row(C.DISPUTE_UNKNOWN, 404, "HE_04", _UNKNOWN.format("Dispute")),
    _row(C.FILE_UNKNOWN, 404, "HE_04", _UNKNOWN.format("File")),
    _row(C.PAYMENT_EXISTS, 400, "HE_01", "The payment with the specified payment_id already exists in our records", "payment_id {payment_id} is taken"),
    _row(C.REFUND_EXISTS, 400, "HE_01", "Duplicate refund request. Refund already attempted with the refund ID"),
    _row(C.CUSTOMER_EXISTS, 400, "IR_12", "Customer with the given `customer_id` already exists"),
    _row(C.MERCHANT_EXISTS, 400, "HE_01", "The merchant account with the specified details already exists in our records"),
    _row(C.CONNECTOR_EXISTS, 400, "HE_01", "The merchant connector account with the specified profile_id '{profile_id}' and connector_label '{label}' already exists in our records"),
    _row(C.STATUS_FORBIDS, 400, "IR_16", "You cannot {action} this payment because it has status {status}"),
    _row(C.RETRY_DISABLED, 400, "IR_16", "You cannot confirm this payment because it has status {status}, unless is_manual_retry_enabled is set on the profile"),
    *(_row(cause, 400, "IR_14", _NOT_POSSIBLE.format("captured", "payment.status")) for cause in (C.CAPTURE_FORBIDS, C.CAPTURE_WAS_THE_ONE)),
    _row(C.CAPTURE_METHOD_FORBIDS, 400, "IR_14", _NOT_POSSIBLE.format("captured", "capture_method").replace("{states}", "manual, manual_multiple, scheduled")),
    _row(C.REFUND_FORBIDS, 400, "IR_14", _NOT_POSSIBLE.format("refund", "status")),
    _row(C.DISPUTE_STATUS_FORBIDS, 400, "HE_03", "Dispute status validation failed", "the dispute is in stage {stage} and has the status {status}"),
    _row(C.CUSTOMER_REDACTED, 400, "IR_11", "Customer has already been redacted"),
    _row(C.CUSTOMER_HAS_MANDATE, 400, "IR_10", "Customer has active mandate/subsciption"),
    _row(C.DEFAULT_METHOD_STAYS, 400, "IR_25", "Cannot delete the default payment method"),
    _row(C.AMOUNT_OVER_CAPTURABLE, 422, "IR_06", "amount_to_capture is greater than amount"),
    _row(C.AMOUNT_TO_CAPTURE_OVER_AMOUNT, 422, "IR_05", _FORMAT.format("amount_to_capture", "amount_to_capture lesser than amount")),
    _row(C.AMOUNT_TO_CAPTURE_NOT_AMOUNT, 400, "IR_16", "amount_to_capture must be equal to total_capturable_amount when capture_method = automatic"),
    _row(C.REFUND_OVER_CAPTURED, 400, "IR_13", "The refund amount exceeds the amount captured"),
    _row(C.REFUND_ATTEMPTS_EXCEEDED, 400, "IR_12", "Reached maximum refund attempts"),
    _row(C.REFUND_TOO_OLD, 422, "IR_05", _FORMAT.format("created_at", "created_at not older than {days} days")),
    _row(C.WALLET_NOT_CONFIGURED, 400, "IR_39", "No eligible connector was found for the current payment method configuration"),
    _row(C.OVERCAPTURE_NEEDS_MANUAL, 400, "IR_16", "Invalid overcapture request: supported only with manual capture"),
    _row(C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER, 400, "IR_16", "customer_id is mandatory when setup_future_usage is given"),
    _row(C.RECURRING_DATA_DOUBLED, 400, "IR_16", _ONE_OF),
    _row(C.RECURRING_NEEDS, 400, "IR_16", "`{field}` must be `true` for mandates"),
    _row(C.MANDATE_NEEDS_CUSTOMER, 400, "IR_16", "`customer_id` is mandatory for mandates"),
    _row(C.MANDATE_DATES_REVERSED, 400, "IR_16", "`mandate_data.mandate_type.{kind}.start_date` should be greater than `mandate_data.mandate_type.{kind}.end_date`"),
    _row(C.ACCEPTANCE_NEEDS_ONLINE, 400, "IR_16", "`mandate_data.customer_acceptance.online` is required when `mandate_data.customer_acceptance.acceptance_type` is `online`"),
    _row(C.MANDATE_METHOD_UNSUPPORTED, 400, "IR_19", "Payment method type not supported", "{method} mandate payment is not supported"),
    _row(C.MANDATE_STATUS_FORBIDS, 400, "HE_03", _MANDATE, "Mandate has already been revoked"),
    _row(C.MANDATE_USED, 400, "IR_16", _NOT_ACTIVE),
    _row(C.MANDATE_DIFFERS, 400, "IR_16", "customer_id must match mandate customer_id"),
    _row(C.MANDATE_EXCEEDED, 400, "HE_03", _MANDATE, "request amount is greater than mandate amount"),
    _row(C.MANDATE_OUT_OF_PERIOD, 400, "HE_03", _MANDATE, "the mandate is not valid today"),
    _row(C.MERCHANT_ID_FOREIGN, 422, "IR_05", _FORMAT.format("{field}", "merchant_id from merchant account")),
    _row(C.FILE_MISSING, 400, "IR_33", "File not found in the request"),
    _row(C.FILE_DISPUTE_MISSING, 400, "IR_34", "Dispute id not found in the request"),
    _row(C.FILE_PURPOSE_INVALID, 400, "IR_35", "File purpose not found in the request or is invalid"),
    _row(C.FILE_TYPE_MISSING, 400, "IR_36", "File content type not found"),
    _row(C.FILE_REJECTED, 400, "HE_03", "File validation failed {reason}", "{reason}"),
    ErrorRow(C.INTERNAL, 500, "api", "HE_00", "Something went wrong"),
)  # fmt: skip
"""The rows that differ from the interface's, whose messages are sent as an explanation."""

_OBJECTS: Final = {
    **{kind: _UNKNOWN.format(str(kind).capitalize()) for kind in (K.PAYMENT, K.CUSTOMER, K.PAYMENT_METHOD, K.MANDATE, K.EVENT, K.POLL, K.MERCHANT)},
    K.REFUND: f"{_UNKNOWN.format('Refund')}.",
    K.PROFILE: "Business profile with the given id {id} does not exist",
    K.CONNECTOR: _UNKNOWN.format("Merchant connector account"),
    K.API_KEY: _UNKNOWN.format("API Key"),
    K.PAYMENT_LINK: _UNKNOWN.format("Payment Link"),
    K.EPHEMERAL_KEY: _UNKNOWN.format("Resource ID"),
}  # fmt: skip
VARIANTS: Final[Mapping[Cause, tuple[str, Mapping[object, ErrorRow]]]] = {
    C.OBJECT_UNKNOWN: ("kind", {kind: _row(C.OBJECT_UNKNOWN, 404, "HE_02", message, "{id}" * (kind is K.CONNECTOR)) for kind, message in _OBJECTS.items()}),
    C.MULTIPART_MALFORMED: ("reason", {NO_BOUNDARY: _row(C.MULTIPART_MALFORMED, 400, "IR_04", "Missing required param: boundary")}),
    C.MANDATE_STATUS_FORBIDS: ("action", {"charge": _row(C.MANDATE_STATUS_FORBIDS, 400, "IR_16", _NOT_ACTIVE)}),
    C.MANDATE_DIFFERS: ("names", {("currency",): _row(C.MANDATE_DIFFERS, 400, "HE_03", _MANDATE, "cross currency mandates not supported")}),
    C.RECURRING_DATA_DOUBLED: ("other", {"mandate_data": _row(C.RECURRING_DATA_DOUBLED, 400, "HE_03", _MANDATE, _ONE_OF)}),
    C.RECURRING_NEEDS: ("field", {"off_session": _row(C.RECURRING_NEEDS, 400, "IR_16", "`off_session` should be `true` for mandates")}),
}  # fmt: skip
"""The rows of a cause for one of its values."""

_V: Final = C.VALUE_INVALID
_RULES: Final[tuple[tuple[str, ErrorRow], ...]] = (
    ("type", _json(_V, "{field} {problem}")),
    ("unknown_word", _json(_V, "unknown variant `{given}`, expected one of {words}")),
    ("card_number_length", _json(_V, "invalid card number length")),
    ("card_number", _json(_V, "invalid card number")),
    ("unknown_field", _json(_V, "unknown field `{name}`{hint}")),
    ("missing", _json(_V, "missing field `{name}`")),
    ("unreadable", _json(_V, "{field} {problem}")),
    ("not_offered", ErrorRow(_V, 501, "invalid_request", "IR_00", "This sandbox does not offer {given}, which the public API knows")),
    ("needed", _row(_V, 400, "IR_04", _MISSING)),
    ("too_long", _row(_V, 400, "IR_06", "{field} must be at most {most} characters long. Received {count} characters")),
    ("out_of_range", _row(_V, 422, "IR_06", "{field} {problem}")),
    ("not_numeric", _row(_V, 400, "IR_07", "Invalid value provided: {name}")),
    ("card_cvc", _row(_V, 400, "IR_16", "Invalid card_cvc length")),
    ("expiry_month", _row(_V, 400, "IR_16", "Invalid Expiry Month")),
    ("expiry_year", _row(_V, 400, "IR_16", "Invalid Expiry Year")),
    ("expired", _row(_V, 400, "IR_16", "Card Expired")),
    ("amount_too_large", _row(_V, 400, "IR_16", "{field} {problem}")),
    ("not_positive", _row(_V, 422, "IR_05", _FORMAT.format("{field}", "a positive integer"))),
)  # fmt: skip
"""The errors of wrong fields, in the order in which they are reported."""
MISTAKES: Final[Mapping[str, ErrorRow]] = dict(_RULES)
FIRST: Final = tuple(rule for rule, _ in _RULES)


# The public codes as a scenario's `error:` answers with them, in the public API's texts (facts §4.2, §4.3).
#
# A code with a value in its text, or with several texts, has the interface's.

_NO_CAUSE: Final = {
    "IR_12": "Reached maximum refund attempts",
    "IR_17": "Access forbidden, invalid JWT token was used",
    "IR_21": "Missing required params",
    "IR_26": "Invalid Cookie",
    "IR_27": "Extended card info does not exist",
    "IR_31": "The provided card IIN does not exist",
    "IR_32": "The provided card IIN length is invalid, please provide an IIN with 6 digits",
    "IR_41": "Payout failed while processing with connector.",
    "IR_42": "Cookies are not found in the request",
    "IR_43": "API does not support platform account operation",
    "IR_44": "Invalid platform account operation",
    "IR_45": "External Vault failed while processing with connector.",
    "IR_49": "API does not support connected account operation",
    "IR_50": "Invalid connected account operation",
    "IR_51": "Access forbidden, invalid Basic authentication credentials",
    "CE_01": "Payment failed during authorization with connector. Retry payment",
    "CE_02": "Payment failed during authentication with connector. Retry payment",
    "CE_03": "Capture attempt failed while processing with connector",
    "CE_04": "The card data is invalid",
    "CE_05": "The card has expired",
    "CE_06": "Refund failed while processing with connector. Retry refund",
    "CE_07": "Verification failed while processing with connector. Retry operation",
    "CE_08": "Dispute operation failed while processing with connector. Retry operation",
    "HE_05": "Missing Tenant ID in the request",
    "WE_01": "Webhook authentication failed",
    "WE_02": "Bad request body received",
    "WE_03": "There was an issue processing the webhook",
    "WE_04": "Webhook resource was not found",
    "WE_05": "There was an issue processing the webhook body",
    "WE_06": "Merchant Secret set for webhook source verification is invalid",
}
"""The texts of codes to which no cause leads alone."""
BY_CAUSE: Final = {**INTERFACE.errors, **{row.cause: row for row in ERRORS}}
_RAISED: Final = frozenset(row.code for row in (*BY_CAUSE.values(), *MISTAKES.values()))
_BY_CODE: Final = {code: {row.message for row in ERRORS if row.code == code} for code in _RAISED}
_ALONE: Final = {code: min(texts) for code, texts in _BY_CODE.items() if len(texts) == 1 and "{" not in min(texts)}


def _never(row: CodeRow) -> str:
    """Why this server never answers with a code by itself; the reason of one that it has elsewhere is the interface's."""
    return "" if row.code in _RAISED else row.never or "a charge that differs from its mandate is HE_03 or IR_16"


CODES: Final[Mapping[str, CodeRow]] = {
    code: row._replace(message=(_ALONE | _NO_CAUSE).get(code, row.message), never=_never(row))
    for code, row in INTERFACE.codes.items()
}
