"""The workspaces of a server by their places, what all of them share, and the thread that looks after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from mock_server import dialects
from mock_server.clock import Clock
from mock_server.contract.dialect import Dialect
from mock_server.domain import hiding
from mock_server.domain.api_keys import ApiKey, without_keys
from mock_server.domain.instructions import QrImage
from mock_server.domain.issued_key import tag_in, tag_of
from mock_server.metrics import Counts
from mock_server.sandbox import identity, snapshots
from mock_server.sandbox.background import Background
from mock_server.sandbox.delivering import Courier, Delivering
from mock_server.sandbox.evictions import Evictions
from mock_server.sandbox.scenarios import ServerScenarios
from mock_server.sandbox.workspace import Workspace
from mock_server.settings import Settings
from mock_server.store.protocol import NEVER, RecordKind, Space, Store, Transaction
from mock_server.store.waiting import Signal

if TYPE_CHECKING:
    from mock_server.scenario.loading.library import Library

MERCHANTS: Final = "merchant:"
"""What the names of the server's facts begin with that say at which places a merchant's workspaces are."""
HOLDERS, TAGS = "holder:", "tag:"
"""And those that say it of a record, and of an ephemeral key by its tag, where the store keeps what is whose."""
LABELS: Final = "label:"
"""And those that say what the workspace at a place is for."""
MOST_OF_LABEL: Final = 120
"""So many signs a label has."""


class Workspaces:
    """The workspaces, made on first use at their places; the server as each of them knows it."""

    def __init__(
        self, settings: Settings, store: Store, clock: Clock, dialect: Dialect, qr_image: QrImage | None = None
    ) -> None:
        self.settings = settings
        self.store = store
        self.clock = clock
        self.dialect = dialects.with_default_profile(dialect, settings.default_profile)
        self.qr_image = qr_image
        self.link_base = settings.public_url or ""
        self.counts = Counts()
        self.is_alone = True
        """Whether the server's own facts are this process's alone; else the store says which workspaces are whose."""
        self.activity = Signal()
        """Rung when something happens in any workspace, or to one."""
        self.shelf = Signal()
        """Rung when a snapshot is kept or dropped."""
        self.server = store.open("", lambda tx: None)
        self._views: dict[str, Workspace] = {}
        self._viewing = RLock()
        self._background = Background(self.here, clock, self._attend, self._wake_due)
        self.post = Delivering(settings, clock, self.wake, counts=self.counts)
        self.courier = Courier(self.post, settings.webhook_timeout, self.wake)
        self.evictions = Evictions(settings.workspaces, clock, self.counts, lambda: self.server)
        self.scenarios = ServerScenarios(settings)

    @property
    def library(self) -> Library:
        """The server's scenarios. Raises ScenarioErrors with every mistake in their files."""
        return self.scenarios.library

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

    def _wake_due(self, now: int) -> int:
        """Brings in where something is due; without a store that lets workspaces rest, all are here."""
        return NEVER

    def speaking(self, dialect: str | None) -> Dialect:
        """A dialect by its name, the server's own where none is given, as the settings have it."""
        if dialect is None:
            return self.dialect
        return dialects.with_default_profile(dialects.get(dialect), self.settings.default_profile)

    # what workspaces are for, in their users' words: it belongs to the place, and is in no snapshot

    def label_of(self, place: str) -> str | None:
        """What the workspace at a place is for, if somebody said it."""
        found: str | None = self.server.fact(LABELS + place)
        return found

    def label(self, place: str, text: str) -> None:
        """Says what the workspace at a place is for, without card data and keys; an empty text takes that back."""
        label = _label_of(text)
        if label != (self.label_of(place) or ""):
            self.server.transact(lambda tx: tx.set_fact(LABELS + place, label or None))
            self.activity.ring()

    # finding and making

    def workspace_at(self, place: str) -> Workspace:
        """The workspace at a place, made on first use."""
        space = self.store.space(place) or self.store.open(place, lambda tx: self._begin(tx, place))
        return self.scenarios.complete(self.view(place, space))

    def workspaces(self) -> list[Workspace]:
        """Every workspace there is."""
        return [self.view(name, space) for name in self.store.names() if (space := self.store.space(name))]

    def here(self) -> list[Workspace]:
        """Every workspace that is in memory."""
        return self.workspaces()

    def workspaces_of(self, merchant_id: str, record: tuple[RecordKind[Any], str] | None = None) -> list[Workspace]:
        """The workspaces of a merchant, the one made last first; where replicas share them, those with that record."""
        fact = MERCHANTS + merchant_id
        if record is not None and not self.is_alone:
            fact = f"{HOLDERS}{record[0].name}/{record[1]}/{merchant_id}"
        views = self._views_at(fact)
        return [view for view in views if view.merchant_id == merchant_id]

    def _views_at(self, fact: str) -> list[Workspace]:
        names = self.server.fact(fact) or []
        spaces = [(name, space) for name in names if (space := self.store.space(name))]
        spaces.sort(key=lambda pair: pair[1].generation, reverse=True)
        return [self.view(name, space) for name, space in spaces]

    def issuers_of(self, key: ApiKey) -> Iterator[Workspace]:
        """The workspaces that may have issued an ephemeral key, of each merchant the one made last first."""
        tag = tag_in(key.rest)
        if not self.is_alone:
            yield from self._views_at(f"{TAGS}{tag}/{key.digest}")
            return
        for fact in self.server.transact(lambda tx: tuple(tx.facts(MERCHANTS))):
            merchant_id = fact.removeprefix(MERCHANTS)
            if tag_of(merchant_id) == tag:
                yield from self.workspaces_of(merchant_id)

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
                self._link(view, is_there=True)
                view.happened()
            return view

    def _begin(self, tx: Transaction, place: str, seed: str | None = None, name: str | None = None) -> None:
        """What the first call of a key writes into its workspace."""
        merchant_id = identity.merchant_at(place)
        settings, now = self.settings, self.clock.now_ms()
        called = name or merchant_id or place
        made = identity.make(called, seed or settings.seed, now, settings.webhook_secret, merchant_id)
        tx.set_fact(identity.FACT, made.as_fact())
        if self.settings.scenario:
            self.scenarios.begin(tx, made.created_at)

    def _link(self, view: Workspace, *, is_there: bool) -> None:
        """Pages know a merchant's id alone; several workspaces can be the same merchant after a restore."""
        fact, name = MERCHANTS + view.merchant_id, view.space.name

        def note(tx: Transaction) -> None:
            names = tx.fact(fact) or []
            if (name in names) is not is_there:
                tx.set_fact(fact, [*names, name] if is_there else [one for one in names if one != name] or None)

        if self.is_alone:
            self.server.transact(note)

    # replacing and letting go

    def reset_at(self, place: str, seed: str | None = None, name: str | None = None) -> Workspace:
        """A new workspace in the place of the one that is there, in constant time."""
        space = self.store.replace(place, lambda tx: self._begin(tx, place, seed, name))
        self.evictions.forget(place)
        return self.scenarios.complete(self.view(place, space))

    def restore_at(self, place: str, text: bytes, logs: Mapping[str, Any]) -> Workspace:
        """A snapshot's workspace at a place. Refused as `snapshot_broken`, `snapshot_format_unknown`.

        `logs` says what the lines are of those logs that others write.
        """
        space = snapshots.restore(self.store, place, text, self.clock.now_ms(), logs)
        self.evictions.forget(place)
        self.wake()
        return self.view(place, space)

    def reset_all(self) -> int:
        """Closes every workspace and empties the registry; gives how many workspaces there were. Snapshots stay."""
        closed = self.store.clear(stays=snapshots.FACTS)
        self._views.clear()
        self.server = self.store.open("", lambda tx: None)
        self.activity.ring()
        return closed

    def made_room(self, place: str, newcomer: str) -> None:
        """Says that the workspace at a place went for the one at another, and lets go of it."""
        gone, came = self._views.get(place), self.store.space(newcomer)
        who = identity.read(came.fact(identity.FACT)).merchant_id if came is not None else "a new one"
        self.label(place, "")
        self.evictions.keep(place, gone.merchant_id if gone is not None else "of nobody", who)
        self.forget(place)

    def rested(self, name: str) -> None:
        """Lets go of the view of a workspace that left memory alone."""
        with self._viewing:
            self._views.pop(name, None)

    def forget(self, name: str) -> None:
        """Lets go of the view of a workspace that went for another, or that was evicted."""
        with self._viewing:
            view = self._views.pop(name, None)
            if view is None:
                return
            self._link(view, is_there=False)
        self.activity.ring()


def _label_of(text: str) -> str:
    """A text as it may be kept: one line, which ends with `…` where it was longer."""
    clean = hiding.cleaned(without_keys(text))
    shown = "".join(sign if sign.isprintable() else " " for sign in clean).strip()
    return shown if len(shown) <= MOST_OF_LABEL else f"{shown[: MOST_OF_LABEL - 1]}…"
