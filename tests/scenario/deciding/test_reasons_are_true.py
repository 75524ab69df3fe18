"""A reason is true: its inputs are the call's own and enough to decide, and its words are those of the decision."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, Final

import pytest
from msgspec import structs

from mock_server.domain.cards import CARDS, Card
from mock_server.domain.issuer import RETURNED, VPAS, ChargeTerms
from mock_server.domain.methods import ALL_METHODS, Method, payloads_of
from mock_server.domain.outcomes import APPROVED, Decision, DecisionRequest, Outcome
from mock_server.domain.payment import KeptMethod
from mock_server.scenario.deciding.queue_and_scenarios import clear, enqueue, queued
from mock_server.scenario.model.answers import say
from tests.scenario.workspace import Workspace, call, card, charge, payment

ADDRESSES: Final = (None, *(row.address for row in VPAS), "jane@bank", "no address")
ACCOUNTS: Final = (None, *RETURNED, "9999")


def paid_by(method: Method, payload: str | None, hint: str | None) -> DecisionRequest:
    kept = None if payload is None else KeptMethod(method.category, payload, "{}", hint)
    owner = payment(payment_method=method.category, payment_method_type=method.type, method=kept)
    return charge(payment=owner, card=None)


def variants(method: Method) -> list[tuple[str | None, str | None]]:
    """The payload's name, and what decides in it: an address of UPI, or the last digits of an account."""
    names = {row.name for row in payloads_of(method.category) if (row.category, row.type) == method[:2]}
    is_upi, is_debit = method.type == "upi_collect", method.category == "bank_debit"
    hints = ADDRESSES if is_upi else ACCOUNTS if is_debit else (None,)
    return [(None, None), ("", None), *((name, hint) for name in sorted({method.type, *names}) for hint in hints)]


OTHERS: Final = [method for method in ALL_METHODS if method.category != "card"]


@pytest.mark.parametrize("method", OTHERS, ids=lambda method: f"{method.category} {method.type}")
def test_a_methods_reason_has_what_decided(method: Method) -> None:
    """Each value is under its own name, nothing is named that was not sent, and equal inputs have one outcome."""
    outcomes: dict[str, Outcome] = {}
    workspace = Workspace()
    for payload, hint in variants(method):
        decision = workspace.decide(paid_by(method, payload, hint))
        inputs: dict[str, Any] = {"payment.payment_method": method.category, "payment.payment_method_type": method.type}
        if payload and payload != method.type:
            inputs["payment_method_data"] = payload
        if hint is not None:
            inputs["vpa_id" if method.category == "upi" else "account"] = hint
        because = decision.because
        assert dict(because.inputs) == inputs
        by_address = method.category == "upi" and hint is not None
        who = f"UPI address {hint}" if by_address else f"default of {method.category} {method.type}"
        assert because.text == f"{who}: {say(decision.outcome)}"
        assert outcomes.setdefault(repr(inputs), decision.outcome) == decision.outcome


TERMS: Final = [
    ChargeTerms(kind, *flags)
    for kind in (None, "three_ds", "no_three_ds")
    for flags in product((True, False), (False, True), (False, True), (False, True))
]
"""All that the decision of a card can depend on."""
OWN: Final = "name: own\ncards: {4000000000001232: {name: house, decline: do_not_honor}}"


def inputs_of(name: str, terms: ChargeTerms) -> dict[str, object]:
    """By hand: the terms that are not those of a customer who types the card."""
    said = {
        "card.name": name,
        "payment.authentication_type": terms.authentication_type,
        "payment.off_session": not terms.customer_present,
        "saved": terms.saved,
        "authenticated when saved": terms.set_up,
        "expired": terms.expired,
    }
    return {term: value for term, value in said.items() if value}


@pytest.mark.parametrize("row", CARDS, ids=lambda row: row.name)
def test_a_cards_reason_has_what_decided(row: Card) -> None:
    """Equal inputs have one outcome, however the card is charged."""
    workspace = Workspace()
    outcomes: dict[str, Outcome] = {}
    for terms in TERMS:
        decision = workspace.decide(charge(card=card(row.name, row.brand), records={"asking": terms}))
        because = decision.because
        assert outcomes.setdefault(repr(because.inputs), decision.outcome) == decision.outcome
        assert (because.by, dict(because.inputs)) == ("card", inputs_of(row.name, terms))
        assert because.text == f"card {row.name}: {say(decision.outcome)}"


def test_the_reason_of_a_scenarios_own_card_has_what_decided() -> None:
    workspace = Workspace(OWN)
    for terms in TERMS:
        because = workspace.decide(charge(card=card("house"), records={"asking": terms})).because
        assert (because.by, dict(because.inputs)) == ("scenario card", inputs_of("house", terms))


