"""Coverage of outcomes: each line closes its gap, runs are put together, and the report says what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.contract.operations import BY_NAME
from mock_server.domain.statuses import PaymentStatus
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.outcomes import Met, PossibleOutcome, coverage, from_json, met, out_of_scope, possible
from tests.counts import SOAK, times
from tests.plugin.conftest import LOADED, STRICT, Run, imported, run
from tests.verdict.clients.broken import ANSWERED_200, receiver

__all__ = ["imported", "run"]
pytest_plugins = "pytester"

USED: Final = frozenset({"payments.create", "payments.capture", "payments.cancel", "refunds.create"})
ALL: Final = [
    one
    for one in possible(USED | {"payments.cancel_post_capture", "disputes.retrieve"})
    if one.kind != "transition" and not one.id.endswith(("hang/kept", "hang/none", "slow_body/kept", "delay"))
]
FEW: Final = (
    "status/",
    "challenge/",
    "webhook/",
    "refund/",
    "dispute/",
    "fault/payments.create/",
    "error/refunds.create/IR_0",
)
CLOSED: Final = [one for one in ALL if SOAK or one.id.startswith(FEW) or one.id == "decline/expired_card"]
"""The normal run has some of each kind; the long run has them all."""
NOT_REAL: Final = (OSError, HTTPException, ValueError, KeyError)


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as found:
        yield found


def found_in(sandbox: Sandbox) -> Met:
    return met(read(gathered(lambda path: sandbox.control.get(f"/{path}"))))


def followed(sandbox: Sandbox, one: PossibleOutcome, made: dict[str, Any]) -> None:
    """What a test does after the line."""
    operation = one.id.split("/")[1] if one.kind in ("fault", "error") else "payments.create"
    if "dispute" in made or operation == "disputes.retrieve":
        sandbox.client.get(f"/disputes/{made.get('dispute', {}).get('dispute_id')}")
    elif one.kind == "refund" or operation == "refunds.create":
        sandbox.client.post("/refunds", {"payment_id": sandbox.client.pay()["payment_id"]})
    elif operation == "payments.create":
        sandbox.client.pay(return_url="https://shop.example")
    else:
        payment_id = sandbox.client.pay(capture_method="manual")["payment_id"]
        sandbox.client.post(f"/payments/{payment_id}/{operation.removeprefix('payments.')}", {})
    if one.kind == "challenge":
        waiting = sandbox.client.get("/payments/list")["data"][0]["payment_id"]
        sandbox.control.post(f"/payments/{waiting}/authenticate", {"result": one.id.partition("/")[2]})


@pytest.mark.parametrize("one", CLOSED, ids=lambda one: one.id)
def test_its_line_closes_a_gap(server: SandboxServer, one: PossibleOutcome) -> None:
    sandbox = Sandbox(server=server, name=one.id, seed="tests")
    sandbox.webhooks.connect(receiver(ANSWERED_200))
    made: dict[str, Any] = {}
    exec(one.line, {"payment_sandbox": sandbox}, made)
    if one.kind != "status" or ".next(" in one.line:
        with suppress(*NOT_REAL):
            followed(sandbox, one, made)
    sandbox.webhooks.settle(timeout=30)
    sandbox.clock.advance(days=9 if one.kind == "challenge" else 0.05)
    for payment in sandbox.client.get("/payments/list")["data"]:
        sandbox.client.get(f"/payments/{payment['payment_id']}")
    counts = found_in(sandbox).counts
    sandbox.close() if not sandbox.scenarios.on() else sandbox.webhooks.disconnect()
    assert one.id in counts


def test_nothing_is_met_that_cannot_happen(server: SandboxServer) -> None:
    with Sandbox(server=server) as sandbox:
        sandbox.client.pay("insufficient_funds")
        sandbox.client.pay(amount="1")
        found = found_in(sandbox)
    assert found.counts.keys() == {"status/failed", "decline/insufficient_funds", "error/payments.create/IR_04"}
    assert "decline/insufficient_funds" in {one.id for one in possible(found.used)}


def test_a_transition_leads_from_one_status_to_another() -> None:
    ends = [
        one.id.removeprefix("transition/").split("->") for one in possible(USED) if one.id.startswith("transition/")
    ]
    assert {"requires_action", "succeeded"} in map(set, ends)
    assert all(source in set(PaymentStatus) and source != target for source, target in ends)


def test_only_what_a_suite_uses_is_asked_of_it() -> None:
    ids = {one.id for one in possible(frozenset({"payments.create"}))}
    assert not [one for one in ids if "refund" in one or "capture/" in one or one == "status/cancelled"]
    assert "status/cancelled" in {one.id for one in possible(frozenset({"payments.create", "payments.cancel"}))}
    assert not possible(frozenset())
    assert coverage(Met()).percent == 0.0


def test_runs_are_added_up() -> None:
    one, two = Met(frozenset({"payments.create"}), {"a": 1}), Met(frozenset({"refunds.create"}), {"a": 2, "b": 1})
    both = one.and_also(two)
    assert both == Met(frozenset({"payments.create", "refunds.create"}), {"a": 3, "b": 1})
    assert from_json(json.loads(json.dumps(both.as_json()))) == both


SUITE: Final = """
    def test_paid(payment_sandbox):
        payment_sandbox.client.pay()

    def test_declined(payment_sandbox):
        payment_sandbox.client.pay("insufficient_funds")
        assert PASSES
    """


def test_a_run_reports_what_it_never_met(run: Run, pytester: pytest.Pytester) -> None:
    options = ("--payment-sandbox-coverage=term", "--payment-sandbox-coverage=json:met.json")
    told = run(SUITE.replace("PASSES", "False"), *options, "--payment-sandbox-coverage=html:met.html")
    told.stdout.fnmatch_lines(
        ["*payment sandbox: coverage of outcomes*", "status *", "all *", "*fault/payments.create/connection_reset/kept"]
    )
    kept = json.loads((pytester.path / "met.json").read_text())
    assert kept["met"]["decline/insufficient_funds"] == 1
    assert kept["gaps"][0]["line"] == 'payment_sandbox.next("payments.create", fault="connection_reset", effect="kept")'


@pytest.mark.parametrize(("bound", "code"), [("1", 0), ("99", 1)])
def test_a_bound_fails_a_run(run: Run, bound: str, code: int) -> None:
    assert run(SUITE.replace("PASSES", "True"), f"--payment-sandbox-coverage-fail-under={bound}").ret == code


def test_an_unknown_form_is_refused(run: Run) -> None:
    assert run(SUITE, "--payment-sandbox-coverage=xml").ret == pytest.ExitCode.USAGE_ERROR


def test_what_is_out_of_scope_is_not_asked(run: Run, pytester: pytest.Pytester) -> None:
    scope = '[tool.payment-sandbox.coverage]\nout_of_scope = ["decline/*", "error/*", "fault/*"]\n'
    (pytester.path / "pyproject.toml").write_text(scope)
    run(SUITE.replace("PASSES", "True"), "--payment-sandbox-coverage=json:met.json")
    kept = json.loads((pytester.path / "met.json").read_text())
    assert kept["kinds"].keys() == {"webhook", "status", "challenge", "transition"}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("out_of_scop = []", "there is no key out_of_scop (did you mean out_of_scope?)"),
        ('out_of_scope = ["decline/*", "declin/*"]', "there is no outcome declin/* (did you mean decline/*?)"),
        ('out_of_scope = ["status/cancled"]', "there is no outcome status/cancled (did you mean status/cancelled?)"),
        ("out_of_scope = 5", "out_of_scope must be a list of patterns"),
    ],
)
def test_a_misspelled_scope_is_refused(run: Run, pytester: pytest.Pytester, given: str, says: str) -> None:
    (pytester.path / "pyproject.toml").write_text(f"[tool.payment-sandbox.coverage]\n{given}\n")
    told = run(SUITE.replace("PASSES", "True"), "--payment-sandbox-coverage")
    assert told.ret == pytest.ExitCode.USAGE_ERROR
    assert says in told.stderr.str()


@pytest.mark.parametrize("kind", ["json", "html"])
@pytest.mark.parametrize("path", ["no/such/folder/x", ".", "test_shop.py/x", "/dev/null/x"])
def test_a_report_that_cannot_be_written_is_refused_at_the_start(run: Run, kind: str, path: str) -> None:
    told = run(SUITE.replace("PASSES", "True"), f"--payment-sandbox-coverage={kind}:{path}")
    assert told.ret == pytest.ExitCode.USAGE_ERROR
    assert f"={kind}:{path}: must be term, or json:FILE or html:FILE that can be written" in told.stderr.str()


@pytest.mark.parametrize("percent", ["990", "100.1", "-1", "nan", "inf"])
def test_a_bound_is_a_percentage(run: Run, percent: str) -> None:
    told = run(SUITE.replace("PASSES", "True"), f"--payment-sandbox-coverage-fail-under={percent}")
    assert told.ret == pytest.ExitCode.USAGE_ERROR


def test_each_outcome_can_be_out_of_scope(tmp_path: Path) -> None:
    """By its id, in any suite."""
    every = [one.id for one in possible(frozenset(BY_NAME))]
    some = Random("scope").sample(every, times(20, soak=200))
    (tmp_path / "pyproject.toml").write_text(f"[tool.payment-sandbox.coverage]\nout_of_scope = {json.dumps(some)}\n")
    assert out_of_scope(tmp_path) == some


def test_a_worker_hands_over_what_its_tests_met(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SUITE.replace("PASSES", "True"))
    told = pytester.runpytest_subprocess("-n", "2", "-q", *LOADED, *STRICT, "--payment-sandbox-coverage=json:met.json")
    told.assert_outcomes(passed=2)
    kept = json.loads((pytester.path / "met.json").read_text())
    assert {"status/succeeded", "status/failed"} <= kept["met"].keys()


def written(folder: Path, name: str, found: Met) -> str:
    (folder / name).write_text(json.dumps(found.as_json()))
    return str(folder / name)


def test_files_are_combined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    used = frozenset({"payments.create"})
    one = written(tmp_path, "one.json", Met(used, {"status/succeeded": 1}))
    two = written(tmp_path, "two.json", Met(used, {"status/failed": 1}))
    told = CliRunner().invoke(main, ["coverage", "combine", one, two, "-o", "all.json", "--html", "all.html"])
    assert told.exit_code == 0, told.output
    assert json.loads(Path("all.json").read_text())["kinds"]["status"]["met"] == 2
    again = CliRunner().invoke(main, ["coverage", "combine", "all.json", "--json", "--fail-under", "50"])
    assert again.exit_code == 1
    _Sound().feed(Path("all.html").read_text())


class _Sound(HTMLParser):
    """Sees to it that nothing is loaded from anywhere."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img")
        assert not {"src", "href"} & dict(attrs).keys()


OTHER_FILES: Final = [
    *("", "[]", "{}", '{"payment_sandbox_coverage": 1, "used": ["x"], "met": {}}'),
    '{"payment_sandbox_coverage": 2, "used": [], "met": {}}',
]


@pytest.mark.parametrize("text", OTHER_FILES)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "met.json").write_text(text)
    assert CliRunner().invoke(main, ["coverage", "combine", str(tmp_path / "met.json")]).exit_code == 2
