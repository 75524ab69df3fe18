"""The server's worlds: which key opens which, and what all of them share."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mock_server import dialects
from mock_server.clock import Clock, SystemClock
from mock_server.dialects import Dialect
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.ephemeral_key import tag_in, tag_of
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instructions import QrImage
from mock_server.domain.issued_key import Opens
from mock_server.domain.limits import MULTIPART_FRAME
from mock_server.domain.operations import Operation
from mock_server.domain.rate_limit import WINDOW_MS, Usage, usage
from mock_server.engine.setup import registry
from mock_server.metrics.counts import Counts
from mock_server.randomness import Randomness
from mock_server.sandbox import identity, snapshots
from mock_server.sandbox.advance import Deliveries
from mock_server.sandbox.background import Background
from mock_server.sandbox.bell import Bell
from mock_server.sandbox.bounds import bounded, tell
from mock_server.sandbox.courier import Courier
from mock_server.sandbox.delivering import Delivering
from mock_server.sandbox.merchants import Merchants
from mock_server.sandbox.standing import Standing
from mock_server.sandbox.world import UNLIMITED, World
from mock_server.settings import Settings
from mock_server.store.protocol import DumpRefused, Space, Store, Transaction

if TYPE_CHECKING:
    from mock_server.scenario.library import Library

_LOG: Final = logging.getLogger("mock_server.sandbox")
MERCHANTS = "merchant:"
STRAY = "stray"
CONTROL = "control."
"""What the names of the control API's operations begin with."""
TOLD_EVERY: Final = 1_000
"""Of how many worlds that made room for others the log tells of one."""


