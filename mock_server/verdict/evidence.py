"""The evidence: calls and events as the control API returns them, in order, and what follows from several."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import count, islice, pairwise
from math import inf
from operator import attrgetter, methodcaller
from typing import Any, Final, NamedTuple

from msgspec import structs

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.declines import DECLINE_OF, Decline
from mock_server.domain.events import Event
from mock_server.domain.paging import Query
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import PAYMENT_MACHINE
from mock_server.engine.kinds import ATTEMPTS, EVENTS
from mock_server.sandbox import Workspace
from mock_server.sandbox.kept_answers import whole
from mock_server.store.protocol import JOURNAL, LogEntry
from mock_server.verdict.calls import CHANGING, SALES, ClientCall, Json, as_object, is_reached, is_taken
from mock_server.verdict.indexes import BEGAN, during, grouped, last_end, once
from mock_server.webhooks.body import body

MOST: Final = 10_000
"""The number of calls that are read: as many as a workspace stores by default; of more, the newest."""
AT_ONCE: Final = 500
"""The number of calls, or of events, that are read at a time; in memory, under the workspace's lock."""
LOOKS: Final = ("payments.retrieve", "payments.sync")
LISTS: Final[Mapping[str, str]] = {"payments.list": "payments.create", "refunds.list": "refunds.create"}
"""Lists with pages, and the calls that add to them."""
MANY_CALLS: Final = 20
MANY_LOOKS: Final = 5
"""The least number of calls from which style is judged (ours)."""
OTHERS: Final = ("page.", "control.")
"""Beginnings of operations that are not the client's."""
ACCEPTS: Final = "x-sandbox-accepts"
"""The header with which a test accepts a mistake: `rule; reason`."""
BROWSER: Final = frozenset({"origin", "sec-fetch-site"})
"""Headers that only web pages send."""


class Lacking(Exception):
    """The evidence does not have what a rule needs."""


class StatusSince(NamedTuple):
    """A payment's status from an instant on; `call` has the answer that shows it, None if an event does."""

    since_us: float
    status: str
    call: ClientCall | None
    told: Json

    @property
    def payment(self) -> Json:
        """The payment in that answer or event."""
        return self.call.answer if self.call else self.told


SINCE: Final = attrgetter("since_us")
Events = Callable[[bool], Sequence[Json]] | None


def decline_in(payment: Json) -> Decline | None:
    """The decline that a payment shows."""
    return DECLINE_OF.get((str(payment.get("error_code")), str(payment.get("error_message"))))


RESERVED: Final = frozenset({PaymentStatus.REQUIRES_CAPTURE, PaymentStatus.PARTIALLY_AUTHORIZED})
"""Statuses in which money is reserved, and nothing was taken."""


class Finding(NamedTuple):
    """One mistake of a client, with the numbers of the calls and events that show it."""

    what: str
    calls: Sequence[int] = ()
    events: Sequence[int] = ()


