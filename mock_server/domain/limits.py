"""The numbers that a request, a record or the workspace's clock is held to; each is an int that knows its unit.

`_S` are seconds and `_MS` milliseconds of the workspace's time; `_REAL_S` are seconds of real time.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from mock_server.domain.instants import DAY_MS, HOUR_MS, SECOND_MS


class Limit(int):
    """A number with its name, unit and source."""

    name: str
    unit: str
    source: str

    def __new__(cls, name: str, value: int, unit: str, source: str) -> Limit:
        made = super().__new__(cls, value)
        made.name, made.unit, made.source = name, unit, source
        return made


_WORDS: Final = 'decisions "Words on the wire"'
_CLOCK: Final = 'decisions "Clock"'

METADATA_PAIRS: Final = Limit("metadata_pairs", 50, "pairs", "interface §8.5")
METADATA_KEY: Final = Limit("metadata_key", 40, "characters", "interface §8.5")
METADATA_VALUE: Final = Limit("metadata_value", 500, "characters", "interface §8.5")
STATEMENT_DESCRIPTOR: Final = Limit("statement_descriptor", 22, "characters", "interface §8.5")
MERCHANT_ORDER_REFERENCE_ID: Final = Limit("merchant_order_reference_id", 255, "characters", "interface §8.5")
TEXT: Final = Limit("text", 255, "characters", "facts §4.4")  # email, name, phone, reason
DESCRIPTION: Final = Limit("description", 5_000, "characters", "ours")
RETURN_URL: Final = Limit("return_url", 2_048, "characters", "facts §4.4")
PROFILE_RETURN_URL: Final = Limit("profile_return_url", 255, "characters", "facts §2.7")
PROFILE_NAME: Final = Limit("profile_name", 64, "characters", "facts §2.7")
IDENTIFIER: Final = Limit("identifier", 64, "characters", "facts §2.10")
MANDATE_ID: Final = Limit("mandate_id", 64, "characters", "facts §4.4")
CUSTOM_HEADERS: Final = Limit("custom_headers", 4, "headers", "facts §2.7")

AMOUNT_MAX: Final = Limit("amount", 999_999_999, "minor units", "facts §4.4")
JSON_INTEGER: Final = Limit("json_integer", 2**53 - 1, "", _WORDS)

SESSION_EXPIRY_MIN_S: Final = Limit("session_expiry_min", 60, "seconds", "facts §4.4")
SESSION_EXPIRY_MAX_S: Final = Limit("session_expiry_max", 7_890_000, "seconds", "facts §4.4")
SESSION_EXPIRY_DEFAULT_S: Final = Limit("session_expiry", 900, "seconds", "facts §8")
AUTHORIZATION_EXPIRY_MS: Final = Limit("authorization_expiry", 7 * DAY_MS, "milliseconds", _CLOCK)
PAGE_EXPIRY_MS: Final = Limit("page_expiry", 36_000 * SECOND_MS, "milliseconds", "facts §7.1")

REFUNDS_PER_PAYMENT: Final = Limit("refunds_per_payment", 10, "refunds", 'decisions "Refunds"')
REFUND_AGE_MS: Final = Limit("refund_age", 365 * DAY_MS, "milliseconds", "facts §8")

LIST_MIN: Final = Limit("list_min", 1, "items", _WORDS)
LIST_MAX: Final = Limit("list_max", 100, "items", "interface §8.1")
LIST_DEFAULT: Final = Limit("list_default", 10, "items", "interface §8.1")
EVENT_LOOK_BACK_MS: Final = Limit("event_look_back", 90 * DAY_MS, "milliseconds", "facts §2.9")

IDEMPOTENCY_KEY: Final = Limit("idempotency_key", 255, "characters", 'decisions "Idempotency"')
IDEMPOTENCY_MS: Final = Limit("idempotency", 24 * HOUR_MS, "milliseconds", "interface §8.3")
RATE_PER_MINUTE: Final = Limit("rate_limit", 4_800, "requests a minute", 'decisions "Rate limit"')

PAYMENT_TOKEN_MS: Final = Limit("payment_token", 900 * SECOND_MS, "milliseconds", "facts §1.4")
EPHEMERAL_KEY_MS: Final = Limit("ephemeral_key", HOUR_MS, "milliseconds", "facts §1.4")
RESPONSE_HASH_KEY: Final = Limit("response_hash_key", 64, "characters", "facts §2.7")

BODY: Final = Limit("body", 1_048_576, "bytes", 'decisions "Errors"')
EVIDENCE_FILE: Final = Limit("evidence_file", 8_388_608, "bytes", 'decisions "Errors"')
MULTIPART_FRAME: Final = Limit("multipart_frame", 16_384, "bytes", "ours")  # what a form has around its file
CONTROL_BODY: Final = Limit("control_body", 67_108_864, "bytes", 'decisions "Errors"')

WEBHOOK_TIMEOUT_REAL_S: Final = Limit("webhook_timeout", 30, "seconds", "facts §6.2")
REPORT_ROWS: Final = Limit("report_rows", 50_000, "rows", "facts §1.7")
REPORT_LINK_MS: Final = Limit("report_link", 48 * HOUR_MS, "milliseconds", "facts §1.7")

LIMITS: Final = tuple(value for value in tuple(globals().values()) if isinstance(value, Limit))
"""Every limit, in the order of this file."""


WINDOW_MS: Final = 60_000


class Usage(Struct, frozen=True):
    """One call's place in its window; `reset_at_s` is in real time (Unix seconds), as clients compare it."""

    limit: int
    count: int
    reset_at_s: int
    seconds_left: int
    refuses: bool = True
    frozen: bool = False


def usage(limit: int, count: int, now: int, real_now: int, refuses: bool, frozen: bool) -> Usage:
    """A call's place in the window that `now` lies in; the window's end is told in real time."""
    left_ms = WINDOW_MS - now % WINDOW_MS
    return Usage(limit, count, -(-(real_now + left_ms) // 1000), max(1, -(-left_ms // 1000)), refuses, frozen)
