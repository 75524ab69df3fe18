"""One server's state: its workspaces by their keys, calls without a workspace, limits of stored data."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from wsgiref.types import WSGIApplication

from mock_server import dialects, metrics
from mock_server.clock import Clock, SystemClock
from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import EPHEMERAL_KEY, ApiKey
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import INBOX
from mock_server.domain.faults import PassOn
from mock_server.domain.instructions import QrImage
from mock_server.domain.limits import MULTIPART_FRAME, WINDOW_MS, Usage, usage
from mock_server.engine.outbox import forget_oldest
from mock_server.randomness import Randomness
from mock_server.sandbox.workspace import UNLIMITED, Workspace
from mock_server.sandbox.workspaces import Keyring, Merchants, Workspaces
from mock_server.settings import Settings
from mock_server.store.byte_bounds import Most
from mock_server.store.memory import Store
from mock_server.store.protocol import NEVER

if TYPE_CHECKING:
    from mock_server.lasting.store import LastingStore

AGAIN_MS: Final = 1_000
"""While nothing can be saved, scheduled events are retried after this time."""
LOGGED_EVERY: Final = 10_000
"""The log reports the first dropped entry of a kind, and then one in this number."""
DROPPED: Final = "the %s is full, so its oldest entries are dropped: %d so far (settings %s, %s_bytes, %s_bytes_total)"


class Sandbox(Workspaces):
    """One server's state: settings, store, dialect, clock, and the workspaces by their keys."""

    def __init__(
        self, settings: Settings, store: Store, clock: Clock, dialect: Dialect, qr_image: QrImage | None = None
    ) -> None:
        super().__init__(settings, store, clock, dialect, qr_image)
        self.keyring = Keyring(self)
        self.merchants = Merchants(self)
        self.scratch: Callable[[], WSGIApplication]
        """Creates an app with a separate state, for trial runs; the app sets it."""
        self.recorders: Any
        """What records something of each call; the app sets it."""
        self.client_rules: Callable[[], Collection[str]]
        """The rules for mistakes of clients, of which a call can accept one; the app sets it."""
        self.lasting: LastingStore | None = None
        self._requests = Randomness(settings.seed, "requests")

    def workspace(self, key: ApiKey) -> Workspace:
        """The workspace of a key, created on first use; of an ephemeral key, the newest that issued it.

        Refused as `key_unknown`, `key_unused`, `ephemeral_key_wrong` and similar.
        """
        if key.kind is not EPHEMERAL_KEY:
            return self.workspace_in(self.keyring.space_of(key))
        issuer = next((workspace for workspace in self.issuers_of(key) if workspace.issued(key)), None)
        if issuer is None:
            raise Refusal(Cause.EPHEMERAL_KEY_WRONG)
        return issuer

    def reset(self, key: ApiKey, seed: str | None = None, name: str | None = None) -> Workspace:
        """Replaces the key's workspace with a new one."""
        return self.reset_in(self.keyring.space_of(key), seed, name)

    def count_stray(self) -> Usage:
        """Counts a call without a workspace; these have no rate limit."""
        now = self.clock.now_ms()
        count = self.server.hit("stray", now // WINDOW_MS)
        limit = self.settings.rate_limit or UNLIMITED
        return usage(limit=limit, count=count, now=now, real_now=now, refuses=False, frozen=False)

    def body_limit(self, operation: Operation) -> int:
        """The maximum body size of an operation, in bytes."""
        if operation.name == "control.take_snapshot":
            return int(self.settings.max_snapshot)
        if operation.large:
            return int(self.settings.max_control_body)
        if operation.multipart:
            return int(self.settings.max_evidence_body + MULTIPART_FRAME)
        return int(self.settings.max_body)

    def outlive(self, store: LastingStore) -> None:
        """Notes that the store is persistent: request ids differ from those of earlier starts."""
        self.lasting = store
        self.is_alone = store.saver.lease is None
        self.post.saved = store.saver.wait
        if store.start > 1:
            self._requests = Randomness(self.settings.seed, f"requests of start {store.start}")

    def count(self) -> int:
        """The number of workspaces of this process."""
        return len(self.store.names()) if self.lasting is None else len(self.lasting.here()) + len(self.lasting.resting)

    def _wake_due(self, now: int) -> int:
        if self.lasting is None:
            return NEVER
        names, following = self.lasting.due_by(now)
        for name in names:
            with suppress(Refusal, PassOn):  # it cannot be read, or somebody else was first
                self.wake(self.workspace_in(name))
        return following

    def _attend(self, workspace: Workspace, now: int) -> int:
        if self.lasting is not None and self.lasting.saver.trouble is not None:
            return now + AGAIN_MS
        return super()._attend(workspace, now)

    def stop(self) -> None:
        super().stop()
        if self.lasting is not None:
            self.lasting.end()

    def request_id(self) -> str:
        """An id for one call, in answer, log and journal."""
        return "req_" + self._requests.token("request", next(self._numbers))


def build(
    settings: Settings, *, clock: Clock | None = None, store: Store | None = None, dialect: Dialect | None = None
) -> Sandbox:
    """A sandbox from its settings; tests pass clock, store and dialect. Raises StateRefused, if `data` is unusable."""
    options: dict[str, Any] = {
        "max_spaces": settings.workspaces,
        "bounds": {"journal": settings.journal, "inbox": settings.inbox, "attempts": settings.inbox},
        "max_claims": settings.idempotency,
        "most": bounds_of(settings),
        "forget": {INBOX: forget_oldest},
        "on_drop": lambda fallen: _count_dropped(sandbox.counts, fallen),
    }
    lasting = None
    if store is None and settings.data is not None:
        from mock_server.sandbox.outliving import open_store

        store = lasting = open_store(
            settings, clock or SystemClock(), lambda name: sandbox.forget(name, is_gone=False), options
        )
    made = store or Store(on_evict=lambda space_name, newcomer: sandbox.made_room(space_name, newcomer), **options)
    sandbox: Sandbox = Sandbox(
        settings, made, clock or SystemClock(), dialect or dialects.get(settings.dialect), _qr_image
    )
    if lasting is not None:
        sandbox.outlive(lasting)
    return sandbox


def bounds_of(settings: Settings) -> Mapping[str, Most]:
    """The byte limits of each kind of data, in one workspace and in all."""
    return {
        "journal": Most(settings.journal_bytes, settings.journal_bytes_total),
        "inbox": Most(settings.inbox_bytes, settings.inbox_bytes_total),
        "idempotency": Most(settings.idempotency_bytes, settings.idempotency_bytes_total),
        "evidence": Most(settings.evidence_bytes, settings.evidence_bytes_total),
        "scenarios": Most(settings.scenarios_bytes, settings.scenarios_bytes_total),
        "snapshots": Most(settings.snapshots_bytes, settings.snapshots_bytes),
    }


def _count_dropped(counts: metrics.Counts, fallen: Mapping[str, int]) -> None:
    """Counts dropped entries, and logs them occasionally."""
    for sort, count in fallen.items():
        so_far = counts.add(metrics.DROPPED, sort, count=count)
        if so_far == count or so_far // LOGGED_EVERY > (so_far - count) // LOGGED_EVERY:
            logging.getLogger("mock_server.sandbox").info(DROPPED, sort, so_far, sort, sort, sort)


def _qr_image(text: str) -> str:
    """A QR code as a data URL; the encoder is imported with the first code."""
    import segno

    return str(segno.make(text, micro=False).svg_data_uri(scale=4))
