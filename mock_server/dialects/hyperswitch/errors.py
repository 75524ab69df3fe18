"""Errors of causes and of wrong fields: one error at a time, with the texts that clients compare (facts §4).

Messages that clients do not compare are those of the interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.dialect import ErrorRow
from mock_server.dialects.interface import ERROR_KEYS as INTERFACES
from mock_server.domain.errors import Cause as C


def _row(cause: C, status: int, code: str, message: str, reason: str = "") -> ErrorRow:
    return ErrorRow(cause, status, "invalid_request", code, message, reason)


def _json(cause: C, message: str) -> ErrorRow:
    """An error of a body that cannot be read; its type has another key (facts §4.1)."""
    return ErrorRow(cause, 400, "invalid_request", "IR_06", f"Json deserialize error: {message}", type_key="error_type")


_MISSING: Final = "Missing required param: {field}"
_BAD_KEY: Final = "API key not provided or invalid API key used"
_MANDATE: Final = "Mandate Validation Failed"
_NOT_POSSIBLE: Final = "This Payment could not be {} because it has a {} of {{value}}. The expected state is {{states}}"

ERROR_KEYS: Final = INTERFACES._replace(fields=None)
ERRORS: Final = (
    _json(C.CONTENT_TYPE_WRONG, "the content type is {given}, but must be {expected}"),
    _json(C.JSON_MALFORMED, "{reason} at line {line} column {column}"),
    _json(C.BODY_NOT_OBJECT, "invalid type: {given}, expected {expected}"),
    *(_row(cause, 401, "IR_01", _BAD_KEY) for cause in (C.KEY_MISSING, C.KEY_MALFORMED, C.KEY_UNKNOWN, C.KEY_UNUSED, C.KEY_PRODUCTION, C.KEY_KIND_NOT_ALLOWED, C.KEY_EXPIRED, C.KEY_REVOKED)),
    _row(C.CLIENT_SECRET_MISSING, 400, "IR_04", "Missing required param: client_secret"),
    _row(C.CLIENT_SECRET_EXPIRED, 400, "IR_08", "Client secret has expired"),
    *(_row(cause, 400, "IR_04", _MISSING) for cause in (C.VALUE_MISSING, C.METHOD_DATA_MISSING, C.CUSTOMER_NEEDED, C.CAPTURE_AMOUNT_MISSING)),
    _json(C.VALUE_INVALID, "{field} {problem}"),
    _json(C.UNKNOWN_FIELD, "unknown field `{name}`{hint}"),
    _json(C.UNKNOWN_PARAMETER, "unknown field `{name}`{hint}"),
    _row(C.METHOD_MISSING_AT_CONFIRM, 422, "IR_06", "A payment token or payment method data or ctp service details is required"),
    _row(C.PAYMENT_EXISTS, 400, "HE_01", "The payment with the specified payment_id already exists in our records", "payment_id {payment_id} is taken"),
    _row(C.REFUND_EXISTS, 400, "HE_01", "Duplicate refund request. Refund already attempted with the refund ID"),
    _row(C.CUSTOMER_EXISTS, 400, "IR_12", "Customer with the given `customer_id` already exists"),
    _row(C.STATUS_FORBIDS, 400, "IR_16", "You cannot {action} this payment because it has status {status}"),
    _row(C.RETRY_DISABLED, 400, "IR_16", "You cannot confirm this payment because it has status {status}, unless is_manual_retry_enabled is set on the profile"),
    _row(C.CAPTURE_FORBIDS, 400, "IR_14", _NOT_POSSIBLE.format("captured", "payment.status")),
    _row(C.CAPTURE_METHOD_FORBIDS, 400, "IR_14", _NOT_POSSIBLE.format("captured", "capture_method")),
    _row(C.REFUND_FORBIDS, 400, "IR_14", _NOT_POSSIBLE.format("refund", "status")),
    *(_row(cause, 400, "HE_03", _MANDATE, reason) for cause, reason in (
        (C.MANDATE_STATUS_FORBIDS, "the mandate is {status}"),
        (C.MANDATE_DIFFERS, "the payment differs from the mandate in: {names}"),
        (C.MANDATE_EXCEEDED, "the amount is larger than the mandate allows"),
        (C.MANDATE_USED, "the mandate was already used"),
        (C.MANDATE_OUT_OF_PERIOD, "the mandate is not valid today"),
    )),
    _row(C.AMOUNT_OVER_CAPTURABLE, 422, "IR_06", "amount_to_capture is greater than amount"),
    _row(C.AMOUNT_TO_CAPTURE_OVER_AMOUNT, 422, "IR_05", "amount_to_capture contains invalid data. Expected format is amount_to_capture lesser than amount"),
    _row(C.REFUND_OVER_CAPTURED, 400, "IR_13", "The refund amount exceeds the amount captured"),
)  # fmt: skip

_V: Final = C.VALUE_INVALID
_RULES: Final[tuple[tuple[str, ErrorRow], ...]] = (
    ("type", _json(_V, "{field} {problem}")),
    ("unknown_word", _json(_V, "unknown variant `{given}`, expected one of {words}")),
    ("card_number_length", _json(_V, "invalid card number length")),
    ("card_number", _json(_V, "invalid card number")),
    ("unknown_field", _json(_V, "unknown field `{name}`{hint}")),
    ("missing", _json(_V, "missing field `{name}`")),
    ("", _json(_V, "{field} {problem}")),
    ("not_offered", ErrorRow(_V, 501, "invalid_request", "IR_00", "This sandbox does not offer {given}, which the public API knows")),
    ("needed", _row(_V, 400, "IR_04", _MISSING)),
    ("too_long", _row(_V, 400, "IR_06", "{field} must be at most {most} characters long. Received {count} characters")),
    ("out_of_range", _row(_V, 422, "IR_06", "{field} {problem}")),
    ("card_cvc", _row(_V, 400, "IR_16", "Invalid card_cvc length")),
    ("expiry_month", _row(_V, 400, "IR_16", "Invalid Expiry Month")),
    ("expiry_year", _row(_V, 400, "IR_16", "Invalid Expiry Year")),
    ("amount_too_large", _row(_V, 400, "IR_16", "{field} {problem}")),
    ("not_positive", _row(_V, 422, "IR_05", "{field} contains invalid data. Expected format is a positive integer")),
)  # fmt: skip
"""The errors of wrong fields, in the order in which they are reported."""
MISTAKES: Final[Mapping[str, ErrorRow]] = {rule: row for rule, row in _RULES if rule}
FIRST: Final = tuple(rule for rule, _ in _RULES)
