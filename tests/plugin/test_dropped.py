"""Assertions of absence or of a number refuse to judge a journal or an inbox that has lost its oldest lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import pytest

from mock_server.testing import RunningServer, Sandbox, SandboxServer, journal
from tests.counts import times

BOUNDS: Final[dict[str, dict[str, Any]]] = {
    "lines": {"journal": 5, "inbox": 3},
    "bytes": {"journal_bytes": "64KiB", "inbox_bytes": "64KiB"},
    "all bytes": {"journal_bytes_total": "64KiB", "inbox_bytes_total": "64KiB"},
}
"""Settings with which the beginning of a story is lost."""
LONG: Final = {f"key_{number}": "x" * 500 for number in range(20)}


class Case(NamedTuple):
    """An assertion that is true of what is left, and the setting of what it reads."""

    asserts: Callable[[Sandbox], object]
    log: str
    true: bool = False
    """Whether it also holds where nothing was dropped."""


CASES: Final = {
    "not called": Case(lambda it: it.journal.assert_not_called("refunds.create"), "journal"),
    "not called, a pattern": Case(lambda it: it.journal.assert_not_called("refunds.*"), "journal"),
    "not called, a status": Case(lambda it: it.journal.assert_not_called("refunds.*", status=200), "journal"),
    "not called, a body": Case(lambda it: it.journal.assert_not_called("refunds.*", body={"amount": 7}), "journal"),
    "not called, a payment": Case(lambda it: it.journal.assert_not_called("refunds.*", payment_id="pay_1"), "journal"),
    "not called, in truth": Case(lambda it: it.journal.assert_not_called("customers.*"), "journal", true=True),
    "called 0 times": Case(lambda it: it.journal.assert_called("refunds.create", 0), "journal"),
    "called as often as is left": Case(lambda it: it.journal.assert_called("payments.create", left(it)), "journal"),
    "called, with a body": Case(
        lambda it: it.journal.assert_called("payments.create", left(it), body={"amount": 4200}), "journal"
    ),
    "calls": Case(lambda it: equal(it.journal.calls("refunds.create"), []), "journal"),
    "all calls": Case(lambda it: equal(len(it.journal.calls()), kept(it, "journal")), "journal"),
    "no event": Case(lambda it: it.webhooks.none("refund_succeeded", within=0), "inbox"),
    "no event of a payment": Case(lambda it: it.webhooks.none(payment_id="pay_1", within=0), "inbox"),
    "no event, in truth": Case(lambda it: it.webhooks.none("dispute_won", within=0), "inbox", true=True),
    "all events": Case(lambda it: equal(it.webhooks.all("refund_succeeded"), []), "inbox"),
    "all events, of all": Case(lambda it: equal(len(it.webhooks.all()), kept(it, "webhooks")), "inbox"),
    "all that were delivered": Case(lambda it: equal(it.webhooks.all(delivered=True), []), "inbox", true=True),
}
STILL_TRUE: Final[dict[str, Callable[[Sandbox], object]]] = {
    "called": lambda it: it.journal.assert_called("payments.create"),
    "called, with a body": lambda it: it.journal.assert_called("payments.create", body={"currency": "EUR"}),
    "waited for": lambda it: it.journal.wait_for("payments.create", times=2),
    "event": lambda it: it.webhooks.wait_for("payment_succeeded", delivered=False),
    "deliver": lambda it: it.webhooks.deliver(to=receiver),
    "probe": lambda it: it.probe(receiver, only="valid"),
    "resend": lambda it: it.webhooks.resend_all(),
    "report": lambda it: it.report(),
}
"""What is there is there, whatever was before it."""


def receiver(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "0")])
    return [b""]


def equal(found: object, wanted: object) -> None:
    assert found == wanted


def kept(sandbox: Sandbox, log: str) -> int:
    return int(sandbox.control.get(f"/{log}", {"limit": 1})["total_count"])


def left(sandbox: Sandbox) -> int:
    """How many payments the journal still has."""
    return int(sandbox.control.get("/journal", {"operation": "payments.create"})["total_count"])


def story(sandbox: Sandbox, *, is_long: bool) -> None:
    sandbox.client.pay(payment_id="pay_1")
    sandbox.client.post("/refunds", {"payment_id": "pay_1", "amount": 7})
    for _ in range(times(30, soak=60) if is_long else 0):
        sandbox.client.pay(metadata=LONG)


@pytest.fixture(scope="module", params=BOUNDS)
def lossy(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with SandboxServer(BOUNDS[request.param]) as server:
        sandbox = Sandbox(server=server)
        story(sandbox, is_long=True)
        yield sandbox


@pytest.mark.parametrize("name", CASES)
def test_what_could_have_been_dropped_is_not_judged(name: str, lossy: Sandbox) -> None:
    case = CASES[name]
    lost = lossy.control.get("/journal" if case.log == "journal" else "/webhooks", {"limit": 1})["dropped"]
    assert lost > 0
    with pytest.raises(AssertionError) as refused:
        case.asserts(lossy)
    assert str(lost) in str(refused.value) and f"`{case.log}`" in str(refused.value)
    assert "dropped" in str(refused.value)


@pytest.mark.parametrize("name", STILL_TRUE)
def test_what_is_there_is_judged(name: str, lossy: Sandbox) -> None:
    STILL_TRUE[name](lossy)


@pytest.mark.parametrize("name", CASES)
def test_without_loss_it_is_judged(name: str, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        story(sandbox, is_long=False)
        case = CASES[name]
        if case.true or "left" in name or name in ("all calls", "all events, of all", "called, with a body"):
            case.asserts(sandbox)
        else:
            with pytest.raises(AssertionError, match=r"was called|refund_succeeded|assert|expected no"):
                case.asserts(sandbox)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("does", ["clear", "reset", "restore", "clear, reset", "clear, more", "clear, reset, more"])
def test_what_begins_after_the_loss_is_judged(does: str, bound: str) -> None:
    with SandboxServer(BOUNDS[bound]) as server, Sandbox(server=server) as sandbox:
        empty = sandbox.snapshot()
        story(sandbox, is_long=True)
        for word in does.split(", "):
            if word == "clear":
                sandbox.journal.clear()
            elif word == "reset":
                sandbox.reset()
            elif word == "restore":
                sandbox.restore(empty)
            else:
                story(sandbox, is_long=True)
        if "more" in does:
            with pytest.raises(AssertionError, match="dropped"):
                sandbox.journal.assert_not_called("customers.*")
            return
        sandbox.journal.assert_not_called("refunds.create")
        sandbox.client.get("/payments/pay_1")
        sandbox.journal.assert_called("payments.retrieve", times=1)
        assert len(sandbox.journal.calls()) == 1


@pytest.mark.parametrize("bound", BOUNDS)
def test_of_a_payment_that_was_created_later_all_is_known(bound: str) -> None:
    with SandboxServer(BOUNDS[bound]) as server, Sandbox(server=server) as sandbox:
        first = sandbox.client.pay(idempotency_key="k").json()
        story(sandbox, is_long=True)
        paid = sandbox.client.pay().json()
        sandbox.journal.assert_not_called("refunds.*", payment_id=paid)
        sandbox.journal.assert_called("payments.create", times=1, payment_id=paid)
        sandbox.client.pay(idempotency_key="k")  # the first one's answer again, which creates nothing
        with pytest.raises(AssertionError, match="dropped"):
            sandbox.journal.assert_not_called("refunds.*", payment_id=first)


def test_a_server_elsewhere_is_not_believed_either() -> None:
    with SandboxServer(BOUNDS["lines"]) as server, RunningServer(server.url) as far, Sandbox(server=far) as sandbox:
        story(sandbox, is_long=True)
        with pytest.raises(AssertionError, match="dropped"):
            sandbox.journal.assert_not_called("refunds.create")


READ: Final = 5
UNREAD: Final[dict[str, Callable[[Sandbox, str | None], object]]] = {
    "called": lambda it, one: it.journal.assert_called("payments.update", READ, payment_id=one),
    "not called": lambda it, one: it.journal.assert_not_called("payments.update", payment_id=one, body={"amount": 1}),
    "calls": lambda it, one: it.journal.calls("payments.*", payment_id=one),
}
"""What would be true of the calls that are read."""


@pytest.mark.parametrize("one", ["pay_1", None])
@pytest.mark.parametrize("name", UNREAD)
def test_more_calls_than_are_read_are_not_judged(
    name: str, one: str | None, inside: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST", READ)
    with Sandbox(server=inside) as sandbox:
        made = sandbox.client.pay(payment_id="pay_1", confirm=False)
        for amount in range(1, READ + 2):
            assert sandbox.client.post("/payments/pay_1", {"amount": amount}).status == made.status == 200
        with pytest.raises(AssertionError, match="not read"):
            UNREAD[name](sandbox, one)
