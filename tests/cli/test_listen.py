"""`listen`: events of a sandbox, sent on to where only this machine reaches."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

import pytest

from tests.cli.over_http import ask, signature
from tests.counts import SOAK
from tests.running import Process, RunningSandbox, begun, call
from tests.webhooks.receivers import Receiver, answers, leaves
from tests.wire import KEY, card_payment


def listening(sandbox: RunningSandbox, url: str, *flags: str) -> AbstractContextManager[Process]:
    return begun("listen", "--forward-to", url, "--url", sandbox.base, "--key", KEY, *flags)


def line(process: Process) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def pay(sandbox: RunningSandbox, card: str = "success") -> str:
    return str(ask(sandbox, "POST", "/payments", {**card_payment(card), "confirm": True})["payment_id"])


def test_the_very_bytes_and_headers_are_posted(sandbox: RunningSandbox) -> None:
    before = pay(sandbox)
    ask(sandbox, "PUT", "/_sandbox/webhooks/target", {"secret": "whsec_of_the_receiver"})
    with (
        Receiver(answers(b"HTTP/1.1 202 Taken\r\nContent-Length: 6\r\n\r\nthanks")) as receiver,
        listening(sandbox, f"{receiver.url}?a=1") as process,
    ):
        first = line(process)
        paid = pay(sandbox)
        assert line(process).split()[1:3] == ["payment_succeeded", paid]
        assert line(process) == "  answered 202 thanks"
        (request,) = receiver.requests
    head, _, body = request.partition(b"\r\n\r\n")
    (event,) = ask(sandbox, "GET", f"/_sandbox/webhooks?payment_id={paid}")["data"]
    assert body == event["payload"].encode()
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /hook?a=1 HTTP/1.1"
    assert [one.partition(":")[0] for one in lines[1:4]] == ["Host", "Accept-Encoding", "Content-Length"]
    assert lines[4:] == [f"{name}: {value}" for name, value in event["headers"]], "as a delivery sends them"
    secret = first.rpartition(" ")[2]
    assert secret == "whsec_of_the_receiver"
    assert f"X-Webhook-Signature-512: {signature(secret, body)}" in lines
    assert before not in body.decode(), "only what is told from now on"
    assert (event["deliveries"], event["attempts"]) == ([], 0), "it is not a delivery attempt"
    assert ask(sandbox, "GET", "/_sandbox/webhooks/target")["url"] is None, "and changes no target"


def test_nobody_there_is_an_answer_too(sandbox: RunningSandbox) -> None:
    with Receiver(leaves) as receiver, listening(sandbox, receiver.url) as process:
        line(process)
        pay(sandbox)
        line(process)
        assert line(process).startswith(f"  cannot reach {receiver.url}: ")
    with listening(sandbox, "http://127.0.0.1:1") as process:
        line(process)
        pay(sandbox)
        line(process)
        assert line(process).startswith("  cannot reach http://127.0.0.1:1: ")


def test_it_goes_on_after_a_reset(sandbox: RunningSandbox) -> None:
    ask(sandbox, "POST", "/_sandbox/reset", {})
    with Receiver() as receiver, listening(sandbox, receiver.url) as process:
        line(process)
        ask(sandbox, "POST", "/_sandbox/reset", {})
        paid = pay(sandbox)
        assert line(process).split()[2] == paid
        assert line(process) == "  answered 200 ok"


def restored_from_another_key(sandbox: RunningSandbox) -> None:
    ask(sandbox, "POST", "/payments", {**card_payment("success"), "confirm": True}, f"{KEY}_too")
    ask(sandbox, "PUT", "/_sandbox/snapshots/of_another_shop", {}, f"{KEY}_too")
    ask(sandbox, "POST", "/_sandbox/snapshots/of_another_shop/restore", {})


SECRETS: Final[dict[str, Callable[[RunningSandbox], object]]] = {
    "kept": lambda sandbox: None,
    "of the key": lambda sandbox: ask(sandbox, "POST", "/_sandbox/reset", {"seed": "a"}),
    "of a name": lambda sandbox: ask(sandbox, "POST", "/_sandbox/reset", {"name": "another_name"}),
    "of another key": restored_from_another_key,
    "set": lambda sandbox: ask(sandbox, "PUT", "/_sandbox/webhooks/target", {"secret": "whsec_another"}),
}
"""What can change the secret of the events that come next, and what does not."""


@pytest.mark.parametrize("change", SECRETS if SOAK else ["of another key"])
@pytest.mark.parametrize("form", [(), ("--json",)] if SOAK else [()], ids=str)
def test_every_event_is_signed_with_the_secret_that_was_printed_last(
    sandbox: RunningSandbox, change: str, form: tuple[str, ...]
) -> None:
    ask(sandbox, "POST", "/_sandbox/reset", {"name": "as_at_first"})
    with Receiver() as receiver, listening(sandbox, receiver.url, *form) as process:
        told = process.stderr if form else process.stdout
        assert told is not None
        secret = told.readline().split()[-1]
        SECRETS[change](sandbox)
        paid = pay(sandbox)
        while not (receiver.requests and paid.encode() in receiver.requests[-1]):
            while not (said := told.readline()).startswith("  answered"):
                secret = said.split()[-1] if "signed with" in said else secret
        head, _, body = receiver.requests[-1].partition(b"\r\n\r\n")
    assert f"X-Webhook-Signature-512: {signature(secret, body)}" in head.decode()


def test_one_type_as_json(sandbox: RunningSandbox) -> None:
    with Receiver() as receiver, listening(sandbox, receiver.url, "--type", "payment_failed", "--json") as process:
        assert process.stderr is not None
        assert "signed with" in process.stderr.readline()
        pay(sandbox)
        paid = pay(sandbox, "visa_generic_decline")
        assert json.loads(line(process))["object_id"] == paid
        assert process.stderr.readline() == "  answered 200 ok\n"


def test_it_is_called_wrongly(sandbox: RunningSandbox) -> None:
    for words in (["listen"], ["listen", "--forward-to", "ftp://localhost"]):
        done = call(*words, "--url", sandbox.base, "--key", KEY)
        assert (done.returncode, "--forward-to" in done.stderr) == (2, True)
    done = call("listen", "--forward-to", "http://x", "--url", "http://127.0.0.1:1", "--key", KEY)
    assert (done.returncode, "cannot reach" in done.stderr) == (1, True)
    done = call("listen", "--forward-to", "http://x", "--type", "payment_lost", "--url", sandbox.base, "--key", KEY)
    assert (done.returncode, "type" in done.stderr) == (1, True)
