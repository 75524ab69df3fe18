"""`tail` of events, `trigger` and `sign`, against a sandbox in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.settings import Settings
from tests.cli.over_http import ask, signature
from tests.running import COMMAND, RunningSandbox, begun, call, environment
from tests.webhooks.receivers import Receiver, answers
from tests.wire import KEY, card_payment


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver(answers(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")) as listening:
        yield listening


@pytest.fixture(scope="module")
def sandbox(receiver: Receiver) -> Iterator[RunningSandbox]:
    with RunningSandbox("--webhook-url", receiver.url) as running:
        yield running


@pytest.fixture(scope="module")
def paid(sandbox: RunningSandbox) -> str:
    """A payment whose event was refused once."""
    made = ask(sandbox, "POST", "/payments", {**card_payment(), "confirm": True})["payment_id"]
    assert ask(sandbox, "GET", "/_sandbox/webhooks?delivered=false&wait=10m")["total_count"] == 1
    return str(made)


def run(sandbox: RunningSandbox, *arguments: str) -> subprocess.CompletedProcess[str]:
    return call(*arguments, "--url", sandbox.base, "--key", KEY)


def test_tail_prints_events_and_what_came_of_them(sandbox: RunningSandbox, paid: str, receiver: Receiver) -> None:
    lines = run(sandbox, "tail", "--no-follow", "--payment-id", paid, "--type", "payment_succeeded").stdout.splitlines()
    assert lines[1].split()[1:4] == ["event", "payment_succeeded", paid]
    assert f"  attempt 1 of payment_succeeded {paid} to {receiver.url}: answered 503 in " in lines[2]
    assert lines[3].strip().startswith("next attempt at 20")


def test_tail_as_json_is_the_control_apis_event_a_line(sandbox: RunningSandbox, paid: str) -> None:
    printed = run(sandbox, "tail", "--no-follow", "--json", "--type", "payment_succeeded").stdout
    event, delivery = map(json.loads, printed.splitlines())
    found = ask(sandbox, "GET", f"/_sandbox/webhooks/{event['event_id']}")
    assert event == {"entry": "event", **found}
    assert found["deliveries"] == [{name: delivery[name] for name in found["deliveries"][0]}]


def test_tail_goes_on_with_what_comes(sandbox: RunningSandbox, paid: str) -> None:
    narrowed = ("--lines", "10", "--payment-id", paid)
    with begun("tail", *narrowed, "--url", sandbox.base, "--key", KEY) as following:
        assert following.stdout is not None
        ask(sandbox, "POST", f"/_sandbox/payments/{paid}/dispute", {"reason": "fraudulent"})
        seen: list[str] = []
        while not seen or "dispute_opened" not in seen[-1]:
            seen.append(following.stdout.readline())
    assert any("payment_succeeded" in line for line in seen)


def test_tail_can_begin_with_nothing(sandbox: RunningSandbox, paid: str) -> None:
    assert run(sandbox, "tail", "--no-follow", "--lines", "0").stdout == ""


def test_trigger_tells_an_event(sandbox: RunningSandbox, paid: str) -> None:
    values = ["--set", "status=failed", "--set", "metadata.order=42", "--set", "metadata.note=a b"]
    printed = run(sandbox, "trigger", "payment_failed", paid, *values, "--json").stdout
    shown = json.loads(printed)["body"]["content"]["object"]
    assert (shown["status"], shown["metadata"]) == ("failed", {"order": 42, "note": "a b"})
    line = run(sandbox, "trigger", "payment_expired", paid).stdout
    assert line.split()[1:3] == ["payment_expired", paid]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["trigger", "payment_failed", "pay_none"], 1, "pay_none"),
        (["trigger", "payment_lost", "pay_none"], 2, "did you mean payment_failed?"),
        (["trigger", "payment_failed", "pay_none", "--set", "status"], 2, "NAME=VALUE"),
        (
            ["trigger", "payment_failed", "pay_none", "--set", "a=1", "--set", "a.b=1"],
            2,
            "both as a value and as an object",
        ),
        (["tail", "--type", "payment_lost", "--no-follow"], 1, "type"),
    ],
)
def test_what_goes_wrong_is_said(sandbox: RunningSandbox, arguments: list[str], code: int, said: str) -> None:
    result = run(sandbox, *arguments)
    assert (result.returncode, said in result.stderr) == (code, True), result.stderr
    assert "Traceback" not in result.stderr


def test_nobody_answers() -> None:
    result = call("tail", "--no-follow", "--url", "http://127.0.0.1:1", "--key", KEY)
    assert (result.returncode, "cannot reach" in result.stderr) == (1, True)
    result = call("tail", "--no-follow", "--url", "http://127.0.0.1:1")
    assert (result.returncode, "PAYMENT_SANDBOX_API_KEY" in result.stderr) == (2, True)


# sign


def test_sign_needs_no_sandbox(tmp_path: Path) -> None:
    body = b'{"a": 1}\n'
    (tmp_path / "body.json").write_bytes(body)
    lines = call("sign", str(tmp_path / "body.json"), "--secret", "mine").stdout.splitlines()
    assert lines[0] == "Content-Type: application/json"
    assert lines[-1] == f"X-Webhook-Signature-512: {signature('mine', body)}"
    printed = CliRunner().invoke(main, ["sign", "--secret", "mine", "--json"], input=body).output
    assert json.loads(printed)["X-Webhook-Signature-512"] == signature("mine", body)


def test_sign_knows_the_secret_that_follows_from_the_key(sandbox: RunningSandbox) -> None:
    secret = ask(sandbox, "GET", "/_sandbox/webhooks/target")["secret"]
    printed = CliRunner().invoke(main, ["sign", "--key", KEY, "--json"], input=b"x").output
    assert json.loads(printed)["X-Webhook-Signature-512"] == signature(secret, b"x")


def test_sign_takes_the_setting_first() -> None:
    printed = call("sign", "/dev/null", "--json", PAYMENT_SANDBOX_WEBHOOK_SECRET="set").stdout
    assert json.loads(printed)["X-Webhook-Signature-512"] == signature("set", b"")


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("from_file", [True, False])
def test_sign_takes_as_much_from_either_side_as_the_server_does(tmp_path: Path, from_file: bool, more: int) -> None:
    file = tmp_path / "body.json"
    with file.open("wb") as sparse:
        sparse.truncate(Settings().max_control_body + more)
    signing = [*COMMAND, "sign", str(file) if from_file else "-", "--secret", "mine"]
    with file.open("rb") as given:
        done = subprocess.run(signing, stdin=given, capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode == 0) is (more == 0), done.stderr
    assert ("it has more than 67,108,864 bytes" in done.stderr) is (more == 1)


def test_sign_what_is_not_there() -> None:
    result = call("sign", "no-such-file", "--secret", "x")
    assert (result.returncode, "no-such-file: No such file" in result.stderr) == (2, True)


def test_serve_says_where_events_go_and_what_signs_them() -> None:
    """One flag is enough for the first webhook: address and secret stand beside the first call."""
    command = [*COMMAND, "serve", "--port", "0", "--webhook-url", "http://127.0.0.1:9/hook"]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(11)]
        process.terminate()
    signed = signature(lines[-1].partition("signed with ")[2].partition(" ")[0], b"x")
    assert lines[-1].startswith("Webhooks are sent to http://127.0.0.1:9/hook, signed with ")
    printed = CliRunner().invoke(main, ["sign", "--key", "snd_first_steps", "--json"], input=b"x").output
    assert json.loads(printed)["X-Webhook-Signature-512"] == signed


def test_serve_keeps_a_secret_that_was_set() -> None:
    from mock_server.cli.serving import ready_text
    from mock_server.settings import Settings

    text = ready_text("http://x", Settings(webhook_url="http://127.0.0.1:9/hook", webhook_secret="mine alone"))
    assert text.endswith("signed with the setting webhook_secret.\n")
    assert "mine alone" not in text
    assert "Webhooks" not in ready_text("http://x", Settings())
