"""`payment-sandbox mcp`: the commands as tools of a coding agent, over standard input and output (extra `mcp`).

A tool is a command of the terminal: its parameters are read from the command, and a call runs it in this process. So a
person can repeat in a terminal what the agent did.
"""

from __future__ import annotations

import io
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mock_server import __version__
from mock_server.cli import acting, asking, looking, main, scenarios, verdict
from mock_server.cli.output import USAGE, idle_beside, stop
from mock_server.http.redaction import cleaned_text
from mock_server.scenario.model.mistakes import nearest

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_PACKED: Final = Path(__file__).parents[1] / "_reference"
PAGES: Final = _PACKED if _PACKED.is_dir() else Path(__file__).parents[2] / "docs" / "reference"
"""The pages of the reference, in a wheel and in a checkout."""
URI: Final = "payment-sandbox://reference/"
TYPES: Final = {"integer": "integer", "integer range": "integer", "float range": "number"}
"""The types of a schema by those of a command; all others but flags are texts."""
HIDDEN: Final = ("key", "url", "port_file", "colour", "help")
"""No arguments of tools: the sandbox and its workspace are set when the server starts."""
INSTRUCTIONS: Final = """\
A payment sandbox for integration tests: payments, refunds, disputes, webhooks, and all the ways in which they can fail.
Start it with `payment-sandbox serve`. Instead of an id you can give `last`: the newest payment, refund or event.
1. Reproduce: create the payment (`pay`), turn a scenario on (`scenarios_on`), or write one, check it and upload it.
2. Explain: `why` gives the reason, `timeline` the history, `verdict` the mistakes of the client.
3. Write the test: a scenario file with a story, or a pytest test with the fixture `payment_sandbox`.
The reference pages are resources; read scenario-language.md and cards.md first."""


def tools() -> dict[str, click.Command]:
    """The commands that are tools, by the tool's name."""
    commands = {f"{row.group} {row.word}".strip(): acting.command(row) for row in acting.ACTS}
    commands |= {"scenarios check": scenarios.check, "scenarios list": scenarios.list_}
    for command in (asking.why, asking.timeline, *looking.MADE, verdict.verdict, verdict.probe, asking.ready):
        commands[str(command.name)] = command
    return {name.replace(" ", "_"): command for name, command in commands.items()}


def _params(command: click.Command) -> Iterator[tuple[str, click.Parameter]]:
    """The parameters that a tool takes, by their names in a call."""
    for param in command.params:
        name = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name.strip("[].").lower()
        name = name.lstrip("-").replace("-", "_")
        if param.name not in HIDDEN:
            yield name if name.isidentifier() else str(param.name), param


