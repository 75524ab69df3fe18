"""Who decides: own words, queue, scenario, charge, card, method, in this order."""

from __future__ import annotations

import json
import sys
from subprocess import run

import pytest

from mock_server.domain.issuer import VPAS, Vpa
from mock_server.domain.methods import METHODS, Flow, Method
from mock_server.domain.outcomes import Challenge, Outcome, OutcomeStatus
from mock_server.domain.payment import KeptMethod
from mock_server.scenario.deciding.activation import activate, deactivate, unknown
from mock_server.scenario.deciding.cards import recognise
from mock_server.scenario.deciding.queue_and_scenarios import clear, enqueue, queued
from mock_server.scenario.loading.load import load_next
from mock_server.scenario.model.answers import ALLOWED
from tests.scenario.workspace import NOW, Workspace, card, charge, payment

DECLINES = "name: declines\nrules: [{on: charge, then: {decline: lost_card}}]"
HOLDS = "name: holds\nrules: [{on: charge, then: {outcome: requires_merchant_action}}]"


def queue_up(workspace: Workspace, times: int = 1, **then: str) -> None:
    enqueue(workspace.memory, *load_next({"then": then, "times": times}))


def test_each_decider_gives_way_to_the_one_before_it() -> None:
    workspace = Workspace(DECLINES)
    request = charge(card=card("visa_insufficient_funds"))
    deactivate(workspace.memory, "declines")
    assert (found := workspace.decide(request)).because.by == "card"
    assert found.outcome.decline == "insufficient_funds"
    activate(workspace.memory, "declines", NOW)
    assert (found := workspace.decide(request)).because.by == "scenario"
    assert found.outcome.decline == "lost_card"
    queue_up(workspace, decline="stolen_card")
    wished = charge(card=card("visa_insufficient_funds"), wanted="failed:expired_card")
    assert (found := workspace.decide(wished)).because.by == "header X-Sandbox-Outcome"
    assert found.outcome.decline == "expired_card"
    assert found.because.inputs == {"header X-Sandbox-Outcome": "failed:expired_card"}
    assert (found := workspace.decide(request)).because.by == "queue"
    assert found.outcome.decline == "stolen_card"
    assert workspace.decide(request).because.by == "scenario"


def test_metadata_is_named_as_the_source() -> None:
    request = charge(wanted="pending:succeeded:30s", wanted_by="metadata.sandbox_outcome")
    found = Workspace().decide(request)
    assert found.because.by == "metadata.sandbox_outcome"
    assert found.outcome.settles is not None
    assert found.outcome.settles.after_ms == 30_000


def test_the_queue_is_used_up_in_order() -> None:
    workspace = Workspace()
    queue_up(workspace, times=2, decline="stolen_card")
    queue_up(workspace, decline="lost_card")
    found = [workspace.decide(charge()).outcome.decline for _ in range(4)]
    assert found == ["stolen_card", "stolen_card", "lost_card", None]
    assert queued(workspace.memory) == ()


def test_after_a_challenge_no_entry_asks_for_another() -> None:
    workspace = Workspace()
    queue_up(workspace, outcome="requires_action")
    queue_up(workspace, decline="lost_card")
    assert workspace.decide(charge(payment=payment(authenticated=True))).outcome.decline == "lost_card"
    assert workspace.decide(charge()).outcome.word is OutcomeStatus.REQUIRES_ACTION
    assert queued(workspace.memory) == ()


def test_the_queue_waits_for_its_operation() -> None:
    workspace = Workspace()
    enqueue(workspace.memory, *load_next({"on": "payments.capture", "then": {"outcome": "failed"}}))
    assert workspace.decide(charge()).because.by == "card"
    capture = charge(names=("payments.capture",), operation="payments.capture")
    found = workspace.decide(capture)
    assert (found.because.by, found.outcome.decline) == ("queue", "capture_failed")


def test_the_queue_can_break_the_line() -> None:
    workspace = Workspace()
    enqueue(workspace.memory, *load_next({"on": "payments.create", "then": {"fault": "hang"}}))
    assert (found := workspace.connection(charge())) is not None
    assert found.rule.fault == "hang"
    assert workspace.connection(charge()) is None


def test_the_queue_can_be_emptied() -> None:
    workspace = Workspace()
    queue_up(workspace, decline="stolen_card")
    assert clear(workspace.memory) == 1
    assert workspace.decide(charge()).because.by == "card"


