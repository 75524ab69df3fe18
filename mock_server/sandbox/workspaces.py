"""The workspaces of a server: found by a key or by a merchant, created at the first call, evicted and restored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from hmac import compare_digest
from itertools import count
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, structs

from mock_server import dialects
from mock_server.clock import Clock
from mock_server.contract.dialect import Dialect
from mock_server.domain import hiding, ids
from mock_server.domain.api_keys import PUBLISHABLE_KEY, TAG_DIGITS, ApiKey, Opens, tag_of, without_keys
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instructions import QrImage
from mock_server.domain.limits import WORKSPACE_LABEL
from mock_server.engine import accounts
from mock_server.engine.kinds import ACCOUNTS
from mock_server.metrics import Counts
from mock_server.randomness import Randomness
from mock_server.sandbox import identity, snapshots
from mock_server.sandbox.background import Background
from mock_server.sandbox.delivering import Delivering
from mock_server.sandbox.evictions import Evictions
from mock_server.sandbox.scenarios import GIVEN_DUE, ServerScenarios
from mock_server.sandbox.workspace import OF_LINKS, Workspace
from mock_server.settings import Settings
from mock_server.store.memory import Store
from mock_server.store.protocol import NEVER, RecordKind
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.store.waiting import Signal

if TYPE_CHECKING:
    from mock_server.scenario.loading.library import Library


MERCHANTS: Final = "merchant:"
"""Prefix of the server's facts with the places of a merchant's workspaces."""
HOLDERS, TAGS = "holder:", "tag:"
"""The same for a record, and for an ephemeral key by its tag, if the store keeps the owners."""
LABELS: Final = "label:"
"""The same for the label of the workspace in a space."""

FROM_PAGE: Final[ContextVar[str | None]] = ContextVar("from_page", default=None)
"""The origin of the page whose call is processed: it creates no workspace, as it could send key after key."""


class Workspaces:
    """The workspaces, created on first use at their places; the server as each of them sees it."""

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
        self.leave_loop: Callable[[], object] = lambda: None
        """Has a call that may take long made on a thread, if it is on a server's loop; the server sets it."""
        self.is_alone = True
        """Whether only this process has the server's own facts; else the store finds a merchant's workspaces."""
        self.activity = Signal()
        """Rung when something happens in or to any workspace."""
        self.shelf = Signal()
        """Rung when a snapshot is stored or deleted."""
        self.server = store.open("", lambda tx: None)
        self._numbers = count()
        """The numbers of the calls since the start, or since all workspaces were reset."""
        self._views: dict[str, Workspace] = {}
        self._unsaved_links: dict[str, str] = {}
        """The places of new workspaces in which nothing has happened yet, by the facts that will contain them."""
        self._viewing = RLock()
        self._background = Background(self.workspaces, clock, self._attend, self._wake_due)
        self.post = Delivering(settings, clock, self.wake, self.counts)
        self.evictions = Evictions(settings.workspaces, clock, self.counts, self.server)
        self.scenarios = ServerScenarios(settings)

    @property
    def library(self) -> Library:
        return self.scenarios.library

    # the server's own thread

    def start(self) -> None:
        """Starts applying scheduled events without calls, until `stop`."""
        self._background.start()
        self.scenarios.start()

    def stop(self) -> None:
        """Ends what `start` began."""
        self.scenarios.stop()
        self._background.stop()
        self.post.close()

    def wake(self, workspace: Workspace | None = None) -> None:
        self._background.wake(workspace)

    def run_once(self, now: int) -> int:
        """The thread's work at a real time (ms), in every workspace; gives the time of the next event."""
        return self._background.run_once(now)

    def _attend(self, workspace: Workspace, now: int) -> int:
        """Applies a workspace's state changes, and then makes its deliveries."""
        return min(workspace.attend(now), self.post.attend(workspace, now))

    def _wake_due(self, now: int) -> int:
        """Loads the workspaces in which something is due; without a persistent store, all are in memory."""
        return NEVER

    def speaking(self, dialect: str | None) -> Dialect:
        """A dialect by its name, or the server's, with its settings applied."""
        if dialect is None:
            return self.dialect
        return dialects.with_default_profile(dialects.get(dialect), self.settings.default_profile)

    # labels: they belong to the name, and are in no snapshot

    def label_of(self, space_name: str) -> str | None:
        """The label of the workspace in a space, if any."""
        found: str | None = self.server.fact(LABELS + space_name)
        return found

    def label(self, space_name: str, text: str) -> None:
        """Sets the label of the workspace in a space, without card data and keys; an empty text removes it."""
        clean = hiding.cleaned(without_keys(text[: WORKSPACE_LABEL + hiding.MARGIN]))
        label = "".join(sign if sign.isprintable() else " " for sign in clean).strip()
        if len(label) > WORKSPACE_LABEL:
            label = f"{label[: WORKSPACE_LABEL - 1]}…"
        if label != (self.label_of(space_name) or ""):
            self.server.transact(lambda tx: tx.set_fact(LABELS + space_name, label or None))
            self.activity.ring()

    # finding and making

    def workspace_in(self, space_name: str) -> Workspace:
        """The workspace in a space, created on first use. Refused as `page_makes_nothing`."""
        space = self.store.space(space_name)
        if space is None:
            self._check_caller(space_name)
            space = self.store.open(space_name, lambda tx: self._begin(tx, space_name))
        view = self._views.get(space_name)
        if view is None or view.space is not space:
            view = self.view(space_name, space)
        if space.fact(GIVEN_DUE):
            self.leave_loop()
            self.scenarios.complete(view)
        return view

    def workspaces(self) -> list[Workspace]:
        """Those in memory."""
        return [self.view(space.name, space) for space in self.store.here()]

    def workspaces_of(self, merchant_id: str, record: tuple[RecordKind[Any], str] | None = None) -> list[Workspace]:
        """The workspaces of a merchant, newest first; with replicas, those with that record."""
        fact = MERCHANTS + merchant_id
        if record is not None and not self.is_alone:
            fact = f"{HOLDERS}{record[0].name}/{record[1]}/{merchant_id}"
        return [view for view in self._views_at(fact) if view.merchant_id == merchant_id]

    def _views_at(self, fact: str) -> list[Workspace]:
        names = dict.fromkeys([*(self.server.fact(fact) or ()), *filter(None, [self._unsaved_links.get(fact)])])
        spaces = sorted(filter(None, map(self.store.space, names)), key=attrgetter("generation"), reverse=True)
        return [self.view(space.name, space) for space in spaces]

    def issuers_of(self, key: ApiKey) -> Iterator[Workspace]:
        """The workspaces that may have issued an ephemeral key, newest first for each merchant."""
        tag = key.rest[:TAG_DIGITS]
        if not self.is_alone:
            yield from self._views_at(f"{TAGS}{tag}/{key.digest}")
            return
        for fact in self.server.transact(lambda tx: tuple(tx.facts(MERCHANTS))):
            merchant_id = fact.removeprefix(MERCHANTS)
            if tag_of(merchant_id) == tag:
                yield from self.workspaces_of(merchant_id)

    def view(self, name: str, space: Space) -> Workspace:
        """The view of a workspace's present generation: one for all calls, because its notifications reach all."""
        with self._viewing:
            view = self._views.get(name)
            if view is None or view.space is not space:
                view = Workspace(self, space)
                self.forget(name)
                if space.closed:  # it was replaced or ended meanwhile
                    return view
                self._views[name] = view
                fact = MERCHANTS + view.merchant_id
                if not space.on_first_change(partial(self._link, fact, name, is_there=True)):
                    self._unsaved_links[fact] = name
                view.happened()
                self.wake(view)  # a workspace that was just loaded may have something due
            return view

    def _begin(self, tx: Transaction, space_name: str, seed: str | None = None, name: str | None = None) -> None:
        """Initialises a workspace at the first call of its key."""
        merchant_id = identity.merchant_at(space_name)
        settings, now = self.settings, self.clock.now_ms()
        called = name or merchant_id or space_name
        made = identity.make(called, seed or settings.seed, now, settings.webhook_secret, merchant_id)
        tx.set_fact(identity.FACT, structs.asdict(made))
        if merchant_id is not None and (account := self.server.get(ACCOUNTS, merchant_id)) is not None:
            accounts.tell(tx, account)
        if self.settings.scenario:
            self.scenarios.begin(tx, made.created_at)

    def _link(self, fact: str, name: str, *, is_there: bool) -> None:
        """Links a workspace to its merchant, as pages only know its id; restored ones can have the same merchant."""

        def note(tx: Transaction) -> None:
            names = tx.fact(fact) or []
            if (name in names) is not is_there:
                tx.set_fact(fact, [*names, name] if is_there else [one for one in names if one != name] or None)

        if self.is_alone:
            self.server.transact(note, ends=True)
        self._drop_unsaved_link(fact, name)

    def _drop_unsaved_link(self, fact: str, name: str) -> None:
        if self._unsaved_links.get(fact) == name:
            self._unsaved_links.pop(fact, None)

    # replacing and letting go

    def reset_in(self, space_name: str, seed: str | None = None, name: str | None = None) -> Workspace:
        """Replaces the workspace with a new one, in constant time. Refused as `page_makes_nothing`."""
        self._check_caller(space_name)
        space = self.store.replace(space_name, lambda tx: self._begin(tx, space_name, seed, name))
        self.evictions.forget(space_name)
        view = self.view(space_name, space)
        self.scenarios.complete(view)
        return view

    def restore_in(self, space_name: str, text: bytes) -> Workspace:
        """Restores a snapshot's workspace in a space. Refused as `snapshot_broken`, `snapshot_format_unknown`."""
        self._check_caller(space_name)
        space = snapshots.restore(self.store, space_name, text, self.clock.now_ms())
        self.evictions.forget(space_name)
        view = self.view(space_name, space)
        if (account := self.server.get(ACCOUNTS, view.merchant_id)) is not None and account.place == space_name:
            space.transact(lambda tx: accounts.tell(tx, account))  # which has the names of now
        return view

    def _check_caller(self, space_name: str) -> None:
        if (origin := FROM_PAGE.get()) is not None and self.store.space(space_name) is None:
            raise Refusal(Cause.PAGE_MAKES_NOTHING, origin=origin)

    def end_in(self, space_name: str) -> bool:
        """Ends a workspace with all its data, if there is one; calls in progress finish in it."""
        if (space := self.store.space(space_name)) is not None:
            self.view(space_name, space)  # one that rests in a file has none, by which it is forgotten
        is_ended = self.store.close(space_name)
        self.label(space_name, "")
        self.evictions.forget(space_name)
        self.forget(space_name)
        return is_ended

    def reset_all(self) -> int:
        """Closes every workspace and empties the registry; gives the number of workspaces. Snapshots stay."""
        closed = self.store.clear(stays=snapshots.FACTS)
        with self._viewing:
            self._views.clear()
            self._unsaved_links.clear()
        self.workspaces()  # links those that began meanwhile
        self._numbers = count()
        self.activity.ring()
        return closed

    def made_room(self, space_name: str, newcomer: str) -> None:
        """Records that the workspace in a space was evicted for another one, and drops its view."""
        gone, came = self._views.get(space_name), self.store.space(newcomer)
        who = identity.Identity(**came.fact(identity.FACT)).merchant_id if came is not None else "a new one"
        self.label(space_name, "")
        self.evictions.keep(space_name, gone.merchant_id if gone is not None else "of nobody", who)
        self.forget(space_name)

    def forget(self, name: str, *, is_gone: bool = True) -> None:
        """Drops the view of a workspace that has gone, or was only unloaded, unless it is there again."""
        with self._viewing:
            if (view := self._views.get(name)) is None or not view.space.closed:
                return
            del self._views[name]
            unlink = partial(self._link, is_there=False) if is_gone else self._drop_unsaved_link
            unlink(MERCHANTS + view.merchant_id, name)
        self.activity.ring()


