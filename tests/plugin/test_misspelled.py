"""A name that is misspelled once is refused, wherever the fixture takes one: a check of nothing would always pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import EVERY
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from mock_server.settings import SettingsRefused
from mock_server.testing import ControlRefused, Sandbox, SandboxServer
from mock_server.testing.outcomes import outcomes
from mock_server.verdict.probing import CASES
from mock_server.verdict.rules import ADVICE, ERROR
from tests.counts import times
from tests.openapi.agreeing import plain
from tests.scenario.misspelling import KINDS, misspelled

PAID: Final = "pay_of_nobody"
TAKEN: Final[dict[str, tuple[str, Callable[[Sandbox, str], object]]]] = {
    "webhooks.all": ("payment_succeeded", lambda it, word: it.webhooks.all(word)),
    "webhooks.none": ("payment_succeeded", lambda it, word: it.webhooks.none(word, within=0)),
    "webhooks.wait_for": ("payment_succeeded", lambda it, word: it.webhooks.wait_for(word, timeout=0)),
    "webhooks.resend_all": ("payment_succeeded", lambda it, word: it.webhooks.resend_all(word)),
    "webhooks.deliver": ("payment_succeeded", lambda it, word: it.webhooks.deliver(word, to=receiver, timeout=0)),
    "trigger.webhook": ("payment_succeeded", lambda it, word: it.trigger.webhook(word, PAID)),
    "trigger.authenticate": ("approved", lambda it, word: it.trigger.authenticate(PAID, word)),
    "trigger.settle": ("succeeded", lambda it, word: it.trigger.settle(PAID, word)),
    "trigger.fail": ("lost_card", lambda it, word: it.trigger.fail(PAID, word)),
    "trigger.expire": ("session", lambda it, word: it.trigger.expire(PAID, word)),
    "journal.calls": ("payments.create", lambda it, word: it.journal.calls(word)),
    "journal.assert_called": ("payments.create", lambda it, word: it.journal.assert_called(word, times=0)),
    "journal.assert_not_called": ("refunds.create", lambda it, word: it.journal.assert_not_called(word)),
    "journal, a page": ("page.challenge", lambda it, word: it.journal.assert_not_called(word)),
    "journal, a flow": ("page.redirect", lambda it, word: it.journal.assert_not_called(word)),
    "journal, a script": ("checkout.script", lambda it, word: it.journal.assert_not_called(word)),
    "journal, a pattern": ("refunds.*", lambda it, word: it.journal.assert_not_called(word)),
    "journal, pages": ("page.*", lambda it, word: it.journal.assert_not_called(word)),
    "next": ("charge", lambda it, word: it.next(word, decline="lost_card")),
    "next, a decline": ("lost_card", lambda it, word: it.next("charge", decline=word)),
    "next, a key": ("decline", lambda it, word: it.next("charge", {word: "lost_card"})),
    "scenario": ("lost_response", lambda it, word: it.scenario(word)),
    "scenarios.turn_off": ("lost_response", lambda it, word: it.scenarios.turn_off(word)),
    "cards": ("insufficient_funds", lambda it, word: it.cards[word]),
    "client.pay": ("insufficient_funds", lambda it, word: it.client.pay(word)),
    "config": ("rate_limit", lambda it, word: SandboxServer({word: 100})),
    "outcomes": ("insufficient_funds", lambda it, word: outcomes([word])),
    "dialect": ("hyperswitch", lambda it, word: Sandbox(it.url, dialect=word)),
    "verdict, a severity": ("error", lambda it, word: it.verdict().found(word)),
    **{
        f"probe, {name}": (name, lambda it, word: it.probe(receiver, only=(word,)))
        for name in ("signature-missing", "*wrong*", "signature-*")
    },
    "probe, a text": ("twice", lambda it, word: it.probe(receiver, only=word)),
}
"""By what takes it: a name, and the call."""
NOT_THERE: Final = (AssertionError, ControlRefused, KeyError, SettingsRefused, ValueError)


def receiver(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [])
    return [b""]


@pytest.mark.parametrize("what", TAKEN)
def test_a_misspelled_name_is_refused(what: str, inside: SandboxServer) -> None:
    name, call = TAKEN[what]
    at = len(name.rstrip("*")) // 2 or 3
    wrong = name[:at] + name[at + 1 :]
    with Sandbox(server=inside) as sandbox, pytest.raises(NOT_THERE) as refused:
        call(sandbox, wrong)
    assert wrong in str(refused.value) or "did you mean" in str(refused.value)


@pytest.mark.parametrize("case", [case.id for case in CASES])
def test_a_case_is_suggested(case: str, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox, pytest.raises(ValueError, match=rf"did you mean {case}\?"):
        sandbox.probe(receiver, only=(case[:-1] + "x",))


@pytest.mark.parametrize(
    "row", [row for row in BY_NAME.values() if row.body and row.reads_body(row.method)], ids=lambda row: row.name
)
def test_a_misspelled_field_of_a_body_is_refused(row: Operation, inside: SandboxServer) -> None:
    """In every operation's body: an assertion that it was not sent would always hold."""
    properties = schema_of(row)
    with Sandbox(server=inside) as sandbox:
        for name in Random(row.name).sample(sorted(properties), min(len(properties), times(3, soak=99))):
            sandbox.journal.assert_not_called(row.name, body={name: "any"})
            for kind in KINDS:
                wrong = misspelled(name, kind)
                with pytest.raises(AssertionError, match=f"has no field {wrong}"):
                    sandbox.journal.assert_not_called(row.name, body={name: "any", wrong: "any"})


