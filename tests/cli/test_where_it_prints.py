"""Every command with a stdout that is closed or full: it does what it does, and ends with a code, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.verdict import outcomes
from tests.cli.leaves import KEY, LEAVES, Leaf, ids
from tests.cli.over_http import ask
from tests.cli.test_hostile_words import ENDLESS
from tests.running import RunningSandbox, environment
from tests.wire import KEY as MERCHANT
from tests.wire import card_payment

COMMANDS = [one for one in LEAVES if one.name not in ENDLESS | {"conformance"}]


def ended(words: list[str], where: str) -> object:
    """The exit code of the command in this process."""
    with Path("/dev/full").open("wb", buffering=0) as raw, TextIOWrapper(raw, write_through=True) as full:
        try:
            with redirect_stdout(full if where == "full" else None):
                return main.main(words, prog_name="payment-sandbox")
        except SystemExit as end:
            return end.code


@pytest.mark.parametrize("where", ["closed", "full"])
@pytest.mark.parametrize("leaf", COMMANDS, ids=ids)
def test_it_ends_with_a_code(
    leaf: Leaf, where: str, sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", sandbox.base)
    monkeypatch.setenv("PAYMENT_SANDBOX_API_KEY", KEY)
    with redirect_stderr(StringIO()) as said:
        assert ended(leaf.line, where) in range(4)
    assert "Errno" not in said.getvalue()
    if where == "full" and "No space left" in said.getvalue():
        assert "cannot write the output: No space left on device" in said.getvalue()


@pytest.mark.parametrize("closed", [("stdin",), ("stdout",), ("stdin", "stdout")], ids=" and ".join)
def test_an_agent_s_server_without_an_end_says_so(closed: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in closed:
        monkeypatch.setattr(sys, name, None)
    with redirect_stderr(StringIO()) as said, pytest.raises(SystemExit) as end:
        main.main(["mcp"], prog_name="payment-sandbox")
    assert end.value.code == 2
    assert said.getvalue() == "payment-sandbox: an agent starts this command; its standard input or output is closed\n"


@pytest.fixture(scope="module")
def told(sandbox: RunningSandbox) -> None:
    """Texts in many alphabets, in whatever a command shows."""
    body = {**card_payment("success"), "confirm": True, "description": "Zwei Plätze – 中文 😀", "metadata": {"ä": "→"}}
    ask(sandbox, "POST", "/payments", body)


WRITING = [
    (leaf, max(param.opts, key=len))
    for leaf in COMMANDS
    for param in leaf.command.params
    if isinstance(param, click.Option)
    and isinstance(param.type, click.Path)
    and max(param.opts, key=len) not in ("--baseline", "--journal")
]


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(("leaf", "option"), WRITING, ids=lambda one: getattr(one, "name", one))
def test_a_file_that_cannot_be_written_is_another_mistake_than_a_finding(
    leaf: Leaf, option: str, sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1 says that something was found or refused, 2 that the command could not do what it was told."""
    monkeypatch.chdir(tmp_path)
    own = {"PAYMENT_SANDBOX_URL": sandbox.base, "PAYMENT_SANDBOX_API_KEY": MERCHANT}
    calls = CliRunner().invoke(main, ["export", "last", "--as", "har"], env=own)
    Path("file").write_text(calls.stdout, "utf-8")
    Path("met.json").write_text(json.dumps(outcomes.Met(frozenset(), {}).as_json()), "utf-8")
    words = [*leaf.name.split(), *NEEDS.get(leaf.name, leaf.line[len(leaf.name.split()) :])]
    done = CliRunner().invoke(main, [*words, option, str(tmp_path / "file" / "below")], env=own)
    assert (done.exit_code, "annot write" in done.stderr) == (2, True), done.output


NEEDS = {
    "collection": ["bruno"],
    "coverage combine": ["met.json"],
    "scenarios from-har": ["file"],
}


class Terminal(TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("more", [[], ["--help"]], ids=["", "--help"])
@pytest.mark.parametrize("leaf", COMMANDS, ids=ids)
def test_letters_that_a_terminal_does_not_have_are_escaped(
    leaf: Leaf, more: list[str], sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", sandbox.base)
    monkeypatch.setenv("PAYMENT_SANDBOX_API_KEY", MERCHANT)
    said = StringIO()
    with (
        Terminal(BytesIO(), "latin-1") as printed,
        redirect_stdout(printed),
        redirect_stderr(said),
        pytest.raises(SystemExit) as end,
    ):
        main.main([*leaf.line, *more], prog_name="payment-sandbox")
    assert (end.value.code in range(4), "characters" in said.getvalue()) == (True, False)
    assert printed.encoding == "latin-1"


@pytest.mark.parametrize("where", ["closed", "full"])
def test_what_it_does_is_done(where: str, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ["--key", f"snd_prints_{where}", "--url", sandbox.base]
    assert ended(["pay", *own], where) == (0 if where == "closed" else 1)
    assert CliRunner().invoke(main, ["get", "last", "--json", *own]).exit_code == 0


@pytest.mark.parametrize("unbuffered", ["", "1"])  # many images set it, most people's machines do not
@pytest.mark.parametrize("words", ["--help", "--version", "cards", "pay --help"])
def test_a_full_disk_is_said_once(words: str, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "mock_server", *words.split()]
        buffering = environment(PYTHONUNBUFFERED=unbuffered)
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=buffering)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("timeout", ["0s", "0ms", "25h"])
def test_a_time_that_nobody_waits_is_refused(timeout: str) -> None:
    done = CliRunner().invoke(main, ["wait", "--timeout", timeout])
    assert done.exit_code == 2
    assert "at most 24h" in done.stderr


@pytest.mark.parametrize("command", ["ready", "pay"])
@pytest.mark.parametrize("path", ["/dev/zero", "large", "/proc/self/environ"])
def test_a_port_file_that_is_none_is_not_read_on(command: str, path: str, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"1" * 1_000_000)
    own = ["--key", KEY] if command == "pay" else []
    done = CliRunner().invoke(main, [command, "--port-file", str(tmp_path / path), *own])
    assert done.exit_code == 1
    assert f"{tmp_path / path} does not hold a port" in done.stderr
    assert len(done.stderr) < 1_000


@pytest.mark.parametrize("held", ["", "0", "65536", "99999", "-1", "0x10", "1 2", "twelve", "http://127.0.0.1:1"])
def test_what_is_no_port_is_said_of_the_file(held: str, tmp_path: Path) -> None:
    (tmp_path / "port").write_text(held)
    done = CliRunner().invoke(main, ["ready", "--port-file", str(tmp_path / "port")])
    assert (done.exit_code, "does not hold a port" in done.stderr) == (1, True), done.stderr


def test_a_port_that_nobody_can_call_is_not_said_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENT_SANDBOX_PORT", "0")
    done = CliRunner().invoke(main, ["ready"])
    assert (done.exit_code, done.stderr.split(": ")[1]) == (2, "host and port")
    assert "--port-file" in done.stderr


def test_fewer_than_no_lines_are_refused() -> None:
    done = CliRunner().invoke(main, ["tail", "--lines", "-1"])
    assert (done.exit_code, "0<=x" in done.stderr) == (2, True)
