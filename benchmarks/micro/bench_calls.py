"""What a call and its largest steps cost, without a socket: `make bench-micro`."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import pytest
from flask import Flask
from msgspec import structs

from benchmarks.peers import create_body
from benchmarks.where import called
from mock_server import jsontext
from mock_server.app import create_app
from mock_server.contract.answers import payment as answers
from mock_server.contract.requests.payments.calls import CREATE
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import PAYMENTS
from mock_server.http.redaction import cleaned_accepted
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings

Benchmark = Callable[..., Any]
BODY: Final = create_body(1)
NUMBERS: Final = count()


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return build(Settings(rate_limit=100_000_000))


@pytest.fixture(scope="module")
def app(sandbox: Sandbox) -> Flask:
    return create_app(sandbox)


@pytest.fixture(scope="module")
def payment(app: Flask, sandbox: Sandbox) -> Payment:
    """A confirmed payment, as the store gives it."""
    payment_id = json.loads(called(app, "POST", "/payments", BODY))["payment_id"]
    (name,) = [name for name in sandbox.store.names() if name]
    space = sandbox.store.space(name)
    assert space is not None
    found = space.transact(lambda tx: tx.get(PAYMENTS, payment_id))
    assert found is not None
    return found


def test_create_and_confirm(benchmark: Benchmark, app: Flask) -> None:
    benchmark(lambda: called(app, "POST", "/payments", create_body(next(NUMBERS))))


def test_retrieve(benchmark: Benchmark, app: Flask, payment: Payment) -> None:
    benchmark(lambda: called(app, "GET", f"/payments/{payment.payment_id}"))


def test_read_the_body(benchmark: Benchmark) -> None:
    benchmark(lambda: jsontext.parse(BODY))


def test_check_the_body(benchmark: Benchmark) -> None:
    shape, parsed = CREATE.under(INTERFACE.bodies["payments.create"]), jsontext.parse(BODY)
    benchmark(lambda: shape.load(parsed, 0))


def test_change_a_payment(benchmark: Benchmark, payment: Payment) -> None:
    benchmark(lambda: structs.replace(payment, amount=1))


def test_write_the_answer(benchmark: Benchmark, payment: Payment) -> None:
    benchmark(lambda: jsontext.dump(answers.payment(answers.ShownPayment(payment), INTERFACE)))


def test_clean_the_journals_line(benchmark: Benchmark) -> None:
    assert cleaned_accepted(BODY) is not None
    benchmark(lambda: cleaned_accepted(BODY))