class Evidence:
    """Everything that is known about a client, from the entries of a journal and the events of an inbox.

    `events` is called when a rule needs them, for all or for those that were sent; without it, the rule raises Lacking.
    """

    def __init__(self, entries: Iterable[Json], events: Events = None, dropped: int = 0, gaps_until: int = 0) -> None:
        self.dropped, self.gaps_until = dropped, gaps_until
        self._entries = list(entries)
        self._events = events

    def signs(self) -> set[str | None]:
        """The signs in the table of rules that are present: the last status of payments, and others."""
        found, last = set[str | None](), dict[str, str]()
        for entry in self._entries:
            status = entry.get("payment_status")
            may_be_own = not callable(entry["response"]) and entry["operation"] in CHANGING
            is_refused = entry["status"] >= 400 or entry["fault"] or entry.get("left_first")
            if is_refused or (may_be_own and ClientCall(entry, 0).is_unheard):
                found |= {"trouble", status}
            elif status:
                last[entry["payment_id"]] = status
            if entry.get("misplaced"):
                found.add("misplaced")
            if entry.get("retry_after"):
                found.add("retry_after")
            if not BROWSER.isdisjoint(entry.get("headers") or ()):
                found.add("browser")
        made = Counter(entry["operation"] for entry in self._entries)
        had = {entry.get("payment_status") for entry in self._entries}
        signs = {
            "challenge": PaymentStatus.REQUIRES_ACTION in had,
            "declined": PaymentStatus.FAILED in had,
            "calls": made.total() >= MANY_CALLS,
            "looks": sum(made[name] for name in LOOKS) >= MANY_LOOKS,
            "listed": any(made[name] for name in LISTS),
            "sent": bool(self._events and self.attempts),
            "reserved": not RESERVED.isdisjoint(found.union(last.values())),
        }
        return found.union(last.values(), (sign for sign, is_there in signs.items() if is_there))

    @property
    def accepts(self) -> dict[str, str]:
        """The rules that the program accepts for this workspace, with its reasons, by a header of any call."""
        said = (str((entry.get("headers") or {}).get(ACCEPTS, "")).partition(";") for entry in self._entries)
        return {rule.strip(): reason.strip() for rule, _, reason in said if reason.strip()}

    @cached_property
    def _everything(self) -> list[ClientCall]:
        """Calls of the client, its customers' pages, and manual calls, in order."""
        calls, done = sorted(map(ClientCall, self._entries, count()), key=BEGAN), Counter[object]()
        for call in calls:
            done[call.path, call.idempotency_digest] += call.has_effect
            call.turn = max(1, done[call.path, call.idempotency_digest])
        return calls

    @cached_property
    def calls(self) -> list[ClientCall]:
        """The calls of the client."""
        return [call for call in self._everything if not call.operation.startswith(OTHERS) and not call.is_ours]

    @cached_property
    def visited(self) -> set[str | None]:
        """The payments whose pages customers opened."""
        return {call.payment_id for call in self._everything if call.operation.startswith("page.")}

    def named(self, *operations: str) -> list[ClientCall]:
        """The calls of these operations."""
        return [call for call in self.calls if call.operation in operations]

    @cached_property
    def events(self) -> Sequence[Json]:
        """Events with their deliveries."""
        return self._given(False)

    @cached_property
    def attempts(self) -> list[tuple[Json, Sequence[Json]]]:
        """The events that were sent, each with the attempts that reached a receiver."""
        rows = ((event, [*filter(is_reached, event["deliveries"])]) for event in self._given(True))
        return [row for row in rows if row[1]]

    def _given(self, sent: bool) -> Sequence[Json]:
        if self._events is None:
            raise Lacking("it has no data about webhooks")
        return self._events(sent)

    def kept(self, field: str) -> list[ClientCall]:
        """The calls with a field; those of older journals and of other servers do not have all fields."""
        found = [call for call in self.calls if vars(call).get(field) is not None]
        if self.calls and not found:
            raise Lacking(f"none of its calls has {field}")
        return found

    @cached_property
    def of_payment(self) -> Mapping[str | None, list[ClientCall]]:
        """The calls about each payment."""
        return grouped(self.calls, attrgetter("about"))

    @cached_property
    def answered(self) -> Mapping[object, list[ClientCall]]:
        """The repetitions with a key that got the answer of the first call."""
        return grouped((call for call in self.calls if call.replayed and not call.is_unheard), attrgetter("same"))

    @once
    def history(self, payment_id: str) -> Sequence[StatusSince]:
        """The statuses of a payment in order, from answers and events."""
        calls = (call for call in self.of_payment[payment_id] if call.payment_status)
        shown = [StatusSince(self.known_us(call), call.payment_status, call, {}) for call in calls]
        return sorted([*shown, *filter(None, map(self._status_in, self._told[payment_id].values()))], key=SINCE)

    @once
    def _changes(self, payment_id: str) -> Sequence[StatusSince]:
        history = self.history(payment_id)
        return [*history[:1], *(after for before, after in pairwise(history) if after.status != before.status)]

    def known_us(self, call: ClientCall) -> float:
        """From when the client can know what a call did: its end, or the first delivery of its events before that."""
        told = self._told.get(call.about or "", {}) if call.events else {}
        return min([call.ended_us, *(self._instant_of(told[number]) for number in call.events if number in told)])

    def status_before(self, call: ClientCall) -> StatusSince | None:
        """The status of a call's payment when the call began, and since when it had it."""
        changes = self._changes(call.about or "")
        place = bisect_left(changes, call.began_us, key=SINCE)
        return changes[place - 1] if place else None

    def was_informed(self, payment_id: str | None, since_us: float, until_us: float = inf) -> bool:
        """Whether the client learned of a payment between two instants: by a call, or by a genuine event."""
        return self._last_heard(payment_id)[0](until_us) >= since_us or self.took_event(payment_id, since_us, until_us)

    def looked(self, payment_id: str | None, since_us: float, until_us: float = inf) -> bool:
        """Whether the client itself asked about a payment between two instants.

        A receiver that asks while it takes an event does not tell the thread that waits for an answer.
        """
        return self._last_heard(payment_id)[1](until_us) >= since_us

    def may_have_seen(self, lost: ClientCall, until_us: float) -> bool:
        """Whether the client itself asked what a lost call did, or for a list that may show it, before an instant."""
        about, lists = self._last_heard(lost.about), self._last_heard(None)
        return max(about[2 if lost.operation in SALES else 1](until_us), lists[2](until_us)) >= lost.ended_us

    @once
    def _last_heard(self, payment_id: str | None) -> Sequence[Callable[[float], float]]:
        heard = [call for call in self.of_payment[payment_id] if not call.is_unheard and not call.is_refused]
        own = [call for call in heard if call not in self.delivery_of]
        return last_end(heard), last_end(own), last_end([call for call in own if call.operation in (*LOOKS, *LISTS)])

    @cached_property
    def delivery_of(self) -> Mapping[ClientCall, Json]:
        """The delivery of an event about the same payment during which the client made a call."""
        found: dict[ClientCall, Json] = {}
        for payment_id, attempts in self._deliveries.items():
            left = self.of_payment[payment_id].copy()
            for attempt in attempts:
                part = during(left, attempt)
                found |= dict.fromkeys(left[part], attempt)
                del left[part]
        return found

    @cached_property
    def _deliveries(self) -> Mapping[str | None, list[Json]]:
        attempts_of: dict[str | None, list[Json]] = defaultdict(list)
        for event, attempts in self.attempts if self._events else ():
            attempts_of[event["payment_id"]] += attempts
        return attempts_of

    def took_event(self, payment_id: str | None, since_us: float, until_us: float = inf) -> bool:
        """Whether the client accepted a genuine event about a payment between two instants."""
        taken = self._taken(payment_id)
        return bisect_right(taken, since_us) < bisect_left(taken, until_us)

    @once
    def _taken(self, payment_id: str | None) -> Sequence[float]:
        return sorted(one["began_us"] for one in self._deliveries[payment_id] if is_taken(one))

    @cached_property
    def payments(self) -> list[str]:
        """The payments in calls or events."""
        return list(dict.fromkeys([*(call.payment_id for call in self.calls if call.payment_status), *self._told]))

    @cached_property
    def _told(self) -> Mapping[str, dict[int, Json]]:
        """The events of each payment that show it, by their numbers."""
        found: dict[str, dict[int, Json]] = defaultdict(dict)
        for event in self.events if self._events else ():
            if event["event_class"] == "payments":
                found[event["payment_id"]][event["number"]] = event
        return found

    def _status_in(self, event: Json) -> StatusSince | None:
        """The status that an event tells; of an outdated body only that of its type, if that has one."""
        shown = as_object(as_object(as_object(event["body"]).get("content")).get("object"))
        status = str(shown.get("status"))
        status = INTERFACE.status_in(status, PaymentStatus) or status
        if any(sent["stale"] for sent in event["deliveries"]):
            ends = {row.target for row in PAYMENT_MACHINE.rows if row.event == event["event_type"]}
            status, shown = ends.pop() if len(ends) == 1 else "", {}
        return StatusSince(self._instant_of(event), status, None, shown) if status else None

    def _instant_of(self, event: Json) -> float:
        """When an event happened: in its call, or between those of the events around it; before its first delivery."""
        calls, place = self._everything, bisect_left(self._makers, (event["number"], -1))
        number, maker = self._makers[place]
        bounds: list[float] = [one["began_us"] - 1.0 for one in event["deliveries"]]
        if number == event["number"]:
            return min([calls[maker].ended_us, *bounds])
        first = self._makers[place - 1][1] + 1
        later = bisect_left(calls, event["created"], first, max(first, maker), key=attrgetter("at"))
        bounds += [call.began_us - 1.0 for call in calls[later : later + 1]]
        return min(bounds, default=inf)

    @cached_property
    def _makers(self) -> list[tuple[float, int]]:
        """The numbers of events with the places of the calls that caused them, between two that no event has."""
        caused = ((number, place) for place, call in enumerate(self._everything) for number in call.events)
        return [(-inf, -1), *sorted(caused), (inf, len(self._everything))]


