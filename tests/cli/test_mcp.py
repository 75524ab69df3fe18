"""The tools of a coding agent, by the protocol's own client over standard input and output."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import pytest

from mock_server.cli.acting import ACTS
from mock_server.cli.mcp import PAGES, input_schema, tools
from mock_server.openapi.examples import recorded
from tests.running import RunningSandbox

if TYPE_CHECKING:
    from mcp import Client

Agent = Callable[[Callable[["Client"], Awaitable[Any]]], Any]
KEY: Final = "snd_a_coding_agent"
LISTS: Final = {"payments", "refunds", "disputes", "mandates", "events"}
ONES: Final = {"get", "export", "why", "timeline", "verdict", "probe", "ready"}
MORE: Final = LISTS | ONES | {"scenarios_check", "scenarios_list"}
STORY: Final = """\
summary: The bank declines once.
rules:
  - {on: charge, times: 1, then: {decline: insufficient_funds}}
"""


@pytest.fixture(scope="module")
def agent(sandbox: RunningSandbox) -> Iterator[Agent]:
    """The server as an agent starts it, and what talks with it in one conversation after another."""
    from anyio.from_thread import start_blocking_portal
    from mcp import Client, StdioServerParameters, stdio_client  # half a second, for this file alone

    command = [sys.executable, "-m", "mock_server", "mcp", "--url", sandbox.base, "--key", KEY]
    # As it stands, it takes the stderr that there was when it was imported: another test may have replaced that.
    errors = sys.__stderr__ or sys.stderr
    started = Client(stdio_client(StdioServerParameters(command=command[0], args=command[1:]), errors))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(started) as client:
        yield lambda conversation: portal.call(conversation, client)


async def said(client: Client, tool: str, **arguments: object) -> str:
    """What a tool says that was not refused."""
    done = await client.call_tool(tool, arguments)
    text = "".join(part.text for part in done.content if part.type == "text")
    assert not done.is_error, text
    return text


async def refused(client: Client, tool: str, **arguments: object) -> str:
    done = await client.call_tool(tool, arguments)
    assert done.is_error
    return "".join(part.text for part in done.content if part.type == "text")


def test_an_interrupt_ends_it_while_it_waits_for_input(sandbox: RunningSandbox) -> None:
    command = [sys.executable, "-m", "mock_server", "mcp", "--url", sandbox.base, "--key", KEY]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(json.dumps(hello).encode() + b"\n")
        running.stdin.flush()
        assert running.stdout.readline()  # it has started
        running.send_signal(signal.SIGINT)
        assert running.wait() == -signal.SIGINT


def test_every_command_that_acts_is_a_tool_with_its_arguments(agent: Agent) -> None:
    async def look(client: Client) -> None:
        found = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(found) == {f"{row.group} {row.word}".strip().replace(" ", "_") for row in ACTS} | MORE
        pay = found["pay"].input_schema
        assert (pay["properties"]["amount"]["type"], pay["properties"]["three_ds"]["type"]) == ("integer", "boolean")
        assert found["refund"].input_schema["required"] == ["payment"]
        assert found["settle"].input_schema["properties"]["as"]["enum"] == ["succeeded", "failed", "pending"]
        assert all(tool.description for tool in found.values())
        assert not any(name in tool.input_schema["properties"] for tool in found.values() for name in ("key", "url"))

    agent(look)


@pytest.mark.parametrize("tool", tools())
def test_each_argument_is_named_as_the_terminal_names_it(tool: str) -> None:
    command = tools()[tool]
    words = {word.strip("[].").lower() for word in command.collect_usage_pieces(click.Context(command))}
    properties = input_schema(command)["properties"]
    for param in command.params:
        if isinstance(param, click.Argument) and not isinstance(param.type, click.Choice):
            shown = {name for name in properties if name in words}
            assert shown or set(properties) & {"words"}, "named otherwise than in the terminal"
            assert str(param.name) not in properties or param.name in {*shown, "words"}
    for row in properties.values():
        assert isinstance(row["description"], str) and row["description"] not in ("", "TEXT", "PAYMENT")


def test_an_agent_reproduces_explains_and_writes(agent: Agent, tmp_path: Path) -> None:
    file = tmp_path / "declined_once.yaml"
    file.write_text(STORY, "utf-8")

    async def work(client: Client) -> None:
        assert "reproduce" in (client.instructions or "").lower()
        assert await said(client, "scenarios_check", words=[str(file)]) == "1 scenario is valid"
        assert "scenario declined_once uploaded" in await said(client, "scenarios_put", words=[str(file)])
        await said(client, "scenarios_on", name="declined_once")
        assert " is failed: 10.00 EUR" in await said(client, "pay", amount=1000, currency="EUR")
        assert "scenario declined_once" in await said(client, "why", payment="last")
        held = json.loads(await said(client, "pay", manual_capture=True, json=True))
        assert held["status"] == "requires_capture"
        assert " is succeeded" in await said(client, "capture", payment=held["payment_id"], amount=6540)
        assert "POST /payments" in await said(client, "timeline", payment="last")
        assert "commands and the dashboard do not count" in await refused(client, "verdict")
        await said(client, "clock_advance", duration="24h")

    agent(work)


def test_what_is_wrong_is_said_and_the_server_goes_on(agent: Agent) -> None:
    async def err(client: Client) -> None:
        assert await refused(client, "pay", amuont=1) == "there is no argument amuont (did you mean amount?)"
        assert "'x' is not a number of minor units" in await refused(client, "pay", amount="x")
        assert "Missing argument 'PAYMENT'" in await refused(client, "refund")
        assert "did you mean refund" in await refused(client, "refudn")
        assert "There is no payment --help" in await refused(client, "capture", payment="--help")
        assert " is succeeded" in await said(client, "pay")

    agent(err)


def test_a_probe_with_an_event_and_a_secret_takes_no_key_of_the_servers(
    sandbox: RunningSandbox, agent: Agent, tmp_path: Path
) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps(recorded()["webhooks"]["payment_succeeded"]))
    receiver = f"{sandbox.base}/_sandbox/livez"

    async def ask(client: Client) -> str:
        wrong = await refused(client, "verdict", all=True, journal=str(event))
        assert "--all" in wrong
        return await said(client, "probe", receiver=receiver, event=str(event), secret="hush", only=["valid"])

    assert "valid" in agent(ask)


def test_the_reference_is_read_as_resources(agent: Agent) -> None:
    async def read(client: Client) -> None:
        pages = {page.uri: page.title for page in (await client.list_resources()).resources}
        there = {
            f"payment-sandbox://reference/{page}" for page in (path.relative_to(PAGES) for path in PAGES.rglob("*.md"))
        }
        assert (
            set(pages) == there >= {f"payment-sandbox://reference/{page}" for page in ("cards.md", "api/payments.md")}
        )
        assert all(pages.values())
        found = await client.read_resource("payment-sandbox://reference/cards.md")
        assert any("visa_insufficient_funds" in getattr(page, "text", "") for page in found.contents)
        with pytest.raises(Exception, match="there is no page"):
            await client.read_resource("payment-sandbox://reference/../explanation/limits.md")

    agent(read)


def test_without_the_extra_it_says_what_to_install() -> None:
    hidden = "import sys; sys.modules['mcp'] = None; from mock_server.cli import main; main(['mcp'])"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "in a checkout, run pip install '.[mcp]'" in done.stderr
