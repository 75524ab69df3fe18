"""A receiver of webhooks under test: the events that are sent to it, and its state."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPException
from itertools import count
from threading import Event as Pause
from typing import Any, Final, NamedTuple

from mock_server.addresses import path_of
from mock_server.connections import connection_to
from mock_server.domain.delivery import is_success
from mock_server.randomness import Randomness
from mock_server.webhooks.signing import HEADER, headers
from mock_server.webhooks.transport import Transport, Unanswered, Wire

Event = dict[str, Any]
TIMEOUT_S: Final = 30.0
EVENT: Final[dict[str, Any]] = {
    "merchant_id": "mer_probe0000000000000000",
    "event_id": "evt_probe0000000000000000",
    "event_type": "payment_succeeded",
    "content": {
        "type": "payment_details",
        "object": {
            "payment_id": "pay_probe0000000000000000",
            "merchant_id": "mer_probe0000000000000000",
            "status": "succeeded",
            "amount": 4200,
            "amount_received": 4200,
            "currency": "EUR",
            "merchant_order_reference_id": "order-probe",
            "metadata": {},
            "created": "2026-01-01T00:00:00.000Z",
            "updated": "2026-01-01T00:00:00.000Z",
        },
    },
    "timestamp": "2026-01-01T00:00:00.000Z",
    "processor_merchant_id": "mer_probe0000000000000000",
}
"""For receivers that do not call the API: an event as the sandbox sends it, about an invented payment."""
PIECES: Final = 20
PAUSE_S: Final = 0.05


class NotJudged(Exception):
    """Why a case cannot be judged here."""


class Failed(Exception):
    """What a receiver did wrong."""


class Answered(NamedTuple):
    """One answer; without a status there was none, and `why` is the reason."""

    status: int | None
    why: str = ""

    @property
    def is_accepted(self) -> bool:
        """Any 2xx."""
        return is_success(self.status)

    @property
    def is_sound(self) -> bool:
        """Whether there was an answer other than 5xx."""
        return self.status is not None and self.status < 500

    def __str__(self) -> str:
        return self.why if self.status is None else f"answered {self.status}"


class Receiver:
    """The receiver: its URL, the secret that it shares with the sandbox, a genuine event for it, and its state.

    `event` is the webhook's body as an object; a receiver that calls the API must find the payment there. `state`
    returns something that changes when an event is handled.
    """

    def __init__(
        self,
        url: str,
        secret: str,
        event: Mapping[str, Any],
        transport: Transport,
        state: Callable[[], object] | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        is_near: bool = False,
    ) -> None:
        self.url, self.secret, self.timeout_s, self.is_near = url, secret, timeout_s, is_near
        self._event, self._transport, self._state = event, transport, state
        self._chance, self._numbers = Randomness(None, "probe"), count()

    def event(self, **changes: Any) -> Event:
        """A new event about the same payment."""
        fresh: Event = json.loads(json.dumps({**self._event, **changes}))
        return {**fresh, "event_id": f"evt_{self._chance.token('event', next(self._numbers))}"}

    def about(self, event: Event, **changes: Any) -> Event:
        """The event with another object in it."""
        content = event["content"]
        return {**event, "content": {**content, "object": {**content["object"], **changes}}}

    def send(
        self, event: Event | bytes, *, signed: str | None = None, kind: str = "", timeout_s: float = 0
    ) -> Answered:
        """Sends an event; `signed` replaces its signature, and an empty one omits it."""
        body = event if isinstance(event, bytes) else compact(event)
        sent = dict(headers(body, self.secret, {}))
        if signed is not None:
            sent[HEADER] = signed
        sent |= {"Content-Type": kind} if kind else {}
        pairs = tuple((name, value) for name, value in sent.items() if value)
        try:
            return Answered(self._transport.send(self.url, body, pairs, timeout_s or self.timeout_s, Wire()).status)
        except Unanswered as problem:
            return Answered(None, str(problem))

    def send_slowly(self, event: Event) -> Answered:
        """Sends an event in pieces. Raises NotJudged for an app in this process, which always gets whole bodies."""
        if self.is_near:
            raise NotJudged("an app in this process always gets whole bodies")
        body = compact(event)
        sent = {**dict(headers(body, self.secret, {})), "Content-Length": str(len(body))}
        with closing(connection_to(self.url, self.timeout_s)) as line:
            try:
                line.request("POST", path_of(self.url), _slowly(body), sent)
                return Answered(line.getresponse().status)
            except (OSError, HTTPException) as problem:
                return Answered(None, str(problem) or type(problem).__name__)

    def state(self) -> object:
        """Its state. Raises NotJudged if it is not known."""
        if self._state is None:
            raise NotJudged("the receiver's state is not known: pass state")
        return self._state()

    def has_state(self) -> bool:
        """Whether its state is known."""
        return self._state is not None


def compact(event: Event) -> bytes:
    """The bytes that the sandbox would send."""
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()


def _slowly(body: bytes) -> Iterator[bytes]:
    length = -(-len(body) // PIECES)
    for at in range(0, len(body), length):
        yield body[at : at + length]
        Pause().wait(PAUSE_S)
