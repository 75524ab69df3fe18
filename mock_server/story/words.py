"""One row of a payment's timeline, and its texts: a title, the result, the reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.domain.errors import Cause
from mock_server.domain.events import WHY, SkipReason, is_success
from mock_server.domain.hiding import bare_url
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, iso, iso_to_read, parse
from mock_server.domain.money import currency, format_amount
from mock_server.domain.nouns import noun
from mock_server.domain.statuses import PaymentStatus
from mock_server.story.payment_history import BY_HAND

RowFields = dict[str, Any]


class RowKind(StrEnum):
    """What a row is about."""

    CREATED = "created"
    CALL = "call"
    PAGE = "page"
    BY_HAND = "by_hand"
    EVENT = "event"
    ATTEMPT = "attempt"
    CAPTURE = "capture"
    WEBHOOK = "webhook"
    CLOCK = "clock"
    GAP = "gap"


class TimelineRow(NamedTuple):
    """One thing that happened, at a time of the workspace (ms); `fields` are what the control API shows."""

    at: int
    kind: RowKind
    fields: Mapping[str, Any]

    @property
    def status(self) -> str | None:
        """The payment's status after it, if it could change that."""
        left = self.fields.get("payment")
        return str(left["status"]) if left else None

    @property
    def is_call(self) -> bool:
        return self.kind in (RowKind.CALL, RowKind.PAGE, RowKind.BY_HAND)


def as_json(rows: Iterable[TimelineRow]) -> list[RowFields]:
    """The rows as the control API shows them."""
    return [{"at": iso(row.at), "kind": row.kind, **row.fields} for row in rows]


Fields = Mapping[str, Any]


class Tone(StrEnum):
    """Whether something is good."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    WAIT = "wait"


class Explanation(NamedTuple):
    """One reason: what decided, and the near misses, each with the condition that was not true."""

    text: str
    near: tuple[tuple[str, str], ...] = ()


def title(row: TimelineRow) -> str:
    """What happened, in one line."""
    return _TITLES[row.kind](row.fields)


def outcome(row: TimelineRow) -> str:
    """The result; empty if there is none."""
    found = _OUTCOMES.get(row.kind)
    return found(row.fields) if found else ""


def reasons(row: TimelineRow) -> Iterator[Explanation]:
    """The reasons for the result."""
    for one in row.fields.get("decisions") or ():
        yield Explanation(one["text"], tuple((near["rule"], near["failed"]) for near in one["near_misses"]))
    if "decisions" not in row.fields:
        yield from (Explanation(text) for text in row.fields.get("because") or ())


def tone(row: TimelineRow) -> Tone:
    """Whether the result is good."""
    if row.kind is RowKind.WEBHOOK:
        return Tone.GOOD if row.fields["error"] is None and is_success(row.fields["status"]) else Tone.BAD
    if row.is_call and (row.fields["status"] >= 400 or row.fields["fault"]):
        return Tone.BAD
    return tone_of(row.status or "")


def tone_of(status: str) -> Tone:
    """The tone of a payment's status."""
    if status in _BAD:
        return Tone.BAD
    return Tone.GOOD if status in _GOOD else Tone.WAIT if status.startswith(_OPEN) else Tone.PLAIN


def by_status(tally: Mapping[Any, int]) -> list[tuple[str, int, Tone]]:
    """How many payments have each status that there is, in the order of the statuses, and its tone."""
    return [(status.value, tally[status], tone_of(status)) for status in PaymentStatus if tally.get(status)]


_BAD: Final = frozenset({"failed", "expired", "cancelled", "cancelled_post_capture"})
_GOOD: Final = frozenset({"succeeded", "partially_captured"})
_OPEN: Final = ("requires_", "pending", "partially_")


def plain(word: str) -> str:
    """A word of the API without underscores."""
    return word.replace("_", " ")


def refused(cause: str) -> str:
    """Why a call was refused, in short."""
    return Cause[cause.upper()].about.partition(":")[0].rstrip(".")


SCHEDULED: Final = {
    "payment.customer_time_over": "customer’s time ends",
    "payment.challenge_ends": "challenge ends",
    "payment.money_seen": "bank transfer is received",
    "payment.settles": "payment settles",
    "payment.authorization_expires": "authorization expires",
    "payment.disputed": "bank opens a dispute",
    "refund.settles": "refund settles",
    "dispute.deadline": "time for evidence ends",
    "dispute.settles": "bank decides the dispute",
    "deliver": "webhook is sent",
    "deliver_report": "webhook of a report is sent",
}
"""By the kind of a scheduled event: what will happen."""


def amount(minor: int, code: str) -> str:
    """An amount with its currency, even an unknown one."""
    return format_amount(minor, code) if currency(code) else f"{minor} {code}"