def schema_of(row: Operation) -> dict[str, Any]:
    """The fields of a body in the OpenAPI document; of a body in several forms, those of a single one."""
    body = plain(INTERFACE.name)["paths"][re.sub("<([a-z_]+)>", r"{\1}", row.path)][row.method.lower()]
    schema = next(iter(body["requestBody"]["content"].values()))["schema"]
    while "properties" not in schema:
        schema = schema.get("anyOf", [schema])[0]
        schema = schema.get("items", schema)
        if "$ref" in schema:
            schema = plain(INTERFACE.name)["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return dict(schema["properties"])


def test_a_field_of_some_of_the_operations_is_taken(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.journal.assert_not_called("payments.*", body={"amount_to_capture": 5, "metadata": {"own": [{"a": 1}]}})
        sandbox.journal.assert_not_called("*", body={"order_details": [{"product_name": "tea"}]})
        bodies: list[dict[str, Any]] = [{"order_details": [{"product": "tea"}]}, {"amuont": 4200}]
        for body in bodies:
            with pytest.raises(AssertionError, match="has no field"):
                sandbox.journal.assert_not_called("payments.*", body=body)
        for wrong in ("x", ["amount"], 5):
            with pytest.raises(AssertionError, match="must be a mapping"):
                sandbox.journal.assert_not_called("payments.create", body=wrong)


def test_names_that_are_right_are_taken(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        assert [one.case.id for one in sandbox.probe(receiver, only="twice")] == ["twice"]
        assert [len(sandbox.verdict().found(severity)) for severity in (ERROR, ADVICE)] == [0, 0]
        for operation in ("page.challenge", "page.*", "checkout.*", "control.clock", "refunds.*"):
            assert sandbox.journal.calls(operation) == []


FREE: Final = {
    *("control.put_scenario", "control.put_next", "control.take_snapshot"),  # of another grammar
    *(f"control.{verb}_scenario" for verb in ("activate", "deactivate", "check")),
}
FAMILIES: Final = sorted({f"{name.split('.')[0]}.*" for name in EVERY})
PATTERNS: Final = ("*", "p*", "*.create", "*.*", "*control*", *FAMILIES)


@pytest.mark.parametrize("operation", [*PATTERNS, *sorted({name for name in EVERY if "control." in name} - FREE)])
def test_no_pattern_and_no_control_call_takes_any_field(operation: str, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        for body in ({"amout": 1}, {"amout": {"of": 1}}):
            for check in (sandbox.journal.assert_not_called, sandbox.journal.calls):
                with pytest.raises(AssertionError, match="body has no field amout"):
                    check(operation, body=body)


@pytest.mark.parametrize("times", ["1", 1.0, True, [1]], ids=str)
def test_what_is_no_number_of_calls_is_refused(times: Any, inside: SandboxServer) -> None:
    with (
        Sandbox(server=inside) as sandbox,
        pytest.raises(TypeError, match=r"times must be a whole number of at least 0, not"),
    ):
        sandbox.journal.assert_called("payments.create", times=times)


@pytest.mark.parametrize("operation", [["payments.create"], ("payments.create",), {"payments.create"}, 5], ids=repr)
@pytest.mark.parametrize("name", ["assert_called", "assert_not_called", "calls", "wait_for"])
def test_what_is_no_name_of_calls_is_refused(name: str, operation: Any, inside: SandboxServer) -> None:
    with (
        Sandbox(server=inside) as sandbox,
        pytest.raises(AssertionError, match="must be a name or a pattern"),
    ):
        getattr(sandbox.journal, name)(operation)
