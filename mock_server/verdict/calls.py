"""One call in the journal, and one attempt to deliver an event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import msgspec

from mock_server.contract.operations import OPERATIONS
from mock_server.domain.events import is_success
from mock_server.domain.faults import LineFault
from mock_server.domain.merchant import OWN_AGENT
from mock_server.sandbox.kept_answers import LATER

Json = Mapping[str, Any]
UNHEARD: Final = frozenset(fault.value for fault in LineFault if fault.taken_for)
"""Faults after which a client does not know the result of its call."""
CHANGING: Final = frozenset(row.name for row in OPERATIONS if row.changes)
CREATE: Final = "payments.create"
SALES: Final = (CREATE, "payments.confirm", "payments.approve", "payments.complete_authorize")
"""The calls after which a payment can have taken or reserved money."""
CAPTURE: Final = "payments.capture"
REFUND: Final = "refunds.create"
CUT: Final = "[cut"
"""The name under which an object that was too long to be recorded has its beginning; else it has what is certain."""
PARTLY: Final = "only the beginning of a long body is recorded, and the rest decides it"
_DECODER: Final = json.JSONDecoder()
FORGED: Final = ("signature wrong", "signature missing")
HUNG: Final = "no answer"
REACHED: Final = (HUNG, "the answer", "the app", "the connection was closed", "the connection was reset")
"""How the errors of attempts begin that reached a receiver; nobody at an address is none."""


class ClientCall:
    """One call, with the fields of its line in the journal. `began_us` is real time, for order and pauses."""

    def __init__(self, entry: Json, place: int) -> None:
        vars(self).update(entry)
        self.order: tuple[float, int] = (self.began_us, place)
        self.ended_us: float = self.began_us + entry["took_ms"] * 1_000
        """When its answer was ready."""
        self.turn = 1
        """How often its key had made this call do something by then: keys are forgotten after a day."""

    def __getattr__(self, name: str) -> Any:
        if name not in LATER:
            raise AttributeError(name)
        return LATER[name]

    @property
    def sent(self) -> Json:
        """The body, if it is an object. Not kept, like the answer: reading it again is as fast, and it is large."""
        return as_object(self.request)

    @property
    def answer(self) -> Json:
        """The answer, if it is an object."""
        return as_object(self.response)

    @property
    def partly(self) -> str | None:
        """Why it may not be judged, if what decides it is not recorded."""
        return PARTLY if CUT in self.sent or CUT in self.answer else None

    @property
    def idempotency_digest(self) -> str | None:
        """A digest of the idempotency key."""
        return self.idempotency[0] if self.idempotency else None

    @property
    def is_ours(self) -> bool:
        """Whether it was made with the dashboard or a command of the sandbox, not by a client."""
        return bool(self.headers) and self.headers.get("user-agent", "").startswith(OWN_AGENT)

    @property
    def is_refused(self) -> bool:
        """Whether the API refused it, other than by a fault."""
        return self.cause is not None and self.status >= 400

    @property
    def has_effect(self) -> bool:
        """Whether it changed something, whatever its answer was."""
        return self.operation in CHANGING and self.took_place and self.cause is None and not self.replayed

    @property
    def is_unheard(self) -> bool:
        """Whether the client did not get the real answer: by a fault, a scenario's own, or as it had disconnected."""
        if self.fault in UNHEARD or self.left_first or self.status >= 500:
            return True
        moves = self.has_effect and self.operation in (*SALES, CAPTURE, REFUND) and not callable(self.response)
        return moves and (self.status >= 400 or self.answer.keys().isdisjoint(("payment_id", CUT)))

    @property
    def about(self) -> str | None:
        """The payment that it is about; what a client sent by mistake as its id may have any type."""
        sent = self.sent.get("payment_id")
        return self.payment_id or (sent if isinstance(sent, str) else None)

    @property
    def same(self) -> object:
        """What it has in common with its repetitions: its idempotency key while it is valid; else nothing."""
        return self if self.idempotency_digest is None else (self.path, self.idempotency_digest, self.turn)


def as_object(found: Any) -> Json:
    """A body, if it is an object; given as an object, as JSON text, or as a function that returns one of them."""
    if callable(found):
        found = found()
    if isinstance(found, bytes):
        try:
            found = msgspec.json.decode(found)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found = found.decode("utf-8", "replace")
    if isinstance(found, str) and found.endswith(" bytes]"):
        return _beginning(found)
    return found if isinstance(found, Mapping) else {}


def _beginning(text: str) -> Json:
    found, at = {CUT: text}, 1
    with suppress(ValueError, TypeError, RecursionError):
        while text[at - 1] in "{,":
            name, at = _DECODER.raw_decode(text, at)
            value, at = _DECODER.raw_decode(text, at + 1)
            found |= {name: value} if text[at] == "," else {}  # the last one may be cut
            at += 1
    return found


def ms_of(at: str | int) -> float:
    """An instant of the workspace in ms; lines in memory have a number, others text."""
    return at if isinstance(at, int) else datetime.fromisoformat(at).timestamp() * 1_000


def is_accepted(attempt: Json) -> bool:
    """Whether a receiver accepted a delivery: any 2xx."""
    return is_success(attempt["status"])


def is_reached(attempt: Json) -> bool:
    """Whether there was a receiver, whatever it did."""
    return attempt["status"] is not None or str(attempt["error"]).startswith(REACHED)


def is_taken(attempt: Json) -> bool:
    """Whether a receiver accepted a genuine delivery."""
    return is_accepted(attempt) and not is_forged(attempt)


def is_forged(attempt: Json) -> bool:
    """Whether a scenario signed a delivery wrongly."""
    return any(word in (attempt["because"] or "") for word in FORGED)
