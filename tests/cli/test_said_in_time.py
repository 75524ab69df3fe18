"""What a command does not do as it was meant is said, in one sentence, at the moment, and with nothing secret in it.

Variables that are misspelled, passwords in addresses, an event that the queue prevented, rows that came too fast, a
time limit, a file of another version, and a command of an advice that a shell has to run.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import click
import pytest

from mock_server.cli.asking import ServerAddress, warn_of_variable
from mock_server.cli.following import MOST, Followed
from mock_server.cli.looking import LOOKS, LookRow
from mock_server.domain.events import EventType
from mock_server.settings import ROWS
from mock_server.settings.load import KNOWN_ELSEWHERE
from mock_server.verdict.outcomes import Met, from_json
from tests.cli.leaves import LEAVES, NOWHERE, READY, complaint, typed
from tests.counts import times
from tests.running import RunningSandbox
from tests.scenario.misspelling import KINDS, misspelled

VARIABLES: Final = sorted({row.variable for row in ROWS.values()} | KNOWN_ELSEWHERE)
PASSWORD: Final = "hush-hush"


@pytest.mark.parametrize("name", Random(1).sample(VARIABLES, times(4, soak=len(VARIABLES))))
@pytest.mark.parametrize("command", ["ready", "pay", "payments --json"])
def test_a_variable_that_is_misspelled_is_named(name: str, command: str) -> None:
    draw = Random(name)
    for kind in KINDS:
        warn_of_variable.cache_clear()
        wrong = "PAYMENT_SANDBOX_" + misspelled(name.removeprefix("PAYMENT_SANDBOX_"), kind, draw)
        done = typed([*command.split(), "--url", NOWHERE], **{wrong: "1"})
        assert done.stderr.count(wrong) == (wrong not in VARIABLES), done.stderr


def addresses() -> Iterator[tuple[str, list[str]]]:
    """Each place of each command where an address is given, and its words with one that has a password."""
    url = f"http://shop:{PASSWORD}@127.0.0.1:1/"
    for leaf in LEAVES:
        for param in leaf.command.params:
            if isinstance(param.type, ServerAddress):
                words = [param.opts[0], url] if isinstance(param, click.Option) else []
                line = [url if isinstance(param, click.Argument) and "://" in word else word for word in leaf.line]
                yield f"{leaf.name} {param.opts[0]}", [*line, *words]


@pytest.mark.parametrize(("place", "words"), [*addresses()], ids=lambda one: one if isinstance(one, str) else "")
def test_no_password_of_an_address_is_shown(place: str, words: list[str]) -> None:
    assert PASSWORD not in complaint(typed(words), 2), place


@pytest.mark.parametrize("name", ["pay", *sorted(READY)])
def test_no_password_of_a_variable_is_shown(name: str) -> None:
    done = typed([name], PAYMENT_SANDBOX_URL=f"http://shop:{PASSWORD}@127.0.0.1:1/")
    assert done.exit_code == 2 and PASSWORD not in done.output


OUTCOMES: Final = ("failed", "pending", "requires_action")
PREVENTED: Final = [(event, outcome) for event in EventType for outcome in OUTCOMES]


@pytest.mark.parametrize(("event", "outcome"), Random(2).sample(PREVENTED, times(6, soak=len(PREVENTED))))
def test_an_event_that_the_queue_prevents(event: EventType, outcome: str, sandbox: RunningSandbox) -> None:
    own = ["--url", sandbox.base, "--key", f"snd_prevented_{event}_{outcome}"]
    assert typed(["scenarios", "next", outcome, *own]).exit_code == 0
    done = typed(["trigger", event, *own])
    assert (done.exit_code == 0 and str(event) in done.stdout) or complaint(done, 1)


def test_an_event_of_an_object_that_was_not_made(sandbox: RunningSandbox) -> None:
    own = ["--url", sandbox.base, "--key", "snd_prevented_for_sure"]
    typed(["scenarios", "next", "failed", *own])
    assert "no mandate_revoked was created" in complaint(typed(["trigger", "mandate_revoked", *own]), 1)


@pytest.fixture(scope="module")
def some_of_each(sandbox: RunningSandbox) -> list[str]:
    """The options of a workspace with several objects of each kind."""
    own = ["--url", sandbox.base, "--key", "snd_some_of_each_1"]
    for event in ("dispute_opened", "refund_succeeded", "mandate_active") * 2:
        assert typed(["trigger", event, *own]).exit_code == 0
    return own


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("row", LOOKS, ids=lambda row: row.name)
def test_a_list_that_is_cut_says_so(row: LookRow, limit: int, some_of_each: list[str]) -> None:
    words = [row.name, "--limit", str(limit), *some_of_each]
    page, lines = json.loads(typed([*words, "--json"]).stdout), typed(words).stdout.splitlines()
    assert page["total_count"] >= 2
    cut = f"{page['total_count']} {row.name}, {len(page['data'])} listed"
    assert (lines[-1] == cut) == (page["total_count"] > limit), lines


class Journal:
    """A journal that answers as the control API does: of more rows than asked for, the newest."""

    is_away = False

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def grow(self, count: int) -> None:
        for number in range(len(self.rows) + 1, len(self.rows) + count + 1):
            self.rows.append({"number": number, "request_id": f"req_{number}", "at": str(number)})

    def get(self, _path: str, *, limit: int, after: int = 0, **_more: object) -> Any:
        found = self.rows[after:]
        return {"data": found[-limit:], "total_count": len(found)}


@pytest.mark.parametrize("come", [0, 1, MOST - 2, MOST - 1, MOST, MOST + 1, MOST + 500, 3 * MOST])
@pytest.mark.parametrize("there", [1, 7])
def test_rows_that_come_too_fast_are_counted(there: int, come: int, capsys: pytest.CaptureFixture[str]) -> None:
    journal = Journal()
    journal.grow(there)
    followed = Followed(journal, "journal", ("request_id", "at"), {})  # type: ignore[arg-type]  # as its calls are
    followed.so_far(1)
    journal.grow(come)
    rows, said = followed.more(), capsys.readouterr().err
    counted = re.search(r"came too fast: ([\d,]+);", said)
    assert len(rows) + (int(counted[1].replace(",", "")) if counted else 0) == come, said
    assert bool(said) == (len(rows) < come)
    journal.grow(2)
    assert len(followed.more()) == 2 and not capsys.readouterr().err


def test_it_waits_no_longer_than_it_was_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        said = complaint(typed(["wait", "--timeout", "200ms", "--url", f"127.0.0.1:{silent.getsockname()[1]}"]), 1)
    assert re.search(r"no answer within 0\.\d+ s", said), said


@pytest.mark.parametrize("name", ["payments.crate", "card visa_succes", ""])
def test_a_coverage_file_of_another_version(name: str, tmp_path: Path) -> None:
    file = tmp_path / "coverage.json"
    file.write_text(json.dumps(Met(frozenset({name}), {}).as_json()))
    assert f"there is no operation {name!r}" in complaint(typed(["coverage", "combine", str(file)]), 2)
    with pytest.raises(ValueError, match="there is no operation"):
        from_json(json.loads(file.read_text()))


@pytest.mark.parametrize("folder", ["a b", "it's", "$HOME", "a;b", "ü", 'say "x"', "*"])
def test_a_shell_runs_the_line_that_is_advised(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = typed(["scenarios", "new", "shop", "--dir", folder])
    advised = shlex.split(made.stdout.partition("Run it:")[2])
    assert (advised[0], typed(advised[1:]).exit_code) == ("payment-sandbox", 0)
