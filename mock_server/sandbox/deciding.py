"""How a workspace decides: its rules, its deciders, and the faults of scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import structs

from mock_server.contract.dialect import Dialect
from mock_server.domain import cards
from mock_server.domain.cards import Card
from mock_server.domain.errors import wrong_field
from mock_server.domain.methods import APP_MS, Flow
from mock_server.domain.outcomes import LEFT_ALONE, CallContext, Decision, DecisionRequest, NearMiss, Reason
from mock_server.engine.context import Policy
from mock_server.sandbox.identity import Identity
from mock_server.scenario.conditions.paths import CallFacts
from mock_server.scenario.conditions.when import MOST_STEPS
from mock_server.scenario.deciding import decide
from mock_server.scenario.deciding.activation import ACTIVE, NONE, QUEUE, is_quiet, named_or_active, unknown
from mock_server.scenario.deciding.cards import recognise
from mock_server.scenario.deciding.decide import RequestedOutcomeWrong
from mock_server.scenario.loading import uploaded
from mock_server.scenario.model.answers import LineRule, line_as_then, outcome_as_then
from mock_server.scenario.model.decision_state import DecisionState, Find, LineDecision, Readable
from mock_server.scenario.model.mistakes import nearest
from mock_server.settings import Settings
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction

if TYPE_CHECKING:
    from mock_server.scenario.loading.library import Library
    from mock_server.scenario.model.scenario import Scenario

NUMBERED: Final = frozenset({"scenario", "queue", "chaos", "scenario card"})
"""Things that depend on an order: with parallel calls, the number of the decision shows it."""
CARRIED: Final = "scenarios.carried"
"""The fact that some payment names a scenario, which applies to its later calls."""
SCENARIO_HEADER: Final = "X-Sandbox-Scenario"
SCENARIO_METADATA: Final = "metadata.sandbox_scenario"


class Rules(Protocol):
    """What deciders need from the server: its settings and scenarios."""

    settings: Settings

    @property
    def library(self) -> Library: ...


class Deciding:
    """The deciders of one workspace."""

    def __init__(self, host: Rules, space: Space, who: Identity) -> None:
        self._host = host
        self._space = space
        self._who = who
        self._randomness = who.randomness()

    def state(self, tx: Transaction) -> DecisionState:
        """The state that the deciders use, in one transaction."""
        who, unknown_cards = self._who, str(self.setting("unknown_cards"))
        return DecisionState(tx, self._randomness, _finder(tx, self._host), unknown_cards, who.seed, who.name)

    def find(self, name: str) -> Scenario | None:
        """The scenario with a name that this workspace can use, or None."""
        return uploaded.finder(self._space, self._host.library)(name)

    @property
    def is_quiet(self) -> bool:
        """Whether no scenario is active or named by a payment, and nothing is queued: the usual case."""
        fact = self._space.fact
        return not fact(ACTIVE) and not fact(QUEUE) and not fact(CARRIED)

    def setting(self, name: str) -> Any:
        """The value that active scenarios set; else the server's setting."""
        own = self.scenario_settings().get(name) if self._space.fact(ACTIVE) else None
        return getattr(self._host.settings, name) if own is None else own

    def ignores_unknown(self) -> bool:
        """Whether unknown fields of a body are ignored here."""
        return bool(self.setting("unknown_fields") == "ignore")

    def scenario_settings(self) -> Mapping[str, Any]:
        """All settings of active scenarios; of several values the most recent one."""
        active = self._space.fact(ACTIVE)
        if not active:
            return {}
        found = (self.find(row["name"]) for row in reversed(active))
        return {name: value for scenario in found if scenario for name, value in scenario.settings.items()}

    def decide(self, tx: Transaction, request: DecisionRequest) -> Decision:
        """The issuer's decision, and the reason. Refused as `value_invalid` if a requested outcome is impossible."""
        names_one = request.wanted is not None or request.call.scenarios or request.payment_scenarios
        if not (names_one or tx.fact(QUEUE) or tx.fact(ACTIVE)):  # the usual case, found without a lookup
            return decide.unchosen(request, self._host.settings.unknown_cards)
        try:
            decision = decide.decide_issuer(request, self.state(tx))
        except RequestedOutcomeWrong as wrong:
            raise wrong_field(request.wanted_by.removeprefix("header "), str(wrong)) from None
        return _numbered(tx, decision) if decision.because.by in NUMBERED else decision

    def recognise(self, tx: Transaction, number: str, call: CallContext) -> Card:
        """The card of a number: from the active scenarios, from the table, or an unlisted one."""
        if not (call.scenarios or call.payment_scenarios or tx.fact(ACTIVE)):
            return cards.for_number(number)
        return recognise(number, self.state(tx), call.scenarios, call.payment_scenarios)

    def faults(self, request: DecisionRequest) -> LineDecision | None:
        """What a scenario does to a call's connection, or None. Refused as `value_invalid` for an unknown scenario."""
        return self._space.transact(lambda tx: self._faults(tx, request))

    def _faults(self, tx: Transaction, request: DecisionRequest) -> LineDecision | None:
        state = self.state(tx)
        for names, field in ((request.call.scenarios, SCENARIO_HEADER), (request.payment_scenarios, SCENARIO_METADATA)):
            if strange := unknown(names, state):
                known = (*uploaded.within_reach(uploaded.names(tx), self._host.library), NONE)
                shown = ", ".join(name + nearest(name, known) for name in strange)
                raise wrong_field(field, f"names an unknown scenario: {shown}; GET /_sandbox/scenarios lists them")
        if request.payment_scenarios and not tx.fact(CARRIED):
            tx.set_fact(CARRIED, True)
        if is_quiet(request, state) and not tx.fact(QUEUE):
            return None
        applying = named_or_active(request.call.scenarios, request.payment_scenarios, state)
        if (steps := sum(scenario.steps for scenario, _, _ in applying)) > MOST_STEPS:
            problem = f"that apply to this call have patterns of {steps:,} steps; the maximum is {MOST_STEPS:,}"
            raise wrong_field("scenarios", problem)
        from mock_server.scenario.deciding.queue_and_scenarios import connection

        near: list[NearMiss] = []
        drawn = connection(request, state, near)
        if drawn is not None:
            inputs = {**drawn.because.inputs, "then": line_as_then(drawn.rule, drawn.delay_ms)}
            return structs.replace(drawn, because=structs.replace(drawn.because, inputs=inputs))
        if not near:
            return None
        alone = Reason(LEFT_ALONE, "no rule affected the connection", near_misses=tuple(near))
        return LineDecision(LineRule(), alone)

    def count(self, facts: CallFacts) -> None:
        """Counts an answered call for the assertions of active scenarios."""
        from mock_server.scenario.expectations import count_call

        self._space.transact(lambda tx: count_call(facts, tx, _finder(tx, self._host)))