class Sandbox:
    """One server's state: settings, store, dialect, clock, and the worlds by their keys."""

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
        self.stirred = Bell()
        """Rung when something happens in any world, or to one."""
        self.shelf = Bell()
        """Rung when a snapshot is kept or dropped."""
        self.server = store.open("", _nothing)
        self._requests = Randomness(settings.seed, "requests")
        self._views: dict[str, World] = {}
        self._background = Background(self.worlds, clock, self._attend)
        self.post = Delivering(settings, clock, self.wake, counts=self.counts)
        self.courier = Courier(self.post, settings.webhook_timeout, self.wake)
        self.merchants = Merchants(self)
        self.scenarios = Standing(settings)
        self.deliveries: Deliveries | None = self.post
        """What sends webhooks while a clock is advanced; None leaves them due."""

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

    def wake(self, world: World | None = None) -> None:
        """Something falls due sooner than was known: in this world, or in any."""
        self._background.wake(world)

    def run_once(self, now: int) -> int:
        """What the thread does at a real instant (ms), in every world; gives the one of what falls due next."""
        return self._background.run_once(now)

    def _attend(self, world: World, now: int) -> int:
        """Looks after a world's own changes, and then after its deliveries."""
        return min(world.attend(now), self.post.attend(world, now), self.courier.attend(world, now))

    # worlds

    def world(self, key: ApiKey) -> World:
        """The world that a key opens, made on first use. Refused as `key_unknown` under a restricted list."""
        if key.kind is KeyKind.EPHEMERAL:
            return self._issuer_of(key)
        return self.world_at(self._world_name(key))

    def world_at(self, place: str) -> World:
        """The world at a place, made on first use."""
        space = self.store.space(place) or self.store.open(place, lambda tx: self._begin(tx, place))
        return self.scenarios.complete(self.view(place, space))

    def _issuer_of(self, key: ApiKey) -> World:
        """The world that issued an ephemeral key, the newest of several. Refused as `ephemeral_key_wrong`."""
        tag = tag_in(key.rest)
        for fact in self.server.transact(lambda tx: tuple(tx.facts(MERCHANTS))):
            merchant_id = fact.removeprefix(MERCHANTS)
            if tag_of(merchant_id) == tag:
                for world in self.worlds_of(merchant_id):
                    if world.issued(key):
                        return world
        raise Refusal(Cause.EPHEMERAL_KEY_WRONG)

    def view(self, name: str, space: Space) -> World:
        """The view of a world's present generation."""
        view = self._views.get(name)
        if view is None or view.space is not space:
            self.forget(name)
            view = self._views[name] = World(self, space)
            self._remember_merchant(view)
            self.stirred.ring()
        return view

    def forget(self, name: str) -> None:
        """Lets go of the view of a world that went for another, or that was evicted."""
        view = self._views.pop(name, None)
        if view is not None:
            fact = MERCHANTS + view.merchant_id
            self.server.transact(lambda tx: tx.set_fact(fact, [n for n in tx.fact(fact) or [] if n != name] or None))
            self.stirred.ring()

    def _world_name(self, key: ApiKey) -> str:
        opens = registry.read(self.server.fact(registry.name_of(key.digest)))
        if opens is not None:
            return self._handed_out(opens)
        allowed = self.settings.keys
        if allowed is not None and key.kind is KeyKind.SECRET and key.text not in allowed:
            raise Refusal(Cause.KEY_UNKNOWN)
        if allowed is not None and key.kind is KeyKind.PUBLISHABLE and key.twin().text not in allowed:
            raise Refusal(Cause.KEY_UNKNOWN)
        return identity.name_of(key)

    def _handed_out(self, opens: Opens) -> str:
        """The place that a key opens which somebody handed out, under a restricted list too."""
        if opens.revoked:
            raise Refusal(Cause.KEY_REVOKED)
        if opens.expires_at is not None and opens.expires_at <= self.world_at(opens.place).now():
            raise Refusal(Cause.KEY_EXPIRED, expired_at=opens.expires_at)
        return opens.place

    def _begin(self, tx: Transaction, place: str, seed: str | None = None, name: str | None = None) -> None:
        """What the first call of a key writes into its world."""
        merchant_id = identity.merchant_at(place)
        settings, now = self.settings, self.clock.now_ms()
        called = name or merchant_id or place
        made = identity.make(called, seed or settings.seed, now, settings.webhook_secret, merchant_id)
        tx.set_fact(identity.FACT, made.as_fact())
        if self.settings.scenario:
            self.scenarios.begin(tx, made.created_at)

    def _remember_merchant(self, view: World) -> None:
        """Pages know a merchant's id alone; several worlds can be the same merchant after a restore."""
        fact = MERCHANTS + view.merchant_id

        def remember(tx: Transaction) -> None:
            names = tx.fact(fact) or []
            if view.space.name not in names:
                tx.set_fact(fact, [*names, view.space.name])

        self.server.transact(remember)

    def worlds_of(self, merchant_id: str) -> list[World]:
        """The worlds of a merchant, the one made last first."""
        names = self.server.fact(MERCHANTS + merchant_id) or []
        spaces = [(name, space) for name in names if (space := self.store.space(name))]
        spaces.sort(key=lambda pair: pair[1].generation, reverse=True)
        views = [self.view(name, space) for name, space in spaces]
        return [view for view in views if view.merchant_id == merchant_id]

    def worlds(self) -> list[World]:
        """Every world there is."""
        return [self.view(name, space) for name in self.store.names() if (space := self.store.space(name))]

    def reset(self, key: ApiKey, seed: str | None = None, name: str | None = None) -> World:
        """A new world in the old one's place, in constant time."""
        return self.reset_at(self._world_name(key), seed, name)

    def reset_at(self, place: str, seed: str | None = None, name: str | None = None) -> World:
        """A new world in the place of the one that is there."""
        space = self.store.replace(place, lambda tx: self._begin(tx, place, seed, name))
        return self.scenarios.complete(self.view(place, space))

    def restore(self, key: ApiKey, document: Mapping[str, Any]) -> World:
        """A snapshot's world in the place of the key's. Refused as `snapshot_broken`, `snapshot_format_unknown`."""
        return self.restore_at(self._world_name(key), document)

    def restore_at(self, place: str, document: Mapping[str, Any]) -> World:
        """A snapshot's world at a place; refused as in `restore`."""
        restoring = snapshots.Restoring(document, self.clock.now_ms())
        try:
            space = self.store.replace(place, restoring.first, restoring.dump)
        except DumpRefused as wrong:
            raise snapshots.broken(str(wrong)) from None
        except Exception as wrong:  # whatever a damaged document breaks on its way in is the document's fault
            _LOG.info("a snapshot could not be read: %s", type(wrong).__name__)
            raise snapshots.broken(f"reading it ended in {type(wrong).__name__}") from None
        self.wake()
        return self.view(place, space)

    def reset_all(self) -> int:
        """Closes every world and empties the registry; gives how many worlds there were. Snapshots stay."""
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
        """Counts a call that belongs to no world; none of them is refused for its number."""
        now = self.clock.now_ms()
        count = self.server.hit(STRAY, now // WINDOW_MS)
        limit = self.settings.rate_limit or UNLIMITED
        return usage(limit=limit, count=count, now=now, real_now=now, refuses=False, frozen=False)

    def body_limit(self, operation: Operation) -> int:
        """The largest body an operation takes, in bytes."""
        if operation.name.startswith(CONTROL):
            return int(self.settings.max_control_body)
        if operation.multipart:
            return int(self.settings.max_evidence_body + MULTIPART_FRAME)
        return int(self.settings.max_body)

    def request_id(self) -> str:
        """A name for one call, in answer, log and journal."""
        number = self.server.transact(lambda tx: tx.next("request"))
        return "req_" + self._requests.token("request", number)


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

    def evicted(name: str) -> None:
        # Told now and then only: a log that its owner does not read must not fill with it.
        if (so_far := sandbox.counts.evicted()) % TOLD_EVERY == 1:
            _LOG.info("worlds make room for others, those idle longest first: %d so far (setting: worlds)", so_far)
        sandbox.forget(name)

    made = store or bounded(settings, evicted, lambda fallen: tell(sandbox.counts, fallen))
    sandbox = Sandbox(settings, made, clock or SystemClock(), dialect or dialects.get(settings.dialect), _qr_image)
    return sandbox


def _qr_image(text: str) -> str:
    """A QR code as a data URL; the encoder is imported with the first code."""
    import segno

    return str(segno.make(text, micro=False).svg_data_uri(scale=4))
