"""`payment-sandbox states`: the state machines as rows of text and as Mermaid diagrams, for the docs too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import click
from msgspec import to_builtins

from mock_server.cli.output import TextTable, json_text
from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.writing import write
from mock_server.domain.machines import BY_NAME, MACHINES, ShownMachine

_INDENT: Final = "    "


def states_table(machine: ShownMachine) -> TextTable:
    """Return the states with the calls that are allowed in each, without those of the control API."""
    rows = ((s.name, "yes" if s.final else "", ", ".join(s.asks)) for s in machine.states)
    return TextTable(("status", "final", "allowed calls"), tuple(rows))


def ways_table(machine: ShownMachine) -> TextTable:
    """Return every transition."""
    rows = ((w.source or "(new)", w.what, w.target, w.event or "", w.cites) for w in machine.ways)
    return TextTable(("from", "cause", "to", "event", "source"), tuple(rows))


def diagram(machine: ShownMachine) -> str:
    """Return one machine as a Mermaid state diagram."""
    return "\n".join(["stateDiagram-v2", *_arrows(machine)])


def diagrams(machines: Sequence[ShownMachine]) -> str:
    """Return several machines as one Mermaid state diagram, each in its own box.

    In Mermaid the names of states must be unique in a diagram, so here they have their machine's name as a prefix.
    """
    lines = ["stateDiagram-v2"]
    for machine in machines:
        prefix = f"{machine.name}__"
        lines.append(f"{_INDENT}state {machine.name} {{")
        lines += [f'{2 * _INDENT}state "{state.name}" as {prefix}{state.name}' for state in machine.states]
        lines += [_INDENT + arrow for arrow in _arrows(machine, prefix)]
        lines.append(f"{_INDENT}}}")
    return "\n".join(lines)


def _arrows(machine: ShownMachine, prefix: str = "") -> Iterator[str]:
    happened: dict[tuple[str, str], list[str]] = {}
    for way in machine.ways:
        source = "[*]" if way.source is None else prefix + way.source
        happened.setdefault((source, prefix + way.target), []).append(way.what)
    for (source, target), whats in happened.items():
        yield f"{_INDENT}{source} --> {target}: {', '.join(whats)}"
    yield from (f"{_INDENT}{prefix}{state.name} --> [*]" for state in machine.states if state.final)


@click.command("states")
@click.argument("record", type=click.Choice([*BY_NAME]), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid state diagram.")
def states(record: str | None, as_json: bool, mermaid: bool) -> None:
    """Print the states of RECORD, or of every kind of record, and the transitions between them."""
    machines = MACHINES if record is None else (BY_NAME[record],)
    if mermaid:
        click.echo(diagram(machines[0]) if record else diagrams(machines))
    elif as_json:
        from mock_server.dialects.interface import INTERFACE

        click.echo(json_text({machine.name: to_builtins(write(MACHINE, machine, INTERFACE)) for machine in machines}))
    else:
        parts = (
            f"{machine.name}\n\n{states_table(machine).as_text()}\n\n{ways_table(machine).as_text()}"
            for machine in machines
        )
        click.echo("\n\n\n".join(parts))
