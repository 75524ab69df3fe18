"""One mistake in many other ways: wherever an amount is, whatever differs between two tries, whenever a receiver acts.

None of them passes. What certainly is a mistake is found.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from http.client import HTTPException
from itertools import product
from typing import Any, Final

import pytest

from mock_server.dialects import DIALECTS
from mock_server.dialects.interface import INTERFACE
from mock_server.jsontext import leaves
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.rules import State
from tests.control.mutants import nested
from tests.openapi.agreeing import plain
from tests.verdict.clients.broken import ANSWERED_200, rule

Json = Mapping[str, Any]
HIDDEN_OR_FOUND: Final = {State.FOUND, State.NOT_JUDGED}


@pytest.fixture(scope="module", params=DIALECTS)
def server(request: pytest.FixtureRequest) -> Iterator[SandboxServer]:
    with SandboxServer({"workspaces": 10_000, "dialect": request.param}) as found:
        yield found


def state_of(sandbox: Sandbox, rule_id: str) -> State:
    return next(one.state for one in sandbox.verdict().results if one.rule.id == rule_id)


# amounts, wherever they are


def amounts(schema: Json, whole: Json, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of all sums of money in a body of the API's own document."""
    if name := str(schema.get("$ref", "")).rpartition("/")[2]:
        schema = whole["components"]["schemas"][name]
    for inner in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from amounts(inner, whole, way)
    if "items" in schema and len(way) < 6:
        yield from amounts(schema["items"], whole, (*way, "0"))
    for name, inner in schema.get("properties", {}).items():
        if "integer" in inner.get("type", ()) and ("amount" in name or "cost" in name):
            yield (*way, name)
        elif len(way) < 6:
            yield from amounts(inner, whole, (*way, name))


def places() -> list[tuple[str, tuple[str, ...]]]:
    """Those of the calls that move money, with the path of the call."""
    whole = plain(INTERFACE.name)
    paths = ("/payments", "/payments/{payment_id}/capture", "/refunds")
    bodies = {path: whole["paths"][path]["post"]["requestBody"]["content"]["application/json"] for path in paths}
    return [(path, way) for path, body in bodies.items() for way in dict.fromkeys(amounts(body["schema"], whole))]


def within(way: tuple[str, ...], value: Any) -> Any:
    """A body with a value at a place."""
    for name in reversed(way):
        value = [value] if name == "0" else {name: value}
    return value


PLACES: Final = places()
WRONG: Final = ("10", 10.5, "10.00")


def test_there_are_amounts_in_lines_and_in_objects() -> None:
    assert {("amount",), ("order_details", "0", "amount"), ("surcharge_details", "surcharge_amount")} <= {
        way for _, way in PLACES
    }


@pytest.mark.parametrize("path", dict.fromkeys(path for path, _ in PLACES))
def test_an_amount_that_is_not_whole_is_found_wherever_it_is(server: SandboxServer, path: str) -> None:
    passed = []
    for (_, way), value in product([one for one in PLACES if one[0] == path], WRONG):
        with Sandbox(server=server, seed="tests") as sandbox:
            made = sandbox.client.pay(capture_method="manual" if "capture" in path else "automatic")
            right = sandbox.client.payment() if path == "/payments" else {"payment_id": made["payment_id"]}
            body = {**right, **within(way, value)}
            if way[0] == "order_details":
                body["order_details"][0] |= {"product_name": "p", "quantity": 1, **within(way[2:], value)}
            sandbox.client.post(path.replace("{payment_id}", made["payment_id"]), body)
            if (found := state_of(sandbox, "amount-not-whole")) is not State.FOUND:
                passed.append((".".join(way), value, found))
    assert passed == []


def test_words_and_numbers_beside_an_amount_are_none(server: SandboxServer) -> None:
    with Sandbox(server=server, seed="tests") as sandbox:
        sandbox.client.pay(metadata={"amount": "42.00", "rate": "1.5"}, description="an amount of 10.5")
        assert state_of(sandbox, "amount-not-whole") is State.WELL


def test_a_deep_body_is_read_as_far_as_it_is_looked_at() -> None:
    assert len(list(leaves({"amount": 1, "deep": nested(5_000)}))) == 2


# tries that differ

DIFFERS: Final[dict[str, Callable[[int], tuple[str | None, Json]]]] = {
    "nothing": lambda attempt: (None, {}),
    "one key": lambda attempt: ("order-1", {}),
    "the key": lambda attempt: (f"order-1-{attempt}", {}),
    "metadata": lambda attempt: ("order-1", {"metadata": {"attempt": f"{attempt}"}}),
    "the key and metadata": lambda attempt: (f"order-1-{attempt}", {"metadata": {"attempt": f"{attempt}"}}),
    "the reference": lambda attempt: (f"o-{attempt}", {"merchant_order_reference_id": f"order-1-{attempt}"}),
    "its own ID": lambda attempt: (f"o-{attempt}", {"payment_id": f"pay_order_1_{attempt}"}),
    "the description": lambda attempt: (None, {"description": f"order 1, attempt {attempt}"}),
}


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("differs", DIFFERS)
def test_who_does_not_wait_does_not_pass(server: SandboxServer, differs: str, status: int) -> None:
    for seconds, others in product((0, 10, 30), (0, 1)):
        with Sandbox(server=server, seed="tests") as sandbox:
            answer = {"status": status, "headers": {"Retry-After": "30"}, "body": {}}
            rule(sandbox, "payments.create", respond=answer)
            for attempt in range(2 + others):
                key, fields = DIFFERS[differs](attempt)
                sandbox.client.pay(idempotency_key=key, **fields)
                sandbox.clock.advance(seconds=seconds)
            found = state_of(sandbox, "retried-too-soon")
        is_same = differs in ("nothing", "one key", "metadata")
        early = {State.FOUND} if is_same else HIDDEN_OR_FOUND
        assert found in ({State.WELL} if seconds == 30 else early), (seconds, others)