def gathered(get: Callable[[str], Any]) -> dict[str, Any]:
    """The evidence of a running sandbox, in the form of a file; `get` takes a path below `/_sandbox/`."""
    journal, by_hand = (get(f"journal?limit={MOST}{more}") for more in ("", "&operation=control.*"))
    events: list[Any] = []
    while page := get(f"webhooks?after={events[-1]['number'] if events else 0}&limit={AT_ONCE}")["data"]:
        events += page
    return {"journal": journal, "webhooks": {"data": events}, "by_hand": by_hand}


def read(evidence: Any) -> Evidence:
    """The evidence in a file: gathered evidence, or an answer of the journal. Raises ValueError for other files."""
    whole = evidence if isinstance(evidence, dict) and "journal" in evidence else {"journal": evidence}
    journal, webhooks = whole["journal"], whole.get("webhooks")
    if not isinstance(journal, dict) or not isinstance(journal.get("data"), list):
        raise ValueError("it is neither an answer of GET /_sandbox/journal nor saved evidence")
    parts = (journal, whole.get("by_hand") or {"data": ()})
    entries = [entry for part in parts for entry in part["data"]]
    if any(not isinstance(entry, dict) or "operation" not in entry for entry in entries):
        raise ValueError("its data does not hold calls of a journal")
    unread = sum(max(0, part.get("total_count", 0) - len(part["data"])) for part in parts)
    missing = journal.get("dropped", 0) + unread, journal.get("gaps_until", 0)
    return Evidence(entries, None if webhooks is None else lambda _: webhooks["data"], *missing)


