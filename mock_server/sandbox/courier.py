"""Tells of reports that are there: a signed POST to the address that the request named (facts §1.7).

A notice belongs to no event: it is in no inbox, waits for no other, and is tried again as an event is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from mock_server import jsontext
from mock_server.domain.report import DELIVER_REPORT, Notice
from mock_server.engine.reports import exports
from mock_server.once import once
from mock_server.sandbox.delivering import Delivering
from mock_server.sandbox.workspace import Workspace
from mock_server.store.protocol import NEVER, Due, Transaction

if TYPE_CHECKING:
    from mock_server.webhooks.worker_pool import WorkerPool

_LOG: Final = logging.getLogger("mock_server.webhooks")
MOST: Final = 64
"""So many notices wait for their receivers at one moment (ours)."""
_SORTS: Final = (DELIVER_REPORT,)


class Courier:
    """What sends the notices of all workspaces, on threads that begin with the first one."""

    def __init__(self, post: Delivering, timeout_s: float, wake: Callable[[Workspace], object]) -> None:
        self._post = post
        self._timeout_s = timeout_s
        self._wake = wake
        self._begun = False

    @once
    def _hands(self) -> WorkerPool:
        from mock_server.webhooks.worker_pool import WorkerPool

        self._begun = True
        return WorkerPool(most=MOST)

    def attend(self, workspace: Workspace, real_now: int) -> int:
        """Begins what is due in a workspace; gives the real instant (ms) of what comes next, or `NEVER`."""
        if workspace.space.due_at() == NEVER:
            return NEVER
        now = workspace.now()
        while (taken := self._take(workspace, now)) is not None:
            self._begin(workspace, *taken)
        head = workspace.space.transact(lambda tx: tx.next_due(_SORTS))
        return NEVER if head is None else workspace.clock.real(head.at)

    def send_due(self, workspace: Workspace) -> int:
        """Sends what is due in a workspace and waits for the answers; gives how many notices there were."""
        sent = 0
        while (taken := self._take(workspace, workspace.now())) is not None:
            self._send(workspace, *taken)
            sent += 1
        return sent

    def close(self) -> None:
        """Begins nothing any more."""
        if self._begun:
            self._hands.close()

    def _take(self, workspace: Workspace, until: int) -> tuple[Due, Notice | None] | None:
        def take(tx: Transaction) -> tuple[Due, Notice | None] | None:
            entry = tx.take_due(until, _SORTS)
            if entry is None:
                return None
            return entry, exports.notice(tx, entry.subject, workspace.identity.webhook_secret)

        return workspace.space.transact(take)

    def _begin(self, workspace: Workspace, entry: Due, notice: Notice | None) -> None:
        if notice is not None:
            self._hands.take(partial(self._send, workspace, entry, notice), notice.url)

    def _send(self, workspace: Workspace, entry: Due, notice: Notice | None) -> None:
        if notice is not None and not self._was_taken(notice):
            workspace.space.transact(lambda tx: _again(tx, entry, workspace.now()))
            self._wake(workspace)

    def _was_taken(self, notice: Notice) -> bool:
        from mock_server.webhooks.signing import headers
        from mock_server.webhooks.transport import Unanswered, Wire

        body = jsontext.dump(notice.body)
        signed = headers(body, notice.secret, {})
        try:
            answer = self._post.routing.send(notice.url, body, signed, self._timeout_s, Wire())
        except Unanswered as why:
            _LOG.info("the notice of a report was not taken: %s", why)
            return False
        return 200 <= answer.status <= 299


def _again(tx: Transaction, entry: Due, now: int) -> None:
    """Schedules the next try, on the same schedule as an event's."""
    from mock_server.webhooks.retry_table import delay_after

    retries = int(entry.argument or 0)
    delay = delay_after(retries)
    if delay is not None:
        tx.schedule(now + delay, DELIVER_REPORT, entry.subject, str(retries + 1))
