"""Time and chance come in through two doors; the ground floor asks the machine for nothing."""

from __future__ import annotations

import ast
import sys
from typing import Final

import pytest

from tests.architecture.sources import PACKAGE, Module, modules

DOORS: Final = {
    "time": {"mock_server.clock"},
    "random": set(),
    "secrets": {"mock_server.randomness"},
    "uuid": set(),
}
"""Who may import the modules that tell time or draw lots."""

OUTSIDE: Final = frozenset(
    {
        "asyncio",
        "fcntl",
        "glob",
        "http",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "platform",
        "queue",
    }
    | {
        "random",
        "secrets",
        "select",
        "selectors",
        "shutil",
        "signal",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
    }
    | {"sys", "tempfile", "threading", "time", "uuid"}
)
"""What the ground floor has no business with: time, chance, files, threads, network, the process."""

ASKS_NOW: Final = frozenset({"now", "utcnow", "today"})
ASKS_MACHINE: Final = frozenset({"open", "print", "input"})


def knocks(module: Module) -> list[str]:
    """Return imports of time and chance past their doors, and questions to the machine's calendar."""
    found = [
        f"{module.name}:{line} imports {name}"
        for name, line in module.imports()
        if (door := DOORS.get(name.split(".")[0])) is not None and module.name not in door
    ]
    return found + [f"{module.name}:{call.lineno} asks for now" for call in module.calls() if _asks_now(call)]


def _asks_now(call: ast.Call) -> bool:
    """Whether this is `datetime.now()` and its like."""
    if not isinstance(call.func, ast.Attribute):
        return False
    of = call.func.value
    name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    return call.func.attr in ASKS_NOW and name in {"datetime", "date"}


def impurities(module: Module) -> list[str]:
    """Return what a module of the domain imports or calls and must not; msgspec makes its values."""
    found = []
    for name, line in module.imports():
        top = name.split(".")[0]
        ours = name == PACKAGE or name.startswith(f"{PACKAGE}.domain")
        if not ours and (top in OUTSIDE or top not in {"msgspec", *sys.stdlib_module_names}):
            found.append(f"{module.name}:{line} imports {name}")
    found += [
        f"{module.name}:{call.lineno} calls {call.func.id}"
        for call in module.calls()
        if isinstance(call.func, ast.Name) and call.func.id in ASKS_MACHINE
    ]
    return found


def test_time_and_chance_come_through_their_doors() -> None:
    found = [knock for module in modules() for knock in knocks(module)]
    assert not found, "\n".join(found)


def test_the_domain_is_pure() -> None:
    found = [impurity for module in modules(f"{PACKAGE}/domain") for impurity in impurities(module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    ["import time", "from random import random", "import datetime as d\nd.datetime.now()", "import secrets"],
)
def test_the_doors_see_who_goes_past_them(source: str) -> None:
    assert knocks(Module("mock_server.engine.payments", source))


def test_the_door_itself_may_ask() -> None:
    assert knocks(Module("mock_server.clock", "import time")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import threading",
        "from os import path",
        "import flask",
        "from mock_server.store import memory",
        "open('x')",
    ],
)
def test_purity_sees_what_breaks_it(source: str) -> None:
    assert impurities(Module("mock_server.domain.money", source))


def test_purity_lets_the_standard_library_be() -> None:
    source = "import re\nfrom enum import StrEnum\nfrom mock_server.domain.ids import x"
    assert impurities(Module("mock_server.domain.money", source)) == []