def test_sources_are_asked_in_order() -> None:
    workspace = Workspace(DECLINES, HOLDS, active=False)
    plain = charge()
    activate(workspace.memory, "declines", NOW, "--scenario")
    assert workspace.decide(plain).outcome.word is OutcomeStatus.FAILED
    activate(workspace.memory, "holds", NOW)
    assert workspace.decide(plain).outcome.word is OutcomeStatus.REQUIRES_MERCHANT_ACTION
    by_metadata = charge(payment_scenarios=("declines",))
    assert "metadata.sandbox_scenario" in workspace.decide(by_metadata).because.text
    by_header = charge(payment_scenarios=("declines",), scenarios=("holds",))
    assert "header X-Sandbox-Scenario" in (found := workspace.decide(by_header)).because.text
    assert found.outcome.word is OutcomeStatus.REQUIRES_MERCHANT_ACTION
    assert workspace.decide(charge(scenarios=("none",))).because.by == "card"


def test_the_servers_scenario_comes_after_those_activated_before_and_after_it() -> None:
    workspace = Workspace(DECLINES, HOLDS, active=False)
    activate(workspace.memory, "declines", NOW, "--scenario")
    activate(workspace.memory, "holds", NOW)
    activate(workspace.memory, "declines", NOW, "--scenario")
    assert workspace.decide(charge()).outcome.word is OutcomeStatus.REQUIRES_MERCHANT_ACTION


def test_the_most_recent_activation_comes_first() -> None:
    workspace = Workspace(DECLINES, HOLDS)
    assert workspace.decide(charge()).outcome.word is OutcomeStatus.REQUIRES_MERCHANT_ACTION
    activate(workspace.memory, "declines", NOW)
    assert workspace.decide(charge()).outcome.word is OutcomeStatus.FAILED


def test_a_later_source_is_asked_where_no_rule_of_an_earlier_one_matches() -> None:
    never = "name: never\nrules: [{on: charge, when: {attempt: 9}, then: {outcome: succeeded}}]"
    workspace = Workspace(DECLINES, never)
    found = workspace.decide(charge())
    assert found.outcome.decline == "lost_card"
    assert [miss.failed for miss in found.because.near_misses] == ["attempt is 1, not 9"]


def test_activating_again_starts_the_counters_anew() -> None:
    workspace = Workspace("name: once\nrules: [{on: charge, times: 1, then: {decline: lost_card}}]")
    assert [workspace.decide(charge()).outcome.decline for _ in range(2)] == ["lost_card", None]
    activate(workspace.memory, "once", NOW)
    assert workspace.decide(charge()).outcome.decline == "lost_card"


def test_during_counts_from_the_first_use_of_a_scenario_that_a_call_names() -> None:
    workspace = Workspace("name: s\nrules: [{on: charge, during: {for: 1s}, then: {decline: lost_card}}]", active=False)
    later = NOW + 86_400_000
    assert workspace.decide(charge(scenarios=("s",), now=later)).outcome.decline == "lost_card"
    assert workspace.decide(charge(scenarios=("s",), now=later + 1_000)).outcome.decline is None


def test_what_only_an_activation_brings_is_told() -> None:
    workspace = Workspace("name: s\nsettings: {rate_limit: 1}\nrules: [{on: charge, then: {decline: lost_card}}]")
    assert "without" not in workspace.decide(charge()).because.text
    assert (
        "(header X-Sandbox-Scenario, without its settings)" in workspace.decide(charge(scenarios=("s",))).because.text
    )


def test_unknown_scenarios_are_told_apart() -> None:
    workspace = Workspace(DECLINES)
    assert unknown(("declines", "none", "declinez"), workspace.state) == ("declinez",)


OWN_CARD = """
name: house
cards:
  "4000000000001232": {name: house_decline, decline: do_not_honor, brand: visa}
  "4242424242424242": {name: house_challenge, challenge: approved, decline: lost_card}
"""


def test_a_scenarios_card_comes_before_the_table() -> None:
    workspace = Workspace(OWN_CARD)
    row = recognise("4242424242424242", workspace.state, None, None)
    assert (row.name, row.brand) == ("house_challenge", "Visa")
    found = workspace.decide(charge(card=card("house_challenge")))
    assert found.because.by == "scenario card"
    assert found.because.rule == "s0.yaml:4"
    assert found.outcome.challenge is Challenge.APPROVED
    assert found.outcome.then == Outcome(OutcomeStatus.FAILED, decline="lost_card")
    assert recognise("4111111111111111", workspace.state, None, None).name == "visa_success_1111"
    assert recognise("4242424242424242", workspace.state, ("none",), None).name == "visa_success"