class Keyring(Struct, eq=False):
    """The places of a server's keys: of issued keys, and of all others by their names."""

    _workspaces: Workspaces

    def space_of(self, key: ApiKey) -> str:
        """The space of a key. Refused as `key_unknown`, `key_unused`, `key_revoked`, `key_expired`."""
        if key.kind is PUBLISHABLE_KEY and key.rest.startswith(OF_LINKS) and (place := self._of_link(key)) is not None:
            return place
        digest = key.digest
        if (issued := self._workspaces.server.fact(accounts.FACTS + digest)) is not None:
            return self._handed_out(Opens(**issued))
        space_name = identity.OF_KEYS + digest
        allowed = self._workspaces.settings.keys
        if allowed is not None:
            secret = key.twin() if key.kind is PUBLISHABLE_KEY else key
            if secret.text not in allowed:
                raise Refusal(Cause.KEY_UNKNOWN)
        elif key.kind is PUBLISHABLE_KEY and all(
            find(space_name) is None for find in (self._workspaces.store.space, self._workspaces.evictions.find)
        ):  # it is on every page of a shop, and creates no workspace
            raise Refusal(Cause.KEY_UNUSED)
        return space_name

    def _of_link(self, key: ApiKey) -> str | None:
        """The space of a key for a payment link's page; the page is public, so it has its own key."""
        of_merchant = self._workspaces.workspaces_of(key.rest.removeprefix(OF_LINKS).rpartition("-")[0])
        return next((one.space.name for one in of_merchant if compare_digest(one.link_key.rest, key.rest)), None)

    def _handed_out(self, opens: Opens) -> str:
        """The space of an issued key, which is valid even with a list of keys."""
        if opens.revoked:
            raise Refusal(Cause.KEY_REVOKED)
        if opens.expires_at is None:
            return opens.place
        workspaces, space = self._workspaces, self._workspaces.store.space(opens.place)
        now = workspaces.clock.now_ms() if space is None else workspaces.view(opens.place, space).now()
        if opens.expires_at <= now:
            raise Refusal(Cause.KEY_EXPIRED, expired_at=opens.expires_at)
        return opens.place


