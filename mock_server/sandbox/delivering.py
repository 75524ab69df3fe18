"""Sending webhooks for all workspaces of a server: the deliverer, put together when the first event has a receiver."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING, Final, cast

from mock_server.clock import Clock
from mock_server.domain.delivery import Attempt
from mock_server.metrics.counts import Counts
from mock_server.once import once
from mock_server.settings import Settings
from mock_server.store.protocol import NEVER

if TYPE_CHECKING:
    from mock_server.sandbox.place import WorkspacePlace
    from mock_server.sandbox.workspace import Workspace
    from mock_server.webhooks.delivery_context import DeliveryContext
    from mock_server.webhooks.dispatcher import Dispatcher
    from mock_server.webhooks.sending import Job, RequestResult
    from mock_server.webhooks.transport import Routing, Transport
    from mock_server.webhooks.worker_pool import WorkerPool

_LOG: Final = logging.getLogger("mock_server.webhooks")


class Delivering:
    """A server's deliveries. Nobody holds a lock when these are called; tests hand in `hands` of their own."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        wake: Callable[[Workspace], object],
        hands: WorkerPool | None = None,
        counts: Counts | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._wake = wake
        self._hands = hands
        self._counts = counts or Counts()
        self._lock = Lock()
        self._made: Dispatcher | None = None

    @once
    def routing(self) -> Routing:
        """Which transport leads to an address."""
        from mock_server.webhooks.transport import Routing

        return Routing(self._network, self._settings.webhook_hosts)

    @property
    def dispatcher(self) -> Dispatcher:
        """What sends, one for all threads; its own begin with the first delivery."""
        made = self._made
        if made is None:
            with self._lock:
                made = self._made = self._made or self._dispatcher()
        return made

    def _dispatcher(self) -> Dispatcher:
        from mock_server.webhooks.dispatcher import Dispatcher, Timing
        from mock_server.webhooks.worker_pool import WorkerPool

        timing = Timing(self._settings.webhook_timeout, self._clock.monotonic)
        hands = WorkerPool() if self._hands is None else self._hands
        return Dispatcher(self.routing, timing, hands, self._awaken, self._told)

    def _network(self) -> Transport:
        from mock_server.webhooks.transport_http import Network

        return Network(self._clock.monotonic)

    def _awaken(self, place: DeliveryContext) -> None:
        self._wake(cast("WorkspacePlace", place).workspace)

    def _told(self, job: Job, outcomes: Sequence[RequestResult]) -> None:
        """Counts the requests that an attempt made, and writes them to the log."""
        for one in outcomes:
            self._counts.attempt(job.kind, one.status)
            if _LOG.isEnabledFor(logging.DEBUG):
                _write(job, one)

    def connect(self, origin: str, transport: Transport) -> Callable[[], None]:
        """Leads everything that is sent to an origin (`http://app.test`) to an app in this process; gives the undo."""
        return self.routing.connect(origin, transport)

    def attend(self, workspace: Workspace, real_now: int) -> int:
        """Begins what is due; gives the real instant (ms) of what comes next, or `NEVER`."""
        if self._made is None and workspace.space.due_at() == NEVER:
            return NEVER
        return self.dispatcher.attend(workspace.place, real_now)

    def settle(self, workspace: Workspace, timeout_s: float) -> None:
        """Waits for what is on its way, at most so long; the rest counts as timed out."""
        if self._made is not None:
            self._made.settle(workspace.place, timeout_s)

    def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
        """Makes the earliest attempt that is due by an instant and waits for its end; gives how many came off."""
        return self.dispatcher.run_due(workspace.place, until, timeout_s)

    def send_first(self, workspace: Workspace, event_ids: Sequence[str]) -> list[Future[tuple[Attempt, ...]]]:
        """Begins these events' deliveries at once; gives what will be kept of each."""
        return [sending.done for sending in self.dispatcher.send_now(workspace.place, event_ids)]

    def redirecting(self, workspace: Workspace, payment_id: str) -> list[Future[None]]:
        """Begins what waits for a payment's customer to be sent back; each is done once its request has left."""
        if workspace.space.due_at() == NEVER:
            return []
        return [sending.left for sending in self.dispatcher.redirecting(workspace.place, payment_id)]

    def resend(self, workspace: Workspace, event_id: str) -> Future[tuple[Attempt, ...]] | None:
        """One more attempt of an event, by hand; None where nobody listens or a scenario drops it."""
        return self.dispatcher.resend(workspace.place, event_id)

    def close(self) -> None:
        """Begins nothing any more; whoever starts again has new threads."""
        made, self._made = self._made, None
        if made is not None:
            made.close()


def _write(job: Job, outcome: RequestResult) -> None:
    event, came = job.event, outcome.error or f"answered {outcome.status}"
    told = {
        "event_id": event.event_id,
        "payment_id": event.payment_id,
        "event_type": event.type,
        "attempt": job.number,
        "status": outcome.status,
        "took_ms": outcome.took_ms,
    }
    words = f"{event.type} attempt {job.number} to {job.target.url}: {came} in {outcome.took_ms} ms"
    _LOG.debug("%s", words, extra=told)
