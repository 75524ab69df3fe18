"""What a command needs besides its parameters: the time, random streams, deciders, the workspace's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field

from mock_server.domain import ids
from mock_server.domain.cards import Card
from mock_server.domain.errors import Refusal
from mock_server.domain.events import Event, EventType, SkipReason
from mock_server.domain.faults import Waitable
from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.domain.instructions import QrImage
from mock_server.domain.methods import Flow, Method
from mock_server.domain.outcomes import NO_CALL, CallContext, Decision, DecisionRequest, Reason
from mock_server.keyed import Keyed
from mock_server.randomness import Randomness
from mock_server.store.transaction import Transaction

Decide = Callable[[Transaction, DecisionRequest], Decision]


class Policy(Struct, frozen=True):
    """The workspace's rules that settings and scenarios can change; times in milliseconds unless named otherwise."""

    session_expiry_s: int = 900
    authorization_expiry_ms: int = 7 * DAY_MS
    customer_times_ms: Mapping[Flow, int] = field(default_factory=dict)
    transfer_seen_after_ms: int = 0
    unknown_profiles: str = "create"
    webhook_url: str | None = None
    webhook_secret: str = ""
    inbox: int = 10_000
    public: bool = False
    """Whether the public server's rules apply where they differ from the interface's."""
    id_prefixes: Mapping[str, str] = field(default_factory=dict)
    """By kind of id, where a dialect has its own."""

    def customer_time(self, flow: Flow, method: Method | None) -> int:
        """How long the customer has: by the setting of the flow, else by the method's row; 0: for ever."""
        return self.customer_times_ms.get(flow, method.customer_time_ms if method else HOUR_MS)


class Post(Protocol):
    """How events are sent; see `webhooks.planning`."""

    def fate(self, tx: Transaction, profile_id: str | None, type: EventType, status: str | None) -> SkipReason | None:
        """Why an event is not sent; None: it is sent. A status of None passes the profile's filter."""

    def hand_in(self, tx: Transaction, context: CommandContext, event: Event, before: bytes | None) -> Event:
        """Plans the delivery of an event; `before` is the object as it was before."""


class CommandContext(Struct, eq=False):
    """One per run of a transaction; what it collects is dropped when the transaction runs again."""

    now: int
    merchant_id: str
    randomness: Randomness
    policy: Policy
    decide: Decide
    recognise: Callable[[Transaction, str, CallContext], Card]
    link_base: str
    fingerprints: Keyed
    post: Post | None = None
    call: CallContext = NO_CALL
    qr_image: QrImage | None = None
    notes: list[Reason] = field(default_factory=list)
    """The reasons of decisions, for the journal and the answer's header."""
    refusal: Refusal | None = None
    """The call's answer, although its work is stored."""
    has_delivery: bool = False
    has_changed: bool = False
    events: list[int] = field(default_factory=list)
    """The numbers of the new events."""
    first: list[str] = field(default_factory=list)
    """The events that are delivered before the call is answered."""
    held: Sequence[Waitable] = ()
    """Their deliveries, after the work is stored."""

    def new_id(self, tx: Transaction, kind: str, number: int | None = None) -> str:
        """The next id of a kind (`payment`, `customer`, …) of this workspace, or that of a number."""
        row = ids.KINDS[kind]
        prefix = self.policy.id_prefixes.get(kind, row.prefix)
        return prefix + self.randomness.token(kind, tx.next(kind) if number is None else number, row.length)

    def client_secret(self, tx: Transaction, own_id: str) -> str:
        """The secret with which a browser may use one object (interface §2.7)."""
        return own_id + ids.SECRET + self.randomness.token("client_secret", tx.next("client_secret"))

    def token(self, tx: Transaction, kind: str, length: int = 20) -> str:
        """The next letters and digits of a stream."""
        return self.randomness.token(kind, tx.next(kind), length)