class Merchants(Struct, eq=False):
    """The merchants by id; created by the registry or by a key."""

    _workspaces: Workspaces

    def workspace_of(self, merchant_id: str) -> Workspace | None:
        """The merchant's workspace, created again if it was evicted; the newest of several, or None."""
        if (account := self._workspaces.server.get(ACCOUNTS, merchant_id)) is not None:
            return self._workspaces.workspace_in(account.place)
        return next(iter(self._workspaces.workspaces_of(merchant_id)), None)

    def publishable_key(self, workspace: Workspace) -> str | None:
        """The publishable key from a merchant's setup; None if a key created the merchant."""
        merchant_id = identity.merchant_at(workspace.space.name)
        account = None if merchant_id is None else self._workspaces.server.get(ACCOUNTS, merchant_id, late=True)
        return None if account is None else account.publishable_key

    def begin(self, merchant_id: str | None) -> Workspace:
        """The workspace of a new merchant. Refused as `merchant_exists`."""
        chosen = merchant_id
        if not chosen:
            row, draw = ids.KINDS["merchant"], Randomness(self._workspaces.settings.seed, "merchants")
            number = self._workspaces.server.transact(lambda tx: tx.next("merchant"))
            chosen = row.prefix + draw.token(row.name, number, row.length)
        if self.workspace_of(chosen) is not None:
            raise Refusal(Cause.MERCHANT_EXISTS, merchant_id=chosen)
        return self._workspaces.workspace_in(identity.space_of(chosen))

    def admin_workspace(self, merchant_id: str | None) -> Workspace:
        """The workspace for which a call with an admin key counts: that of its merchant, else the server's own."""
        workspace = self.workspace_of(merchant_id) if merchant_id is not None else None
        return workspace or self._workspaces.workspace_in(identity.ADMIN_PLACE)
