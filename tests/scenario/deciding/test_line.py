"""The line and the webhook channel: what is decided, and what a call that no rule matches costs."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

import pytest
import yaml

from mock_server.domain.faults import LineFault
from mock_server.scenario.deciding.queue_and_scenarios import enqueue
from mock_server.scenario.model.answers import Deliver, ErrorAnswer, LineRule, RawAnswer, WebhookRule
from tests.scenario.workspace import NOW, Workspace, call

FAULT = {fault.value: LineRule(fault=fault) for fault in LineFault}
LINES: dict[str, tuple[str, LineRule]] = {
    **{name: (f"{{fault: {name}}}", rule) for name, rule in FAULT.items()},
    "kept": ("{fault: hang, effect: kept}", LineRule(fault=LineFault.HANG, kept=True)),
    "code": ("{error: HE_00}", LineRule(error=ErrorAnswer("HE_00"))),
    "error": (
        "{error: {code: RL_01, status: 429, message: slower}}",
        LineRule(error=ErrorAnswer("RL_01", 429, "slower")),
    ),
    "respond": (
        "{respond: {status: 503, headers: {Retry-After: 5}, body: <p>down</p>}}",
        LineRule(respond=RawAnswer(503, {"Retry-After": "5"}, "<p>down</p>")),
    ),
    "headers": ("{headers: {X-Note: a}}", LineRule(headers={"X-Note": "a"})),
}


@pytest.mark.parametrize(("then", "rule"), LINES.values(), ids=LINES)
def test_the_line_is_told(then: str, rule: LineRule) -> None:
    found = Workspace(f"rules: [{{on: payments.create, then: {then}}}]").connection(call())
    assert found is not None
    assert found.rule == rule
    assert found.because.rule == "s0.yaml:1"
    assert rule.ends_call is (not rule.kept and not rule.headers and rule.fault is not LineFault.SLOW_BODY)


def test_a_delay_of_all_and_a_decline_of_one_add_up() -> None:
    workspace = Workspace("rules: [{on: '*', then: {delay: 250ms}}, {on: payments.create, then: {decline: lost_card}}]")
    assert (line := workspace.connection(call())) is not None
    assert line.delay_ms == 250
    assert workspace.connection(call("payments.retrieve")) is not None


@pytest.mark.parametrize("name", ["webhook.payment_succeeded", "page.challenge", "charge"])
def test_a_star_reaches_calls_of_the_api_alone(name: str) -> None:
    assert Workspace("rules: [{on: '*', then: {delay: 250ms}}]").connection(call(name)) is None


def test_a_page_can_be_slow() -> None:
    found = Workspace("rules: [{on: page.challenge, then: {delay: 1s}}]").connection(call("page.challenge"))
    assert found is not None
    assert found.delay_ms == 1_000


def delays(then: str, count: int = 400, *, queued: bool = False) -> list[int]:
    workspace = Workspace(f"rules: [{{on: '*', then: {{delay: {then}}}}}]", active=not queued)
    if queued:
        enqueue(workspace.memory, ("*",), json.dumps({"delay": yaml.safe_load(then)}), count)
    found = (workspace.connection(call(subject=f"key {number}")) for number in range(count))
    return [line.delay_ms for line in found if line is not None]


@pytest.mark.parametrize("queued", [False, True])
def test_a_delay_between_two_durations(queued: bool) -> None:
    found = delays("{between: [100ms, 200ms]}", queued=queued)
    assert 100 <= min(found) < 110
    assert 190 < max(found) <= 200


def test_a_delay_by_percentiles() -> None:
    found = delays("{p50: 100ms, p99: 1s}", 2000)
    assert 90 < median(found) < 110
    assert sum(wait > 1_000 for wait in found) in range(8, 40)


def test_the_because_says_how_long() -> None:
    found = Workspace("rules: [{on: '*', then: {delay: 250ms}}]").connection(call())
    assert found is not None
    assert found.because.inputs["delay ms"] == 250
    assert found.because.text.endswith("delay, 250 ms")


WEBHOOKS: dict[str, tuple[str, WebhookRule]] = {
    "before": ("{deliver: before_response}", WebhookRule(deliver=Deliver(at="before_response"))),
    "during": ("{deliver: during_redirect}", WebhookRule(deliver=Deliver(at="during_redirect"))),
    "later": ("{deliver: {delay: 2s}}", WebhookRule(deliver=Deliver(delay=2_000))),
    "after": ("{deliver: {following: payment_failed}}", WebhookRule(deliver=Deliver(following="payment_failed"))),
    "drop": ("{drop: true}", WebhookRule(drop=True)),
    "copies": ("{copies: 3, concurrently: true}", WebhookRule(copies=3, concurrently=True)),
    "wrong": ("{signature: wrong}", WebhookRule(signature="wrong")),
    "missing": ("{signature: missing}", WebhookRule(signature="missing")),
    "stale": ("{body: stale}", WebhookRule(stale=True)),
}


@pytest.mark.parametrize(("then", "rule"), WEBHOOKS.values(), ids=WEBHOOKS)
def test_the_delivery_is_told(then: str, rule: WebhookRule) -> None:
    workspace = Workspace(f"rules: [{{on: webhook.payment_succeeded, then: {then}}}]")
    found = workspace.webhook("payment_succeeded")
    assert found is not None
    assert found.rule == rule
    assert "s0.yaml:1" in found.because.text
    assert workspace.webhook("payment_failed") is None


@pytest.mark.parametrize("on", ["webhook.*", "webhook.payment_*", "[webhook.payment_succeeded, webhook.refund_failed]"])
def test_webhooks_are_reached_by_patterns_of_their_own(on: str) -> None:
    assert Workspace(f"rules: [{{on: {on}, then: {{drop: true}}}}]").webhook("payment_succeeded") is not None


@pytest.mark.parametrize(
    ("header", "payment"),
    [(("s",), None), (None, ("s",)), (("other", "s"), None)],
    ids=["header", "metadata", "second"],
)
def test_a_call_can_name_its_scenario(header: Any, payment: Any) -> None:
    workspace = Workspace("name: s\nrules: [{on: '*', then: {delay: 1s}}]", active=False)
    assert workspace.connection(call()) is None
    assert workspace.connection(call(scenarios=header, payment_scenarios=payment)) is not None


def test_during_counts_for_the_line_too() -> None:
    workspace = Workspace("rules: [{on: '*', during: {from: 1s}, then: {delay: 1s}}]")
    assert workspace.connection(call(now=NOW + 999)) is None
    assert workspace.connection(call(now=NOW + 1_000)) is not None


MADE: dict[str, dict[str, Any]] = {
    "payment": {
        "amount": 900, "currency": "EUR", "customer_id": "anna", "email": "a@shop.test", "description": "two lamps",
        "capture_method": "manual", "merchant_order_reference_id": "order 1", "metadata": {"tier": "vip"},
    },
    "refund": {"amount": 900, "payment_id": "pay_1", "reason": "broken", "metadata": {"tier": "vip"}},
    "customer": {"customer_id": "anna", "email": "a@shop.test", "name": "Anna", "metadata": {"tier": "vip"}},
}  # fmt: skip


@pytest.mark.parametrize(("record", "field"), [(record, field) for record, body in MADE.items() for field in body])
def test_the_record_that_a_call_makes_is_what_its_body_says(record: str, field: str) -> None:
    body = MADE[record]
    path, value = (f"{field}.tier", "vip") if field == "metadata" else (field, body[field])
    rule = {"on": f"{record}s.create", "when": {f"{record}.{path}": value}, "then": {"error": "HE_00"}}
    workspace = Workspace(f"rules: [{json.dumps(rule)}]")
    assert workspace.connection(call(f"{record}s.create", body=body)) is not None
    assert workspace.connection(call(f"{record}s.create", body={**body, field: None})) is None
    assert workspace.connection(call(f"{record}s.update", body=body)) is None