@pytest.mark.parametrize("method", OTHERS, ids=lambda method: f"{method.category} {method.type}")
def test_what_is_saved_is_charged_again_but_a_debit_asks_its_account(method: Method) -> None:
    workspace, saved = Workspace(), ChargeTerms(None, False, True)
    for payload, hint in variants(method):
        request = paid_by(method, payload, hint)
        first = workspace.decide(request)
        again = workspace.decide(structs.replace(request, records={**request.records, "asking": saved}))
        if method.category == "bank_debit":
            assert again == first
        else:
            assert again.outcome == APPROVED
            assert again.because.text == f"saved {method.category}, charged again: succeeded"


@pytest.mark.parametrize(
    ("names", "fields", "said"),
    [
        (("charge", "payments.create"), {"payment_method": None}, "no rule matched charge: succeeded"),
        (("charge", "payments.create"), {"payment_method_type": None}, "no rule matched charge: succeeded"),
        (("payments.capture",), {}, "no rule matched payments.capture: succeeded"),
        (("charge", "payments.create"), {"payment_method": "new", "payment_method_type": "one"}, "new one: succeeded"),
    ],
)
def test_what_nothing_decides_is_said_by_its_own_name(names: tuple[str, ...], fields: Any, said: str) -> None:
    """The last is a method that a later version may have saved."""
    asked = charge(payment=payment(**fields), card=None, names=names, operation=names[-1])
    decision = Workspace().decide(asked)
    assert (decision.outcome, decision.because.text) == (APPROVED, said)


SHARES: Final = ("0.5%", "1%", "12.5%", "33%", "99.5%", "100%")


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("what", ["hang", "error HE_00", "decline lost_card", "webhook_copies", "webhook_drop"])
def test_chaos_says_the_probability_that_the_file_has(what: str, share: str) -> None:
    kind, _, name = what.partition(" ")
    other = "decline: {stolen_card: 0%}" if kind != "decline" else "hang: 0%"
    workspace = Workspace(f"name: s\nchaos: {{{kind}: {f'{{{name}: {share}}}' if name else share}, {other}}}")
    said: set[str] = set()
    for number in range(1_200):
        subject, near = f"call {number}", len(workspace.near)
        because = None
        if kind == "decline":
            because = workspace.decide(charge(subject=subject)).because
            told = [one.failed for one in because.near_misses]
        elif kind.startswith("webhook"):
            because = getattr(workspace.webhook("payment_succeeded", subject=subject), "because", None)
            told = []
        else:
            because = getattr(workspace.connection(call(subject=subject)), "because", None)
            told = [one.failed for one in workspace.near[near:]]
        if because is not None and because.by == "chaos":
            (found,) = re.findall(r": (.+), with a probability of (\S+);", because.text)
            assert found[0] == what
            said.add(found[1])
        else:
            drawn = [re.fullmatch(r"chaos drew (0\.\d{6}), not under (\S+)", one) for one in told]
            assert all(one and float(one[1]) >= float(one[2]) == float(share[:-1]) / 100 for one in drawn)
        if said and number > 20:
            break
    assert said == {share}


@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("then", ['{"decline": "lost_card"}', '{"decline": "lost_card", "delay": "70ms"}'])
def test_the_queue_says_how_many_are_left_in_each_channel(times: int, then: str) -> None:
    """An entry for both channels is used up only where both have had all of it."""
    workspace = Workspace()
    entry = enqueue(workspace.memory, ("charge", "payments.create"), then, times)
    both = "delay" in then
    for left in range(times, 0, -1):
        said = f"entry {entry.number} (on charge, payments.create, {left} left before this call): "
        if both:
            line = workspace.connection(call())
            assert line is not None
            assert said in line.because.text
        decision: Decision = workspace.decide(charge())
        assert said in decision.because.text
        assert decision.outcome.decline == "lost_card"
    assert workspace.decide(charge()).because.by == "card"
    assert (queued(workspace.memory), workspace.connection(call())) == ((), None)


def test_what_is_cleared_is_counted() -> None:
    workspace = Workspace()
    for most in range(1, 4):
        numbers = [enqueue(workspace.memory, ("charge",), '{"decline": "lost_card"}').number for _ in range(most)]
        assert clear(workspace.memory, 0) == 0
        assert clear(workspace.memory, numbers[0]) == 1
        assert [row.number for row in queued(workspace.memory)] == numbers[1:]
        assert (clear(workspace.memory), queued(workspace.memory)) == (most - 1, ())
