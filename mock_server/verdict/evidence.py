"""The evidence: calls and events as the control API shows them, put in order, and what follows from several."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.delivery import is_success
from mock_server.domain.statuses import PaymentStatus

Json = Mapping[str, Any]
Get = Callable[[str], Any]
"""Asks the control API for what is at a path, below `/_sandbox/`."""

MOST: Final = 10_000
"""So many calls are read: as many as a workspace keeps by default."""
AT_ONCE: Final = 1_000
UNHEARD: Final = frozenset({"connection_reset", "empty_response", "truncated_body", "malformed_json", "hang"})
"""Faults after which a client does not know what became of its call."""
CHANGING: Final = frozenset(row.name for row in OPERATIONS if row.changes)
FORGED: Final = ("signature wrong", "signature missing")
"""What the reason of a delivery says that was signed wrongly on purpose."""


LOOKS: Final = ("payments.retrieve", "payments.sync")
MANY_CALLS: Final = 20
MANY_LOOKS: Final = 5
"""From how many calls on style is judged (ours)."""
BROWSER: Final = frozenset({"origin", "sec-fetch-site"})
"""Headers that pages alone send."""


class Lacking(Exception):
    """The evidence does not have what a rule needs."""


LATER: Final[Json] = {"took_place": True, "left_first": False, "delay_ms": 0, "misplaced": ()}
"""What lines say that do not say it: those of an older sandbox."""


class ClientCall:
    """One call: the fields of its line in the journal. `began_us` is real, good for order and pauses alone."""

    def __init__(self, line: Json) -> None:
        vars(self).update(line)
        self.ended_us: float = line["began_us"] + line["took_ms"] * 1_000
        """When its answer was ready to leave."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return LATER.get(name)

    @cached_property
    def sent(self) -> Json:
        """The body, where it is an object."""
        return as_object(self.request)

    @cached_property
    def answer(self) -> Json:
        """The answer, where it is an object."""
        return as_object(self.response)

    @property
    def idempotency_digest(self) -> str | None:
        """What tells idempotency keys apart."""
        return self.idempotency[0] if self.idempotency else None

    @property
    def is_refused(self) -> bool:
        """Whether the API said no, and no fault of ours."""
        return self.cause is not None and self.status >= 400

    @property
    def has_effect(self) -> bool:
        """Whether it changed something, whatever its client was told."""
        return self.operation in CHANGING and self.took_place and self.cause is None and not self.replayed

    @property
    def is_unheard(self) -> bool:
        """Whether the client did not get the real answer, by our fault or because it had gone."""
        return self.fault in UNHEARD or self.left_first or self.status >= 500

    @property
    def about(self) -> str | None:
        """The payment that it is about."""
        return self.payment_id or self.sent.get("payment_id")

    @property
    def order(self) -> str | None:
        """The shop's own name for what is paid."""
        return self.sent.get("merchant_order_reference_id")

    def is_repeat_of(self, other: ClientCall) -> bool:
        """Whether it is the same call again, as an idempotency key says it."""
        return self.idempotency_digest is not None and self.idempotency_digest == other.idempotency_digest


def as_object(found: Any) -> Json:
    """A body where it is an object: as it stands in JSON, or as its text, or what gives that."""
    if callable(found):
        found = found()
    if isinstance(found, bytes):
        try:
            found = msgspec.json.decode(found)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}
    return found if isinstance(found, Mapping) else {}


def ms_of(at: str | int) -> float:
    """An instant of the workspace in ms, as a line in memory has it, or as text."""
    return at if isinstance(at, int) else datetime.fromisoformat(at).timestamp() * 1_000


class Stand(NamedTuple):
    """How a payment stood from an instant on; `call` is whose answer says so, None where an event does."""

    since_us: float
    status: str
    call: ClientCall | None
    told: Json

    @property
    def payment(self) -> Json:
        """The payment as it was shown."""
        return self.call.answer if self.call else self.told


class Finding(NamedTuple):
    """One thing that a client did wrong: what, and the numbers of the calls and of the events it was seen in."""

    what: str
    calls: Sequence[int] = ()
    events: Sequence[int] = ()


