"""A workspace as its deliveries see it."""

from __future__ import annotations

from typing import Protocol

from mock_server.contract.dialect import Dialect
from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.conditions.paths import WebhookFacts
from mock_server.scenario.model.scenario import WebhookDecision
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks.targets import Fallback


class DeliveryContext(Protocol):
    """One generation of a workspace."""

    @property
    def space(self) -> Space: ...
    @property
    def dialect(self) -> Dialect: ...
    @property
    def fallback(self) -> Fallback: ...
    def now(self) -> int:
        """The workspace's time, in ms."""

    def real(self, at: int) -> int:
        """The real time (ms) at which the workspace's clock shows this time; `NEVER` while it is frozen."""

    def is_led(self, tx: Transaction) -> bool:
        """Whether a call is advancing the clock: then that call makes the deliveries."""

    def draw(self, tx: Transaction, request: DecisionRequest) -> WebhookDecision | None:
        """What a scenario does to an attempt, or None."""

    def is_counting(self, tx: Transaction) -> bool:
        """Whether any scenario has assertions about deliveries."""

    def count(self, tx: Transaction, facts: WebhookFacts) -> None:
        """Counts an attempt for these assertions."""

    def new_attempt_id(self, tx: Transaction) -> str:
        """The id of an attempt that is not the first."""
