"""`payment-sandbox version`."""

from __future__ import annotations

import click

from mock_server import __version__


@click.command("version")
def command() -> None:
    """Print the version."""
    click.echo(f"payment-sandbox {__version__}")