class Evidence:
    """Everything that is known of a client, by the lines of a journal and what gives the events of an inbox.

    Events are asked for when a rule needs them: all, or those that were sent. Where nothing gives them, that raises
    Lacking.
    """

    def __init__(
        self, lines: Iterable[Json], events: Callable[[bool], Sequence[Json]] | None = None, dropped: int = 0
    ) -> None:
        self.calls: list[ClientCall] = []
        self.pages: list[ClientCall] = []
        self.dropped = dropped
        self._events = events
        self._by_hand: list[ClientCall] = []
        self._named: dict[str, list[ClientCall]] = defaultdict(list)
        apart = {"page": self.pages, "control": self._by_hand}
        for call in sorted(map(ClientCall, lines), key=lambda call: call.began_us):
            apart.get(call.operation.partition(".")[0], self.calls).append(call)
            self._named[call.operation].append(call)

    @cached_property
    def events(self) -> Sequence[Json]:
        """Events with their deliveries."""
        if self._events is None:
            raise Lacking("there is nothing about webhooks in it")
        return self._events(False)

    @cached_property
    def attempts(self) -> list[tuple[Json, Sequence[Json]]]:
        """The events that were sent, each with the attempts to deliver it."""
        if self._events is None:
            raise Lacking("there is nothing about webhooks in it")
        return [(event, event["deliveries"]) for event in self._events(True) if event["deliveries"]]

    def signs(self) -> set[str]:
        """Of what a rule can find something in: how payments stood, and what else stands in the table of rules."""
        found = {call.payment_status for call in self.calls}
        for call in self.calls:
            if call.cause is not None or call.is_unheard:
                found.add("trouble")
            if call.misplaced:
                found.add("misplaced")
            if call.retry_after:
                found.add("retry_after")
            if call.headers and not BROWSER.isdisjoint(call.headers):
                found.add("browser")
        for least, name, calls in ((MANY_CALLS, "calls", self.calls), (MANY_LOOKS, "looks", self.named(*LOOKS))):
            if len(calls) >= least:
                found.add(name)
        return found | ({"sent"} if self._events and self.attempts else set())

    def kept(self, field: str) -> list[ClientCall]:
        """The calls of which the journal keeps a field; older ones and other servers' do not have all of them."""
        found = [call for call in self.calls if vars(call).get(field) is not None]
        if self.calls and not found:
            raise Lacking(f"no call in it says {field}")
        return found

    def named(self, *operations: str) -> list[ClientCall]:
        """The calls of these operations."""
        found = [call for name in operations for call in self._named.get(name, ())]
        return found if len(operations) == 1 else sorted(found, key=lambda call: call.began_us)

    def after(self, call: ClientCall) -> Iterator[ClientCall]:
        """The calls that began when this one's answer was ready, or later."""
        return (other for other in self.calls if other.began_us >= call.ended_us and other is not call)

    @cached_property
    def of_payment(self) -> Mapping[str | None, list[ClientCall]]:
        """The calls about each payment."""
        found: dict[str | None, list[ClientCall]] = defaultdict(list)
        for call in self.calls:
            found[call.about].append(call)
        return found

    def stands(self, payment_id: str) -> Sequence[Stand]:
        """How a payment stood, one after another, by answers and events alike."""
        found = self._stands.get(payment_id)
        if found is None:
            found = [
                Stand(call.ended_us, call.payment_status, call, {})
                for call in self.of_payment[payment_id]
                if call.payment_status
            ]
            found += map(self._stand, self._told[payment_id])
            found.sort(key=lambda one: one.since_us)
            self._stands[payment_id] = found
        return found

    def stood_before(self, call: ClientCall) -> Stand | None:
        """How the payment of a call stood when it came."""
        earlier = [one for one in self.stands(call.about or "") if one.since_us < call.began_us]
        return earlier[-1] if earlier else None

    def was_informed(self, payment_id: str, since_us: float) -> bool:
        """Whether the client heard of a payment after an instant: it asked, or took a genuine event."""
        asked = any(
            call.ended_us >= since_us and not call.is_unheard and not call.is_refused
            for call in self.of_payment[payment_id]
        )
        return asked or any(
            one["began_us"] > since_us and is_taken(one) and not is_forged(one)
            for event, attempts in self.attempts
            if event["payment_id"] == payment_id
            for one in attempts
        )

    @cached_property
    def payments(self) -> list[str]:
        """The payments of which something is known."""
        return list(dict.fromkeys([*(call.payment_id for call in self.calls if call.payment_status), *self._told]))

    @cached_property
    def _stands(self) -> dict[str, list[Stand]]:
        return {}

    @cached_property
    def _told(self) -> Mapping[str, list[Json]]:
        """The events that show a payment, of each."""
        found: dict[str, list[Json]] = defaultdict(list)
        for event in self.events if self._events else ():
            if event["event_class"] == "payments":
                found[event["payment_id"]].append(event)
        return found

    def _stand(self, event: Json) -> Stand:
        shown = as_object(event["body"]).get("content", {}).get("object", {})
        status = str(shown.get("status"))
        status = INTERFACE.status_in(status, PaymentStatus) or status
        return Stand(self._instant_of(event), status, None, shown)

    def _instant_of(self, event: Json) -> float:
        """When an event happened: in the call that made it, or before what came of it: a delivery, a later call."""
        maker = self._makers.get(event["number"])
        if maker is not None:
            return maker.ended_us
        later = bisect_left(self._everything, event["created"], key=lambda call: call.at)
        bounds = [one["began_us"] for one in event["deliveries"]]
        bounds += [call.began_us for call in self._everything[later : later + 1]]
        return min(bounds, default=float("inf")) - 1.0

    @cached_property
    def _makers(self) -> dict[int, ClientCall]:
        return {number: call for call in self._everything for number in call.events}

    @cached_property
    def _everything(self) -> list[ClientCall]:
        return sorted([*self.calls, *self.pages, *self._by_hand], key=lambda call: call.began_us)