def test_a_scenarios_card_is_remembered_by_name_when_the_scenario_is_gone() -> None:
    found = Workspace().decide(charge(card=card("house_decline")))
    assert found.outcome.word is OutcomeStatus.SUCCEEDED
    assert "that is off now" in found.because.text


def test_a_rule_comes_before_the_scenarios_own_cards() -> None:
    workspace = Workspace(OWN_CARD + "rules: [{on: charge, then: {outcome: pending}}]")
    assert workspace.decide(charge(card=card("house_decline"))).outcome.word is OutcomeStatus.PENDING


def test_a_card_challenges_where_three_ds_is_asked() -> None:
    request = charge(payment=payment(authentication_type="three_ds"))
    found = Workspace().decide(request)
    assert found.outcome.word is OutcomeStatus.REQUIRES_ACTION
    assert found.because.inputs["payment.authentication_type"] == "three_ds"


@pytest.mark.parametrize(("setting", "word"), [("succeed", OutcomeStatus.SUCCEEDED), ("decline", OutcomeStatus.FAILED)])
def test_a_card_outside_the_table_goes_by_the_setting(setting: str, word: OutcomeStatus) -> None:
    workspace = Workspace()
    workspace.state.unknown_cards = setting
    row = recognise("4000000000000000", workspace.state, None, None)
    found = workspace.decide(charge(card=card(row.name)))
    assert found.outcome.word is word
    assert found.because.inputs["unknown_cards"] == setting
    assert "not a test card" in found.because.text


@pytest.mark.parametrize("row", METHODS, ids=lambda row: f"{row.category}/{row.type}")
def test_methods_without_a_card_have_a_default(row: Method) -> None:
    category, type_, flow = row.category, row.type, row.flow
    by = payment(payment_method=category, payment_method_type=type_)
    found = Workspace().decide(charge(payment=by, card=None))
    assert found.because.by == "method"
    assert found.because.rule == f"{category}/{type_}"
    assert (found.outcome.word is OutcomeStatus.SUCCEEDED) is (flow is Flow.CHARGE)


@pytest.mark.parametrize("vpa", VPAS, ids=lambda vpa: vpa.address)
def test_upi_goes_by_the_address(vpa: Vpa) -> None:
    address, says = vpa.address, vpa.says
    kept = KeptMethod("upi", "upi_collect", json.dumps({"vpa_id": address}), address)
    by = payment(payment_method="upi", payment_method_type="upi_collect", method=kept)
    found = Workspace().decide(charge(payment=by, card=None))
    assert found.outcome == says
    assert found.because.inputs["vpa_id"] == address


def test_the_charge_foretells_later_operations() -> None:
    fails = payment(later={"payments.capture": Outcome(OutcomeStatus.FAILED)})
    capture = charge(names=("payments.capture",), operation="payments.capture", payment=fails)
    found = Workspace().decide(capture)
    assert (found.because.by, found.outcome.decline) == ("charge", "capture_failed")
    cancel = charge(names=("payments.cancel",), operation="payments.cancel", payment=fails)
    assert Workspace().decide(cancel).because.by == "default"


def test_the_usual_case_imports_nothing_heavy() -> None:
    code = (
        "import sys; import mock_server.scenario.deciding.decide; "
        "late = 'yaml', 'faker', 'marshmallow', 'mock_server.scenario.model.scenario'; "
        "print([m for m in late if m in sys.modules])"
    )
    done = run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", sorted(name.replace("*", "submit_evidence") for row in ALLOWED for name in row.names))
def test_a_scenarios_own_card_decides_charges_alone(name: str) -> None:
    workspace = Workspace("name: own\ncards: {4000000000001232: {name: house, decline: do_not_honor}}")
    own = recognise("4000000000001232", workspace.state, None, None)
    is_charge = name == "charge"
    names = ("charge", "payments.create") if is_charge else (name,)
    found = workspace.decide(charge(card=own, names=names, operation=names[-1]))
    assert (found.because.by == "scenario card") is is_charge
