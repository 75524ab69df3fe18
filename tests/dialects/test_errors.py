"""Every cause has its words, and every word its place (interface §7, facts §4)."""

from __future__ import annotations

import re
from string import Formatter

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects import get
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.dialects.interface.errors import CODES, ERRORS
from mock_server.domain.errors import Cause, CauseGroup, FieldError, Refusal
from mock_server.domain.statuses import PaymentStatus, RefundStatus
from tests.dialects.nonsense import GIBBERISH, MARK, NONSENSE, renamed

FIELD_WORDS = {"field", "problem", "more", "name", "hint"}
WRONG = (FieldError("amount", "must be a whole number"), FieldError("currency", "is no currency"))

by_cause = pytest.mark.parametrize("cause", list(Cause))
by_dialect = pytest.mark.parametrize("dialect", [INTERFACE, NONSENSE], ids=lambda dialect: dialect.name)


def example(cause: Cause) -> Refusal:
    """A refusal of this cause with a value for each of its params."""
    values: dict[str, object] = {name: f"<{name}>" for name in cause.params}
    fields = WRONG if cause.group is CauseGroup.VALUE else ()
    return Refusal(cause, fields=fields, extras=None, **values)


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


@by_dialect
def test_a_dialect_has_words_for_every_cause_and_for_no_other(dialect: Dialect) -> None:
    assert set(dialect.errors) == set(Cause)


def test_no_cause_stands_twice() -> None:
    assert [row.cause for row in ERRORS] == list(Cause)
    assert len({row.code for row in CODES}) == len(CODES)


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@by_cause
def test_a_message_names_only_what_its_cause_hands_over(cause: Cause, dialect: Dialect) -> None:
    shown = dialect.errors[cause]
    known = set(cause.params) | (FIELD_WORDS if cause.group is CauseGroup.VALUE else set())
    assert placeholders(shown.message) <= known
    assert placeholders(shown.reason) <= known


@by_cause
def test_a_message_tells_everything_its_cause_hands_over(cause: Cause) -> None:
    shown = INTERFACE.errors[cause]
    assert set(cause.params) <= placeholders(shown.message + shown.reason)


@by_cause
def test_the_text_is_a_sentence_that_says_something(cause: Cause) -> None:
    text = INTERFACE.errors[cause].message
    assert text.endswith(".")
    assert len(text) > 25


def test_the_envelope_is_the_interfaces() -> None:
    status, body = INTERFACE.error(Refusal(Cause.STATUS_FORBIDS, action="cancel", status=PaymentStatus.SUCCEEDED))
    assert status == 400
    assert list(body) == ["error"]
    error = body["error"]
    assert isinstance(error, dict)
    assert list(error) == ["type", "code", "message"]
    assert (error["type"], error["code"]) == ("invalid_request", "IR_16")
    assert "cancel" in error["message"]
    assert "succeeded" in error["message"]


def test_wrong_fields_stand_in_the_message_and_in_fields() -> None:
    status, body = INTERFACE.error(Refusal.of_fields(WRONG))
    assert status == 400
    assert body["error"] == {
        "type": "invalid_request",
        "code": "IR_04",
        "message": "Invalid value for amount: must be a whole number (1 more in fields).",
        "fields": [
            {"field": "amount", "message": "must be a whole number"},
            {"field": "currency", "message": "is no currency"},
        ],
    }


def test_extras_follow_and_a_reason_is_said() -> None:
    refusal = Refusal(Cause.PAYMENT_EXISTS, payment_id="pay_1", extras={"connector": "sandbox"})
    error = INTERFACE.error(refusal)[1]["error"]
    assert isinstance(error, dict)
    assert error["reason"] == "payment_id pay_1 is taken"
    assert error["connector"] == "sandbox"
    assert list(error)[:3] == ["type", "code", "message"]


