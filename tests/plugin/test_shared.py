"""Workspaces that several tests share: for a class, a module, a package, the run; and their story where one fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mock_server.testing import SandboxServer
from tests.plugin.conftest import Run
from tests.plugin.in_a_process import pytest_in_a_process

pytest_plugins = "pytester"

SHOP = """
    import pytest

    @pytest.fixture(scope="{scope}")
    def shop(request, payment_sandbox_factory):
        return payment_sandbox_factory(request)
"""


@pytest.mark.parametrize(
    ("scope", "shared", "names"),
    [
        ("function", 0, ["test_shop.py::TestA::test_1 (shop)", "test_shop.py::TestB::test_2 (shop)"]),
        ("class", 0, ["test_shop.py::TestA (shop)", "test_shop.py::TestB (shop)"]),
        ("module", 1, ["test_shop.py (shop)"] * 2),
        ("session", 1, ["run (shop)"] * 2),
    ],
)
def test_a_workspace_lives_as_long_as_its_fixture(run: Run, scope: str, shared: int, names: list[str]) -> None:
    result = run(
        f"""
        class TestA:
            def test_1(self, shop):
                assert shop.name == {names[0]!r}
                assert shop.client.pay(payment_id="pay_1").status == 200

        class TestB:
            def test_2(self, shop):
                assert shop.name == {names[1]!r}
                assert shop.client.get("/payments/list")["total_count"] == {shared}
        """,
        conftest=SHOP.format(scope=scope),
    )
    result.assert_outcomes(passed=2)


def test_it_is_gone_after_its_scope(run: Run) -> None:
    result = run(
        """
        keys = []

        class TestA:
            def test_1(self, shop):
                keys.append(shop.api_key)
                assert shop.client.pay(payment_id="pay_1").status == 200

        def test_2(payment_sandbox):
            from mock_server.testing import Sandbox
            assert Sandbox(payment_sandbox.url, api_key=keys[0]).client.get("/payments/pay_1").status == 404
        """,
        conftest=SHOP.format(scope="class"),
    )
    result.assert_outcomes(passed=2)


def test_names_and_so_ids_differ_by_fixture_parameter_and_count(run: Run) -> None:
    result = run(
        """
        import pytest

        @pytest.fixture(scope="module", params=["a", "b"])
        def shops(request, payment_sandbox_factory):
            return [payment_sandbox_factory(request), payment_sandbox_factory(request)]

        @pytest.fixture(scope="module")
        def other(request, payment_sandbox_factory):
            return payment_sandbox_factory(request)

        seen = {}

        def test_names(shops, other, payment_sandbox, request, payment_sandbox_factory):
            for one in (*shops, other, payment_sandbox, payment_sandbox_factory(request)):
                seen.setdefault(one.name, one.client.pay()["payment_id"])

        def test_all():
            assert list(seen) == [
                "test_shop.py (shops[a])", "test_shop.py (shops[a] 2)", "test_shop.py (other)",
                "test_shop.py::test_names[a]", "test_shop.py::test_names[a] (test)",
                "test_shop.py (shops[b])", "test_shop.py (shops[b] 2)",
                "test_shop.py::test_names[b]", "test_shop.py::test_names[b] (test)",
            ]
            assert len(set(seen.values())) == len(seen)
        """
    )
    result.assert_outcomes(passed=3)


def test_markers_of_the_scope_and_words_of_its_own_say_how_it_begins(run: Run) -> None:
    result = run(
        """
        import pytest

        pytestmark = pytest.mark.payment_sandbox(seed="module", clock="2026-01-31T23:59:00Z")

        @pytest.fixture(scope="module")
        def shop(request, payment_sandbox_factory):
            rules = [{"on": "charge", "then": {"decline": "lost_card"}}]
            return payment_sandbox_factory(request, seed="own", scenario={"rules": rules})

        def test_begins(shop):
            assert (shop.seed, shop.clock.now.isoformat()) == ("own", "2026-01-31T23:59:00+00:00")
            assert shop.client.pay()["status"] == "failed"
        """
    )
    result.assert_outcomes(passed=1)


def test_a_failing_test_tells_the_story_of_what_it_shares(run: Run) -> None:
    result = run(
        """
        def test_1(shop): shop.client.pay(amount=11)

        def test_2(shop, payment_sandbox):
            shop.client.pay(amount=22)
            payment_sandbox.client.pay(amount=33)
            assert False, "the shop is sad"

        def test_3(payment_sandbox): assert False, "mine alone"
        """,
        conftest=SHOP.format(scope="module"),
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: the shop is sad*",
            "*- payment sandbox shop -*",
            "shared by the tests of test_shop.py; calls up to #1 were made by earlier tests",
            "workspace test_shop.py (shop) at http://127.0.0.1:*",
            "*#1 payments.create *succeeded 11 EUR*",
            "*#2 payments.create *succeeded 22 EUR*",
            "ticket: seed=tests name=test_shop.py (shop)",
            "to repeat: pytest test_shop.py --payment-sandbox-seed tests",
            "*- payment sandbox -*",
            "workspace test_shop.py::test_2 at *",
            "*succeeded 33 EUR*",
            "to repeat: pytest test_shop.py::test_2 --payment-sandbox-seed tests",
            "*AssertionError: mine alone*",
        ]
    )
    assert str(result.stdout).count("payment sandbox shop") == 1, "a test tells of the workspaces that it asks for"


@pytest.mark.parametrize(("scope", "outcomes"), [("function", {"failed": 1}), ("module", {"passed": 1, "errors": 1})])
def test_what_a_scenario_expects_is_held_at_the_end_of_the_scope(
    run: Run, scope: str, outcomes: dict[str, int]
) -> None:
    result = run(
        f"""
        import pytest

        @pytest.fixture(scope={scope!r})
        def shop(request, payment_sandbox_factory):
            return payment_sandbox_factory(request, scenario="lost_response")

        def test_1(shop):
            with pytest.raises(ConnectionError):
                shop.client.pay(idempotency_key="order-1")
            shop.client.pay()
        """
    )
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines(
        ["scenario lost_response: *", "*payment sandbox shop*", "to repeat: pytest test_shop.py*"]
    )


def test_nobody_at_the_address_is_said(run: Run) -> None:
    result = run(
        "def test_x(shop): pass",
        "--payment-sandbox-url=http://127.0.0.1:1",
        conftest=SHOP.format(scope="module"),
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*cannot reach a payment sandbox at http://127.0.0.1:1: *"])


XDIST = """
import json, os, pathlib, pytest

@pytest.fixture(scope="module")
def shop(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)

@pytest.fixture(scope="module")
def first(shop):
    return shop.client.pay()["payment_id"]

@pytest.mark.parametrize("number", range(3))
def test_shared(shop, first, number):
    assert shop.client.get(f"/payments/{first}").status == 200
    worker = os.environ["PYTEST_XDIST_WORKER"]
    pathlib.Path(f"told-{worker}-{number}").write_text(json.dumps([worker, shop.name, shop.api_key, first]))
"""


@pytest.mark.parametrize("server", ["each its own", "one for all"])
def test_each_worker_has_one_of_its_own_by_the_same_name(tmp_path: Path, inside: SandboxServer, server: str) -> None:
    (tmp_path / "test_shared.py").write_text(XDIST, "utf-8")
    url = [f"--payment-sandbox-url={inside.url}"] if server == "one for all" else []
    assert "6 passed" in pytest_in_a_process(tmp_path, "-n", "2", "--dist", "each", *url)
    told = [json.loads(path.read_text()) for path in tmp_path.glob("told-*")]
    workers, names, keys, ids = (set(column) for column in zip(*told, strict=True))
    assert (len(workers), len(keys), names, len(ids)) == (2, 2, {"test_shared.py (shop)"}, 1)
