"""What a test holds against the journal, and how a miss reads."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.testing import Sandbox, SandboxServer
from tests.scenario.misspelling import misspelled


def refused(call: object, *arguments: object, **more: object) -> str:
    with pytest.raises(AssertionError) as problem:
        call(*arguments, **more)  # type: ignore[operator]  # a method
    return str(problem.value)


def test_calls_are_found_by_what_they_were(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay(amount=700, idempotency_key="k")
    sandbox.client.post("/payments", {"amount": -1})
    (good,) = sandbox.journal.assert_called("payments.create", times=1, status=200)
    assert good.request["amount"] == 700
    assert good.has_idempotency_key
    assert good.because == ("card visa_success: succeeded",)
    assert good.payment_id == paid["payment_id"]
    assert len(sandbox.journal.calls("payments.*")) == 2
    assert len(sandbox.journal.calls(status="4xx")) == 1
    assert len(sandbox.journal.calls(body={"amount": 700, "currency": "EUR"})) == 1
    sandbox.journal.assert_called("payments.create", payment_id=paid["payment_id"])
    sandbox.journal.assert_not_called("refunds.create")


def test_a_miss_shows_the_near_ones_and_what_stood_in_the_way(sandbox: Sandbox) -> None:
    sandbox.client.pay(amount=700)
    said = refused(sandbox.journal.assert_called, "payments.create", 1, body={"amount": 7, "metadata": {"o": 1}})
    assert said.startswith(
        "payments.create (body={'amount': 7, 'metadata': {'o': 1}}) was never called; expected: once"
    )
    assert "[body.amount was 700, not 7; body.metadata was missing]" in said
    said = refused(sandbox.journal.assert_called, "payments.create", status=409, payment_id="pay_x")
    assert "payment_id was pay_" in said
    assert "status was 200" in said


def test_a_float_is_no_whole_number(sandbox: Sandbox) -> None:
    sandbox.client.pay(metadata={"a": 1.5})
    assert "body.metadata.a was 1.5, not 2" in refused(
        sandbox.journal.assert_called, "payments.create", body={"metadata": {"a": 2}}
    )
    assert "body.metadata.a was 1.5, not an object" in refused(
        sandbox.journal.assert_called, "payments.create", body={"metadata": {"a": {"b": 2}}}
    )


def test_a_wrong_number_of_calls_lists_them(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    sandbox.client.pay()
    said = refused(sandbox.journal.assert_called, "payments.create", times=1)
    assert said.startswith(
        "payments.create was called 2 times; expected: once\n  #1 payments.create POST /payments -> 200 pay_"
    )
    assert refused(sandbox.journal.assert_not_called, "payments.*").startswith(
        "payments.* was called 2 times; expected: never"
    )
    assert "was called 2 times; expected: 3 times" in refused(sandbox.journal.assert_called, "payments.create", 3)


def test_no_assertion_takes_an_operation_that_does_not_exist(inside: SandboxServer) -> None:
    """The name of each operation, misspelled once: nothing that could be said of it is true."""
    with Sandbox(server=inside) as sandbox:
        journal = sandbox.journal
        for row in (*OPERATIONS, *CONTROL_OPERATIONS):
            wrong = misspelled(row.name, "dropped")
            for call in (journal.assert_called, journal.assert_not_called, journal.calls, journal.wait_for):
                assert refused(call, wrong).startswith(f"there is no operation {wrong}")


def test_the_nearest_operation_is_named(sandbox: Sandbox) -> None:
    said = refused(sandbox.journal.assert_not_called, "payment.create")
    assert said == "there is no operation payment.create (did you mean payments.create?)"
    assert "there is no operation refnds.*" in refused(sandbox.journal.assert_not_called, "refnds.*")
    sandbox.journal.assert_not_called("page.challenge")
    sandbox.journal.assert_not_called("*.create")


def test_other_calls_are_shown_where_none_is_near(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    assert ("these calls were received:\n  #1 payments.create") in refused(
        sandbox.journal.assert_called, "refunds.create"
    )


def test_the_journal_waits(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    assert len(sandbox.journal.wait_for("payments.create")) == 1
    said = refused(sandbox.journal.wait_for, "payments.create", times=2, timeout=0.05)
    assert "payments.create was called once within 0.05 s; expected: 2 times" in said


def test_the_journal_is_emptied(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    assert sandbox.journal.clear() == 1
    assert sandbox.journal.calls() == []


PAN: Final = "4242424242424242"


@pytest.mark.parametrize(
    "body",
    [
        {"metadata": {"card": PAN}},
        {"description": f"paid by {PAN} at the desk"},
        {"payment_method_data": {"card": {"card_number": PAN, "card_cvc": "123"}}},
        {"amount": 4200, "metadata": {"card": PAN}},
    ],
)
def test_what_the_journal_hides_is_not_compared(sandbox: Sandbox, body: dict[str, Any]) -> None:
    sandbox.client.pay(metadata={"card": PAN}, description=f"paid by {PAN} at the desk", amount=4200)
    for judge in (sandbox.journal.assert_not_called, sandbox.journal.assert_called, sandbox.journal.calls):
        said = refused(judge, "payments.create", body=body)
        assert "is hidden or cut in the journal, so it cannot be compared" in said and PAN not in said
    sandbox.journal.assert_not_called("payments.create", body={**body, "amount": 1})


def test_a_body_that_is_kept_in_part_is_not_compared(sandbox: Sandbox) -> None:
    sandbox.client.post("/payments", {"amount": 1, "description": "x" * 200_000, "currency": "EUR"})
    assert "so it cannot be compared" in refused(
        sandbox.journal.assert_not_called, "payments.create", body={"amount": 1}
    )


def test_all_calls_of_the_journal_are_judged(sandbox: Sandbox) -> None:
    sandbox.client.pay(amount=1234)
    for _ in range(1_000):
        sandbox.client.get("/payments/pay_none")
    assert "called once" in refused(sandbox.journal.assert_not_called, "*", body={"amount": 1234})
    sandbox.journal.assert_called("*", times=1_001)
