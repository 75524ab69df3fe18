"""The journal, and why a payment has its status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import UNSET

from mock_server import jsontext
from mock_server.contract.answers import payment
from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.fields import AnswerShape, ByName, Field, Many, Several, each
from mock_server.contract.answers.payment import EXPANDED_PAYMENT
from mock_server.contract.notation import ANY, FLAG, FREE, INSTANT, NUMBER, TEXT, WHOLE, many, words
from mock_server.control.answers import DROPPED, counted, of_values
from mock_server.control.answers.server import DUE
from mock_server.domain.payment import Waiting
from mock_server.domain.statuses import PaymentStatus
from mock_server.story.rows import RecordRow
from mock_server.story.words import Tone

# fmt: off

BECAUSE: Final = of_values(
    "Because",
    *each(TEXT, "by", "text", nullable=False),
    Field("rule", TEXT),
    Field("inputs", FREE, nullable=False),
    Field("near_misses", many(ANY), nullable=False),
    inline=False,
    about="A reason: what decided the outcome, in words, and the rules that did not match.",
)
_PART: Final = "if only part of the body is stored."
_CUT: Final = (
    Field("request_bytes", WHOLE, about=f"How long the request was, {_PART}"),
    Field("response_bytes", WHOLE, about=f"How long the answer was, {_PART}"),
    Field("response_sha256", TEXT, about=f"Digest of the whole answer, {_PART}"),
)
"""The additional fields of a line with a body that is stored in part."""

JOURNAL_LINE: Final = AnswerShape[Mapping[str, Any]](
    "JournalLine",
    Field("number", WHOLE, nullable=False),
    Field("at", INSTANT, nullable=False),
    *each(TEXT, "request_id", "operation", "method", "path", "query", nullable=False),
    Field("status", WHOLE),
    *each(TEXT, "cause", "key", "payment_id"),
    Field(
        "payment_status", PaymentStatus, of=lambda entry: entry["left"][0] if entry["left"] else None,
        about="How the payment stood after it, where the answer showed it.",
    ),
    *each(FLAG, "replayed", "idempotent", nullable=False),
    Field("fault", TEXT),
    Field(
        "took_place", FLAG, nullable=False, about="Whether the operation was performed; false if a fault prevented it."
    ),
    Field("delay_ms", WHOLE, nullable=False, about="How long a scenario delayed the answer, in real time."),
    Field("left_first", FLAG, nullable=False, about="Whether the client disconnected before the end of the answer."),
    Field("retry_after", TEXT, about="`Retry-After` of the answer."),
    Field("connection", WHOLE, about="Number of the client's connection; null behind another WSGI server."),
    Field("idempotency", many(TEXT), about="Keyed digest and first characters of the idempotency key."),
    Field("headers", FREE, about="Request headers; keys, cookies and the like are `[redacted]`."),
    Field(
        "misplaced", many(many(TEXT)), nullable=False,
        about="Card data and keys in fields where they are not allowed: what, and where.",
    ),
    Field("took_ms", NUMBER, of=lambda entry: round(entry["took_ms"], 3), nullable=False),
    Field("began_us", WHOLE, nullable=False),
    Field(
        "events", many(WHOLE), of=lambda entry: [number + 1 for number in entry["events"]], nullable=False,
        about="Numbers of the events that the call caused.",
    ),
    Field("because", Many(BECAUSE), of="notes", nullable=False),
    Field(
        "request", ANY, of=lambda entry: body_shown(entry["request"]),
        about="Redacted body, as JSON if possible, otherwise as text.",
    ),
    Field(
        "response", ANY, of=lambda entry: body_shown(entry["response"]),
        about="Redacted body; only the start of a long body, as text.",
    ),
    Several(_CUT, lambda entry: dict(zip((field.name for field in _CUT), entry["cut"] or (), strict=False))),
    keyed=True,
    about="A call or page view in a workspace.",
)
_GAPS: Final = "Up to this number, calls that changed nothing can be missing, since a restart; 0 if none can."
JOURNAL: Final = counted("Journal", JOURNAL_LINE, DROPPED, Field("gaps_until", WHOLE, nullable=False, about=_GAPS))
RECORDS: Final = counted("Records", FREE)
"""Records as the API's own calls show them."""


