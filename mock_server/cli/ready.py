"""`payment-sandbox ready`."""

from __future__ import annotations

import click

from mock_server.cli.output import FAILED, stop
from mock_server.cli.probe import ask, target_options


@click.command("ready")
@target_options
def command(url: str | None, port_file: str | None) -> None:
    """Ask a running sandbox whether it is ready; exit 0 or 1."""
    answer = ask(url, port_file)
    if not answer.ready:
        stop(FAILED, [f"not ready: {answer.said}"])
    click.echo(answer.said)