def _numbered(tx: Transaction, decision: Decision) -> Decision:
    """The decision with its number in the workspace as an input, and with its outcome in the words of a rule."""
    because = decision.because
    inputs = {**because.inputs, "decision": tx.add("decisions"), "then": outcome_as_then(decision.outcome)}
    return Decision(decision.outcome, structs.replace(because, inputs=inputs))


def _finder(facts: Readable, host: Rules) -> Find:
    """How a workspace finds scenarios: its own first, then the server's; loaded with the first name."""
    loaded: Find | None = None

    def find(name: str) -> Scenario | None:
        nonlocal loaded
        loaded = loaded or uploaded.finder(facts, host.library)
        return loaded(name)

    return find


def policy_of(settings: Settings, webhook_secret: str, dialect: Dialect) -> Policy:
    """The policy from the server's settings and the workspace's dialect."""
    page = int(settings.page_expiry)
    policy = Policy(
        session_expiry_s=int(settings.session_expiry) // 1000,
        authorization_expiry_ms=int(settings.authorization_expiry),
        customer_times_ms={
            **dict.fromkeys((Flow.CHARGE, Flow.REDIRECT, Flow.QR_CODE), page),
            **dict.fromkeys((Flow.WAIT_SCREEN, Flow.UPI_INTENT, Flow.UPI_QR, Flow.CODE), min(page, APP_MS)),
            Flow.VOUCHER: int(settings.voucher_expiry),
            Flow.BANK_TRANSFER: int(settings.transfer_expiry),
        },
        transfer_seen_after_ms=int(settings.transfer_seen_after),
        unknown_profiles=settings.unknown_profiles,
        webhook_url=settings.webhook_url,
        webhook_secret=webhook_secret,
        inbox=settings.inbox,
    )
    return structs.replace(policy, **dialect.rules) if dialect.rules else policy
