"""The commands that act, each against a served sandbox: what they do, what they say, and how they end."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from mock_server.cli import COMMANDS, main
from mock_server.cli.acting import ACTS, commands_of, overrides
from mock_server.cli.output import Stop
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.events import EventType
from tests.running import RunningSandbox, call
from tests.webhooks.receivers import Receiver, answers

ID: Final = re.compile(r"\b(?:pay|ref|dp|man)_[A-Za-z0-9]{20}\b")
NAMES: Final = [f"{row.group} {row.word}".strip() for row in ACTS]


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver(answers()) as listening:
        yield listening


@pytest.fixture(scope="module")
def sandbox(receiver: Receiver) -> Iterator[RunningSandbox]:
    with RunningSandbox("--webhook-url", receiver.url) as running:
        yield running


@pytest.fixture
def terminal(sandbox: RunningSandbox, request: pytest.FixtureRequest) -> Terminal:
    """A terminal with a workspace of its own."""
    name = re.sub(r"\W", "", request.node.name)
    return Terminal(sandbox.base, f"snd_terminal_{name}")


class Terminal:
    """Types commands, in this process: starting Python is what these would spend their time on."""

    def __init__(self, url: str, key: str) -> None:
        self.env = {"PAYMENT_SANDBOX_URL": url, "PAYMENT_SANDBOX_API_KEY": key}

    def type(self, line: str) -> Result:
        return CliRunner().invoke(main, line.split(), env=self.env, prog_name="payment-sandbox")

    def says(self, line: str) -> str:
        """What a command prints that the sandbox did."""
        done = self.type(line)
        assert done.exit_code == 0, done.output
        return str(done.output)

    def json(self, line: str) -> Any:
        return json.loads(self.says(f"{line} --json"))

    def refused(self, line: str) -> str:
        done = self.type(line)
        assert done.exit_code == 1, done.output
        assert done.stdout == ""
        return str(done.stderr)


# the table


def test_every_row_is_an_operation_and_a_command() -> None:
    operations = {row.name for row in OPERATIONS} | {row.name for row in CONTROL_OPERATIONS}
    assert {row.operation for row in ACTS} <= operations
    assert len({row.operation for row in ACTS}) == len(ACTS), "none is written twice"
    assert {name.split()[0] for name in NAMES} <= {row.name for row in COMMANDS}


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_with_examples_and_the_common_options(name: str) -> None:
    said = CliRunner().invoke(main, [*name.split(), "--help"], prog_name="payment-sandbox").output
    assert f"  payment-sandbox {name}" in said.partition("Examples:")[2]
    assert all(option in said for option in ("--url", "--key", "--port-file", "--json"))


@pytest.mark.parametrize("row", ACTS, ids=NAMES)
def test_every_example_can_be_typed(row: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments and options of each example are those of its command."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow_bank.yaml").touch()
    for example in re.findall(r"payment-sandbox (.+)", row.help):
        words = example.split()
        group = words[0] if " ".join(words[:2]) in NAMES and len(words) > 1 else ""
        word, *said = words[1:] if group else words
        command = next(one for one in commands_of(group) if one.name == word)
        command.make_context(word, said).close()


# payments


def test_pay_without_words(terminal: Terminal) -> None:
    assert re.fullmatch(r"pay_\w{20} is succeeded: 65\.40 USD \(6540\)\n", terminal.says("pay"))
    made = terminal.json("pay")
    assert (made["status"], made["amount"], made["currency"], made["profile_id"]) == (
        "succeeded",
        6540,
        "USD",
        "pro_first_steps",
    )
    assert made["payment_method_data"]["card"]["last4"] == "4242"


def test_a_decline_is_an_answer(terminal: Terminal) -> None:
    lines = terminal.says("pay --card visa_insufficient_funds").splitlines()
    assert " is failed: 65.40 USD (6540)" in lines[0]
    assert lines[1] == "  Payment declined: insufficient funds (DC_08)"


def test_pay_in_other_words(terminal: Terminal) -> None:
    assert " is requires_capture: 1,000 JPY (1000)" in terminal.says(
        "pay --amount 1000 --currency JPY --manual-capture"
    )
    assert terminal.json("pay --card 4000000000000002")["status"] == "failed"
    assert terminal.json("pay --profile pro_mine")["profile_id"] == "pro_mine"
    assert terminal.json("pay --scenario decline_then_success")["status"] == "failed"


def test_a_challenge_is_ended_as_the_customer_does(terminal: Terminal) -> None:
    first, page = terminal.says("pay --three-ds").splitlines()
    assert " is requires_action: " in first
    assert page.startswith("  the customer continues at http://127.0.0.1:")
    assert " is succeeded: " in terminal.says("authenticate last")
    terminal.says("pay --three-ds")
    assert terminal.json("authenticate last declined")["status"] == "failed"


def test_money_is_set_aside_and_taken(terminal: Terminal) -> None:
    terminal.says("pay --manual-capture")
    assert ", 40.00 USD (4000) received" in terminal.says("capture last --amount 4000")
    held = terminal.json("pay --manual-capture")["payment_id"]
    assert terminal.says(f"cancel {held} --reason late").startswith(f"{held} is cancelled: ")


def test_a_review_is_decided(terminal: Terminal) -> None:
    for word, status in (("approve", "succeeded"), ("reject", "failed")):
        terminal.says("pay --card visa_review")
        assert f" is {status}: " in terminal.says(f"{word} last")


def test_refunds(terminal: Terminal) -> None:
    paid = terminal.json("pay")["payment_id"]
    said = terminal.says("refund last --amount 1000")
    assert re.fullmatch(rf"ref_\w{{20}} is succeeded: 10\.00 USD \(1000\) of {paid}\n", said)
    assert terminal.json(f"refund {paid} --amount 5540 --reason wrong")["reason"] == "wrong"
    terminal.says("pay --card visa_refund_fails")
    assert " is failed: " in terminal.says("refund last").splitlines()[0]


def test_what_is_pending_is_settled(terminal: Terminal) -> None:
    terminal.says("pay --card visa_pending_succeeds")
    assert " is succeeded: " in terminal.says("settle last")
    terminal.says("pay --card visa_pending_succeeds")
    assert terminal.json("settle last --as failed --decline settlement_failed")["status"] == "failed"
    terminal.says("pay --card visa_refund_pending")
    refund = terminal.json("refund last")["refund_id"]
    assert terminal.says(f"settle {refund} --as failed").startswith(f"{refund} is failed: ")


def test_a_dispute(terminal: Terminal) -> None:
    paid = terminal.json("pay")["payment_id"]
    first, second = terminal.says("dispute last --amount 1000").splitlines()
    assert re.fullmatch(rf"dp_\w{{20}} is dispute_opened: 10\.00 USD \(1000\) of {paid}, fraudulent", first)
    assert second.startswith("  evidence is due by 20")
    terminal.says("pay")
    assert terminal.json("dispute last --reason duplicate --stage pre_dispute")["dispute_stage"] == "pre_dispute"


# the workspace


def test_the_clock() -> None:
    with RunningSandbox() as own:  # without a receiver, no event waits for a busy machine to send it
        terminal = Terminal(own.base, "snd_terminal_of_the_clock")
        said = terminal.says("clock freeze --at 2026-01-31T09:05:00Z")
        assert said == "the clock is frozen at 2026-01-31T09:05:00.000Z\n"
        terminal.says("pay --manual-capture")
        assert "; 0 scheduled events happened\n  next scheduled event: " in terminal.says("clock advance 1s")
        assert terminal.json("clock advance 30d")["fired"]
        assert terminal.says("clock resume").splitlines()[0].startswith("the clock is running at ")
        assert terminal.json("clock freeze")["frozen"] is True


def test_reset_is_for_one_key_or_for_all(sandbox: RunningSandbox) -> None:
    with RunningSandbox() as own:
        one, two = Terminal(own.base, "snd_reset_one_one"), Terminal(own.base, "snd_reset_two_two")
        one.says("pay")
        two.says("pay")
        assert one.says("reset") == "workspaces reset: 1\n"
        assert "this workspace has no payment yet" in one.refused("refund last")
        assert one.json("reset --seed 42")["workspace"]["seed"] == "42"
        two.says("refund last")
        del two.env["PAYMENT_SANDBOX_API_KEY"]
        assert two.says("reset --all") == "workspaces reset: 2\n"


def test_search(terminal: Terminal) -> None:
    paid, failed = (terminal.json(line)["payment_id"] for line in ("pay --amount 4200", "pay --card visa_lost_card"))
    assert re.fullmatch(rf"\S+ payment {paid} 42\.00 USD \(4200\) succeeded .*\n", terminal.says("search 42.00"))
    assert [hit["id"] for hit in terminal.json("search lost_card")["data"]] == [failed]
    assert terminal.says("search nobody@example.test") == "no results\n"
    refused = terminal.type("search x")
    assert refused.exit_code == 1 and "must have 2 characters or more" in refused.output


def test_snapshots(terminal: Terminal) -> None:
    terminal.says("pay")
    assert re.fullmatch(r"snapshot paid saved: \d+ bytes\n", terminal.says("snapshot save paid"))
    terminal.says("reset")
    assert terminal.says("snapshot restore paid") == "snapshot paid restored; payments: 1, customers: 0\n"
    terminal.says("refund last")
    del terminal.env["PAYMENT_SANDBOX_API_KEY"]
    assert re.fullmatch(r"paid  \d+ bytes\n", terminal.says("snapshot list"))
    assert terminal.says("snapshot delete paid") == "snapshot paid deleted\n"
    assert terminal.says("snapshot list") == "there are no snapshots\n"


def test_scenarios(terminal: Terminal) -> None:
    assert terminal.says("scenarios on decline_then_success") == "scenario decline_then_success is on\n"
    assert " is failed: " in terminal.says("pay")
    assert terminal.says("scenarios off decline_then_success") == "scenario decline_then_success is off\n"
    assert "(did you mean lost_response?)" in terminal.refused("scenarios on lost_respons")


def test_what_comes_next(terminal: Terminal) -> None:
    assert terminal.says("scenarios next lost_card --times 2") == 'next charge: {"decline":"lost_card"}, 2 left\n'
    assert [terminal.json("pay")["status"] for _ in range(3)] == ["failed", "failed", "succeeded"]
    terminal.says("scenarios next pending")
    assert terminal.json("pay")["status"] == "pending"
    terminal.says("scenarios next challenge=declined")
    assert terminal.json("pay")["status"] == "requires_action"
    terminal.says("scenarios next failed --on refunds.create")
    terminal.says("pay")
    assert terminal.json("refund last")["status"] == "failed"


# events


@pytest.mark.parametrize("event", EventType)
def test_trigger_makes_what_an_event_takes(terminal: Terminal, event: EventType) -> None:
    told = terminal.json(f"trigger {event}")
    assert told["event_type"] == event
    assert ID.fullmatch(told["object_id"])
    found = told["body"]["content"]["object"]
    assert told["object_id"] in found.values()


def test_trigger_tells_of_what_is_there(terminal: Terminal) -> None:
    terminal.says("trigger dispute_opened")
    dispute = terminal.json("trigger dispute_won last")
    assert dispute["object_id"].startswith("dp_")
    payment = terminal.json("trigger payment_failed last --set status=failed --set metadata.order=42")
    assert payment["body"]["content"]["object"]["metadata"] == {"order": 42}
    assert terminal.says("trigger mandate_active").split()[1] == "mandate_active"


def test_trigger_says_where_a_scenario_decided_otherwise(terminal: Terminal) -> None:
    terminal.says("scenarios next lost_card")
    assert "no payment_succeeded was created" in terminal.refused("trigger payment_succeeded")


def test_resend(terminal: Terminal, receiver: Receiver) -> None:
    terminal.says("pay")
    lines = terminal.says("resend last").splitlines()
    assert lines[0].split()[1] == "payment_succeeded"
    assert lines[-1].startswith((f"  attempt 2 to {receiver.url}: answered 200 in ", "  attempt 1 "))
    event = terminal.json("resend last")
    assert event["made"]
    assert terminal.json(f"resend {event['event_id']}")["event_id"] == event["event_id"]


# how they end


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("refund pay_none", "pay_none"),
        ("capture last", "this workspace has no payment yet, so `last` means nothing: create one first"),
        ("resend last", "this workspace has no event yet"),
        ("trigger dispute_won last", "this workspace has no dispute yet"),
        ("clock freeze --at noon", "is not an ISO 8601 timestamp"),
        ("pay --amount 0 --currency XXX", "currency"),
        ("snapshot restore nothing", "nothing"),
        ("settle ref_none", "ref_none"),
        ("dispute pay_none", "pay_none"),
        ("trigger payment_failed pay_none", "pay_none"),
    ],
)
def test_refused_ends_with_1(terminal: Terminal, line: str, said: str) -> None:
    assert said in terminal.refused(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "pay --card visa_sucess",
            "visa_sucess is not a card (did you mean visa_success?)",
        ),
        ("pay --amount much", "--amount"),
        ("refund", "PAYMENT"),
        ("trigger payment_faild", "payment_faild is not an event (did you mean payment_failed?)"),
        ("trigger payment_failed --set a=1", "give its ID"),
        ("trigger payment_failed last --set a", "NAME=VALUE"),
        ("clock advnce 1h", "did you mean advance?"),
        ("snapshot sav x", "did you mean save?"),
        ("scenarios of x", "did you mean off?"),
        ("scenarios next insufficient_fund", "is neither a decline nor an outcome (did you mean insufficient_funds?)"),
        ("scenarios next a=1 a.b=2", "both as a value and as an object"),
        ("scenarios next pending later", "NAME=VALUE"),
        ("authenticate last maybe", "maybe"),
        ("pay --crad success", "--card"),
    ],
)
def test_called_wrongly_ends_with_2(terminal: Terminal, line: str, said: str) -> None:
    done = terminal.type(line)
    assert (done.exit_code, said in done.output) == (2, True), done.output


@pytest.mark.parametrize("name", NAMES)
def test_nobody_answers_ends_with_1_and_no_key_with_2(name: str) -> None:
    arguments = {
        "clock advance": ["1h"],
        "trigger": ["payment_failed"],
        "scenarios next": ["failed"],
        "scenarios put": [__file__],
    }
    command = next(one for one in commands_of(name.rpartition(" ")[0]) if one.name == name.split()[-1])
    needed = arguments.get(name, ["x"] if any(one.param_type_name == "argument" for one in command.params) else [])
    words = [*name.split(), *needed, "--url", "http://127.0.0.1:1"]
    nobody = CliRunner().invoke(main, [*words, "--key", "snd_nobody_0123"], env={"PAYMENT_SANDBOX_API_KEY": None})
    assert (nobody.exit_code, "cannot reach http" in nobody.stderr) == (1, True), nobody.output
    keyless = CliRunner().invoke(main, words, env={"PAYMENT_SANDBOX_API_KEY": None})
    needs_none = name in {"snapshot list", "snapshot delete"}
    assert keyless.exit_code == (1 if needs_none else 2), keyless.output
    assert needs_none or "PAYMENT_SANDBOX_API_KEY" in keyless.stderr


def test_json_is_the_apis_own_object(sandbox: RunningSandbox, terminal: Terminal) -> None:
    made = terminal.json("pay")
    request = urllib.request.Request(
        f"{sandbox.base}/payments/{made['payment_id']}", headers={"api-key": terminal.env["PAYMENT_SANDBOX_API_KEY"]}
    )
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer) == made
    assert terminal.json("snapshot list") == {"data": [], "total_count": 0}


def test_a_process_of_its_own(sandbox: RunningSandbox) -> None:
    """As somebody types it, with nothing of this process."""
    done = call("pay", "--url", sandbox.base, "--key", "snd_own_process_1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" is succeeded: 65.40 USD (6540)\n")


WORDS: Final = ("a=1", "a=2", "a.b=1", "a.b=2", "a.c=1", "a.b.c=1", "b=1", "a.b.c=2")


@pytest.mark.parametrize("first", WORDS)
@pytest.mark.parametrize("second", WORDS)
def test_each_value_is_said_once(first: str, second: str) -> None:
    """Of two for one name the first would be lost: an equal one, one in it, one around it, in any order."""
    one, other = (tuple(word.partition("=")[0].split(".")) for word in (first, second))
    is_twice = one[: len(other)] == other[: len(one)]
    if is_twice:
        with pytest.raises(Stop, match="is given twice"):
            overrides((first, second))
    else:
        assert overrides((first, second)) == overrides((second, first))
