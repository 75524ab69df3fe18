"""`payment-sandbox openapi`."""

from __future__ import annotations

import click

from mock_server.cli.environment import read_settings


@click.command("openapi")
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML.")
def command(as_yaml: bool) -> None:
    """Print the OpenAPI document of the API and the control API, in the words of the dialect that is set."""
    from mock_server.dialects import get
    from mock_server.openapi.document import document

    made = document(get(read_settings({}).settings.dialect))
    if as_yaml:
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        click.echo(yaml.dump(made, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110))
    else:
        from mock_server.cli.output import json_text

        click.echo(json_text(made))
