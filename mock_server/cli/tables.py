"""The commands that need no sandbox: cards, errors, states and the OpenAPI document. The docs show the tables too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

import click
from msgspec import to_builtins

from mock_server.cli.output import SOURCE, TextTable, json_text, print_table
from mock_server.cli.serve import read_settings
from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.writing import write
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause
from mock_server.domain.machines import BY_NAME, MACHINES, ShownMachine

_INDENT: Final = "    "


def cards_table() -> TextTable:
    """Return the test cards, in the order of their table."""
    rows = ((c.number, c.name, c.brand, str(c.type), card_effect(c.issuer), c.source) for c in CARDS)
    columns = ("number", "name", "brand", "type", "what happens", SOURCE)
    return TextTable(columns, tuple(rows), unprinted=("brand", "type", SOURCE))


def declines_table() -> TextTable:
    """Return the reasons for which a charge can fail."""
    columns = ("name", "error code", "error message", "unified code", "standardised code", "advice", SOURCE)
    standard = ("standard.unified.code", "standard.code", "standard.recommended_action")
    words = attrgetter("name", "error_code", "error_message", *standard, SOURCE)
    return TextTable(
        columns, tuple(map(words, DECLINES)), unprinted=("unified code", "standardised code", "advice", SOURCE)
    )


def errors_table(dialect: str) -> TextTable:
    """Return the causes of errors in a dialect's words, in the order in which calls are checked."""
    from mock_server.dialects import get

    said = get(dialect).errors
    rows = ((said[cause], cause) for cause in Cause if cause in said)
    return TextTable(
        ("http", "code", "type", "cause", "when", "message", SOURCE),
        tuple((str(e.status), e.code, e.type, str(c), c.about, e.message, c.source) for e, c in rows),
        unprinted=("type", "when", SOURCE),
    )


def codes_table(dialect: str) -> TextTable:
    """Return the public codes that this server never returns by itself, each with the reason."""
    from mock_server.dialects import get

    rows = ((c.code, str(c.status), c.type, c.message, c.never) for c in get(dialect).codes.values() if c.never)
    return TextTable(("code", "http", "type", "message", "reason"), tuple(rows))


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


@click.command("cards")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--declines", is_flag=True, help="List the reasons why a charge can fail instead.")
def cards(as_json: bool, declines: bool) -> None:
    """List the test cards and what each of them does."""
    print_table(declines_table() if declines else cards_table(), as_json=as_json)


_DIALECT: Final = click.option("--dialect", metavar="NAME", help="Dialect; by default the one in the settings.")


def _named(dialect: str | None) -> str:
    """The dialect of a command. Exits with 2 for an unknown one."""
    return read_settings({} if dialect is None else {"dialect": dialect}).settings.dialect


@click.command("errors")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--never", is_flag=True, help="List the public error codes that this server never returns instead.")
@_DIALECT
def errors(as_json: bool, never: bool, dialect: str | None) -> None:
    """List the error codes of the API in a dialect."""
    name = _named(dialect)
    print_table(codes_table(name) if never else errors_table(name), as_json=as_json)


@click.command("openapi")
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML.")
@_DIALECT
def openapi(as_yaml: bool, dialect: str | None) -> None:
    """Print the OpenAPI document of the API and the control API in a dialect."""
    from mock_server.dialects import get
    from mock_server.openapi.document import document

    made = document(get(_named(dialect)))
    if as_yaml:
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        click.echo(yaml.dump(made, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110))
    else:
        click.echo(json_text(made))


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