def body_shown(body: bytes) -> object:
    """A body: JSON as it is, anything else as text, an empty one as null."""
    if not body:
        return None
    text = body.decode("utf-8", "replace")
    return text if jsontext.read_or(UNSET, body) is UNSET else jsontext.Raw(text)


KIND_COUNT: Final = AnswerShape[Any](
    "KindCount",
    Field("kind", TEXT, nullable=False),
    Field("total", WHOLE, nullable=False),
    Field("is_exact", FLAG, nullable=False, about="Whether there are no more."),
)
FOUND: Final = counted(
    "Found",
    AnswerShape[RecordRow](
        "Hit",
        Field("kind", TEXT, nullable=False, about="payment, refund, customer, event, call and so on."),
        Field("id", TEXT, nullable=False, about="For a call, the ID of its request."),
        Field("at", INSTANT, of="created_at", nullable=False),
        Field("status", TEXT),
        Field("badge", TEXT, about="Status of a payment in a few words."),
        Field("tone", words(Tone), nullable=False),
        Field("amount", WHOLE),
        *each(TEXT, "currency", "payment_id", "customer_id"),
        Field("number", WHOLE, about="For a call, its number in the journal."),
        Field("says", TEXT, nullable=False, about="Description for people."),
    ),
    Field("kinds", Many(KIND_COUNT), nullable=False, about="How many of each kind were found, also those not listed."),
    Field("looked_at", WHOLE, nullable=False, about="Number of payments in which the text was searched."),
    Field("of", WHOLE, nullable=False, about="Number of payments."),
    Field("is_cut", FLAG, nullable=False, about="Whether there are older records, which were not searched."),
)

_STANDS = (
    Field("payment_id", TEXT, nullable=False),
    Field("status", PaymentStatus, nullable=False),
    Field("headline", TEXT, nullable=False, about="Status of the payment, in a sentence for people."),
)
_STORY_ROW: Final = AnswerShape[Any].inline(
    "StoryRow",
    Field("at", INSTANT, nullable=False),
    Field("kind", TEXT, nullable=False),
    Several((), lambda row: row.fields),
    more=True,
)
TIMELINE: Final = of_values(
    "Timeline",
    *_STANDS,
    Field("data", Many(_STORY_ROW), nullable=False),
    Field("total_count", WHOLE, of=lambda values: len(values["data"]), nullable=False),
)
_DECISION: Final = of_values(
    "Decision",
    Field("at", INSTANT, nullable=False),
    Field("operation", TEXT, nullable=False, about="Operation of the call, or an event of the clock."),
    Field("request_id", TEXT, about="The call; null if the clock decided."),
    *BECAUSE.rows,
)
_WAITING: Final[AnswerShape[Waiting]] = AnswerShape.inline(
    "WhatItWaitsFor",
    Field("kind", TEXT, nullable=False),
    Field("ends", TEXT, of="outcome.ends"),
    Field("after_polls", WHOLE, of="polls"),
    Field("then", TEXT, of=lambda waiting: waiting.outcome.then.word if waiting.outcome.then else None),
)
WHY_IT_STANDS: Final = of_values(
    "Why",
    *_STANDS,
    Field("tone", words(Tone), nullable=False),
    Field("failure", AnswerShape.inline("WhyFailed", *each(TEXT, "decline", "error_code", "error_message"))),
    Field("waits_for", _WAITING),
    Field("due", Many(DUE), nullable=False),
    Field("calls_since", INSTANT, about="Since when calls are in the journal, if earlier ones are not."),
    Field("decisions", Many(_DECISION), nullable=False),
    Field("page", TEXT, nullable=False, about="URL of its page in the dashboard."),
)

STATES: Final = ByName(MACHINE)
PAYMENT: Final = EXPANDED_PAYMENT
DISPUTE: Final = payment.DISPUTE
REFUND: Final = payment.REFUND
# fmt: on
