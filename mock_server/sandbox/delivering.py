"""Sending of events and of notices of reports, which are retried alike (facts §1.7, §2.9)."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mock_server.clock import Clock
from mock_server.domain.events import DeliveryAttempt
from mock_server.domain.hiding import bare_url
from mock_server.metrics import ATTEMPTS, NOT_RECORDED, Counts, result_of
from mock_server.once import once
from mock_server.settings import Settings
from mock_server.store.protocol import NEVER
from mock_server.webhooks.planning import DeliveryContext

if TYPE_CHECKING:
    from mock_server.webhooks.dispatcher import Dispatcher
    from mock_server.webhooks.sending import Job, RequestResult
    from mock_server.webhooks.signing import Headers
    from mock_server.webhooks.transport import Response, Routing, Transport, Wire
    from mock_server.webhooks.worker_pool import WorkerPool

_LOG: Final = logging.getLogger("mock_server.webhooks")


class Delivering(Struct, eq=False, dict=True):
    """A server's deliveries. Callers hold no lock; tests pass their own workers."""

    _settings: Settings
    _clock: Clock
    _wake: Callable[[Any], object]
    """Called with a workspace in which something is due earlier than expected."""
    _counts: Counts
    _workers: WorkerPool | None = None
    saved: Callable[[], bool] | None = None
    """If state is persistent: waits until everything is saved that a request could show; gives whether it is."""

    @once
    def routing(self) -> Routing:
        """Selects the transport for an address."""
        from mock_server.webhooks.transport import Routing

        return Routing(self._network, self._settings.webhook_hosts)

    @once
    def dispatcher(self) -> Dispatcher:
        """The sender, one for all threads; its own threads start with the first delivery."""
        from mock_server.webhooks.dispatcher import Dispatcher
        from mock_server.webhooks.worker_pool import WorkerPool

        workers = WorkerPool() if self._workers is None else self._workers
        timeout_s, monotonic = self._settings.webhook_timeout, self._clock.monotonic
        return Dispatcher(self.routing, timeout_s, monotonic, workers, self._wake, self._sent, self._lost)

    def _network(self) -> Transport:
        from mock_server.webhooks.transport_http import Network

        network = Network(self._clock.monotonic)
        return network if self.saved is None else _SavedFirst(network, self.saved)

    def _sent(self, job: Job, outcomes: Sequence[RequestResult]) -> None:
        """Counts the requests of an attempt, and logs them."""
        for result in outcomes:
            came, event = result.error or f"answered {result.status}", job.event
            if event is None:
                _LOG.info("the notice of report %s: %s", job.entry.subject, came)
                continue
            self._counts.add(ATTEMPTS, job.kind, result_of(result.status))
            if _LOG.isEnabledFor(logging.DEBUG):
                about = {"event_id": event.event_id, "payment_id": event.payment_id, "event_type": event.type}
                made = {"attempt": job.number, "status": result.status, "took_ms": result.took_ms}
                text = f"{event.type} attempt {job.number} to {bare_url(job.target.url)}: {came} in {result.took_ms} ms"
                _LOG.debug("%s", text, extra={**about, **made})

    def _lost(self, job: Job, defect: Exception) -> None:
        """Logs and counts that an attempt's request and answer could not be recorded."""
        trace = "".join(traceback.format_tb(defect.__traceback__)) + type(defect).__name__
        event_id, text = job.entry.subject, "attempt %d of event %s could not be recorded\n%s"
        _LOG.error(text, job.number, event_id, trace, extra={"event_id": event_id})
        with suppress(Exception):
            self._counts.add(NOT_RECORDED, "attempt")

    def attend(self, workspace: DeliveryContext, real_now: int) -> int:
        """Starts what is due; gives the real time (ms) of what comes next, or `NEVER`."""
        if "dispatcher" not in self.__dict__ and workspace.space.due_at() == NEVER:
            return NEVER
        return self.dispatcher.attend(workspace, real_now)

    def settle(self, workspace: DeliveryContext, timeout_s: float) -> None:
        """Waits for attempts in progress, each up to a limit (real time); later ones count as timed out."""
        if "dispatcher" in self.__dict__:
            self.dispatcher.settle(workspace, timeout_s)

    def run_due(self, workspace: DeliveryContext, until: int, timeout_s: float) -> int:
        """Makes every attempt that is due by a time and waits for its end; gives their number."""
        return self.dispatcher.run_due(workspace, until, timeout_s)

    def send_first(
        self, workspace: DeliveryContext, event_ids: Sequence[str]
    ) -> list[Future[tuple[DeliveryAttempt, ...]]]:
        """Starts these events' deliveries at once; gives the future result of each."""
        return [promise.done for promise in self.dispatcher.send_now(workspace, event_ids)]

    def redirecting(self, workspace: DeliveryContext, payment_id: str) -> list[Future[None]]:
        """Starts what waits for the redirect of a payment's customer; each is done once its request is sent."""
        if workspace.space.due_at() == NEVER:
            return []
        return [promise.left for promise in self.dispatcher.redirecting(workspace, payment_id)]

    def close(self) -> None:
        """Starts nothing more; a new start creates new threads."""
        made: Dispatcher | None = self.__dict__.pop("dispatcher", None)
        if made is not None:
            made.close()


class _SavedFirst(Struct, eq=False):
    """A transport that sends a request only after its data is saved."""

    _network: Transport
    _saved: Callable[[], bool]

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        if not self._saved():
            from mock_server.webhooks.transport import Unanswered

            raise Unanswered("the change could not be saved")
        return self._network.send(url, body, headers, timeout_s, wire)
