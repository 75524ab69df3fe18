"""The state machines as rows of text and as Mermaid diagrams, for the terminal and for the docs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mock_server.cli.tables import Table
from mock_server.domain.machines import ShownMachine

_NEW: Final = "(new)"
_INDENT: Final = "    "


def states(machine: ShownMachine) -> Table:
    """Return the states with what a caller may ask in each; what only the control API can do is left out."""
    rows = ((s.name, "yes" if s.final else "", ", ".join(s.asks)) for s in machine.states)
    return Table(("status", "final", "what may be asked"), tuple(rows))


def ways(machine: ShownMachine) -> Table:
    """Return every way from one state to another."""
    rows = ((w.source or _NEW, w.what, w.target, w.event or "", w.cites) for w in machine.ways)
    return Table(("from", "what happened", "to", "event", "source"), tuple(rows))


def diagram(machine: ShownMachine) -> str:
    """Return one machine as a Mermaid state diagram."""
    return "\n".join(["stateDiagram-v2", *_arrows(machine)])


def diagrams(machines: Sequence[ShownMachine]) -> str:
    """Return several machines as one Mermaid state diagram, each in a box of its own.

    Names of states are the whole diagram's in Mermaid, so here they begin with their machine's.
    """
    return "\n".join(["stateDiagram-v2", *(line for machine in machines for line in _box(machine))])


def _box(machine: ShownMachine) -> Iterator[str]:
    prefix = f"{machine.name}__"
    yield f"{_INDENT}state {machine.name} {{"
    for state in machine.states:
        yield f'{2 * _INDENT}state "{state.name}" as {prefix}{state.name}'
    yield from (_INDENT + arrow for arrow in _arrows(machine, prefix))
    yield f"{_INDENT}}}"


def _arrows(machine: ShownMachine, prefix: str = "") -> Iterator[str]:
    happened: dict[tuple[str, str], list[str]] = {}
    for way in machine.ways:
        source = "[*]" if way.source is None else prefix + way.source
        happened.setdefault((source, prefix + way.target), []).append(way.what)
    for (source, target), whats in happened.items():
        yield f"{_INDENT}{source} --> {target}: {', '.join(whats)}"
    yield from (f"{_INDENT}{prefix}{state.name} --> [*]" for state in machine.states if state.final)
