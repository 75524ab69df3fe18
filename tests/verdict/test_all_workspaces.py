"""The verdict on all workspaces of a run, and the header with which a test accepts its own mistake."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.rules import State
from tests.verdict.clients import broken, correct


@pytest.fixture
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as found:
        yield found


def workspace(server: SandboxServer, label: str) -> Sandbox:
    return Sandbox(server=server, name=label, label=label, seed="tests")


def asked(server: SandboxServer, *options: str) -> Result:
    return CliRunner().invoke(main, ["verdict", "--all", "--url", server.url, *options])


def accepts(sandbox: Sandbox, text: str) -> None:
    sandbox.client.get("/health", headers={"X-Sandbox-Accepts": text})


def test_a_mistake_in_one_workspace_is_found(server: SandboxServer) -> None:
    broken.double_charge(workspace(server, "the broken one"))
    correct.cancels_what_it_does_not_want(workspace(server, "the correct one"))
    told = asked(server)
    assert told.exit_code == 1
    assert "  seen: the broken one: payments.create was repeated" in told.output
    assert told.output.startswith("1 error, 0 advice; ")


def test_it_says_what_each_workspace_says_alone(server: SandboxServer) -> None:
    made = [workspace(server, one.__name__) for one in (broken.amount_not_whole, correct.keeps_its_connection)]
    broken.amount_not_whole(made[0])
    correct.keeps_its_connection(made[1])
    rules = {one["id"]: one for one in json.loads(asked(server, "--json").output)["rules"]}
    for results in zip(*(one.verdict().results for one in made), strict=True):
        states = [one.state for one in results]
        told = rules[results[0].rule.id]
        assert told["state"] == min(states, key=list(State).index)
        assert told["occasions"] == sum(one.occasions for one in results if one.state == told["state"])


def test_without_mistakes_it_ends_with_zero(server: SandboxServer) -> None:
    correct.cancels_what_it_does_not_want(workspace(server, "the correct one"))
    assert asked(server).exit_code == 0


def test_without_clients_there_is_nothing_to_check(server: SandboxServer) -> None:
    workspace(server, "empty")
    told = asked(server)
    assert (told.exit_code, "no client called with any key" in told.output) == (2, True)


@pytest.mark.parametrize("option", ["--journal", "--save"])
def test_it_is_not_mixed_with_files(server: SandboxServer, option: str) -> None:
    assert asked(server, option, "file.json").exit_code == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [("double-charge; it tests the refund of one", 0), ("double-charge", 1), ("captured-twice; a reason", 1), ("", 1)],
)
def test_a_workspace_accepts_a_mistake_with_a_reason(server: SandboxServer, text: str, code: int) -> None:
    sandbox = workspace(server, "on purpose")
    broken.double_charge(sandbox)
    accepts(sandbox, text)
    told = asked(server)
    assert told.exit_code == code
    assert ("accepted: it tests the refund of one" in told.output) == (not code)
    assert sandbox.verdict().fails() == bool(code)


def test_another_workspace_does_not_accept_it(server: SandboxServer) -> None:
    for name in ("by mistake", "on purpose"):
        sandbox = workspace(server, name)
        broken.double_charge(sandbox)
    accepts(sandbox, "double-charge; a reason")
    told = asked(server)
    assert told.exit_code == 1
    assert "by mistake: payments.create" in told.output
