"""A workspace as its deliveries see it; see `webhooks.delivery_context`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_server.contract.dialect import Dialect
from mock_server.domain.outcomes import DecisionRequest
from mock_server.sandbox import clockwork
from mock_server.scenario.deciding import decide
from mock_server.scenario.deciding.activation import ACTIVE, QUEUE
from mock_server.store.protocol import Space, Transaction
from mock_server.webhooks.targets import Fallback

if TYPE_CHECKING:
    from mock_server.sandbox.workspace import Workspace
    from mock_server.scenario.conditions.paths import WebhookFacts
    from mock_server.scenario.model.decision_state import WebhookDecision


class WorkspacePlace:
    """One generation of a workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.fallback = Fallback(workspace.host.settings.webhook_url, workspace.identity.webhook_secret)

    @property
    def space(self) -> Space:
        """Where everything is kept."""
        return self.workspace.space

    @property
    def dialect(self) -> Dialect:
        """The words on the wire."""
        return self.workspace.host.dialect

    def now(self) -> int:
        """The workspace's now, in ms."""
        return self.workspace.now()

    def real(self, at: int) -> int:
        """The real instant at which the workspace's clock shows this one."""
        return self.workspace.clock.real(at)

    def is_led(self, tx: Transaction) -> bool:
        """Whether somebody leads the clock on."""
        return clockwork.read(tx.fact(clockwork.FACT)).advancing

    def draw(self, tx: Transaction, moment: DecisionRequest) -> WebhookDecision | None:
        """What a scenario does to an attempt."""
        if not (moment.scenarios or moment.payment_scenarios or tx.fact(ACTIVE) or tx.fact(QUEUE)):
            return None
        return decide.decide_webhook(moment, self.workspace.deciding.state(tx))

    def is_counting(self, tx: Transaction) -> bool:
        """Whether a scenario is on, which may expect something."""
        return bool(tx.fact(ACTIVE))

    def count(self, tx: Transaction, facts: WebhookFacts) -> None:
        """Counts an attempt for what the active scenarios expect."""
        from mock_server.scenario.expectations import count_webhook

        count_webhook(facts, tx, self.workspace.deciding.state(tx).find)

    def new_attempt_id(self, tx: Transaction) -> str:
        """The id of an attempt that is not the first."""
        return "evt_" + self.workspace.randomness.token("attempt", tx.next("attempt"))