def test_who_sells_at_another_counter_meanwhile_is_not_blamed(server: SandboxServer) -> None:
    """Nor praised: another thread may have done that."""
    with Sandbox(server=server, seed="tests") as sandbox:
        held = sandbox.client.pay(capture_method="manual")["payment_id"]
        rule(sandbox, "payments.create", respond={"status": 429, "headers": {"Retry-After": "30"}, "body": {}})
        sandbox.client.pay(idempotency_key="a")
        sandbox.client.post(f"/payments/{held}/capture", {})
        sandbox.clock.advance(seconds=30)
        sandbox.client.pay(idempotency_key="a")
        assert state_of(sandbox, "retried-too-soon") is State.WELL


# two shops with orders of one number


@pytest.mark.parametrize("field", ["profile_id", "customer_id", "email", "currency", "amount"])
def test_an_order_of_the_same_number_elsewhere_is_not_certainly_the_same(server: SandboxServer, field: str) -> None:
    values = {"amount": (4200, 4300), "currency": ("EUR", "USD"), "email": ("a@shop.test", "b@shop.test")}
    with Sandbox(server=server, seed="tests") as sandbox:
        rule(sandbox, "payments.create", fault="connection_reset", effect="kept")
        for key in range(2):
            with suppress(ConnectionError, HTTPException):
                other: Json = {field: values.get(field, ("pro_a", "pro_b"))[key]}
                sandbox.client.pay(merchant_order_reference_id="1001", idempotency_key=f"{key}", **other)
        assert state_of(sandbox, "double-charge") is State.NOT_JUDGED


# receivers that act when they have answered

ACTS: Final[dict[str, tuple[str, str, Json]]] = {
    "refund": ("payment_succeeded", "/refunds", {"amount": 100}),
    "capture": ("payment_authorized", "/payments/{}/capture", {"amount_to_capture": 100}),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("later", list(product((False, True), repeat=2)))
def test_who_acts_twice_does_not_pass_whenever_it_acts(
    server: SandboxServer, act: str, later: tuple[bool, bool]
) -> None:
    """`later`: whether it acts after its answer, for each of two deliveries."""
    told, path, body = ACTS[act]
    left, answered, waiting = [*later], threading.Event(), []

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        event = json.loads(environ["wsgi.input"].read())
        if event["event_type"] == told:
            paid = event["content"]["object"]["payment_id"]

            def acts() -> None:
                sandbox.client.post(path.format(paid), {**body, "payment_id": paid} if act == "refund" else body)

            waiting.append(acts) if left.pop(0) else acts()
        start_response(ANSWERED_200, [])
        return [b""]

    with Sandbox(server=server, seed="tests") as sandbox:
        rule(sandbox, f"webhook.{told}", copies=2)
        sandbox.webhooks.connect(app)
        sandbox.client.pay(capture_method="manual_multiple" if act == "capture" else "automatic")
        sandbox.webhooks.settle(timeout=30)
        answered.wait(0.02)  # past the last millisecond of its answer
        for acts in waiting:
            acts()
        found = state_of(sandbox, "webhook-acted-twice")
    assert found is (State.NOT_JUDGED if any(later) else State.FOUND)


@pytest.mark.parametrize("key", [None, "the event"])
@pytest.mark.parametrize("answer", ["500 Oops", "429 Busy", "302 Found", "raises", "no HTTP", ANSWERED_200])
def test_who_acts_and_fails_and_acts_again_is_found(server: SandboxServer, answer: str, key: str | None) -> None:
    """A retry is a duplicate too, if the receiver had acted before it failed; with a key nothing happens twice."""
    answers = [answer, ANSWERED_200]

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        event = json.loads(environ["wsgi.input"].read())
        told = ANSWERED_200
        if event["event_type"] == "payment_succeeded":
            paid = {"payment_id": event["content"]["object"]["payment_id"], "amount": 100}
            sandbox.client.post("/refunds", paid, idempotency_key=key and event["event_id"])
            told = answers.pop(0)
        if told == "raises":
            raise ValueError(told)
        start_response(told, [])
        return [b""]

    with Sandbox(server=server, seed="tests") as sandbox:
        if answer == ANSWERED_200:
            rule(sandbox, "webhook.payment_succeeded", copies=2)
        sandbox.webhooks.connect(app)
        sandbox.client.pay()
        sandbox.webhooks.settle(timeout=30)
        sandbox.clock.advance(minutes=2)
        sandbox.webhooks.settle(timeout=30)
        assert not answers
        assert state_of(sandbox, "webhook-acted-twice") is (State.WELL if key else State.FOUND)
