"""The server's workspaces: which key opens which, and what all of them share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from mock_server import dialects
from mock_server.clock import Clock, SystemClock
from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instructions import QrImage
from mock_server.domain.issued_key import tag_in, tag_of
from mock_server.domain.limits import MULTIPART_FRAME, WINDOW_MS, Usage, usage
from mock_server.metrics.counts import Counts
from mock_server.randomness import Randomness
from mock_server.sandbox import identity, snapshots
from mock_server.sandbox.advance import Deliveries
from mock_server.sandbox.background import Background
from mock_server.sandbox.bounds import bounded, tell
from mock_server.sandbox.courier import Courier
from mock_server.sandbox.delivering import Delivering
from mock_server.sandbox.evictions import Evictions
from mock_server.sandbox.keyring import Keyring
from mock_server.sandbox.merchants import Merchants
from mock_server.sandbox.server_scenarios import ServerScenarios
from mock_server.sandbox.signal import Signal
from mock_server.sandbox.workspace import UNLIMITED, Workspace
from mock_server.settings import Settings
from mock_server.store.protocol import Space, Store, Transaction

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from mock_server.scenario.loading.library import Library

_LOG: Final = logging.getLogger("mock_server.sandbox")
MERCHANTS = "merchant:"
STRAY = "stray"
TAKE = "control.take_snapshot"


class Sandbox:
    """One server's state: settings, store, dialect, clock, and the workspaces by their keys."""

    def __init__(
        self, settings: Settings, store: Store, clock: Clock, dialect: Dialect, qr_image: QrImage | None = None
    ) -> None:
        self.settings = settings
        self.store = store
        self.clock = clock
        self.dialect = dialect
        self.qr_image = qr_image
        self.link_base = settings.public_url or ""
        self.counts = Counts()
        self.stirred = Signal()
        """Rung when something happens in any workspace, or to one."""
        self.shelf = Signal()
        """Rung when a snapshot is kept or dropped."""
        self.server = store.open("", _nothing)
        self._requests = Randomness(settings.seed, "requests")
        self._views: dict[str, Workspace] = {}
        self._viewing = RLock()
        self._background = Background(self.workspaces, clock, self._attend)
        self.post = Delivering(settings, clock, self.wake, counts=self.counts)
        self.courier = Courier(self.post, settings.webhook_timeout, self.wake)
        self.keyring = Keyring(self)
        self.evictions = Evictions(self)
        self.merchants = Merchants(self)
        self.scenarios = ServerScenarios(settings)
        self.deliveries: Deliveries | None = self.post
        """What sends webhooks while a clock is advanced; None leaves them due."""
        self.scratch: Callable[[], WSGIApplication] | None = None
        """Makes an app with a state of its own, where something can be tried out."""

    # the server's own thread

    def start(self) -> None:
        """Applies what falls due also while nobody calls, until `stop`."""
        self._background.start()
        self.scenarios.start()

    def stop(self) -> None:
        """Ends what `start` began."""
        self.scenarios.stop()
        self._background.stop()
        self.post.close()
        self.courier.close()

    def wake(self, workspace: Workspace | None = None) -> None:
        """Something falls due sooner than was known: in this workspace, or in any."""
        self._background.wake(workspace)

    def run_once(self, now: int) -> int:
        """What the thread does at a real instant (ms), in every workspace; gives the one of what falls due next."""
        return self._background.run_once(now)

    def _attend(self, workspace: Workspace, now: int) -> int:
        """Looks after a workspace's own changes, and then after its deliveries."""
        return min(workspace.attend(now), self.post.attend(workspace, now), self.courier.attend(workspace, now))

    # workspaces

    def workspace(self, key: ApiKey) -> Workspace:
        """The workspace that a key opens, made on first use. Refused as `key_unknown`, `key_unused` and their like."""
        if key.kind is KeyKind.EPHEMERAL:
            return self._issuer_of(key)
        return self.workspace_at(self.keyring.place_of(key))

    def workspace_at(self, place: str) -> Workspace:
        """The workspace at a place, made on first use."""
        space = self.store.space(place) or self.store.open(place, lambda tx: self._begin(tx, place))
        return self.scenarios.complete(self.view(place, space))

    def _issuer_of(self, key: ApiKey) -> Workspace:
        """The workspace that issued an ephemeral key, the newest of several. Refused as `ephemeral_key_wrong`."""
        tag = tag_in(key.rest)
        for fact in self.server.transact(lambda tx: tuple(tx.facts(MERCHANTS))):
            merchant_id = fact.removeprefix(MERCHANTS)
            if tag_of(merchant_id) == tag:
                for workspace in self.workspaces_of(merchant_id):
                    if workspace.issued(key):
                        return workspace
        raise Refusal(Cause.EPHEMERAL_KEY_WRONG)

    def view(self, name: str, space: Space) -> Workspace:
        """The view of a workspace's present generation."""
        view = self._views.get(name)
        return view if view is not None and view.space is space else self._viewed(name, space)

    def _viewed(self, name: str, space: Space) -> Workspace:
        """A new view: one for all who come at once, because what is rung on it must reach whoever waits."""
        with self._viewing:
            view = self._views.get(name)
            if view is None or view.space is not space:
                self.forget(name)
                view = self._views[name] = Workspace(self, space)
                self._remember_merchant(view)
                self.stirred.ring()
            return view

    def forget(self, name: str) -> None:
        """Lets go of the view of a workspace that went for another, or that was evicted."""
        with self._viewing:
            view = self._views.pop(name, None)
            if view is None:
                return
            fact = MERCHANTS + view.merchant_id
            self.server.transact(lambda tx: tx.set_fact(fact, [n for n in tx.fact(fact) or [] if n != name] or None))
        self.stirred.ring()

    def _begin(self, tx: Transaction, place: str, seed: str | None = None, name: str | None = None) -> None:
        """What the first call of a key writes into its workspace."""
        merchant_id = identity.merchant_at(place)
        settings, now = self.settings, self.clock.now_ms()
        called = name or merchant_id or place
        made = identity.make(called, seed or settings.seed, now, settings.webhook_secret, merchant_id)
        tx.set_fact(identity.FACT, made.as_fact())
        if self.settings.scenario:
            self.scenarios.begin(tx, made.created_at)

    def _remember_merchant(self, view: Workspace) -> None:
        """Pages know a merchant's id alone; several workspaces can be the same merchant after a restore."""
        fact = MERCHANTS + view.merchant_id

        def remember(tx: Transaction) -> None:
            names = tx.fact(fact) or []
            if view.space.name not in names:
                tx.set_fact(fact, [*names, view.space.name])

        self.server.transact(remember)

    def workspaces_of(self, merchant_id: str) -> list[Workspace]:
        """The workspaces of a merchant, the one made last first."""
        names = self.server.fact(MERCHANTS + merchant_id) or []
        spaces = [(name, space) for name in names if (space := self.store.space(name))]
        spaces.sort(key=lambda pair: pair[1].generation, reverse=True)
        views = [self.view(name, space) for name, space in spaces]
        return [view for view in views if view.merchant_id == merchant_id]

    def workspaces(self) -> list[Workspace]:
        """Every workspace there is."""
        return [self.view(name, space) for name in self.store.names() if (space := self.store.space(name))]

    def made_room(self, place: str, newcomer: str) -> None:
        """Says that the workspace at a place went for the one at another, and lets go of it."""
        gone, came = self._views.get(place), self.store.space(newcomer)
        who = identity.read(came.fact(identity.FACT)).merchant_id if came is not None else "a new one"
        self.evictions.keep(place, gone.merchant_id if gone is not None else "of nobody", who)
        self.forget(place)

    def reset(self, key: ApiKey, seed: str | None = None, name: str | None = None) -> Workspace:
        """A new workspace in the old one's place, in constant time."""
        return self.reset_at(self.keyring.place_of(key), seed, name)

    def reset_at(self, place: str, seed: str | None = None, name: str | None = None) -> Workspace:
        """A new workspace in the place of the one that is there."""
        space = self.store.replace(place, lambda tx: self._begin(tx, place, seed, name))
        self.evictions.forget(place)
        return self.scenarios.complete(self.view(place, space))

    def restore(self, key: ApiKey, text: bytes, logs: Mapping[str, Any]) -> Workspace:
        """A snapshot's workspace in the place of the key's. Refused as `snapshot_broken`, `snapshot_format_unknown`.


        `logs` says what the lines are of those logs that others write.
        """
        return self.restore_at(self.keyring.place_of(key), text, logs)

    def restore_at(self, place: str, text: bytes, logs: Mapping[str, Any]) -> Workspace:
        """A snapshot's workspace at a place; refused as in `restore`."""
        space = snapshots.restore(self.store, place, text, self.clock.now_ms(), logs)
        self.evictions.forget(place)
        self.wake()
        return self.view(place, space)

    def reset_all(self) -> int:
        """Closes every workspace and empties the registry; gives how many workspaces there were. Snapshots stay."""
        names = list(self.store.names())
        for name in names:
            self.store.close(name)
        self._views.clear()
        stays = self.server.transact(lambda tx: dict(tx.facts(snapshots.FACTS)))
        self.server = self.store.replace("", lambda tx: _with_facts(tx, stays))
        self.stirred.ring()
        return len(names)

    # scenarios

    @property
    def library(self) -> Library:
        """The server's scenarios. Raises ScenarioErrors with every mistake in their files."""
        return self.scenarios.library

    # calls

    def count_stray(self) -> Usage:
        """Counts a call that belongs to no workspace; none of them is refused for its number."""
        now = self.clock.now_ms()
        count = self.server.hit(STRAY, now // WINDOW_MS)
        limit = self.settings.rate_limit or UNLIMITED
        return usage(limit=limit, count=count, now=now, real_now=now, refuses=False, frozen=False)

    def body_limit(self, operation: Operation) -> int:
        """The largest body an operation takes, in bytes."""
        if operation.name == TAKE:
            return int(self.settings.max_snapshot)
        if operation.large:
            return int(self.settings.max_control_body)
        if operation.multipart:
            return int(self.settings.max_evidence_body + MULTIPART_FRAME)
        return int(self.settings.max_body)

    def request_id(self) -> str:
        """A name for one call, in answer, log and journal."""
        return "req_" + self._requests.token("request", self.server.next("request"))


def _nothing(tx: Transaction) -> None:
    """A space that begins empty."""


def _with_facts(tx: Transaction, facts: Mapping[str, Any]) -> None:
    """A space that begins with some facts of another one."""
    for name, value in facts.items():
        tx.set_fact(name, value)


def build(
    settings: Settings, *, clock: Clock | None = None, store: Store | None = None, dialect: Dialect | None = None
) -> Sandbox:
    """A sandbox from its settings; tests hand in clock, store and dialect."""

    made = store or bounded(
        settings,
        lambda place, newcomer: sandbox.made_room(place, newcomer),
        lambda fallen: tell(sandbox.counts, fallen),
    )
    sandbox = Sandbox(settings, made, clock or SystemClock(), dialect or dialects.get(settings.dialect), _qr_image)
    return sandbox


def _qr_image(text: str) -> str:
    """A QR code as a data URL; the encoder is imported with the first code."""
    import segno

    return str(segno.make(text, micro=False).svg_data_uri(scale=4))
