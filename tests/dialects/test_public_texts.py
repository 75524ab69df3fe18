"""Every text of the public API is sent as it stands, where the cause is the same; what we can add stands beside it.

Each text of the table (public_errors.txt) is said by a row of the dialect or has a reason why never; each row of the
dialect has its text in the table or a reason why not; and each cause is raised over HTTP.
"""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.dialect import ErrorRow
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause
from tests.causes.public import PUBLIC
from tests.causes.raising import Raise
from tests.causes.requests import REQUESTS
from tests.causes.rules import RULES
from tests.causes.states import STATES
from tests.causes.values import VALUES
from tests.clocks import ManualClock
from tests.dialects import public_facts
from tests.dialects.public_facts import Said, errors, has, pattern, same
from tests.wire import Reply, wire

C = Cause
PAGE: Final = "the dialect page has it, and the table no text for the cause"
JSON: Final = "its text is the parser's own"
GENERAL: Final = "the public API has only a code for many causes"
OURS: Final = "the public server has no such cause"

BESIDE: Final[dict[Cause, str]] = {
    **dict.fromkeys((C.CONTENT_TYPE_WRONG, C.JSON_MALFORMED, C.BODY_NOT_OBJECT, C.UNKNOWN_FIELD, C.UNKNOWN_PARAMETER), JSON),
    **dict.fromkeys((C.VALUE_INVALID, C.METHOD_MISSING_AT_CONFIRM, C.CUSTOMER_EXISTS, C.STATUS_FORBIDS), PAGE),
    **dict.fromkeys((C.RETRY_DISABLED, C.AMOUNT_OVER_CAPTURABLE), PAGE),
    **dict.fromkeys((C.SECRET_KEY_WITH_CLIENT_SECRET, C.CLIENT_CHANGE_FORBIDDEN, C.BLOCKLIST_ENTRY_UNKNOWN), GENERAL),
    **dict.fromkeys((C.PROFILE_NAME_TAKEN, C.RETRY_WINDOW_OVER, C.INCREMENT_NOT_ALLOWED, C.REFUND_AFTER_VOID), GENERAL),
    **dict.fromkeys((C.VOID_AFTER_REFUND, C.METHOD_STATUS_FORBIDS, C.AMOUNT_TOO_LARGE, C.INCREMENT_NOT_LARGER), GENERAL),
    **dict.fromkeys((C.DATA_MISMATCH, C.CUSTOMER_CONFLICT, C.PAYMENT_TOKEN_OVER, C.BLOCKED), GENERAL),
    **dict.fromkeys((C.MANDATE_DATA_NEEDS_OFF_SESSION, C.METHOD_NOT_OFF_SESSION, C.METADATA_OVER_LIMIT), GENERAL),
    **dict.fromkeys((C.EVENT_FILTERS_EXCLUSIVE, C.EVENTS_TOO_OLD, C.STATUS_WITHOUT_EVENT), GENERAL),
    **dict.fromkeys((C.REQUEST_MALFORMED, C.URI_TOO_LONG, C.HEAD_TOO_LARGE, C.BODY_TOO_LARGE, C.MULTIPART_MALFORMED), OURS),
    **dict.fromkeys((C.HOST_FORBIDDEN, C.PAGE_MAKES_NOTHING, C.RATE_LIMITED, C.RATE_LIMITED_FROZEN), OURS),
    **dict.fromkeys((C.CONTROL_ORIGIN_FORBIDDEN, C.CONTROL_TOKEN_WRONG, C.PAGE_TOKEN_WRONG), OURS),
    **dict.fromkeys((C.IDEMPOTENCY_KEY_INVALID, C.IDEMPOTENCY_KEY_REUSED, C.IDEMPOTENCY_IN_FLIGHT, C.NOT_COMPUTED), OURS),
    **dict.fromkeys((C.SCENARIO_BROKEN, C.LINK_UNKNOWN, C.LINK_OVER, C.WORKSPACE_GONE, C.BLOCKLIST_ENTRY_EXISTS), OURS),
    **dict.fromkeys((C.ADVANCE_RUNNING, C.TRIGGER_FORBIDS, C.SCENARIO_NOT_ACTIVE, C.DIALECT_FIXED), OURS),
    **dict.fromkeys((C.DISPUTE_OVER_CAPTURED, C.LINK_AND_CONFIRM, C.WEBHOOK_TARGET_MISSING, C.CLOCK_BACKWARDS), OURS),
    **dict.fromkeys((C.WEBHOOK_HOST_FORBIDDEN, C.REPORT_TOO_LARGE, C.SNAPSHOT_FORMAT_UNKNOWN, C.SNAPSHOT_BROKEN), OURS),
    **dict.fromkeys((C.SNAPSHOT_TOO_LARGE, C.NO_ROOM, C.RECORDS_FULL, C.BUSY, C.NOT_SAVED), OURS),
}  # fmt: skip
"""The causes whose text is not one of the table's, and why."""

