"""The markers: how a workspace begins, and one test over many outcomes."""

from __future__ import annotations

import pytest

from mock_server.testing.outcomes import SETS, outcomes
from tests.plugin.conftest import Run

pytest_plugins = "pytester"


def test_a_marker_says_how_the_workspace_begins(run: Run) -> None:
    result = run(
        """
        import datetime, pytest

        @pytest.mark.payment_sandbox(clock="2026-02-01T00:00:00Z", seed="7")
        def test_clock(payment_sandbox):
            assert payment_sandbox.clock.now == datetime.datetime(2026, 2, 1, tzinfo=datetime.UTC)
            assert payment_sandbox.clock.state()["frozen"]
            assert payment_sandbox.seed == "7"

        @pytest.mark.payment_sandbox(clock="frozen")
        def test_frozen(payment_sandbox):
            assert payment_sandbox.clock.now == payment_sandbox.clock.now

        @pytest.mark.payment_sandbox(scenario=["issuer_down_then_up", {"name": "mine", "rules": []}])
        def test_scenarios(payment_sandbox):
            assert payment_sandbox.scenarios.on() == ["issuer_down_then_up", "mine"]
            for name in payment_sandbox.scenarios.on():
                payment_sandbox.scenarios.turn_off(name)

        @pytest.mark.payment_sandbox(seed="of the class", clock="frozen")
        class TestNearest:
            @pytest.mark.payment_sandbox(seed="of the test")
            def test_wins(self, payment_sandbox):
                assert payment_sandbox.seed == "of the test"
                assert payment_sandbox.clock.state()["frozen"]
        """
    )
    result.assert_outcomes(passed=4)


def test_the_ini_file_or_a_marker_says_what_workspaces_speak(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npayment_sandbox_dialect = hyperswitch")
    result = run(
        """
        import pytest

        SPEAKS = "/dialect"

        def test_all(payment_sandbox):
            assert payment_sandbox.control.get(SPEAKS)["dialect"] == "hyperswitch"
            assert payment_sandbox.client.pay()["status"] == "succeeded"
            waiting = payment_sandbox.client.pay("visa_3ds", return_url="https://shop.example")
            assert waiting["status"] == "requires_customer_action"
            assert payment_sandbox.client.get("/payments/list")["size"] == 2
            assert payment_sandbox.webhooks.wait_for("action_required")
            payment_sandbox.reset()
            assert payment_sandbox.control.get(SPEAKS)["dialect"] == "hyperswitch"

        @pytest.mark.payment_sandbox(dialect="interface")
        def test_one(payment_sandbox):
            assert payment_sandbox.control.get(SPEAKS)["dialect"] == "interface"

        @pytest.fixture(scope="session")
        def shared(payment_sandbox_factory, request):
            return payment_sandbox_factory(request, dialect="interface")

        def test_shared(shared):
            assert shared.control.get(SPEAKS)["dialect"] == "interface"

        @pytest.mark.payment_sandbox(dialect="klingon")
        def test_unknown(payment_sandbox):
            pass
        """
    )
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*Invalid value for dialect: must be one of hyperswitch, interface*"])


def test_what_a_marked_scenario_expects_is_part_of_the_test(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_sandbox("lost_response")
        def test_no_retry(payment_sandbox):
            pass

        @pytest.mark.payment_sandbox("lost_response")
        def test_retried(payment_sandbox):
            with pytest.raises(ConnectionError):
                payment_sandbox.client.pay(idempotency_key="k")
            payment_sandbox.client.pay(idempotency_key="k")
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "scenario lost_response: 2 of 2 assertions failed:",
            "  calls (payments.create): exactly 2",
            "    0 since activation*lost_response.yaml:*",
        ]
    )


def test_an_unknown_word_in_a_marker_is_refused(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_sandbox(scenarios="x")
        def test_x(payment_sandbox): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*the marker payment_sandbox accepts clock, dialect, scenario, seed, but not scenarios*"]
    )