def is_taken(attempt: Json) -> bool:
    """Whether a receiver took a delivery: any 2xx."""
    return is_success(attempt["status"])


def is_forged(attempt: Json) -> bool:
    """Whether a scenario signed a delivery wrongly."""
    return any(word in (attempt["because"] or "") for word in FORGED)


def gathered(get: Get) -> dict[str, Any]:
    """The evidence of a running sandbox, as it is kept in a file too; what was done by hand only where it matters."""
    journal = get(f"journal?limit={MOST}")
    webhooks = {"data": _events(get)}
    told_of = {number for line in journal["data"] for number in line["events"]}
    others = any(event["number"] not in told_of for event in webhooks["data"])
    by_hand = get(f"journal?operation=control.*&limit={MOST}") if others else {"data": []}
    return {"journal": journal, "webhooks": webhooks, "by_hand": by_hand}


def _events(get: Get) -> list[Any]:
    found: list[Any] = []
    while True:
        page = get(f"webhooks?after={found[-1]['number'] if found else 0}&limit={AT_ONCE}")["data"]
        found += page
        if len(page) < AT_ONCE:
            return found


def read(found: Any) -> Evidence:
    """The evidence of a file: what was gathered, or one answer of the journal. Raises ValueError for anything else."""
    whole = found if isinstance(found, dict) and "journal" in found else {"journal": found}
    journal, webhooks = whole["journal"], whole.get("webhooks")
    if not isinstance(journal, dict) or not isinstance(journal.get("data"), list):
        raise ValueError("it is neither an answer of GET /_sandbox/journal nor evidence that was saved")
    lines = [*journal["data"], *(whole.get("by_hand") or {"data": ()})["data"]]
    if any(not isinstance(line, dict) or "operation" not in line for line in lines):
        raise ValueError("what stands in its data are no calls of a journal")
    return Evidence(lines, None if webhooks is None else lambda _: webhooks["data"], journal.get("dropped", 0))