def day(at: str, now: int) -> str:
    """The day of a time, beside that of the clock: `Monday, 9 March 2026, today`."""
    date, today = (datetime.fromisoformat(text[:10]) for text in (at, iso(now)))
    return f"{date:%A}, {date.day} {date:%B %Y}{_DAYS.get((date - today).days, '')}"


_DAYS: Final = {-1: ", yesterday", 0: ", today", 1: ", tomorrow"}


def near(at: str, now: int) -> str:
    """`in 7 days`, `2 minutes ago`; empty for a time more than an hour past or 31 days ahead (ours)."""
    apart = parse(at) - now
    if not -HOUR_MS < apart <= 31 * DAY_MS:
        return ""
    text = rounded(abs(apart))
    return "now" if not text else f"in {text}" if apart > 0 else f"{text} ago"


def rounded(ms: int) -> str:
    """A duration in its largest unit: `7 days`; a unit of which a twentieth is missing counts as whole (ours)."""
    for size, name in ((DAY_MS, "day"), (HOUR_MS, "hour"), (MINUTE_MS, "minute"), (SECOND_MS, "second")):
        if count := (ms + size // 20) // size:
            return f"{count} {noun(count, name)}"
    return ""


def span(ms: int) -> str:
    """A duration: `1 h 30 min`, `10 s`, `250 ms`; from ten seconds on in whole ones (ours)."""
    parts, ms = [], ms - ms % SECOND_MS if ms >= 10 * SECOND_MS else ms
    for size, name in ((DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min"), (SECOND_MS, "s"), (1, "ms")):
        count, ms = divmod(ms, size)
        parts += [f"{count} {name}"] if count else []
    return " ".join(parts[:2]) or "no time"


def _by_hand(fields: Fields) -> str:
    word = plain(fields["operation"].removeprefix(BY_HAND))
    asked = fields.get("asked")
    asked = asked if isinstance(asked, dict) else {}
    said = (
        amount(value, fields["currency"]) if name == "amount" and isinstance(value, int) else str(value)
        for name, value in asked.items()
    )
    return f"By hand: {word} {', '.join(said)}".rstrip()


def _webhook(fields: Fields) -> str:
    copy = f", copy {fields['copy']}" if fields["copy"] > 1 else ""
    return f"Webhook {fields['event_type']} to {receiver(fields['url'])}, attempt {fields['number']}{copy}"


def receiver(url: str) -> str:
    """The address of a receiver without its scheme, and without what can be a secret in it."""
    return bare_url(url).rpartition("://")[2]


def _clock(fields: Fields) -> str:
    changed = {"control.clock_freeze": "frozen", "control.clock_resume": "resumed"}.get(fields["operation"])
    return f"The clock is {changed or 'advanced by ' + span(parse(fields['to']) - parse(fields['from']))}"


def _of(fields: Fields) -> str:
    return "" if fields["amount"] is None else f"of {amount(fields['amount'], fields['currency'])} "


_TITLES: Final[Mapping[RowKind, Callable[[Fields], str]]] = {
    RowKind.CREATED: lambda fields: f"Payment {_of(fields)}created",
    RowKind.CALL: lambda fields: f"{fields['method']} {fields['path']}",
    RowKind.PAGE: lambda fields: f"The customer {'opens' if fields['method'] == 'GET' else 'answers on'} the page",
    RowKind.BY_HAND: _by_hand,
    RowKind.EVENT: lambda fields: f"Event {fields['event_type']}",
    RowKind.ATTEMPT: lambda fields: f"Attempt {fields['number']} starts",
    RowKind.CAPTURE: lambda fields: (
        f"Capture {fields['number']} of {amount(fields['amount'], fields['currency'])}: {plain(fields['status'])}"
    ),
    RowKind.WEBHOOK: _webhook,
    RowKind.CLOCK: _clock,
    RowKind.GAP: lambda fields: str(fields["text"]),
}


def _answered(fields: Fields) -> str:
    parts = [str(fields["status"])]
    parts += [fields["said"]] if fields["said"] else []
    parts += ["the stored answer of an earlier call"] if fields["replayed"] else []
    parts += [f"but the connection failed: {plain(fields['fault'])}"] if fields["fault"] else []
    return ", ".join(parts)


def _sent(fields: Fields) -> str:
    again = "" if fields["is_delivered"] is None else " again"
    return f"not sent{again}: {WHY[SkipReason(fields['fate'])]}" if fields["fate"] else ""


_OUTCOMES: Final[Mapping[RowKind, Callable[[Fields], str]]] = {
    RowKind.CALL: _answered,
    RowKind.BY_HAND: _answered,
    RowKind.PAGE: lambda fields: str(fields["status"]),
    RowKind.EVENT: _sent,
    RowKind.WEBHOOK: lambda fields: fields["error"] or f"answered {fields['status']}",
    RowKind.CLOCK: lambda fields: f"to {iso_to_read(fields['to'])}" if fields["to"] else "",
}
