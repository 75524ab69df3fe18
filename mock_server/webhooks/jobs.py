"""One attempt to make, and what came of each request that it sent."""

from __future__ import annotations

from msgspec import Struct

from mock_server.domain.commands import JsonText
from mock_server.domain.delivery import AttemptKind
from mock_server.domain.events import Event
from mock_server.webhooks.orders import DeliveryOrders
from mock_server.webhooks.targets import Target


class Job(Struct, frozen=True, kw_only=True):
    """An attempt that somebody has taken on: what, where to, how, and which line it keeps busy.

    `number` counts all attempts from 1, `retries` the automatic ones before it; `made_at` is the workspace's time in
    ms.
    """

    event: Event
    kind: AttemptKind
    retries: int
    number: int
    made_at: int
    target: Target
    orders: DeliveryOrders
    line: str


class Outcome(Struct, frozen=True, kw_only=True):
    """One request and its answer; `status` None: there was none, and `error` says why. `took_ms` is real time."""

    copy: int
    headers: JsonText
    status: int | None = None
    response_headers: JsonText = "[]"
    response_body: str = ""
    error: str | None = None
    took_ms: int = 0
    began_us: int = 0