@pytest.mark.parametrize(
    ("cause", "status", "kind", "code"),
    [
        (Cause.VALUE_INVALID, 400, "invalid_request", "IR_04"),
        (Cause.VALUE_MISSING, 400, "invalid_request", "IR_04"),
        (Cause.UNKNOWN_FIELD, 400, "invalid_request", "IR_06"),
        (Cause.JSON_MALFORMED, 400, "invalid_request", "IR_06"),
        (Cause.CONTENT_TYPE_WRONG, 400, "invalid_request", "IR_06"),
        (Cause.BODY_TOO_LARGE, 413, "invalid_request", "IR_06"),
        (Cause.ROUTE_UNKNOWN, 404, "invalid_request", "IR_02"),
        (Cause.METHOD_NOT_ALLOWED, 405, "invalid_request", "IR_03"),
        (Cause.KEY_MISSING, 401, "invalid_request", "IR_01"),
        (Cause.KEY_PRODUCTION, 401, "invalid_request", "IR_01"),
        (Cause.SECRET_KEY_WITH_CLIENT_SECRET, 422, "invalid_request", "IR_06"),
        (Cause.CLIENT_SECRET_WRONG, 400, "invalid_request", "IR_09"),
        (Cause.CLIENT_SECRET_EXPIRED, 400, "invalid_request", "IR_08"),
        (Cause.RATE_LIMITED, 429, "rate_limit", "RL_01"),
        (Cause.IDEMPOTENCY_KEY_INVALID, 400, "invalid_request", "IR_04"),
        (Cause.IDEMPOTENCY_KEY_REUSED, 422, "invalid_request", "IR_06"),
        (Cause.IDEMPOTENCY_IN_FLIGHT, 409, "invalid_request", "IR_16"),
        (Cause.OBJECT_UNKNOWN, 404, "invalid_request", "HE_02"),
        (Cause.DISPUTE_UNKNOWN, 404, "invalid_request", "HE_04"),
        (Cause.PAYMENT_EXISTS, 400, "invalid_request", "HE_01"),
        (Cause.CUSTOMER_EXISTS, 400, "invalid_request", "IR_12"),
        (Cause.CAPTURE_FORBIDS, 400, "invalid_request", "IR_14"),
        (Cause.REFUND_FORBIDS, 400, "invalid_request", "IR_14"),
        (Cause.AMOUNT_OVER_CAPTURABLE, 422, "invalid_request", "IR_06"),
        (Cause.AMOUNT_TO_CAPTURE_OVER_AMOUNT, 422, "invalid_request", "IR_05"),
        (Cause.REFUND_OVER_CAPTURED, 400, "invalid_request", "IR_13"),
        (Cause.BLOCKED, 200, "blocked", "HE_03"),
        (Cause.FEATURE_NOT_OFFERED, 501, "invalid_request", "IR_00"),
        (Cause.WORKSPACE_GONE, 410, "invalid_request", "IR_16"),
        (Cause.INTERNAL, 500, "api", "HE_00"),
    ],
)
def test_the_decided_codes(cause: Cause, status: int, kind: str, code: str) -> None:
    row = INTERFACE.errors[cause]
    assert (row.status, row.type, row.code) == (status, kind, code)


@by_cause
def test_what_is_given_back_is_what_was_decided(cause: Cause) -> None:
    """Validation errors, 401, 413, 429, 500 release an idempotency claim; IR_13, IR_14, IR_16, HE_01 do not."""
    shown = INTERFACE.errors[cause]
    if shown.code == "IR_04" or shown.status in (401, 413, 429, 500):
        assert cause.gives_back
    if shown.code in ("IR_13", "IR_14", "HE_01") or (shown.code == "IR_16" and shown.status == 400):
        assert not cause.gives_back


def test_a_code_is_raised_or_says_why_never() -> None:
    raised = {row.code for row in ERRORS}
    assert {row.code for row in CODES if not row.never} == raised


@pytest.mark.parametrize("row", CODES, ids=lambda row: row.code)
def test_a_scenario_can_answer_with_any_public_code(row: object) -> None:
    code = getattr(row, "code", "")
    status, body = INTERFACE.coded(code)
    error = body["error"]
    assert isinstance(error, dict)
    assert status == INTERFACE.codes[code].status
    assert error["code"] == code
    assert re.fullmatch(r"[A-Z].*\.", error["message"])


