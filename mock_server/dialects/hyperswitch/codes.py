"""The public codes as a scenario's `error:` answers with them, in the public API's texts (facts §4.2, §4.3).

A code with a value in its text, or with several texts, has the interface's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.dialect import CodeRow
from mock_server.dialects.hyperswitch.errors import ERRORS, MISTAKES
from mock_server.dialects.interface import INTERFACE

_NO_CAUSE: Final = {
    "IR_12": "Reached maximum refund attempts",
    "IR_17": "Access forbidden, invalid JWT token was used",
    "IR_19": "Payment method type not supported",
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
_ROWS: Final = (*({**INTERFACE.errors, **{row.cause: row for row in ERRORS}}).values(), *MISTAKES.values())
_RAISED: Final = frozenset(row.code for row in _ROWS)
_BY_CODE: Final = {code: {row.message for row in ERRORS if row.code == code} for code in _RAISED}
_ALONE: Final = {code: min(texts) for code, texts in _BY_CODE.items() if len(texts) == 1 and "{" not in min(texts)}


def _never(row: CodeRow) -> str:
    """Why this server never answers with a code by itself; the reason of one that it has elsewhere is the interface's."""
    return "" if row.code in _RAISED else row.never or "a charge that differs from its mandate is HE_03 or IR_16"


CODES: Final[Mapping[str, CodeRow]] = {
    code: row._replace(message=(_ALONE | _NO_CAUSE).get(code, row.message), never=_never(row))
    for code, row in INTERFACE.codes.items()
}
