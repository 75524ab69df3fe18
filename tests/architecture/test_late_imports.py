"""What starts put off stands in one table: an import inside a function names something of it, and no start loads it.

A start is what somebody waits for: the server, the command's own help, a command, a run of pytest, a suite that uses a
sandbox elsewhere. What is imported inside a function although its start has it loaded anyway belongs to the top of
its file; the few that are left are counted, and the count only goes down.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import Final, NamedTuple

import pytest

from tests.architecture.sources import PACKAGE, Module, modules


class Start(StrEnum):
    """What somebody waits for, as the code that is run until then."""

    HELP = "import mock_server.cli"
    COMMAND = (
        "import mock_server.cli.acting, mock_server.cli.asking, mock_server.cli.tables, "
        "mock_server.cli.tail, mock_server.cli.webhooks"
    )
    SERVER = (
        "import mock_server.cli.serve, mock_server.cli.serving\n"
        "from mock_server.app import Application\n"
        "from mock_server.sandbox import build\n"
        "from mock_server.settings import Settings\n"
        "Application(build(Settings()))"
    )
    PLUGIN = "import mock_server.testing.plugin"
    SUITE = "import mock_server.testing.sandbox"


class LateRow(NamedTuple):
    """A library or a room with all that is below it, the start that does without it, and why."""

    name: str
    start: Start
    why: str


LATE: Final = (
    LateRow("mock_server.domain.masking", Start.HELP, "only what commands print of a workspace is searched"),
    LateRow("mock_server.cli.playing", Start.COMMAND, "needs the whole server, and only `play` starts one"),
    LateRow("mock_server.cli.shelf", Start.COMMAND, "reads the scenario language: only `scenarios put` does"),
    LateRow("mock_server.cli.serving", Start.COMMAND, "brings the whole server in, once the settings hold"),
    LateRow("mock_server.cli.authority", Start.COMMAND, "needs the library cryptography, which is an extra"),
    LateRow("mock_server.server.tls", Start.COMMAND, "only `serve --tls` speaks it"),
    LateRow("mock_server.webhooks.sending", Start.COMMAND, "only `listen` shows what a receiver answers"),
    LateRow("mock_server.webhooks.transport", Start.COMMAND, "only `listen` sends events"),
    LateRow("mock_server.webhooks.transport_http", Start.COMMAND, "needs an HTTP client library"),
    LateRow("mock_server.dialects", Start.COMMAND, "only errors and the document are said in a dialect's words"),
    LateRow("mock_server.openapi", Start.COMMAND, "only `openapi` makes the document"),
    LateRow("mock_server.scenario.loading", Start.COMMAND, "only completion lists the shipped scenarios"),
    LateRow("mock_server.sandbox", Start.COMMAND, "only `sign` without a secret derives one"),
    LateRow("anyio", Start.COMMAND, "comes with the extra `mcp`"),
    LateRow("mcp", Start.COMMAND, "an extra; half a second, and only `mcp` speaks its protocol"),
    LateRow("yaml", Start.COMMAND, "a tenth of a second, and only `openapi --yaml` writes it"),
    LateRow("mock_server.flask_app", Start.SERVER, "brings in Flask, which only `create_app` needs"),
    LateRow("werkzeug", Start.SERVER, "only uploads and rehearsals of exports need it"),
    LateRow("mock_server.verdict", Start.SERVER, "only who asks for a verdict needs the rules"),
    LateRow("asyncio", Start.SERVER, "only an ASGI app in the same process needs a loop"),
    LateRow("ctypes", Start.SERVER, "once it listens, and after the first idle time"),
    LateRow("fcntl", Start.SERVER, "Windows has none"),
    LateRow("faker", Start.SERVER, "only made-up records have names and addresses"),
    LateRow("marshmallow", Start.SERVER, "comes in with the first body, or while the server is idle after its start"),
    LateRow("pyroaring", Start.SERVER, "only a workspace with many records keeps sets of them"),
    LateRow("re2", Start.SERVER, "only scenarios with patterns match any"),
    LateRow("segno", Start.SERVER, "only pages with a code draw one"),
    LateRow("statistics", Start.SERVER, "only a scenario's latency is drawn from a distribution"),
    LateRow("tomllib", Start.SERVER, "only settings in TOML are read with it"),
    LateRow("yaml", Start.SERVER, "a tenth of a second; only scenarios, exports and settings in YAML need it"),
    LateRow("mock_server.dialects.hyperswitch", Start.SERVER, "only where somebody speaks it"),
    LateRow("mock_server.cli.tls", Start.SERVER, "only `--tls` needs it, and the library cryptography"),
    LateRow("mock_server.lasting", Start.SERVER, "only `serve --data` keeps anything between restarts"),
    LateRow("mock_server.server.passing", Start.SERVER, "only replicas pass calls on to each other"),
    LateRow("mock_server.sandbox.outliving", Start.SERVER, "only `serve --data` keeps anything between restarts"),
    LateRow("mock_server.api.downloads", Start.SERVER, "its views come in with the first download"),
    *(
        LateRow(f"mock_server.api.{room}", Start.SERVER, "the views come in with the first call, or after the start")
        for room in ("analytics", "customers", "events", "payments", "setup")
    ),
    LateRow("mock_server.checkout.serving", Start.SERVER, "comes in with the first shop's page that loads the script"),
    *(
        LateRow(f"mock_server.control.{room}", Start.SERVER, "the control API's views, those of `health` excepted")
        for room in (
            "export",
            "journal",
            "scenarios",
            "records",
            "search",
            "triggers",
            "webhooks",
            "workspaces",
        )
    ),
    LateRow("mock_server.contract.requests.shapes", Start.SERVER, "comes in with the first body; needs marshmallow"),
    LateRow("mock_server.control.requests", Start.SERVER, "the control API's schemas"),
    LateRow("mock_server.control.scraping", Start.SERVER, "needs the client library of Prometheus"),
    LateRow("mock_server.dashboard.serving", Start.SERVER, "the dashboard comes in with its first visitor"),
    LateRow("mock_server.http.multipart", Start.SERVER, "only uploads have parts"),
    LateRow("mock_server.openapi.document", Start.SERVER, "the document is made when somebody asks for it"),
    LateRow("mock_server.openapi.serving", Start.SERVER, "the document's page comes in with its first visitor"),
    LateRow("mock_server.pages.views", Start.SERVER, "customers' pages come in with the first of them"),
    LateRow("mock_server.sandbox.soundness", Start.SERVER, "only a snapshot that is put back is looked through"),
    LateRow("mock_server.scenario.conditions.fields", Start.SERVER, "only scenarios have paths; brings in marshmallow"),
    LateRow("mock_server.scenario.conditions.shown", Start.SERVER, "only conditions about what answers alone have"),
    LateRow(
        "mock_server.scenario.deciding.queue_and_scenarios", Start.SERVER, "only where a queue or a scenario is on"
    ),
    LateRow("mock_server.scenario.expectations", Start.SERVER, "only scenarios expect something"),
    LateRow("mock_server.scenario.given.plan", Start.SERVER, "only scenarios give records"),
    LateRow("mock_server.scenario.loading.load", Start.SERVER, "only scenarios are read"),
    LateRow("mock_server.scenario.loading.library", Start.SERVER, "only scenarios are read"),
    LateRow("mock_server.scenario.schema.top", Start.SERVER, "only scenarios are checked against the grammar"),
    LateRow("mock_server.webhooks.dispatcher", Start.SERVER, "only where somebody listens is anything delivered"),
    LateRow("mock_server.webhooks.transport", Start.SERVER, "only where somebody listens is anything delivered"),
    LateRow("mock_server.webhooks.transport_http", Start.SERVER, "needs an HTTP client library"),
    LateRow("mock_server.webhooks.worker_pool", Start.SERVER, "only where somebody listens is anything delivered"),
    LateRow("mock_server.testing.control", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.factory", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.outcomes", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.records", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.sandbox", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.servers", Start.PLUGIN, "a suite that uses no sandbox loads the plugin too"),
    LateRow("mock_server.testing.watching", Start.PLUGIN, "only a run that asks for a verdict or coverage is watched"),
    LateRow("mock_server.scenario.conditions", Start.SUITE, "only assertions about calls look names up"),
    LateRow("mock_server.scenario.deciding.decide", Start.SUITE, "only an outcome in a word of its own is read"),
    LateRow("mock_server.scenario.model.answers", Start.SUITE, "only an outcome in a word of its own is read"),
    LateRow("mock_server.scenario.loading.checks", Start.SUITE, "only assertions about calls look names up"),
    LateRow("mock_server.control", Start.SUITE, "a sandbox elsewhere is asked over HTTP"),
    LateRow(
        "mock_server.domain", Start.SUITE, "a sandbox elsewhere is asked over HTTP; only sets of outcomes are listed"
    ),
    LateRow("mock_server.front", Start.SUITE, "the whole server: only a suite that starts one in its own process"),
    LateRow("mock_server.http", Start.SUITE, "the whole server: only a suite that starts one in its own process"),
    LateRow("mock_server.sandbox", Start.SUITE, "the whole server: only a suite that starts one in its own process"),
    LateRow("mock_server.server", Start.SUITE, "a port is opened only for an app that a server elsewhere must reach"),
    LateRow("mock_server.contract.operations", Start.SUITE, "only a failing test has a report"),
    LateRow("mock_server.testing.receivers", Start.SUITE, "only an app that receives events needs a way into it"),
    LateRow("mock_server.verdict", Start.SUITE, "only a suite that asks for a verdict gets one"),
    LateRow("mock_server.webhooks", Start.SUITE, "only the probe of a receiver sends events by itself"),
)

NOT_YET_AT_THE_TOP: Final[dict[str, int]] = {
    "mock_server.domain.dispute": 1,
    "mock_server.guesses": 1,
}
"""How many imports inside functions name nothing of the table, by module. It only shrinks."""

_SERVED: Final = ("serving", "memory", "port_file", "logs")


def start_of(name: str) -> Start:
    """The start that a module is part of, or that waits for what loads it."""
    match name.split(".")[1:]:
        case ["cli"] | ["cli", "output"] | ["__main__"]:
            return Start.HELP
        case ["cli", room]:
            return Start.SERVER if room in _SERVED else Start.COMMAND
        case ["testing"] | ["testing", "plugin"]:
            return Start.PLUGIN
        case ["testing", _]:
            return Start.SUITE
        case _:
            return Start.SERVER


def is_below(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def rows_for(name: str, start: Start) -> Iterator[LateRow]:
    return (row for row in LATE if row.start is start and is_below(name, row.name))


def not_in_the_table(module: Module) -> list[str]:
    """The imports inside functions of a module that no row allows."""
    start = start_of(module.name)
    return [
        f"{module.name}:{line} imports {name}" for name, line in module.late_imports() if not any(rows_for(name, start))
    ]


@cache
def loaded(start: Start) -> frozenset[str]:
    """The modules that are there once a start is over."""
    code = f"{start}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return frozenset(done.stdout.split())


def test_what_is_imported_inside_functions_stands_in_the_table() -> None:
    found = {module.name: wrong for module in modules() if (wrong := not_in_the_table(module))}
    counts = Counter({name: len(wrong) for name, wrong in found.items()})
    more = [line for name, wrong in found.items() if counts[name] > NOT_YET_AT_THE_TOP.get(name, 0) for line in wrong]
    assert not more, "\n".join(["move these to the top of their files, or give them a row with its reason:", *more])
    assert dict(counts) == NOT_YET_AT_THE_TOP, "the count goes down with what was moved to the top"


@pytest.mark.parametrize("start", Start, ids=lambda start: start.name)
def test_no_start_loads_what_is_put_off(start: Start) -> None:
    rows = [row for row in LATE if row.start is start]
    there = loaded(start)
    early = {row.name: sorted(name for name in there if is_below(name, row.name)) for row in rows}
    assert {name: found for name, found in early.items() if found} == {}


def test_a_server_that_keeps_nothing_loads_no_database() -> None:
    assert "sqlite3" not in loaded(Start.SERVER)


def test_every_row_is_needed_has_its_reason_and_names_what_there_is() -> None:
    used = {
        row
        for module in modules()
        for name, _ in module.late_imports()
        for row in rows_for(name, start_of(module.name))
    }
    assert [row for row in LATE if row not in used] == []
    assert len({row[:2] for row in LATE}) == len(LATE)
    assert all(row.why for row in LATE)
    assert [row.name for row in LATE if row.name.startswith(PACKAGE) and find_spec(row.name) is None] == []


ONE_THREAD: Final = frozenset({"mock_server.cli.mcp", "mock_server.testing.container"})
"""What only a program or a test imports, before it has other threads."""


def parts_before_the_whole(module: Module) -> list[str]:
    """The parts of libraries that a module imports before the library itself.

    Parts of a library often import each other. If one thread imports the library and another a part of it, one of them
    gets a module that is not complete. A thread that imports the library first waits for the other.
    """
    found, whole = [], set[str]()
    for name, line in module.imports(for_types=False):
        library = name.split(".")[0]
        is_other = library not in sys.stdlib_module_names and library != PACKAGE
        part = name.rpartition(".")[0]
        if is_other and "." in part and library not in whole and part not in loaded(Start.SERVER):
            found.append(f"{module.name}:{line} imports {part}")
        whole.add(library)
    return found


def test_no_part_of_a_library_is_imported_before_the_library() -> None:
    served = (module for module in modules() if module.name not in ONE_THREAD)
    assert [line for module in served for line in parts_before_the_whole(module)] == []


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("from marshmallow.fields import Field", True),
        ("from marshmallow import Schema\nfrom marshmallow.fields import Field", False),
        ("from marshmallow import fields", False),
        ("if TYPE_CHECKING:\n    from marshmallow.fields import Field", False),
        ("from msgspec.structs import replace", False),
        ("from concurrent.futures import Future", False),
    ],
)
def test_a_part_before_the_whole_is_found(source: str, wrong: bool) -> None:
    assert bool(parts_before_the_whole(Module("mock_server.app", source))) is wrong


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("mock_server.app", "def late():\n    import yaml", False),
        ("mock_server.app", "def late():\n    from yaml import safe_load", False),
        ("mock_server.app", "def late():\n    from mock_server.pages.views import VIEWS", False),
        ("mock_server.app", "def late():\n    from mock_server.pages import views", False),
        ("mock_server.app", "def late():\n    from mock_server.pages import links", True),
        ("mock_server.app", "async def late():\n    import json", True),
        ("mock_server.app", "class A:\n    def late(self):\n        import json", True),
        ("mock_server.app", "import json", False),
        ("mock_server.testing.sandbox", "def late():\n    import tomllib", True),
        ("mock_server.testing.sandbox", "def late():\n    from mock_server.front import serve", False),
    ],
)
def test_the_rule_sees_what_breaks_it(name: str, source: str, wrong: bool) -> None:
    assert bool(not_in_the_table(Module(name, source))) is wrong