def test_an_unknown_scenario_is_named_with_the_nearest(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_sandbox(scenario="lost_respons")
        def test_x(payment_sandbox): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*lost_respons*"])


def test_one_test_runs_over_many_outcomes(run: Run) -> None:
    result = run(
        """
        import pytest

        WAYS = "insufficient_funds", "failed:lost_card", "pending:failed:5s", {"outcome": "failed"}

        @pytest.mark.payment_outcomes(*WAYS)
        def test_not_paid(payment_sandbox, payment_outcome):
            payment_sandbox.client.pay()
            payment_sandbox.clock.advance(minutes=1)
            found = payment_sandbox.client.get("/payments/list").json()["data"]
            assert [one["status"] for one in found] in (["failed"], [])
            assert payment_outcome.decline in ("insufficient_funds", "lost_card", None)
        """,
        "-v",
    )
    result.assert_outcomes(passed=4)
    ids = ("insufficient_funds", "failed_lost_card", "pending_failed_5s", "outcome_failed")
    result.stdout.fnmatch_lines([f"*test_not_paid?{one}? PASSED*" for one in ids])


def test_an_outcome_that_is_none_is_refused(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_outcomes("server_eror")
        def test_x(payment_sandbox): pass
        """
    )
    result.stdout.fnmatch_lines(
        ["*test_x: 'server_eror' is neither an outcome nor a set of outcomes (did you mean server_error?)"]
    )


def test_an_outcome_is_met_at_another_call_and_more_often(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_outcomes("server_error", on="payments.retrieve", times=2)
        def test_retries(payment_sandbox):
            paid = payment_sandbox.client.pay()["payment_id"]
            assert [payment_sandbox.client.get(f"/payments/{paid}").status for _ in range(3)] == [500, 500, 200]
        """
    )
    result.assert_outcomes(passed=1)


def test_outcomes_need_the_fixture(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_outcomes("declines")
        def test_x(): pass
        """
    )
    result.stdout.fnmatch_lines(["*payment_outcomes needs the fixture payment_sandbox*"])


def test_outcomes_need_the_plugins_own_fixture(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.fixture
        def payment_sandbox(request, payment_sandbox_factory):
            return payment_sandbox_factory(request)

        @pytest.mark.payment_outcomes("lost_card")
        def test_x(payment_sandbox): pass
        """
    )
    result.stdout.fnmatch_lines(["test_shop.py::test_x: payment_outcomes needs payment_sandbox of the plugin: let *"])


@pytest.mark.parametrize("name", SETS)
def test_every_outcome_of_a_set_has_a_name_of_its_own(name: str) -> None:
    names = [one.name for one in outcomes([name])]
    assert len(set(names)) == len(names) > 2


def test_every_outcome_is_a_scenario_that_is_taken(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.mark.payment_outcomes("declines", "asynchronous", "challenges")
        def test_not_paid_at_once(payment_sandbox, payment_outcome):
            assert payment_sandbox.client.pay()["status"] in ("failed", "pending", "requires_action")

        @pytest.mark.payment_outcomes("faults")
        def test_taken(payment_sandbox, payment_outcome):
            assert payment_sandbox.scenarios.on() == ["payment_outcome"]
        """
    )
    assert result.ret == 0
    assert result.parseoutcomes()["passed"] > 50


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("succeeded", {"outcome": "succeeded"}),
        ("requires_merchant_action", {"outcome": "requires_merchant_action"}),
        ("requires_action:approved", {"challenge": "approved"}),
        ("pending:succeeded", {"settles": {"after": "30000ms", "as": "succeeded"}}),
        ("pending:failed:2h", {"settles": {"after": "7200000ms", "as": "failed"}}),
        ("failed:lost_card", {"decline": "lost_card"}),
        ("lost_card", {"decline": "lost_card"}),
    ],
)
def test_words_of_the_header_are_outcomes(text: str, then: dict[str, object]) -> None:
    assert outcomes([text])[0].then == then


@pytest.mark.parametrize(("text", "near"), [("decline", "declines"), ("lost_crad", "lost_card"), ("", "")])
def test_a_word_that_is_none_is_refused_with_the_nearest(text: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"did you mean {near}\?" if near else "is neither an outcome"):
        outcomes([text])


def test_no_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="declines, asynchronous, challenges, faults"):
        outcomes([])


def test_a_single_fault_is_named_as_in_its_set() -> None:
    assert outcomes(["connection_reset_kept"])[0].then == {"fault": "connection_reset", "effect": "kept"}
