"""No module imports itself by way of others: neither at once, nor late, nor for its types alone."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.sources import Module, modules


def graph(of: Sequence[Module]) -> dict[str, set[str]]:
    names = {module.name for module in of}

    def nearest(name: str) -> str | None:
        # `from a import b` names a module a.b, or something inside a.
        return name if name in names else parent if (parent := name.rpartition(".")[0]) in names else None

    return {
        module.name: {found for name, _ in module.imports() if (found := nearest(name)) and found != module.name}
        for module in of
    }


def cycle(of: Sequence[Module]) -> list[str]:
    try:
        TopologicalSorter(graph(of)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_there_is_no_cycle() -> None:
    found = cycle(modules())
    assert not found, " -> ".join(found)


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"p.a": "import p.b", "p.b": "def late():\n    from p import a"}, True),
        ({"p.a": "from p.b import x", "p.b": "from p.c import y", "p.c": "from p.a import z"}, True),
        ({"p.a": "from p.b import x", "p.b": "from p.c import y", "p.c": ""}, False),
        ({"p.a": "import p.b", "p.b": "if TYPE_CHECKING:\n    from p.a import x"}, True),
        ({"p.a": "import p.b", "p.b": "if TYPE_CHECKING:\n    import os\nfrom p.a import x"}, True),
    ],
)
def test_the_rule_sees_what_breaks_it(sources: dict[str, str], found: bool) -> None:
    assert bool(cycle([Module(name, source) for name, source in sources.items()])) is found
