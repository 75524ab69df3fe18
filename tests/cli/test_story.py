"""`timeline` and `tail`, against a sandbox in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from tests.cli.over_http import ask
from tests.running import COMMAND, RunningSandbox, begun, environment
from tests.webhooks.receivers import Receiver, answers
from tests.wire import KEY, card_payment

PAINT: Final = re.compile(r"\x1b\[[\d;]*m")
EVIL: Final = "\x1b[2J\x1b]0:gone\x07\r\x9b1A"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    with (
        Receiver(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) as receiver,
        RunningSandbox("--webhook-url", receiver.url) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def paid(sandbox: RunningSandbox) -> list[str]:
    """Two payments, the second one declined, their events delivered, and a call that finds nothing."""
    made = [
        ask(sandbox, "POST", "/payments", {**card_payment(card), "confirm": True})["payment_id"]
        for card in ("success", "visa_insufficient_funds")
    ]
    assert ask(sandbox, "GET", "/_sandbox/webhooks?delivered=true&wait=10m&count=2")["total_count"] == 2
    with pytest.raises(HTTPError, match="404") as refused:
        ask(sandbox, "GET", f"/payments/{quote(EVIL)}")
    refused.value.close()
    return made


def run(sandbox: RunningSandbox, *arguments: str, **variables: str) -> str:
    """What a command prints, in this process: starting Python is what these would spend their time on."""
    told = {"PAYMENT_SANDBOX_URL": sandbox.base, "PAYMENT_SANDBOX_API_KEY": KEY, **variables}
    ran = CliRunner().invoke(main, list(arguments), env=told, color=True)
    assert ran.exit_code == 0, ran.output
    return str(ran.output)


# timeline


def test_a_timeline_is_the_control_apis_text(sandbox: RunningSandbox, paid: list[str]) -> None:
    printed = run(sandbox, "timeline", paid[0])
    assert "POST /payments" in printed
    assert "because card visa_success: succeeded" in printed
    assert "payment_succeeded" in printed
    assert "\x1b" not in printed


def test_last_is_the_newest_payment(sandbox: RunningSandbox, paid: list[str]) -> None:
    assert run(sandbox, "timeline", "last") == run(sandbox, "timeline", paid[-1])
    assert json.loads(run(sandbox, "timeline", "last", "--format", "json"))["payment_id"] == paid[-1]
    assert run(sandbox, "why", "last").startswith(f"{paid[-1]} is failed")


def test_where_nothing_was_paid_there_is_no_last(sandbox: RunningSandbox) -> None:
    ran = CliRunner().invoke(
        main, ["timeline", "last", "--key", "snd_nobody_paid_here"], env={"PAYMENT_SANDBOX_URL": sandbox.base}
    )
    assert (ran.exit_code, "no payment last" in ran.output) == (1, True)


@pytest.mark.parametrize(("form", "begins"), [("mermaid", "sequenceDiagram"), ("svg", "<svg"), ("json", "{")])
def test_a_timeline_in_other_forms(
    sandbox: RunningSandbox, paid: list[str], form: str, begins: str, tmp_path: Path
) -> None:
    printed = run(sandbox, "timeline", paid[0], "--format", form)
    assert printed.startswith(begins)
    file = tmp_path / "story"
    assert run(sandbox, "timeline", paid[0], "--format", form, "-o", str(file)) == ""
    assert file.read_text("utf-8") == printed


def test_a_file_that_cannot_be_written_is_said(sandbox: RunningSandbox, paid: list[str]) -> None:
    told = {"PAYMENT_SANDBOX_URL": sandbox.base, "PAYMENT_SANDBOX_API_KEY": KEY}
    ran = CliRunner().invoke(main, ["timeline", "last", "-o", "/nowhere/at/all"], env=told)
    assert (ran.exit_code, "cannot write /nowhere/at/all" in ran.output) == (2, True)


# colours

COLOURS: Final = [
    (["--colour", "always"], {}, True),
    (["--color", "always"], {"NO_COLOR": "1"}, True),
    (["--colour", "never"], {}, False),
    ([], {}, False),
]


@pytest.mark.parametrize(("flags", "variables", "coloured"), COLOURS)
@pytest.mark.parametrize(
    "command", [["timeline", "last"], ["tail", "--no-follow"], ["why", "last"]], ids=lambda command: command[0]
)
def test_colours_are_used_where_they_are_wanted(
    sandbox: RunningSandbox,
    paid: list[str],
    command: list[str],
    flags: list[str],
    variables: dict[str, str],
    coloured: bool,
) -> None:
    printed = run(sandbox, *command, *flags, **variables)
    assert bool(PAINT.search(printed)) is coloured
    assert PAINT.sub("", printed) == run(sandbox, *command)


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_has_colours_unless_told_otherwise(
    sandbox: RunningSandbox, paid: list[str], no_color: str, coloured: bool
) -> None:
    told = environment(PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY, NO_COLOR=no_color, TERM="xterm")
    assert bool(PAINT.search(in_a_terminal([*COMMAND, "timeline", "last"], told))) is coloured


def in_a_terminal(command: list[str], variables: dict[str, str]) -> str:
    import os
    import pty

    ours, theirs = pty.openpty()
    subprocess.run(command, env=variables, stdout=theirs, check=True)
    os.close(theirs)
    printed = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # how Linux says that nobody writes any more
            piece = b""
        if not piece:
            break
        printed += piece
    os.close(ours)
    return printed.decode()


# tail


def test_tail_is_narrowed_to_calls(sandbox: RunningSandbox, paid: list[str]) -> None:
    every = run(sandbox, "tail", "--no-follow", "--operation", "payments.*", "--json").splitlines()
    assert every and all(json.loads(line)["operation"].startswith("payments.") for line in every)
    assert run(sandbox, "tail", "--no-follow", "--status", "5xx").strip() == ""


def test_why_ends_with_the_link_to_its_page(sandbox: RunningSandbox, paid: list[str]) -> None:
    assert run(sandbox, "why", paid[1]).splitlines()[-1].endswith(f"/payments/{paid[1]}")


def test_tail_prints_calls_decisions_events_and_deliveries(sandbox: RunningSandbox, paid: list[str]) -> None:
    lines = run(sandbox, "tail", "--no-follow", "--payment-id", paid[1]).splitlines()
    day = lines.pop(0)
    assert len(lines) == 4 and re.fullmatch(r"\d{4}-\d\d-\d\d", day), "the date, where it changes"
    assert lines[0].split()[1:] == ["POST", "/payments", "payments.create", "->", "200", paid[1]]
    assert lines[1].strip().startswith("because card visa_insufficient_funds: failed")
    assert lines[2].split()[1:4] == ["event", "payment_failed", paid[1]]
    assert f"attempt 1 of payment_failed {paid[1]} to " in lines[3]
    assert "answered 200 in " in lines[3]


def test_as_many_lines_as_were_asked_for(sandbox: RunningSandbox, paid: list[str]) -> None:
    kinds = [json.loads(line)["entry"] for line in run(sandbox, "tail", "--no-follow", "--json").splitlines()]
    assert sorted(kinds) == ["call"] * 3 + ["delivery"] * 2 + ["event"] * 2
    assert len(run(sandbox, "tail", "--no-follow", "--json", "--lines", "2").splitlines()) == 2
    assert run(sandbox, "tail", "--no-follow", "--lines", "0") == ""


def test_json_is_what_the_control_api_says(sandbox: RunningSandbox, paid: list[str]) -> None:
    printed = run(sandbox, "tail", "--no-follow", "--json", "--payment-id", paid[0])
    call, event, delivery = map(json.loads, printed.splitlines())
    assert [one.pop("entry") for one in (call, event, delivery)] == ["call", "event", "delivery"]
    (line,) = ask(sandbox, "GET", f"/_sandbox/journal?payment_id={paid[0]}")["data"]
    assert call == line
    whole = ask(sandbox, "GET", f"/_sandbox/webhooks/{event['event_id']}")
    assert event == whole
    assert delivery.items() >= whole["deliveries"][0].items()
    assert (delivery["event_type"], delivery["payment_id"]) == ("payment_succeeded", paid[0])


@pytest.mark.parametrize("colour", ["always", "never"])
def test_nothing_that_a_caller_sent_steers_the_terminal(sandbox: RunningSandbox, paid: list[str], colour: str) -> None:
    printed = PAINT.sub("", run(sandbox, "tail", "--no-follow", "--colour", colour))
    assert "�[2J" in printed
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", printed)


def test_tail_goes_on_with_what_comes(sandbox: RunningSandbox) -> None:
    """It is started anew: a fork has all modules of the server, and would not miss one that it forgets to import."""
    own = "snd_another_workspace"  # the other tests count the lines of theirs
    ask(sandbox, "GET", "/payments/list", key=own)
    with begun("tail", "--lines", "1", "--json", "--url", sandbox.base, "--key", own, anew=True) as tail:
        assert tail.stdout is not None
        seen: list[dict[str, Any]] = [json.loads(tail.stdout.readline())]
        made = ask(sandbox, "POST", "/payments", {**card_payment(), "confirm": True}, own)["payment_id"]
        seen += [json.loads(tail.stdout.readline()) for _ in range(3)]
    assert {one["entry"] for one in seen[1:]} == {"call", "event", "delivery"}
    assert {one["payment_id"] for one in seen[1:]} == {made}
