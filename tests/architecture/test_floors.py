"""Imports go down only, and siblings do not look sideways (docs/explanation/architecture.md)."""

from __future__ import annotations

from typing import Final

import pytest

from tests.architecture.sources import PACKAGE, Module, modules

FLOORS: Final = (
    ("guesses", "addresses"),
    (
        *("clock", "connections", "domain", "jsontext", "junit", "keyed", "metrics", "once"),
        *("randomness", "recent", "settings"),
    ),
    ("contract",),
    ("dialects",),
    ("store", "scenario", "conformance"),
    ("lasting",),
    ("engine",),
    ("webhooks",),
    ("sandbox",),
    ("http", "server"),
    ("story", "verdict"),
    ("api", "checkout", "control", "pages"),
    ("dashboard", "flask_app", "openapi"),
    ("app",),
    ("front",),
    ("cli", "testing"),
    ("__main__",),
)
FLOOR_OF: Final = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def room_of(name: str) -> str | None:
    """Return the room of a module of ours; None for others' modules and for the package's own front page."""
    parts = name.split(".")
    return parts[1] if parts[0] == PACKAGE and len(parts) > 1 and parts[1] != "__version__" else None


def wrong_imports(module: Module) -> list[str]:
    room = room_of(module.name)
    if room is None:
        return [f"{module.name}:{line} imports {name}" for name, line in module.imports() if room_of(name)]
    if room not in FLOOR_OF:
        return [f"{module.name} lives in {room}, which stands on no floor"]
    return [
        f"{module.name}:{line} on floor {FLOOR_OF[room]} imports {name}"
        for name, line in module.imports()
        if (there := room_of(name)) and there != room and FLOOR_OF.get(there, 99) >= FLOOR_OF[room]
    ]


def test_imports_go_down() -> None:
    found = [wrong for module in modules() for wrong in wrong_imports(module)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("mock_server.domain.money", "from mock_server.store import memory", True),
        ("mock_server.domain.money", "def late():\n    import mock_server.app", True),
        ("mock_server.contract.dialect", "from mock_server.dialects import get", True),
        ("mock_server.store.memory", "from ..api import payments", True),
        ("mock_server.clock", "from mock_server.settings import Settings", True),
        ("mock_server.attic.box", "import os", True),
        ("mock_server.api.payments", "import mock_server.attic", True),
        ("mock_server", "from mock_server.app import create_app", True),
        ("mock_server.store.memory", "from mock_server.store import protocol", False),
        ("mock_server.store.memory", "from . import protocol", False),
        ("mock_server.api.payments", "from mock_server.http import binding\nimport flask", False),
        ("mock_server.cli.output", "from mock_server import __version__", False),
    ],
)
def test_the_rule_sees_what_breaks_it(name: str, source: str, wrong: bool) -> None:
    assert bool(wrong_imports(Module(name, source))) is wrong


def test_every_floor_has_somebody_on_it() -> None:
    there = {room_of(module.name) for module in modules()}
    assert [rooms for rooms in FLOORS if not there & set(rooms)] == []