_NOT_MODELLED: Final = "the sandbox has nothing that could lead to it"
_SCENARIO: Final = "a scenario's `error:` alone answers with the code, in the interface's words: the text has a value"
NEVER: Final[dict[str, str]] = {
    **dict.fromkeys(("CE_00", "CE_09", "HE_06", "IE_00", "IR_20", "IR_22", "IR_24", "IR_30", "IR_46", "IR_47", "IR_48"), _SCENARIO),
    "client_secret was not provided": "no route of the public server answers with it; a missing one is IR_04",
    "Invalid Card CVC": "no code of three or four digits is out of its range",
    "Invalid card data": "a month and a year that were read can be compared",
    "The payment has not succeeded yet. Please pass a successful payment to initiate refund": "IR_14 is sent (facts §8)",
    "Successful payment not found for the given payment id": "no paid payment is without a charged attempt",
    "Duplicate mandate request. Mandate already attempted with the Mandate ID": "no caller gives a mandate its id",
    "The payment method with the specified details already exists in our records": "the same card is the same method",
    "The selected merchant connector account is disabled": "a payment goes to an account that is enabled",
    "The connector provided in the request is incorrect or not available": "other names than the accounts' are passed over",
    "File not available": "a file is there as long as its row",
    "Address does not exist in our records": "an address has no id",
    "Resource is busy. Please try again later.": "calls for one object wait for each other",
    "Mandate update failed": _NOT_MODELLED,
    "Something went wrong": "HE_00 has it too; HE_03 is of a mandate that cannot be read back",
}  # fmt: skip
"""Codes and texts of the table that no row of the dialect says."""
_NOT_HERE: Final = (
    r"(?i)payout|config|tenant|tokenization|authentication does|health check|acquirer|through|currency to|webhook body"
)
"""What the texts of features are about that the sandbox does not have."""


def rows() -> Iterator[ErrorRow]:
    """Every row with which a call can be refused."""
    for cause in Cause:
        if cause is not C.VALUE_INVALID:
            yield from HYPERSWITCH.rows_of(cause)
    yield from HYPERSWITCH.mistakes.values()


FREE: Final = r"(?i)^Json deserialize error|^\{field\} \{problem\}$|must be at most"
"""Texts of wrong fields that are the parser's, or have only a code."""


@pytest.mark.parametrize("row", tuple(rows()), ids=lambda row: f"{row.cause}-{row.code}-{row.message[:30]}")
def test_a_text_of_the_dialect_is_one_of_the_table(row: ErrorRow) -> None:
    if row.cause in BESIDE and row.cause is not C.VALUE_INVALID:
        return
    if re.search(FREE, row.message) or row is INTERFACE.errors[C.OBJECT_UNKNOWN]:
        return  # the latter is about objects of the control API
    assert has(row.code, row.status, row.message), row
    if row.code == "HE_03" and row.message == "Mandate Validation Failed":
        told = row.reason.replace("{other}", "mandate_data")
        assert told in public_facts.reasons() or row.cause is C.MANDATE_OUT_OF_PERIOD


