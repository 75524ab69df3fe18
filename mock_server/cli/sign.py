"""`payment-sandbox sign`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mock_server.cli.asking import key_of
from mock_server.cli.environment import read_settings
from mock_server.cli.output import FAILED, json_text, stop


@click.command("sign")
@click.argument("file", default="-")
@click.option("--secret", help="What signs it; without it the setting webhook_secret, else what follows from the key.")
@click.option("--key", help="The secret key whose workspace would send it; without it PAYMENT_SANDBOX_API_KEY.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(file: str, secret: str | None, key: str | None, as_json: bool) -> None:
    """Print the headers that a body in FILE (or on standard input) is sent with; no sandbox need run."""
    from mock_server.webhooks.signing import headers

    made = headers(_read(file), secret or _secret(key), {})
    click.echo(json_text(dict(made)) if as_json else "\n".join(f"{name}: {value}" for name, value in made))


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as wrong:
        stop(FAILED, [f"cannot read {file}: {wrong.strerror}"])


def _secret(key: str | None) -> str:
    """Return what signs a workspace's events where nobody said otherwise: the same in every run."""
    from mock_server.sandbox import identity

    set_here: str | None = read_settings({}).settings.webhook_secret
    return set_here or identity.make(identity.name_of(key_of(key)), None, 0).webhook_secret
