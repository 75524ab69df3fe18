"""What removes the calls of a workspace does not remove the client's mistakes: they are judged before."""

from __future__ import annotations

from textwrap import indent
from typing import Final

import pytest

from tests.plugin.conftest import Run, imported, run

__all__ = ["imported", "run"]
pytest_plugins = "pytester"

LOSSES: Final = {
    "nothing": "",
    "reset": "payment_sandbox.reset()",
    "restore": "payment_sandbox.restore(before)",
    "clear": "payment_sandbox.journal.clear()",
    "aio-reset": "asyncio.run(awaited(payment_sandbox.aio.reset))",
    "aio-restore": "asyncio.run(awaited(payment_sandbox.aio.restore, before))",
    "aio-clear": "asyncio.run(awaited(payment_sandbox.aio.journal.clear))",
}
TEST: Final = """
import asyncio

import pytest


async def awaited(method, *given):
    return await method(*given)


{mark}
def test_pays(payment_sandbox):
    before = payment_sandbox.snapshot()
    for key in ({keys}):
        payment_sandbox.next("payments.create", fault="connection_reset", effect="kept")
        try:
            payment_sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)
        except OSError:
            pass
    payment_sandbox.client.pay(merchant_order_reference_id="order-1", idempotency_key="c")
{then}
"""


def text(loss: str, *, keys: str = '"a", "b"', mark: str = "") -> str:
    return TEST.format(then=indent(LOSSES[loss], "    "), keys=keys, mark=mark)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_double_charge_is_found_whatever_the_test_does_then(run: Run, loss: str) -> None:
    failed = run(text(loss), "--payment-sandbox-verdict=error")
    failed.assert_outcomes(failed=1)
    assert "double-charge" in failed.stdout.str()


@pytest.mark.parametrize("loss", LOSSES)
def test_what_a_test_accepts_or_does_right_is_not_held_against_it(run: Run, loss: str) -> None:
    run(text(loss, keys='"c",'), "--payment-sandbox-verdict=error").assert_outcomes(passed=1)
    run(text(loss)).assert_outcomes(passed=1)
    accepted = '@pytest.mark.payment_sandbox_accepts("double-charge", reason="on purpose")'
    run(text(loss, mark=accepted), "--payment-sandbox-verdict=error").assert_outcomes(passed=1)


def test_what_was_met_before_a_reset_counts(run: Run, pytester: pytest.Pytester) -> None:
    run(text("reset"), "--payment-sandbox-coverage=json:met.json").assert_outcomes(passed=1)
    assert "fault/payments.create/connection_reset/kept" in (pytester.path / "met.json").read_text("utf-8")


SHARED: Final = """
import pytest


@pytest.fixture(scope="{scope}")
def shop(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)


class TestShop:
    def test_pays_twice(self, shop):
        for key in ("a", "b"):
            shop.next("payments.create", fault="connection_reset", effect="kept")
            try:
                shop.client.pay(merchant_order_reference_id="order-1", idempotency_key=key)
            except OSError:
                pass

    def test_is_innocent(self, shop):
        pass
"""
OWNERS: Final = {
    "class": "shared by the tests of test_shop.py::TestShop",
    "module": "shared by the tests of test_shop.py",
    "package": "shared by the tests of ",
    "session": "shared by the tests of this run",
}


@pytest.mark.parametrize("scope", OWNERS)
def test_a_finding_about_several_tests_names_them(run: Run, scope: str) -> None:
    said = run(SHARED.format(scope=scope), "--payment-sandbox-verdict=error").stdout.str()
    told = said[said.index("payment sandbox: the client") :].splitlines()
    assert told[1].startswith(OWNERS[scope]), told[:3]