def test_what_stands_beside_the_table_is_not_in_it() -> None:
    for cause in BESIDE:
        row = HYPERSWITCH.errors[cause]
        loose = pattern(row.message) == ".+" or cause is C.VALUE_INVALID
        assert loose or not has(row.code, row.status, row.message), row


@pytest.mark.parametrize("said", errors(), ids=lambda said: f"{said.code}-{said.text[:40]}")
def test_a_text_of_the_table_is_said_or_has_its_reason(said: Said) -> None:
    texts = [(row.code, row.message) for row in rows()]
    texts += [(row.code, row.message) for row in HYPERSWITCH.codes.values()]
    told = any(code == said.code and same(text, said.text) for code, text in texts)
    never = said.code in NEVER or said.text in NEVER or re.search(_NOT_HERE, said.text) is not None
    assert told or never, said


OF_MANY_TEXTS: Final = ("IR_06",)
"""Codes that are sent with many texts, of which the table has one."""


def test_a_scenarios_code_has_the_tables_text_where_it_has_one() -> None:
    """A code with one text, and no value in it."""
    for code, row in HYPERSWITCH.codes.items():
        texts = [said for said in errors() if said.code == code]
        if len(texts) == 1 and "{" not in texts[0].text and code not in OF_MANY_TEXTS:
            assert (row.status, row.message) == (texts[0].status, texts[0].text)


RAISED: Final = (*PUBLIC, *REQUESTS, *VALUES, *STATES, *RULES)
OTHERWISE: Final[dict[Cause, str]] = {
    C.BLOCKED: "it is HTTP 200, which the client of these tests takes for a payment (tests/dialects/test_public.py)",
    C.KEY_MISSING: "the call is GET /health, which is for everybody (tests/dialects/test_public.py)",
    C.UNKNOWN_PARAMETER: "most lists pass unknown parameters over (tests/dialects/test_lists.py)",
    C.DIALECT_FIXED: "the call asks for this dialect, which the workspace has",
}
"""Causes that a call of the list does not raise in this dialect, and why."""


def row_of(cause: Cause, reply: Reply) -> ErrorRow | None:
    """The row by which a refusal was worded."""
    error = reply.error
    for row in (*HYPERSWITCH.rows_of(cause), *HYPERSWITCH.mistakes.values()):
        same = (row.status, row.code) == (reply.status, error["code"])
        if same and re.fullmatch(pattern(row.message).replace(".+", ".*"), error["message"], re.DOTALL):
            return row
    return None


@pytest.mark.parametrize(
    ("cause", "raising"), [pytest.param(*row, id=row[0].value) for row in RAISED if row[0] not in OTHERWISE]
)
def test_a_cause_is_raised_with_its_text_and_explained_beside_it(cause: Cause, raising: Raise) -> None:
    clock = ManualClock()
    api = wire(clock=clock, dialect=HYPERSWITCH)
    reply = raising(api, clock)
    if reply.headers["Content-Type"].startswith("text/html"):
        return
    row = row_of(cause, reply)
    assert row is not None, reply.raw
    own = INTERFACE.errors[cause]
    if row.message == own.message or cause.group == "value" or not reply.error["code"]:
        return
    told = reply.headers["X-Sandbox-Because"]
    if told.startswith("[{"):
        return  # the list of wrong fields
    assert re.search(pattern(own.message).replace(".+", ".*"), told, re.DOTALL), told
    written: list[dict[str, Any]] = [one for one in api.get("/_sandbox/journal")["data"] if one["cause"] == cause]
    assert all(own.message.split("{")[0] in str(one["because"]) for one in written)
    elsewhere = cause.group in ("request", "auth") or cause in (C.NOT_SAVED, C.MERCHANT_EXISTS)
    assert written or elsewhere, "no entry of the journal has the cause"
