"""Fixtures, options and overrides, in a pytest of their own."""

from __future__ import annotations

import pytest

from mock_server.testing import SandboxServer
from tests.plugin.conftest import Run

pytest_plugins = "pytester"


def test_a_test_gets_a_workspace_of_its_own(run: Run) -> None:
    result = run(
        """
        def test_one(payment_sandbox):
            assert payment_sandbox.client.pay(payment_id="pay_same")["status"] == "succeeded"

        def test_other(payment_sandbox, payment_sandbox_server):
            assert payment_sandbox.client.get("/payments/pay_same").status == 404
            assert payment_sandbox.url == payment_sandbox_server.url
            assert payment_sandbox.name == "test_shop.py::test_other"
            assert payment_sandbox.seed == "tests"
        """
    )
    result.assert_outcomes(passed=2)


def test_ids_are_the_tests_own_and_the_same_in_every_run(run: Run) -> None:
    source = """
        def test_id(payment_sandbox):
            print("id:", payment_sandbox.client.pay()["payment_id"])
    """
    first, again = run(source, "-s"), run(source, "-s")
    other, drawn = run(source, "-s", "--payment-sandbox-seed=2"), run(source, "-s", "--payment-sandbox-seed=random")
    ids = [next(line for line in result.outlines if "id:" in line) for result in (first, again, other, drawn)]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_settings_of_the_server_are_overridden(run: Run) -> None:
    conftest = """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_config():
            return {"rate_limit": 1}
    """
    result = run(
        """
        def test_limited(payment_sandbox):
            assert [payment_sandbox.client.pay().status for _ in range(2)] == [200, 429]
        """,
        conftest=conftest,
    )
    result.assert_outcomes(passed=1)


def test_a_wrong_setting_is_named(run: Run) -> None:
    conftest = """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_config():
            return {"rate_limt": 1}
    """
    result = run("def test_x(payment_sandbox): pass", conftest=conftest)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no setting rate_limt (did you mean rate_limit?)*"])


def test_scenarios_of_a_suite_are_in_every_workspace(run: Run) -> None:
    conftest = """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_scenarios():
            return {"house": {"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}}
    """
    result = run(
        """
        import pytest

        def test_by_name(payment_sandbox):
            with payment_sandbox.scenario("house"):
                assert payment_sandbox.client.pay()["status"] == "failed"

        def test_by_metadata(payment_sandbox):
            assert payment_sandbox.client.pay(metadata={"sandbox_scenario": "house"})["status"] == "failed"

        @pytest.mark.payment_sandbox(scenario="house")
        def test_by_marker(payment_sandbox):
            assert payment_sandbox.client.pay()["status"] == "failed"
        """,
        conftest=conftest,
    )
    result.assert_outcomes(passed=3)


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_server_that_runs_already_is_used(
    run: Run, inside: SandboxServer, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    source = f"""
        def test_there(payment_sandbox):
            assert payment_sandbox.url == "{inside.url}"
            assert payment_sandbox.client.pay()["status"] == "succeeded"
    """
    if by == "option":
        result = run(source, f"--payment-sandbox-url={inside.url}")
        result.stdout.fnmatch_lines([f"payment sandbox: {inside.url}"])
    else:
        result = run(_environment(inside.url) + source)
    result.assert_outcomes(passed=1)


def _environment(url: str) -> str:
    """A line for the test file: the fixture `run` takes the variable away."""
    return f"""
        import os
        os.environ["PAYMENT_SANDBOX_URL"] = "{url}"
    """


def test_settings_that_were_not_applied_are_told(run: Run, inside: SandboxServer) -> None:
    conftest = """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_config():
            return {"rate_limit": 1}
    """
    result = run("def test_x(payment_sandbox): assert 0", f"--payment-sandbox-url={inside.url}", conftest=conftest)
    result.stdout.fnmatch_lines(["the server was already running, so these settings were not applied: rate_limit"])


def test_nobody_at_the_address_is_said(run: Run) -> None:
    result = run("def test_x(payment_sandbox): pass", "--payment-sandbox-url=http://127.0.0.1:1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*cannot reach a payment sandbox at http://127.0.0.1:1: *"])


def test_the_workspace_is_gone_after_the_test(inside: SandboxServer, run: Run) -> None:
    result = run(
        """
        keys = []

        def test_one(payment_sandbox):
            keys.append(payment_sandbox.api_key)
            payment_sandbox.client.pay(payment_id="pay_left")

        def test_after(payment_sandbox):
            from mock_server.testing import Sandbox
            before = Sandbox(payment_sandbox.url, api_key=keys[0])
            assert before.client.get("/payments/pay_left").status == 404
        """
    )
    result.assert_outcomes(passed=2)


def test_markers_and_options_are_announced(run: Run) -> None:
    result = run("", "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.payment_sandbox(scenario=*", "@pytest.mark.payment_outcomes(*"])
    result = run("", "--fixtures")
    result.stdout.fnmatch_lines(["payment_sandbox -- *", "    A workspace of this test's own."])
    result = run("", "--help")
    result.stdout.fnmatch_lines(["*--payment-sandbox-url=URL*", "*--payment-sandbox-seed=SEED*"])


def test_a_session_may_use_a_workspace_of_its_own(run: Run) -> None:
    result = run(
        """
        import pytest
        from mock_server.testing import Sandbox

        @pytest.fixture(scope="module")
        def shared(payment_sandbox_server):
            with Sandbox(server=payment_sandbox_server, name="shared") as sandbox:
                yield sandbox

        def test_one(shared): shared.client.pay(payment_id="pay_1")
        def test_two(shared): assert shared.client.get("/payments/pay_1").status == 200
        """
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("where", ["inside", "elsewhere"])
def test_the_dashboard_calls_a_workspace_by_its_test(run: Run, where: str) -> None:
    source = """
        import pytest

        @pytest.mark.parametrize("card", ["4242424242424242", "a" * 200], ids=str)
        def test_pays(payment_sandbox, card):
            def label():
                (own,) = (
                    one["label"] for one in payment_sandbox.control.get("/workspaces")["data"]
                    if one["name"] == payment_sandbox.name
                )
                return own

            payment_sandbox.client.pay()
            assert len(label()) <= 120
            assert label() == ("test_shop.py::test_pays[[hidden]]" if card[0] == "4" else "…" + "a" * 118 + "]")
            payment_sandbox.reset()
            assert label()
    """
    if where == "inside":
        run(source).assert_outcomes(passed=2)
        return
    with SandboxServer() as server:
        run(source, f"--payment-sandbox-url={server.url}").assert_outcomes(passed=2)