def of_workspace(workspace: Workspace, after: int = 0, most: int | None = None) -> Evidence:
    """The evidence in a workspace: the calls after a number, and the newest events, at most `most` of them."""
    workspace.catch_up()
    missing = [ask(JOURNAL) for ask in (workspace.space.dropped, workspace.space.gaps_until)]
    return Evidence(_calls_of(workspace, after), partial(_events, workspace, most), *missing)


def _calls_of(workspace: Workspace, after: int | None) -> Iterator[Json]:
    while after is not None:
        part = workspace.space.transact(methodcaller("entries", JOURNAL, after, AT_ONCE))
        yield from (_call_of(workspace, entry) for entry in part)
        after = part[-1].sequence if len(part) == AT_ONCE else None


def _call_of(workspace: Workspace, entry: LogEntry) -> Json:
    call: dict[str, Any] = entry.value
    call["number"] = entry.sequence
    call["payment_status"] = call["left"][0] if call.get("left") else None
    call["events"] = [number + 1 for number in call.get("events") or ()]
    if entry.beside is not None:
        call["response"] = lambda: whole(entry, workspace.dialect)["response"]
    return call


def _events(workspace: Workspace, most: int | None, sent: bool) -> list[Json]:
    if sent and not any(workspace.space.keys(ATTEMPTS)):
        return []
    newest_first = islice(workspace.space.scan(EVENTS, Query()), most)
    attempts: dict[str, list[Json]] = {}
    for one in workspace.space.scan(ATTEMPTS, Query(ascending=True)):  # after the events: none of theirs is missing
        attempts.setdefault(one.event_id, []).append(structs.asdict(one))
    return [_event(workspace, event, attempts.get(event.event_id, ())) for event in newest_first][::-1]


def _event(workspace: Workspace, event: Event, attempts: Sequence[Json]) -> Json:
    return {
        "number": event.number + 1,
        "event_type": event.type,
        "event_class": event.type.about,
        "payment_id": event.payment_id,
        "created": event.created_at,
        "because": event.because,
        "fate": event.fate,
        "deliveries": attempts,
        "body": lambda: body(event, workspace.dialect, stale=any(one["stale"] for one in attempts)),
    }
