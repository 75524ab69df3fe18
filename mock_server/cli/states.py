"""`payment-sandbox states`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mock_server.cli import state_tables
from mock_server.cli.output import json_text
from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.writing import write
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.machines import BY_NAME, MACHINES, ShownMachine


@click.command("states")
@click.argument("record", type=click.Choice([*BY_NAME]), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--mermaid", is_flag=True, help="Print a Mermaid state diagram.")
def command(record: str | None, as_json: bool, mermaid: bool) -> None:
    """Print the states of RECORD, or of every record that has some, and the ways between them."""
    machines = MACHINES if record is None else (BY_NAME[record],)
    if mermaid:
        click.echo(state_tables.diagram(machines[0]) if record else state_tables.diagrams(machines))
    elif as_json:
        click.echo(json_text({machine.name: write(MACHINE, machine, INTERFACE) for machine in machines}))
    else:
        click.echo("\n\n\n".join(_as_text(machines)))


def _as_text(machines: Sequence[ShownMachine]) -> list[str]:
    return [
        f"{machine.name}\n\n{state_tables.states(machine).as_text()}\n\n{state_tables.ways(machine).as_text()}"
        for machine in machines
    ]
