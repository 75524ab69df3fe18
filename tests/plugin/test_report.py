"""What the report of a failing test tells."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from mock_server.testing import Sandbox
from tests.plugin.conftest import Run

pytest_plugins = "pytester"


def test_a_failing_test_tells_the_story_of_its_workspace(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_sandbox("lost_response")
        def test_shop(payment_sandbox):
            with pytest.raises(ConnectionError):
                payment_sandbox.client.pay(idempotency_key="order-secret-1")
            payment_sandbox.client.pay(amount=99)
            assert False, "the shop is sad"
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: the shop is sad*",
            "*- payment sandbox -*",
            "workspace test_shop.py::test_shop at http://127.0.0.1:*; clock 20*",
            "newest payment, while the server runs: http://127.0.0.1:*/_sandbox/ui/*/payments/pay_*",
            "events not sent, as no endpoint was configured (connect an app or set a webhook_url): 2 of 2",
            "scenario lost_response is on",
            "  assertion payments*exactly 1 failed: found 2*",
            "history, in the workspace's time:",
            "*  #1 payments.create POST /payments -> 200, succeeded 4200 EUR, pay_*was lost*: connection_reset",
            "*sent: amount=4200, currency='EUR', confirm=True, with an idempotency key",
            "*because: scenario lost_response (active), rule 1 at scenarios/lost_response.yaml:*",
            "*because: card visa_success: succeeded",
            "*  event payment_succeeded of pay_* is created as evt_*",
            "*  #2 payments.create POST /payments -> 200, succeeded 99 EUR, pay_*",
            "*without an idempotency key",
            "ticket: seed=tests name=test_shop.py::test_shop scenarios=lost_response@*",
            "to repeat: pytest test_shop.py::test_shop --payment-sandbox-seed tests",
        ]
    )


def test_the_story_of_a_broken_beginning_is_told_too(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.fixture
        def paid(payment_sandbox):
            return payment_sandbox.client.pay("lost_card")["nothing"]

        def test_x(paid): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*- payment sandbox -*", "*failed 4200 EUR, pay_*, DC_08: Payment declined: lost card"]
    )


def test_passing_and_other_tests_tell_nothing(run: Run) -> None:
    result = run(
        """
        def test_good(payment_sandbox): pass
        def test_other(): assert False
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.no_fnmatch_line("*payment sandbox*")


def test_a_workspace_nobody_called_says_so(run: Run) -> None:
    result = run("def test_x(payment_sandbox): assert False")
    result.stdout.fnmatch_lines(["no calls reached this workspace: *another key or URL"])


def test_a_story_that_cannot_be_told_leaves_the_tests_own_failure(run: Run) -> None:
    result = run(
        """
        def test_x(payment_sandbox, payment_sandbox_server):
            payment_sandbox_server.stop()
            assert False, "my own"
        """
    )
    result.stdout.fnmatch_lines(
        ["*AssertionError: my own*", "the sandbox could not report what happened: SandboxUnreachable: *"]
    )


