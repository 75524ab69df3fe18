"""`payment-sandbox conformance`: what it prints, writes and ends with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.conformance.answer import INTERFACE
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import Suite, spoken
from mock_server.testing.servers import SandboxServer
from tests.conformance.mutants.server import SOUND, MutantServer
from tests.conformance.mutants.table import MUTANTS


def run(*arguments: str, **variables: str) -> Result:
    clean: dict[str, str | None] = {"PAYMENT_SANDBOX_URL": None, "PAYMENT_SANDBOX_CONTROL_TOKEN": None}
    return CliRunner().invoke(main, ["conformance", *arguments], env={**clean, **variables})


@pytest.fixture
def url(suites: Callable[[str], Suite]) -> str:
    return suites("thread").target.url


@pytest.fixture
def faulty(server: MutantServer) -> Iterator[str]:
    """A server that says IR_16 where it should say IR_14."""
    server.mutant = next(mutant for mutant in MUTANTS if mutant.name == "ir_16_for_ir_14")
    yield server.target.url
    server.mutant = SOUND


def test_what_holds_ends_with_0(url: str) -> None:
    done = run("--target", f"{url}/", "--only", "http.health", "--only", "refunds.p*", "--only", "errors")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == f"5 checks against {url}"
    assert [line.split() for line in lines[2:5]] == [["http", "."], ["errors", ".."], ["refunds", ".."]]
    assert lines[-1].startswith("5 passed in ")


def test_what_does_not_hold_is_told_with_the_call_that_shows_it(faulty: str, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    done = run("--target", faulty, "--only", "captures.automatic", "--only", "captures.part", "--junit", str(report))
    assert done.exit_code == 1
    for piece in (
        "captures      .F",
        "FAILED captures.automatic: A payment with automatic capture cannot "
        "be captured manually: 400 IR_14. (facts §3.3)",
        "expected: \"IR_14\"",
        "seen:     \"IR_16\"",
        "/capture -H 'Content-Type: application/json' -H \"api-key: $API_KEY\" --data-binary '{}'",
        "1 passed, 1 failed",
    ):  # fmt: skip
        assert piece in done.output, piece
    assert "snd_" not in done.output
    (suite,) = ET.parse(report).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    failed = suite.find("testcase[@name='captures.automatic']/failure")
    assert failed is not None and "IR_14" in (failed.text or "")


def test_what_cannot_be_asked_is_left_out_aloud(url: str, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    only = ("--only", "rate_limit", "--only", "webhooks.signed", "--only", "keys.isolated", "--only", "keys.issued")
    key = ("--key", "snd_conformance_fixed", "--listener", "none")
    done = run("--target", url, *only, *key, "--junit", str(report))
    assert done.exit_code == 0, done.output
    for piece in (
        "needs its own:\n  rate_limit.exceeded, rate_limit.no_effect, rate_limit.window_ends\n",
        "give a host name with --listener:\n  webhooks.signed\n",
        "give one with --other-key:\n  keys.isolated\n",
        "give one with --admin-key:\n  keys.issued\n",
        "3 passed, 6 skipped",
    ):
        assert piece in done.output, piece
    assert len(ET.parse(report).getroot().findall(".//skipped")) == 6


def test_with_all_keys_nearly_all_can_be_asked(url: str) -> None:
    keys = {
        "key": "snd_conformance_one",
        "other-key": "snd_conformance_two",
        "publishable-key": "pk_snd_conformance_one",
    }
    given = [word for name, key in {**keys, "admin-key": "boss"}.items() for word in (f"--{name}", key)]
    done = run("--target", url, "--only", "keys", *given)
    assert done.exit_code == 0, done.output
    assert "16 passed, 1 skipped" in done.output


def test_the_list_asks_nobody() -> None:
    done = run("--list")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.output.splitlines()] == [check.name for check in spoken(CHECKS, INTERFACE)]
    assert "(facts §6.2; needs control, listener, own_workspaces)" in done.output


@pytest.mark.parametrize("flag", ["--key", "--other-key", "--publishable-key", "--admin-key"])
@pytest.mark.parametrize("key", ["prd_0123456789", "pk_prd_0123456789"])
def test_production_keys_are_refused_and_not_repeated(url: str, flag: str, key: str) -> None:
    done = run("--target", url, flag, key)
    assert done.exit_code == 2
    assert f"{flag} is a production key" in done.output
    assert "0123456789" not in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give the server with --target URL or PAYMENT_SANDBOX_URL"),
        (("--target", "ftp://localhost"), "ftp://localhost is not an http or https URL"),
        (("--target", "http://localhost:many"), "http://localhost:many is not an http or https URL"),
        (("--only", "payment"), "no check matches payment (did you mean payments?); --list shows all"),
        (("--timeout", "soon"), "is not a duration"),
    ],
)
def test_what_is_called_wrongly_ends_with_2(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, said in done.output) == (2, True), done.output


def test_nobody_there_ends_with_1() -> None:
    done = run(PAYMENT_SANDBOX_URL="http://127.0.0.1:9")
    assert done.exit_code == 1
    assert "cannot reach http://127.0.0.1:9" in done.output


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ((), "it accepts only issued keys; give one with --key"),
        (("--key", "snd_nobody_knows_it"), "it refuses --key"),
    ],
)
def test_a_server_with_a_list_of_keys_wants_one_of_them(keys: tuple[str, ...], said: str) -> None:
    with SandboxServer({"keys": "snd_known_0123456789", "control_token": "between us"}) as server:
        refused = run("--target", server.url, *keys)
        good = ("--key", "snd_known_0123456789", "--only", "review")
        taken = run("--target", server.url, *good, PAYMENT_SANDBOX_CONTROL_TOKEN="between us")
    assert (refused.exit_code, said in refused.output) == (1, True), refused.output
    assert (taken.exit_code, "3 passed" in taken.output) == (0, True), taken.output


def test_a_report_that_cannot_be_written_fails(url: str, tmp_path: Path) -> None:
    done = run("--target", url, "--only", "http.health", "--junit", str(tmp_path / "nowhere" / "report.xml"))
    assert done.exit_code == 2
    assert "cannot write" in done.output


def test_other_commands_do_not_import_it() -> None:
    program = (
        "import sys; from mock_server.cli import main\n"
        "try: main(['--help'])\n"
        "finally: sys.exit(any('conformance' in name for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
