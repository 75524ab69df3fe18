"""One payment, by every command that shows it: the same sum, and statuses by which it is found, in both dialects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, combinations

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.dialects import DIALECTS
from mock_server.domain.statuses import ALIASES, PaymentStatus
from tests.cli.over_http import ask
from tests.running import RunningSandbox
from tests.wire import KEY, card_payment

ADDED = {"shipping_cost": 500, "order_tax_amount": 250, "surcharge_details": {"surcharge_amount": 30, "tax_amount": 2}}
SETS = [*chain.from_iterable(combinations(ADDED, count) for count in range(len(ADDED) + 1))]


@pytest.fixture(scope="module", params=sorted(DIALECTS))
def sandbox(request: pytest.FixtureRequest) -> Iterator[RunningSandbox]:
    with RunningSandbox("--dialect", request.param) as running:
        yield running


def says(sandbox: RunningSandbox, *words: str) -> str:
    own = {"PAYMENT_SANDBOX_URL": sandbox.base, "PAYMENT_SANDBOX_API_KEY": KEY}
    done = CliRunner().invoke(main, words, env=own)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("names", SETS, ids="-".join)
def test_the_sum_is_the_same_wherever_it_is_said(sandbox: RunningSandbox, names: tuple[str, ...]) -> None:
    more = {name: ADDED[name] for name in names}
    body = {**card_payment("success"), "amount": 10_000, "currency": "EUR", "confirm": True, **more}
    made = ask(sandbox, "POST", "/payments", body)
    total = f"{made['net_amount'] / 100:.2f} EUR"
    for line in (("get", "last"), ("payments", "--limit", "1"), ("search", made["payment_id"])):
        assert total in says(sandbox, *line), line
        assert "received" not in says(sandbox, *line)


def test_a_status_is_taken_by_every_word_for_it(sandbox: RunningSandbox) -> None:
    made = says(sandbox, "pay", "--three-ds")
    found = re.search(r"(\S+) is (\w+):", made)
    assert found is not None
    for word in (*PaymentStatus, *ALIASES):
        means = ALIASES.get(word, word)
        is_found = found[1] in says(sandbox, "payments", "--status", str(word))
        assert is_found == (means == PaymentStatus.REQUIRES_ACTION), word
    assert found[1] in says(sandbox, "payments", "--status", found[2])
