"""A small workspace around the deciders: scenarios from text, moments with sensible defaults."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from mock_server.domain.outcomes import CallContext, Decision, DecisionRequest, NearMiss
from mock_server.domain.payment import KeptCard, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.randomness import Randomness
from mock_server.scenario.deciding.activation import activate
from mock_server.scenario.deciding.decide import decide_issuer
from mock_server.scenario.deciding.queue_and_scenarios import connection, webhook
from mock_server.scenario.loading.load import followed, load_text
from mock_server.scenario.model.decision_state import DecisionState, LineDecision, WebhookDecision
from mock_server.scenario.model.scenario import Scenario
from tests.scenario.memory import Memory

NOW = 1_767_225_600_000


def payment(**changes: Any) -> Payment:
    """A payment that is about to be charged."""
    fields: dict[str, Any] = {
        "payment_id": "pay_1",
        "merchant_id": "mer_1",
        "profile_id": "pro_1",
        "status": PaymentStatus.REQUIRES_CONFIRMATION,
        "amount": 4200,
        "currency": "EUR",
        "client_secret": "pay_1_secret_x",
        "created_at": NOW,
        "modified_at": NOW,
        "expires_at": NOW + 900_000,
        "session_expiry_s": 900,
        "metadata": "{}",
        "payment_method": "card",
        "payment_method_type": "credit",
    }
    return Payment(**{**fields, **changes})


def card(name: str = "visa_success", brand: str = "Visa") -> KeptCard:
    """What is kept of a card."""
    return KeptCard(name, brand, "credit", "4242", "424242", "12", "2040", None, "f" * 40)


def charge(**changes: Any) -> DecisionRequest:
    """A charge by `payments.create`; `payment` and `card` go into the records."""
    owner = changes.pop("payment", payment())
    records = {"payment": owner, "card": changes.pop("card", card()), **changes.pop("records", {})}
    fields: dict[str, Any] = {
        "names": ("charge", "payments.create"),
        "operation": "payments.create",
        "now": NOW,
        "records": records,
    }
    return _asked(**{**fields, **changes})


def call(operation: str = "payments.create", **changes: Any) -> DecisionRequest:
    """A call as the line sees it."""
    return _asked(**{"names": (operation,), "operation": operation, "now": NOW, **changes})


def _asked(**fields: Any) -> DecisionRequest:
    own = {name: fields.pop(name) for name in ("body", "headers", "query", "scenarios", "subject") if name in fields}
    return DecisionRequest(call=CallContext(**own), **fields)


class Workspace:
    """Scenarios from YAML texts, some of them active."""

    def __init__(self, *texts: str, seed: str | None = "seed", active: bool = True) -> None:
        self.memory = Memory()
        self.near: list[NearMiss] = []
        loaded = (load_text(dedent(text).lstrip("\n"), f"s{at}.yaml").scenario for at, text in enumerate(texts))
        self.scenarios: dict[str, Scenario] = {scenario.name: scenario for scenario in loaded}
        self.state = DecisionState(self.memory, Randomness(seed, "workspace"), self.find, "succeed", seed, "workspace")
        for name in self.scenarios if active else ():
            activate(self.memory, name, NOW)

    def find(self, name: str) -> Scenario | None:
        raw = self.scenarios.get(name)
        return None if raw is None else followed(raw, self.scenarios.get)

    def decide(self, request: DecisionRequest) -> Decision:
        with self.memory.atomic:
            return decide_issuer(request, self.state)

    def connection(self, request: DecisionRequest) -> LineDecision | None:
        with self.memory.atomic:
            return connection(request, self.state, self.near)

    def webhook(self, event: str, **changes: Any) -> WebhookDecision | None:
        name = f"webhook.{event}"
        with self.memory.atomic:
            return webhook(call(name, **changes), self.state)
