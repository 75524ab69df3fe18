"""The marker with which a test accepts mistakes that it makes on purpose."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

pytest_plugins = "pytester"

SUITE = """
import http.client
import pytest

{marker}
def test_it(payment_sandbox):
    payment_sandbox.next("payments.create", fault="connection_reset", effect="kept")
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        payment_sandbox.client.pay(merchant_order_reference_id="1")
    payment_sandbox.client.pay(merchant_order_reference_id="1")
"""


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("", "double-charge"),
        ('@pytest.mark.payment_sandbox_accepts("double-charge", reason="on purpose")', ""),
        ('@pytest.mark.payment_sandbox_accepts("captured-twice", reason="on purpose")', "double-charge"),
        ('@pytest.mark.payment_sandbox_accepts("double-charges", reason="on purpose")', "did you mean double-charge?"),
        ('@pytest.mark.payment_sandbox_accepts("double-charge")', 'write payment_sandbox_accepts("rule", reason='),
        ('@pytest.mark.payment_sandbox_accepts(reason="on purpose")', 'write payment_sandbox_accepts("rule", reason='),
    ],
)
def test_a_test_accepts_its_own_mistake(run: Run, marker: str, said: str) -> None:
    told = run(SUITE.format(marker=marker), "--payment-sandbox-verdict=error", "--strict-markers")
    told.assert_outcomes(passed=0 if said else 1, failed=1 if said else 0)
    assert said in told.stdout.str()