def test_a_scenario_can_answer_with_a_code_of_its_own() -> None:
    status, body = INTERFACE.coded("XX_99", status=503, message="Try later.")
    assert (status, body) == (503, {"error": {"type": "api", "code": "XX_99", "message": "Try later."}})
    assert INTERFACE.coded("IR_06", status=429)[1]["error"] == {
        "type": "rate_limit",
        "code": "IR_06",
        "message": INTERFACE.codes["IR_06"].message,
    }
    assert INTERFACE.coded("XX_99")[0] == 500


@by_cause
def test_a_dialect_that_renames_everything_leaves_nothing_of_the_interface(cause: Cause) -> None:
    status, body = NONSENSE.error(example(cause))
    assert status != 400
    ((key, error),) = body.items()
    assert key.startswith(MARK)
    assert isinstance(error, dict)
    assert all(name.startswith(MARK) for name in error)
    head = [
        error[NONSENSE.error_keys.type],
        error[NONSENSE.error_keys.code],
        error[NONSENSE.error_keys.message],
    ]
    assert all(str(word).startswith(MARK) for word in head)


def test_statuses_in_a_message_are_the_dialects() -> None:
    refusal = Refusal(
        Cause.REFUND_FORBIDS,
        value=PaymentStatus.FAILED,
        states=(PaymentStatus.SUCCEEDED, RefundStatus.PENDING),
    )
    text = str(NONSENSE.error(refusal)[1])
    assert "succeeded" not in text
    assert "failed" not in text
    assert NONSENSE.status_out(PaymentStatus.SUCCEEDED) in text
    assert NONSENSE.status_out(RefundStatus.PENDING) in text


def test_instants_are_written_as_instants_and_absent_values_as_null() -> None:
    refusal = Refusal(Cause.CLOCK_BACKWARDS, asked_at=0, now_at=1_700_000_000_000)
    text = str(INTERFACE.error(refusal))
    assert "1970-01-01T00:00:00.000Z" in text
    assert "2023-11-14T22:13:20.000Z" in text
    assert "content type is null" in str(INTERFACE.error(Refusal(Cause.CONTENT_TYPE_WRONG, given=None, expected="x")))


@pytest.mark.parametrize("number", ["4242424242424242", "4242 4242 4242 4242", "3782-822463-10005"])
def test_no_message_repeats_what_could_be_a_card_number(number: str) -> None:
    in_value = INTERFACE.error(Refusal(Cause.OBJECT_UNKNOWN, kind="payment", id=number))
    in_field = INTERFACE.error(Refusal.of_fields([FieldError(f"metadata.{number}", f"{number} is wrong")]))
    assert number not in str(in_value)
    assert number not in str(in_field)


def test_long_values_are_cut_and_missing_ones_leave_a_gap() -> None:
    assert len(str(INTERFACE.error(Refusal(Cause.ROUTE_UNKNOWN, method="GET", path="/" + "a" * 5000)))) < 500
    assert "(action)" in str(INTERFACE.error(Refusal(Cause.STATUS_FORBIDS, status="failed")))


def test_an_unknown_dialect_is_refused_by_name() -> None:
    assert get("interface") is INTERFACE
    with pytest.raises(KeyError, match="interface"):
        get("esperanto")


def test_a_rule_can_have_an_error_of_its_own() -> None:
    rule = FieldError("name", "is too long", rule="too_long", values={"most": 12})
    plain = FieldError("currency", "is no currency", rule="unknown_word")
    for fields, message in (((plain,), f"{MARK}currency"), ((plain, rule), f"{MARK}name 12")):
        status, body = GIBBERISH.error(Refusal.of_fields(fields))
        assert status == 418
        error = body[renamed("error")]
        assert isinstance(error, dict)
        assert list(error) == [renamed("error_type"), renamed("code"), renamed("message")]
        assert error[renamed("message")] == message
