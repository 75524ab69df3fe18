"""Completion: what is offered where, and that two shells in a terminal offer it."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.shell_completion import BashComplete

from mock_server.cli import COMMANDS, main
from mock_server.domain.cards import CARDS
from mock_server.domain.events import EventType
from tests.running import call, environment

VARIABLE: Final = "_PAYMENT_SANDBOX_COMPLETE"
BEGINS: Final = {
    "bash": (["--norc", "--noprofile", "-i"], ""),
    "zsh": (["-f", "-i"], "autoload -Uz compinit; compinit -u -D; "),
}


def offered(*words: str) -> set[str]:
    """What is offered for the last word."""
    found = BashComplete(main, {}, "payment-sandbox", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return {one.value for one in found}


def test_commands_and_options() -> None:
    assert offered("") == {row.name for row in COMMANDS}
    assert offered("snap") == {"snapshot"}
    assert offered("snapshot", "") == {"save", "restore", "list", "delete"}
    assert {"on", "off", "next", "check"} <= offered("scenarios", "")
    assert {"--card", "--three-ds", "--url"} <= offered("pay", "--")
    assert "--version" in offered("--v")


@pytest.mark.parametrize("place", ["scenarios on", "scenarios off", "scenarios play", "pay --scenario"])
def test_scenarios(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(*place.split(), "lost_") == {"lost_response"}
    (tmp_path / "mine_alone.yaml").write_text("")
    monkeypatch.setenv("PAYMENT_SANDBOX_SCENARIOS", str(tmp_path))
    assert offered(*place.split(), "mine") == {"mine_alone"}


def test_cards_events_and_the_rest() -> None:
    assert offered("pay", "--card", "") == {card.name for card in CARDS if card.listed}
    assert offered("trigger", "") == set(EventType)
    assert offered("tail", "--type", "payment_f") == {"payment_failed"}
    assert offered("listen", "--type", "refund_") == {"refund_succeeded", "refund_failed"}
    assert offered("refund", "l") == offered("why", "") == offered("timeline", "") == {"last"}
    assert offered("dispute", "last", "--reason", "fraud") == {"fraudulent"}
    assert {"insufficient_funds", "pending"} <= offered("scenarios", "next", "")
    assert offered("completion", "") == {"bash", "zsh", "fish"}


def test_words_of_settings() -> None:
    assert offered("serve", "--log-level", "") == {"debug", "info", "warning", "error"}
    assert offered("serve", "--log-format", "j") == {"json"}
    assert offered("serve", "--unknown-cards", "s") == {"succeed"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script(shell: str) -> None:
    done = call("completion", shell)
    assert (done.returncode, f"{VARIABLE}={shell}_complete" in done.stdout) == (0, True)
    assert call("completion", "csh").returncode == 2


@pytest.mark.parametrize("shell", BEGINS)
def test_a_shell_in_a_terminal_completes(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here, so its completion was not tried")
    flags, begin = BEGINS[shell]
    master, slave = pty.openpty()
    bins = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = environment(PATH=bins, TERM="vt100", PS1="$ ", HOME=os.devnull)
    with subprocess.Popen(
        [shell, *flags], stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True
    ) as process:
        try:
            os.close(slave)
            typed(master, f'{begin}eval "$(payment-sandbox completion {shell})"; echo rea""dy\n', "ready")
            typed(master, "payment-sandbox pay --card visa_insuf\t", "visa_insufficient_funds")
            typed(master, " --scenario lost_resp\t", "lost_response")
        finally:
            process.kill()
            os.close(master)


def typed(terminal: int, keys: str, shows: str) -> None:
    """Type, and read until the terminal shows it."""
    os.write(terminal, keys.encode())
    seen = ""
    while shows not in seen:
        seen += os.read(terminal, 4096).decode("utf-8", "replace")