def input_schema(command: click.Command) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    properties = {name: _schema(param, command.help or "") for name, param in _params(command)}
    required = [name for name, param in _params(command) if param.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(param: click.Parameter, about: str) -> dict[str, Any]:
    is_flag = getattr(param, "is_flag", False)
    kind: dict[str, Any] = {"type": "boolean" if is_flag else TYPES.get(param.type.name, "string")}
    if isinstance(param.type, click.Choice):
        kind["enum"] = list(param.type.choices)
    if param.multiple or param.nargs == -1:
        kind = {"type": "array", "items": kind}
    if isinstance(param, click.Option):
        return {**kind, **({"default": param.default} if param.show_default else {}), "description": param.help}
    name = param.human_readable_name
    lines = (line.strip() for line in about.splitlines() if name in line or line.startswith("  payment-sandbox"))
    return {**kind, "description": "; ".join(lines) or name}


def command_line(command: click.Command, given: Mapping[str, Any]) -> list[str]:
    """The arguments as in a terminal; ValueError names one that the command does not take, or not with this value."""
    known = dict(_params(command))
    wrong = next((name for name in given if name not in known), None)
    if wrong is not None:
        raise ValueError(f"there is no argument {wrong}{nearest(wrong, known) or '; there are ' + ', '.join(known)}")
    typed = [(param, word) for name, param in known.items() for word in _typed(name, param, given.get(name))]
    options = [
        param.opts[0] if param.is_flag else f"{param.opts[0]}={word}"
        for param, word in typed
        if isinstance(param, click.Option)
    ]
    return [*options, "--", *(word for param, word in typed if not isinstance(param, click.Option))]


def _typed(name: str, param: click.Parameter, value: Any) -> list[str]:
    """What a person types for a value: nothing for null and false, but 0 and an empty text are values."""
    kind = _schema(param, "")["type"]
    values = value if kind == "array" and isinstance(value, list) else [] if value is None else [value]
    if not all(type(one) in ((bool,) if kind == "boolean" else (str, int, float)) for one in values):
        raise ValueError(f"{name} must be of the type {kind}")
    return [str(one) for one in values if one is not False]


def own_options(command: click.Command, given: Mapping[str, Any], setup: Mapping[str, str]) -> list[str]:
    """The server's own options that a command takes, but none that has no effect beside what is given."""
    typed = {str(param.name) for name, param in _params(command) if given.get(name)}
    idle = setup.keys() if typed >= {"file", "secret"} else idle_beside(command, {*typed, *setup})  # as of `probe`
    options = {param.name: param.opts[0] for param in command.params if param.name in setup.keys() - idle}
    return [f"{option}={setup[str(name)]}" for name, option in options.items()]


def run(words: list[str]) -> tuple[str, bool]:
    """What a command prints, without card numbers and keys of merchants' texts, and whether it failed."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main.main(words, standalone_mode=False)
        except click.ClickException as wrong:  # without advice to look at `--help`
            code = wrong.exit_code
            err.write(wrong.format_message())
        except SystemExit as end:
            code = end.code
    printed = "\n".join(filter(None, (out.getvalue(), err.getvalue()))).strip()
    return cleaned_text(printed), code == USAGE or bool(code and err.getvalue())


def server(setup: Mapping[str, str]) -> Server:
    """The server of the protocol; `setup` are options of each command that calls a sandbox."""
    import anyio
    from mcp import MCPError, types
    from mcp.server.lowlevel import Server

    table, pages = tools(), {URI + page.relative_to(PAGES).as_posix(): page for page in sorted(PAGES.rglob("*.md"))}
    one_at_a_time = anyio.CapacityLimiter(1)  # the output of a command is captured for the whole process

    async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
        about = {name: (one.help or "").replace("\b\n", "") for name, one in table.items()}  # click's mark of lines
        schemas = {name: input_schema(one) for name, one in table.items()}
        found = [types.Tool(name=name, description=about[name], input_schema=schemas[name]) for name in table]
        return types.ListToolsResult(tools=found)

    async def call_tool(_context: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            command, given = table[asked.name], asked.arguments or {}
            words = [*asked.name.split("_"), *own_options(command, given, setup), *command_line(command, given)]
        except KeyError:
            text, refused = f"there is no tool {asked.name}{nearest(asked.name, table)}", True
        except ValueError as wrong:
            text, refused = str(wrong), True
        else:
            text, refused = await anyio.to_thread.run_sync(run, words, limiter=one_at_a_time)
        return types.CallToolResult(content=[types.TextContent(text=text)], is_error=refused)

    async def list_resources(_context: object, _params: object) -> types.ListResourcesResult:
        titles = {uri: page.read_text("utf-8").partition("\n")[0].lstrip("# ") for uri, page in pages.items()}
        found = [
            types.Resource(uri=uri, name=uri.removeprefix(URI), title=title, mime_type="text/markdown")
            for uri, title in titles.items()
        ]
        return types.ListResourcesResult(resources=found)

    async def read_resource(_context: object, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if asked.uri not in pages:
            raise MCPError(types.INVALID_PARAMS, f"there is no page {asked.uri}{nearest(asked.uri, pages)}")
        text = pages[asked.uri].read_text("utf-8")
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=asked.uri, text=text)])

    return Server(
        "payment-sandbox",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


@click.command("mcp")
@asking.takes_key
@asking.target_options
def mcp(**given: str | None) -> None:
    """Serve the commands as tools for a coding agent (Model Context Protocol), over standard input and output.

    Needs the extra `mcp`: in a checkout, run pip install '.[mcp]'. The agent starts this command; it opens no port.
    """
    try:
        import anyio
        from mcp.server.stdio import stdio_server
    except ModuleNotFoundError:
        stop(USAGE, ["mcp is not installed; in a checkout, run pip install '.[mcp]'"])
    if sys.stdin is None or sys.stdout is None:
        stop(USAGE, ["an agent starts this command; its standard input or output is closed"])
    made = server({name: value for name, value in given.items() if value is not None})

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await made.run(reading, writing, made.create_initialization_options())

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that waits for input would not notice an interrupt
    anyio.run(serve)
