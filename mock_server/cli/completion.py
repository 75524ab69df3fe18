"""`payment-sandbox completion`, and the cards, events and scenarios that a shell offers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from mock_server.cli.output import offers
from mock_server.domain.cards import CARDS
from mock_server.domain.events import EventType
from mock_server.settings import ENVIRONMENT_PREFIX

PROGRAM: Final = "payment-sandbox"


def _scenarios() -> Iterable[str]:
    from mock_server.scenario.loading.library import bundled_files
    from mock_server.scenario.loading.sources import files_in

    own = os.environ.get(f"{ENVIRONMENT_PREFIX}SCENARIOS")
    paths = files_in(Path(own)) if own else []
    return dict.fromkeys([*(path.stem for path in paths), *bundled_files()])


def scenarios_and_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer scenarios by name, or files if no name matches."""
    return scenarios(ctx, param, incomplete) or [CompletionItem(incomplete, type="file")]


cards: Final = offers(lambda: (card.name for card in CARDS if card.listed))
events: Final = offers(lambda: EventType)
scenarios: Final = offers(_scenarios)
last: Final = offers(lambda: ("last",))


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a shell script that completes commands, options, cards, events and scenarios.

    \b
    bash, in ~/.bashrc:   eval "$(payment-sandbox completion bash)"
    zsh, in ~/.zshrc:     eval "$(payment-sandbox completion zsh)"     (after compinit)
    fish, once:           payment-sandbox completion fish > ~/.config/fish/completions/payment-sandbox.fish
    """
    made = get_completion_class(shell)
    assert made is not None
    variable = f"_{PROGRAM}_COMPLETE".replace("-", "_").upper()
    click.echo(made(ctx.find_root().command, {}, PROGRAM, variable).source())