def test_the_outcome_under_test_is_named(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_outcomes("lost_card")
        def test_x(payment_sandbox):
            assert payment_sandbox.client.pay()["status"] == "succeeded"
        """
    )
    result.stdout.fnmatch_lines(
        ["outcome under test: lost_card", "to repeat: pytest 'test_shop.py::test_x?lost_card?' *"]
    )


def test_the_story_holds_no_secret(sandbox: Sandbox) -> None:
    def app(environ: object, start_response: object) -> list[bytes]:
        raise RuntimeError("broken")

    sandbox.webhooks.connect(app, url="http://shop.test/hooks?token=hidden")
    number = sandbox.cards["success"].number
    paid = sandbox.client.pay(idempotency_key="my-own-key-1").json()
    sandbox.client.post("/payments", {"card_number": number, "amount": "4111111111111111"})
    sandbox.webhooks.wait_for("payment_succeeded")
    story = sandbox.report()
    hidden = (sandbox.api_key, number, "4111111111111111", paid["client_secret"], sandbox.webhook_secret)
    assert [one for one in (*hidden, "my-own-key-1", "token=hidden") if one in story] == []


def test_attempts_and_what_is_due_are_told(sandbox: Sandbox) -> None:
    sandbox.webhooks.send_to("http://127.0.0.1:1/hooks")
    sandbox.client.pay("pending_succeeds")
    sandbox.trigger.settle(sandbox.client.pay("pending_succeeds").json())
    sandbox.webhooks.wait_for("payment_succeeded")
    story = sandbox.report()
    assert "next scheduled event: " in story
    assert " goes to http://127.0.0.1:1/hooks: " in story
    assert "by hand: settle of pay_" in story


def test_a_refusal_is_told_with_its_reason(sandbox: Sandbox) -> None:
    sandbox.client.pay(amount=42.5)
    assert "#1 payments.create POST /payments -> 400, IR_0" in sandbox.report()
    assert "amount=42.5" in sandbox.report()


def test_a_long_story_shows_its_end(sandbox: Sandbox) -> None:
    for _ in range(62):
        sandbox.client.get("/payments/pay_none")
    story = sandbox.report()
    assert "… earlier calls, not shown: 2" in story
    assert "#62 payments.retrieve GET" in story
    assert "#2 payments" not in story


@pytest.mark.parametrize("replayed", [True])
def test_a_kept_answer_is_told_as_one(sandbox: Sandbox, replayed: bool) -> None:
    sandbox.client.pay(idempotency_key="k")
    sandbox.client.pay(idempotency_key="k")
    assert ("the stored answer of an earlier call" in sandbox.report()) is replayed


def test_what_is_due_by_itself_stands_in_its_place(sandbox: Sandbox) -> None:
    sandbox.clock.freeze()
    paid = sandbox.client.pay("pending_succeeds").json()["payment_id"]
    sandbox.clock.advance(seconds=10)
    sandbox.client.get(f"/payments/{paid}")
    steps = [line for line in sandbox.report().splitlines() if line[2:3] == ":"]
    told = ["payments.create", "payment_processing", "clock advance", "payment_succeeded", "payments.retrieve"]
    assert [name for line, name in zip(steps, told, strict=True) if name not in line] == []


def test_calls_of_a_receiver_stand_with_what_it_received(sandbox: Sandbox) -> None:
    def app(environ: dict[str, object], start_response: Callable[..., object]) -> list[bytes]:
        sandbox.client.get("/payments/list")
        start_response("401 Unauthorized", [])
        return [b""]

    sandbox.clock.freeze()
    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded")
    story = sandbox.report()
    assert re.search(
        r"evt_\w+ goes to .*: the app answered 401\n +and before it answered, it called #3 payments.list", story
    )
    assert "was never accepted after 1 attempt; the receiver: answered 401" in story


def test_a_sound_story_has_nothing_that_stands_out(sandbox: Sandbox) -> None:
    for order in ("1", "2"):
        sandbox.client.pay(merchant_order_reference_id=order, idempotency_key=order)
    sandbox.client.pay(merchant_order_reference_id="2", idempotency_key="2")
    waits = sandbox.client.pay("pending_succeeds").json()["payment_id"]
    for _ in range(2):
        refused = sandbox.client.post("/refunds", {"payment_id": waits, "amount": 1})
        tried = sandbox.client.pay("insufficient_funds", payment_id="pay_1")
    assert (refused.status, tried.status) == (400, 400)
    sandbox.clock.advance(seconds=10)
    sandbox.client.get(f"/payments/{waits}")
    assert "possible causes" not in sandbox.report()


def test_what_waits_is_named_a_few_times(sandbox: Sandbox) -> None:
    for number in range(7):
        sandbox.client.pay("pending_fails", description=f"order {number}")
    assert sandbox.report().count("is still pending") == 5
