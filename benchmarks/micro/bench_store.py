"""What the store's steps cost: `make bench-micro`; STORE_BENCH_SIZES=1000,100000,1000000 for growth."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.paging import Query
from mock_server.domain.payment import KeptCard, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.kinds import PAYMENTS
from mock_server.store.memory import Store
from mock_server.store.records import codec_of
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction

Benchmark = Callable[..., Any]

SIZES = [int(size) for size in os.environ.get("STORE_BENCH_SIZES", "1000,100000").split(",")]
BEGIN = 1_700_000_000_000
STATUSES = (PaymentStatus.SUCCEEDED, PaymentStatus.FAILED, PaymentStatus.REQUIRES_ACTION, PaymentStatus.PENDING)
CURRENCIES = ("USD", "EUR", "GBP", "INR", "BRL")
CARD = KeptCard("visa_success", "visa", "credit", "4242", "424242", "12", "2031", "Jane Doe", "f" * 44)
ADDRESS = '{"address":{"line1":"1 Main St","city":"Springfield","zip":"12345","country":"US"}}'


def payment(number: int) -> Payment:
    """A confirmed card payment as the engine keeps it."""
    at, name, transaction = BEGIN + number * 10, f"{number:020d}", f"txn_{number:020d}"
    return Payment(
        payment_id=f"pay_{name}",
        merchant_id="mer_00000000000000000000",
        profile_id=f"pro_{number % 3:020d}",
        status=STATUSES[number % 4],
        amount=100 + number,
        currency=CURRENCIES[number % 5],
        client_secret=f"pay_{name}_secret_{name}",
        created_at=at,
        modified_at=at,
        expires_at=at + 900_000,
        session_expiry_s=900,
        metadata=f'{{"order":"{number}"}}',
        echo={"description": '"A pair of shoes"', "billing": ADDRESS},
        capture_method="automatic",
        authentication_type="no_three_ds",
        authorized_amount=100 + number,
        captured_amount=100 + number,
        customer_id=f"cus_{number % 20_000:020d}",
        email=f"customer{number % 20_000}@example.com",
        return_url="https://shop.example/return",
        merchant_order_reference_id=f"order-{number}",
        payment_method="card",
        payment_method_type="credit",
        card=CARD,
        connector="payment_sandbox",
        connector_transaction_id=transaction,
    )


def filled(size: int) -> Space:
    """A space with so many payments, at rest."""
    space = Store().open("bench", lambda tx: None)

    def put(tx: Transaction, first: int) -> None:
        for number in range(first, min(first + 1000, size)):
            tx.put(PAYMENTS, payment(number))

    for first in range(0, size, 1000):
        space.transact(lambda tx, first=first: put(tx, first))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
    gc.collect()
    gc.freeze()
    return space


@pytest.fixture(scope="module", params=SIZES)
def sized(request: pytest.FixtureRequest) -> Iterator[tuple[int, Space]]:
    size: int = request.param
    yield size, filled(size)
    gc.unfreeze()


ONE = payment(7)
CODEC = codec_of(Payment)
SEALED = CODEC.seal(ONE, 1, 7, BEGIN)


def bench_seal(benchmark: Benchmark) -> None:
    benchmark(lambda: CODEC.seal(ONE, 1, 7, BEGIN))


def bench_open_a_seal(benchmark: Benchmark) -> None:
    assert benchmark(lambda: CODEC.record(SEALED)) == ONE


def bench_transact_nothing(benchmark: Benchmark) -> None:
    space = filled(10)
    benchmark(lambda: space.transact(lambda tx: None))


def bench_get_hot(benchmark: Benchmark) -> None:
    space = filled(10)
    assert benchmark(lambda: space.transact(lambda tx: tx.get(PAYMENTS, ONE.payment_id))) == ONE


def bench_put_new(benchmark: Benchmark) -> None:
    space, numbers = filled(1000), count(1000)
    made = iter([payment(next(numbers)) for _ in range(60_000)])
    benchmark.pedantic(  # type: ignore[attr-defined]  # the fixture is untyped
        lambda: space.transact(lambda tx: tx.put(PAYMENTS, next(made))), rounds=1000, iterations=50
    )


def bench_put_with_another_status(benchmark: Benchmark) -> None:
    space = filled(1000)
    turns = count()
    both = ONE, structs.replace(ONE, status=PaymentStatus.CANCELLED)
    benchmark(lambda: space.transact(lambda tx: tx.put(PAYMENTS, both[next(turns) % 2])))


def bench_claim_and_settle(benchmark: Benchmark) -> None:
    space, numbers = filled(1), count()
    answer = [200, [["content-type", "application/json"]], b"x" * 900]

    def claim() -> None:
        key = str(next(numbers))
        space.claim(key, "owner", b"d" * 32, 0, 10)
        space.settle_claim(key, "owner", answer)

    benchmark(claim)


def bench_schedule_and_unschedule(benchmark: Benchmark) -> None:
    space, numbers = filled(1), count()

    def work(tx: Transaction) -> None:
        number = next(numbers)
        tx.schedule(BEGIN + number * 10, "expire", "pay_1")
        tx.unschedule(None, "pay_1")

    benchmark(lambda: space.transact(work))


QUERIES: dict[str, dict[str, tuple[object, ...]]] = {
    "all": {},
    "status": {"status": ("succeeded",)},
    "statuses": {"status": ("succeeded", "failed", "pending")},
    "currency": {"currency": ("EUR",)},
    "customer": {"customer_id": ("cus_00000000000000000007",)},
    "method": {"payment_method": ("card",)},
    "status-currency": {"status": ("succeeded",), "currency": ("EUR",)},
    "customer-status": {"customer_id": ("cus_00000000000000000008",), "status": ("succeeded",)},
    "three": {"payment_method": ("card",), "status": ("succeeded", "failed"), "currency": ("EUR", "USD")},
}


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("offset", [0, 10_000])
@pytest.mark.parametrize("within", [False, True], ids=["always", "within"])
def bench_find(benchmark: Benchmark, sized: tuple[int, Space], name: str, offset: int, within: bool) -> None:
    size, space = sized
    query = Query(
        filters=QUERIES[name],
        offset=min(offset, size // 10),
        created_gte=BEGIN + size if within else None,
        created_lte=BEGIN + size * 9 if within else None,
    )
    page = benchmark(lambda: space.transact(lambda tx: tx.find(PAYMENTS, query)))
    assert page.total == sum(_fits(number, size, name, within) for number in range(size))


def bench_tally(benchmark: Benchmark, sized: tuple[int, Space]) -> None:
    _, space = sized
    euros = Query(filters={"currency": ("EUR",)})
    benchmark(lambda: space.transact(lambda tx: tx.tally(PAYMENTS, "status", euros)))


def bench_reset(benchmark: Benchmark) -> None:
    store = Store()

    def begin() -> None:
        store.close("bench")
        space = store.open("bench", lambda tx: None)
        for first in range(0, 20_000, 1000):
            space.transact(lambda tx, at=first: [tx.put(PAYMENTS, payment(at + step)) for step in range(1000)])  # type: ignore[misc]  # a lambda with a default

    benchmark.pedantic(  # type: ignore[attr-defined]  # the fixture is untyped
        lambda: store.replace("bench", lambda tx: None), setup=begin, rounds=5
    )


def _fits(number: int, size: int, name: str, within: bool) -> bool:
    values: dict[str, object] = {
        "status": STATUSES[number % 4].value,
        "currency": CURRENCIES[number % 5],
        "customer_id": f"cus_{number % 20_000:020d}",
        "payment_method": "card",
    }
    is_within = not within or size <= number * 10 <= size * 9
    return is_within and all(values[index] in wanted for index, wanted in QUERIES[name].items())
