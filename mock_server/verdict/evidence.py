"""The evidence: calls and events as the control API shows them, put in order, and what follows from several."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

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


class Lacking(Exception):
    """The evidence does not have what a rule needs."""


@dataclass(frozen=True, slots=True, eq=False)
class ClientCall:
    """One call. Instants are real and in µs, good for order and pauses alone; `at` is the workspace's, in ms."""

    line: Json

    def __getattr__(self, name: str) -> Any:
        try:
            return self.line[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def request(self) -> Json:
        """The body, where it is an object."""
        found = self.line.get("request")
        return found if isinstance(found, Mapping) else {}

    @property
    def response(self) -> Json:
        """The answer, where it is an object."""
        found = self.line.get("response")
        return found if isinstance(found, Mapping) else {}

    @property
    def ended_us(self) -> float:
        """When its answer was ready to leave."""
        return float(self.line["began_us"] + self.line["took_ms"] * 1_000)

    @property
    def idempotency_digest(self) -> str | None:
        """What tells idempotency keys apart."""
        marks = self.line.get("idempotency")
        return marks[0] if marks else None

    @property
    def is_refused(self) -> bool:
        """Whether the API said no, and no fault of ours."""
        return self.line["cause"] is not None and self.line["status"] >= 400

    @property
    def has_effect(self) -> bool:
        """Whether it changed something, whatever its client was told."""
        took_place = self.line.get("took_place", True) and self.line["cause"] is None and not self.line["replayed"]
        return bool(took_place and self.line["operation"] in CHANGING)

    @property
    def is_unheard(self) -> bool:
        """Whether the client did not get the real answer, by our fault or because it had gone."""
        return self.line["fault"] in UNHEARD or self.line.get("left_first", False) or self.line["status"] >= 500

    @property
    def about(self) -> str | None:
        """The payment that it is about."""
        return self.line["payment_id"] or self.request.get("payment_id")

    @property
    def order(self) -> str | None:
        """The shop's own name for what is paid."""
        return self.request.get("merchant_order_reference_id")

    def is_repeat_of(self, other: ClientCall) -> bool:
        """Whether it is the same call again, as an idempotency key says it."""
        return self.idempotency_digest is not None and self.idempotency_digest == other.idempotency_digest


@dataclass(frozen=True, slots=True)
class Stand:
    """How a payment stood from an instant on; `call` is whose answer says so, None where an event does."""

    since_us: float
    status: str
    payment: Json
    call: ClientCall | None


class Finding(NamedTuple):
    """One thing that a client did wrong: what, and the numbers of the calls and of the events it was seen in."""

    what: str
    calls: Sequence[int] = ()
    events: Sequence[int] = ()


class Evidence:
    """Everything that is known of a client. What was not handed in raises Lacking when it is asked for."""

    def __init__(self, journal: Json, webhooks: Json | None = None, by_hand: Json | None = None) -> None:
        lines = [ClientCall(line) for line in journal["data"]]
        lines.sort(key=lambda call: call.began_us)
        self.calls = [call for call in lines if not call.operation.startswith(("page.", "control."))]
        self.pages = [call for call in lines if call.operation.startswith("page.")]
        self.dropped: int = journal.get("dropped", 0)
        self._webhooks = webhooks
        self._by_hand = by_hand

    @property
    def events(self) -> Sequence[Json]:
        """Events with their deliveries."""
        if self._webhooks is None:
            raise Lacking("it has no data about webhooks")
        found: Sequence[Json] = self._webhooks["data"]
        return found

    def kept(self, field: str) -> list[ClientCall]:
        """The calls of which the journal keeps a field; older ones and other servers' do not have all of them."""
        found = [call for call in self.calls if call.line.get(field) is not None]
        if self.calls and not found:
            raise Lacking(f"none of its calls has {field}")
        return found

    def named(self, *operations: str) -> list[ClientCall]:
        """The calls of these operations."""
        return [call for call in self.calls if call.operation in operations]

    def after(self, call: ClientCall) -> Iterator[ClientCall]:
        """The calls that began when this one's answer was ready, or later."""
        return (other for other in self.calls if other.began_us >= call.ended_us and other is not call)

    def of_payment(self, payment_id: str) -> list[ClientCall]:
        """The calls about a payment."""
        return [call for call in self.calls if payment_id in (call.payment_id, call.request.get("payment_id"))]

    def payments(self) -> list[str]:
        """The payments of which something is known."""
        return list(self._history)

    def stands(self, payment_id: str) -> Sequence[Stand]:
        """How a payment stood, one after another, by answers and events alike."""
        return self._history.get(payment_id, ())

    def stood_before(self, call: ClientCall) -> Stand | None:
        """How the payment of a call stood when it came."""
        earlier = [one for one in self.stands(call.about or "") if one.since_us < call.began_us]
        return earlier[-1] if earlier else None

    def was_informed(self, payment_id: str, since_us: float) -> bool:
        """Whether the client heard of a payment after an instant: it asked, or took a genuine event."""
        asked = any(
            call.ended_us >= since_us and not call.is_unheard and not call.is_refused
            for call in self.of_payment(payment_id)
        )
        return asked or any(
            one["began_us"] > since_us and is_taken(one) and not is_forged(one)
            for event in self.events
            if event["payment_id"] == payment_id
            for one in event["deliveries"]
        )

    @cached_property
    def _history(self) -> dict[str, list[Stand]]:
        found: dict[str, list[Stand]] = {}
        for call in self.calls:
            status, payment_id = call.response.get("status"), call.response.get("payment_id")
            if call.operation.startswith("payments.") and isinstance(status, str) and isinstance(payment_id, str):
                found.setdefault(payment_id, []).append(_stand(call.ended_us, status, call.response, call))
        for event in (self._webhooks or {}).get("data", ()):
            shown = event["body"].get("content", {}).get("object", {})
            if event["event_class"] == "payments" and shown.get("status"):
                since = self._instant_of(event)
                found.setdefault(event["payment_id"], []).append(_stand(since, shown["status"], shown, None))
        for stands in found.values():
            stands.sort(key=lambda one: one.since_us)
        return found

    def _instant_of(self, event: Json) -> float:
        """When an event happened: in the call that made it, or before what came of it: a delivery, a later call."""
        maker = self._makers.get(event["number"])
        if maker is not None:
            return maker.ended_us
        later = bisect_left(self._everything, event["created"], key=lambda call: str(call.at))
        bounds = [one["began_us"] for one in event["deliveries"]]
        bounds += [call.began_us for call in self._everything[later : later + 1]]
        return min(bounds, default=float("inf")) - 1.0

    @cached_property
    def _makers(self) -> dict[int, ClientCall]:
        return {number: call for call in self._everything for number in call.events}

    @cached_property
    def _everything(self) -> list[ClientCall]:
        by_hand = [ClientCall(line) for line in (self._by_hand or {}).get("data", ())]
        return sorted([*self.calls, *self.pages, *by_hand], key=lambda call: call.began_us)


def is_taken(attempt: Json) -> bool:
    """Whether a receiver took a delivery: any 2xx."""
    return is_success(attempt["status"])


def is_forged(attempt: Json) -> bool:
    """Whether a scenario signed a delivery wrongly."""
    return any(word in (attempt["because"] or "") for word in FORGED)


def _stand(since_us: float, status: str, payment: Json, call: ClientCall | None) -> Stand:
    return Stand(since_us, INTERFACE.status_in(status, PaymentStatus) or status, payment, call)


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
    journal = whole["journal"]
    if not isinstance(journal, dict) or not isinstance(journal.get("data"), list):
        raise ValueError("it is neither an answer of GET /_sandbox/journal nor saved evidence")
    if any(not isinstance(line, dict) or "operation" not in line for line in journal["data"]):
        raise ValueError("its data does not hold calls of a journal")
    return Evidence(journal, whole.get("webhooks"), whole.get("by_hand"))
