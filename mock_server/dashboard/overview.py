"""A workspace at a glance: the newest payments by outcome, what failed and how often, and what took long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import islice
from typing import Final, NamedTuple

from markupsafe import Markup
from msgspec import Struct

from mock_server.dashboard.visit import PageContent, Visit, content
from mock_server.domain.events import DeliveryAttempt
from mock_server.domain.instants import MINUTE_MS, iso, iso_to_read
from mock_server.domain.nouns import noun
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import ATTEMPTS, EVENTS, PAYMENTS
from mock_server.metrics import result_of
from mock_server.store.logs import heads
from mock_server.story import words
from mock_server.story.payment_history import BY_HAND, backwards
from mock_server.story.words import Tone
from mock_server.verdict.indexes import grouped

NEWEST: Final = Query(limit=500)
"""How many payments, delivery attempts and calls the figures are about, the newest, so that the page is fast (ours)."""
SHOWN: Final = 5
COLUMNS: Final = 32
WIDTH: Final = 640
HEIGHT: Final = 120
TONES: Final = {
    Tone.GOOD: "succeeded",
    Tone.WAIT: "open",
    Tone.BAD: "failed, expired or cancelled",
    Tone.PLAIN: "other",
}
"""The outcomes of the picture, from below."""


class CallHead(Struct):
    """What the overview reads of a call."""

    at: int
    operation: str
    path: str
    method: str
    status: int
    took_ms: float
    cause: str | None = None


class Group(NamedTuple):
    """Equal failures: what failed, how often, since when; a link to all or to the newest, and events to send again."""

    says: str
    times: int
    since: str
    link: str = ""
    events: tuple[str, ...] = ()


def overview(visit: Visit) -> PageContent:
    """Each figure with the span that it is about."""
    space, now = visit.workspace.space, visit.workspace.now()
    tally, payments, attempts = space.transact(
        lambda tx: (tx.tally(PAYMENTS, "status"), tx.find(PAYMENTS, NEWEST).items, tx.find(ATTEMPTS, NEWEST).items)
    )
    calls = list(islice(_calls(visit), NEWEST.limit))
    declines = Counter(words.plain(one.failure.decline) for one in payments if one.failure)
    results = Counter(result_of(one.status).replace("_", " ") for one in attempts)
    most = declines.most_common(SHOWN)
    groups = sorted((*_deliveries(visit, attempts), *_refused(head for _, head in calls)), key=lambda one: -one.times)
    return content(
        "Overview",
        tally=words.by_status(tally),
        total=sum(tally.values()),
        bars=_bars(payments, now),
        first_at=iso(min((one.created_at for one in payments), default=now)),
        declines=most,
        more_declines=(declines.total() - sum(number for _, number in most), len(declines) - len(most)),
        results=sorted(results.items()),
        groups=groups[:SHOWN],
        more_groups=(sum(one.times for one in groups[SHOWN:]), len(groups[SHOWN:])),
        slowest=nlargest(SHOWN, calls, key=lambda one: one[1].took_ms),
        usage=visit.workspace.count_call(now, 0),
        spans={
            "payments": _span("payment", [one.created_at for one in payments]),
            "attempts": _span("delivery attempt", [one.made_at for one in attempts]),
            "calls": _span("call", [head.at for _, head in calls]),
        },
    )


def _calls(visit: Visit) -> Iterator[tuple[int, CallHead]]:
    for part in backwards(visit.workspace.space):
        for head, (number, _) in heads(part, CallHead):
            if not head.operation.startswith((BY_HAND, "page.")):
                yield number, head


def _span(what: str, times: list[int]) -> str:
    """What a figure is about."""
    many, whole = len(times), noun(len(times), what)
    if not times:
        return f"no {whole} yet"
    which = "the newest " if many == NEWEST.limit else "all " if many > 1 else ""
    return f"{which}{many} {whole}, since {iso_to_read(iso(min(times)))}"


def _deliveries(visit: Visit, attempts: Iterable[DeliveryAttempt]) -> Iterator[Group]:
    """Attempts that failed alike, and which of their events are still not delivered."""
    failed = [one for one in attempts if one.error or not one.is_success]
    for some in grouped(failed, lambda one: (one.url, one.error or one.status)).values():
        one, names = some[0], tuple(dict.fromkeys(each.event_id for each in some))
        kept = visit.workspace.space.transact(lambda tx: [tx.get(EVENTS, name) for name in names])  # noqa: B023 — called at once
        events = tuple(event.event_id for event in kept if event is not None and not event.delivered)
        receiver = f"your receiver {words.receiver(one.url)}"
        says = f"{receiver}: {one.error}" if one.error else f"{one.status} from {receiver}"
        yield Group(says, len(some), iso(min(each.made_at for each in some)), f"webhooks/{one.event_id}", events)


def _refused(calls: Iterable[CallHead]) -> Iterator[Group]:
    failed = [one for one in calls if one.status >= 400]
    for some in grouped(failed, lambda one: (one.operation, one.status)).values():
        head, causes = some[0], dict.fromkeys(words.refused(one.cause) for one in some if one.cause)
        says = f"{head.status} to {head.operation}" + (f": {'; '.join(causes)}" if causes else "")
        link = f"journal?operation={head.operation}&status={head.status}"
        yield Group(says, len(some), iso(min(each.at for each in some)), link)


def _bars(payments: tuple[Payment, ...], now: int) -> Markup:
    """The payments by the outcome they have now, over the time of their creation, as a picture."""
    if not payments:
        return Markup("")
    first = min(one.created_at for one in payments)
    width = max(MINUTE_MS, now - first + 1) / COLUMNS
    counts = Counter((int((one.created_at - first) / width), words.tone_of(one.status)) for one in payments)
    highest = max(sum(counts[column, tone] for tone in TONES) for column in range(COLUMNS))
    step, parts = WIDTH / COLUMNS, []
    for column in range(COLUMNS):
        y = float(HEIGHT)
        at = iso(round(first + column * width))
        says = ", ".join(f"{counts[column, tone]} {TONES[tone]}" for tone in TONES if counts[column, tone])
        for tone in (tone for tone in TONES if counts[column, tone]):
            tall = counts[column, tone] * HEIGHT / highest
            y -= tall
            parts.append(
                Markup(
                    '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"><title>{}</title></rect>'
                ).format(tone, column * step + 1, y, step - 2, tall, f"{at[:10]} {at[11:16]}: {says}")
            )
    sums = ", ".join(f"{sum(counts[column, tone] for column in range(COLUMNS))} {TONES[tone]}" for tone in TONES)
    return Markup(
        '<p class="axis" data-testid="highest">{}</p>'
        '<svg class="bars" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(highest, WIDTH, HEIGHT, f"Payments by outcome: {sums}", Markup("").join(parts))
