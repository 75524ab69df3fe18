"""One attempt in progress: what is sent, the result of each request, who waits for it, and who may cancel it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Lock, Thread
from typing import Any, Final, NamedTuple

from msgspec import Struct, structs

from mock_server import jsontext
from mock_server.domain import hiding
from mock_server.domain.api_keys import without_keys
from mock_server.domain.commands import JsonText
from mock_server.domain.events import AttemptKind, DeliveryAttempt, Event
from mock_server.domain.masking import masked, masked_headers, without_secrets
from mock_server.domain.report import ReportNotice
from mock_server.store.protocol import Due
from mock_server.webhooks import signing
from mock_server.webhooks.planning import USUAL_ORDERS, DeliveryOrders, Target
from mock_server.webhooks.signing import Headers, header_text
from mock_server.webhooks.transport import LONGEST_EXCERPT, Transport, Unanswered, Wire, excerpt


class Job(Struct, frozen=True, kw_only=True):
    """A started attempt for a scheduled `entry`: an event, or the notice of a report.

    `number` counts all attempts from 1, `retries` the automatic ones; `made_at` is the workspace's ms.
    """

    entry: Due
    kind: AttemptKind
    retries: int
    made_at: int
    target: Target
    queue: str
    number: int = 0
    event: Event | None = None
    notice: ReportNotice | None = None
    orders: DeliveryOrders = USUAL_ORDERS


class RequestResult(Struct, frozen=True, kw_only=True):
    """One request and its answer; `status` None: there was none, and `error` says why. `took_ms` is real time."""

    copy: int
    headers: JsonText
    status: int | None = None
    response_headers: JsonText = "[]"
    response_body: str = ""
    error: str | None = None
    took_ms: int = 0
    began_us: int = 0


GRACE_S: Final = 1.0
"""How much longer than its own time limit a transport may take before it is cancelled (ours)."""
MEET_S: Final = 5.0
Monotonic = Callable[[], float]


class Promise(NamedTuple):
    """What callers wait for: the result of an attempt, and that its first request was sent, or that it has ended."""

    done: Future[tuple[DeliveryAttempt, ...]]
    left: Future[None]

    def keep(self, attempts: tuple[DeliveryAttempt, ...] = ()) -> None:
        """Notifies all who wait that it has ended; without attempts, it was not made."""
        self.leave()
        self.done.set_result(attempts)

    def leave(self) -> None:
        with suppress(InvalidStateError):
            self.left.set_result(None)


LOST: Final = "[could not be recorded; the log says more]"


class Sending:
    """An attempt from its start until its result is saved."""

    def __init__(self, job: Job, timeout_s: float, monotonic: Monotonic, promise: Promise) -> None:
        self.job = job
        self.timeout_s = timeout_s
        self.began_s = monotonic()
        self.promise = promise
        self.lost: list[Exception] = []
        """Why answers could not be shown."""
        self._monotonic = monotonic
        self._lock = Lock()
        self._over = False
        self._wires: dict[int, tuple[Wire, Headers, float]] = {}
        self._results: dict[int, RequestResult] = {}

    @property
    def overdue_s(self) -> float:
        """By how much it exceeds its time limit; negative while it does not."""
        copies = 1 if self.job.orders.concurrently else self.job.orders.copies
        return self._monotonic() - self.began_s - (self.timeout_s + GRACE_S) * copies

    def carry_out(self, transport: Transport, body: bytes) -> list[RequestResult]:
        """Sends all copies and gives the result of each."""
        copies = range(1, self.job.orders.copies + 1)
        if self.job.orders.concurrently:
            self._together(transport, body, copies)
        else:
            for copy in copies:
                if not self._over:
                    self._send(transport, body, copy)
        return self.so_far("")

    def finish(self) -> bool:
        """Whether the caller may save the result; true once."""
        with self._lock:
            first, self._over = not self._over, True
        return first

    def give_up(self) -> None:
        """Stops waiting for an answer."""
        for wire, _, _ in tuple(self._wires.values()):
            wire.cut()

    def so_far(self, error: str) -> list[RequestResult]:
        """The result of each request that was started, or of the first; `error` is for those without an answer."""
        now = self._monotonic()
        for copy, (_, headers, began) in self._wires.copy().items():
            if copy not in self._results:
                self._results[copy] = _result(copy, headers, began, now, error=error)
        results = [self._results[copy] for copy in sorted(self._results)]
        return results or [RequestResult(copy=1, headers="[]", error=error)]

    def _together(self, transport: Transport, body: bytes, copies: range) -> None:
        """Each copy on its own thread; none is sent before all are ready."""
        gate = Barrier(len(copies))

        def send(copy: int) -> None:
            with suppress(BrokenBarrierError):
                gate.wait(MEET_S)
            self._send(transport, body, copy)

        threads = [Thread(target=send, args=(copy,), name="sandbox-copy", daemon=True) for copy in copies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _send(self, transport: Transport, body: bytes, copy: int) -> None:
        target = self.job.target
        sent = signing.headers(body, target.secret, target.headers, self.job.orders.signature)
        wire, began, headers = Wire(self.promise.leave), self._monotonic(), signing.shown(sent, target.headers)
        self._wires[copy] = wire, headers, began
        try:
            answer = transport.send(target.url, body, sent, self.timeout_s, wire)
        except Unanswered as problem:
            self._results.setdefault(copy, _result(copy, headers, began, self._monotonic(), error=str(problem)))
            return
        made = _result(copy, headers, began, self._monotonic(), status=answer.status, response_body=LOST)
        try:
            fields, text = header_text(masked_headers(excerpt(answer.headers))), kept_answer(answer.body)
            made = structs.replace(made, response_headers=fields, response_body=text)
        except Exception as defect:  # what is recorded never changes how a delivery went
            self.lost.append(defect)
        self._results.setdefault(copy, made)


def kept_answer(body: bytes) -> str:
    """The beginning of a receiver's answer without card data, keys and secrets: a debug page shows all that it got."""
    text = body[:LONGEST_EXCERPT].decode("utf-8", "replace")
    try:
        value = jsontext.parse(body[:LONGEST_EXCERPT])
    except jsontext.JsonMistake:
        return masked(text)
    shown = hiding.hidden(value, hiding.codes_in(value))
    kept = text if shown == value else jsontext.dump(shown).decode()
    return without_secrets(without_keys(kept))[:LONGEST_EXCERPT]


def _result(copy: int, headers: Headers, began: float, now: float, **answer: Any) -> RequestResult:
    took_ms, began_us = round((now - began) * 1000), round(began * 1_000_000)
    return RequestResult(copy=copy, headers=header_text(headers), took_ms=took_ms, began_us=began_us, **answer)
