"""Limits, each with unit and source; `_S` are seconds, `_MS` milliseconds of the workspace's time."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from mock_server.domain.instants import DAY_MS, HOUR_MS, SECOND_MS

METADATA_PAIRS: Final = 50  # pairs, interface §8.5
METADATA_KEY: Final = 40  # characters, interface §8.5
METADATA_VALUE: Final = 500  # characters, interface §8.5
STATEMENT_DESCRIPTOR: Final = 22  # characters, interface §8.5
MERCHANT_ORDER_REFERENCE_ID: Final = 255  # characters, interface §8.5
TEXT: Final = 255  # characters, facts §4.4: e-mail, name, phone, reason
DESCRIPTION: Final = 5_000  # characters, ours
RETURN_URL: Final = 2_048  # characters, facts §4.4
PROFILE_RETURN_URL: Final = 255  # characters, facts §2.7
PROFILE_NAME: Final = 64  # characters, facts §2.7
WORKSPACE_LABEL: Final = 120  # characters, ours
IDENTIFIER: Final = 64  # characters, facts §2.10
MANDATE_ID: Final = 64  # characters, facts §4.4

AMOUNT_MAX: Final = 999_999_999  # minor units, facts §4.4
JSON_INTEGER: Final = 2**53 - 1  # decisions "Words on the wire"

SESSION_EXPIRY_MIN_S: Final = 60  # facts §4.4
SESSION_EXPIRY_MAX_S: Final = 7_890_000  # facts §4.4
SESSION_EXPIRY_DEFAULT_S: Final = 900  # facts §8

REFUNDS_PER_PAYMENT: Final = 10  # refunds, decisions "Refunds"
REFUND_AGE_MS: Final = 365 * DAY_MS  # facts §8

ITEMS: Final = 1_000  # of an array, ours
LIST_MIN: Final = 1  # items, decisions "Words on the wire"
LIST_MAX: Final = 100  # items, interface §8.1
EVENT_LOOK_BACK_MS: Final = 90 * DAY_MS  # facts §2.9

IDEMPOTENCY_KEY: Final = 255  # characters, decisions "Idempotency"
IDEMPOTENCY_MS: Final = 24 * HOUR_MS  # interface §8.3

PAYMENT_TOKEN_MS: Final = 900 * SECOND_MS  # facts §1.4
EPHEMERAL_KEY_MS: Final = HOUR_MS  # facts §1.4

MULTIPART_FRAME: Final = 16_384  # bytes, ours: what a form has around its file

REPORT_ROWS: Final = 50_000  # rows, facts §1.7
REPORT_LINK_MS: Final = 48 * HOUR_MS  # facts §1.7

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
    """A call's place in the window of `now`; the window's end is in real time."""
    left_ms = WINDOW_MS - now % WINDOW_MS
    return Usage(limit, count, -(-(real_now + left_ms) // 1000), -(-left_ms // 1000), refuses, frozen)
