"""What takes an id takes the object too, and the answer with it: of the fixture's client, and of other ones."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer

OPEN: Final = {"capture_method": "manual"}
PENDING: Final = "pending"
PAID: Final = ""
TAKES: Final[dict[str, tuple[str, Callable[[Sandbox, Any], object]]]] = {
    "why": (PAID, lambda it, one: it.why(one)),
    "timeline": (PAID, lambda it, one: it.timeline(one)),
    "trigger.authenticate": ("challenge", lambda it, one: it.trigger.authenticate(one)),
    "trigger.settle": (PENDING, lambda it, one: it.trigger.settle(one)),
    "trigger.fail": (PENDING, lambda it, one: it.trigger.fail(one)),
    "trigger.expire": (PENDING, lambda it, one: it.trigger.expire(one, "session")),
    "trigger.hold": (PENDING, lambda it, one: it.trigger.hold(one)),
    "trigger.dispute": (PAID, lambda it, one: it.trigger.dispute(one)),
    "trigger.settle_refund": ("refund", lambda it, one: it.trigger.settle_refund(one)),
    "trigger.advance_dispute": ("dispute", lambda it, one: it.trigger.advance_dispute(one, "won")),
    "trigger.webhook": (PAID, lambda it, one: it.trigger.webhook("payment_succeeded", one)),
    "trigger.webhook of a refund": ("refund", lambda it, one: it.trigger.webhook("refund_succeeded", one)),
    "trigger.webhook of a dispute": ("dispute", lambda it, one: it.trigger.webhook("dispute_opened", one)),
    "webhooks.all": (PAID, lambda it, one: some(it.webhooks.all(payment_id=one))),
    "webhooks.wait_for": (PAID, lambda it, one: it.webhooks.wait_for("payment_succeeded", payment_id=one)),
    "webhooks.none": (PENDING, lambda it, one: it.webhooks.none("payment_failed", payment_id=one, within=0)),
    "webhooks.resend_all": (PAID, lambda it, one: it.webhooks.resend_all(payment_id=one)),
    "webhooks.deliver": (PAID, lambda it, one: it.webhooks.deliver(payment_id=one, to=receiver)),
    "journal.calls": (PAID, lambda it, one: some(it.journal.calls(payment_id=one))),
    "journal.assert_called": (PAID, lambda it, one: it.journal.assert_called("payments.create", payment_id=one)),
    "journal.wait_for": (PAID, lambda it, one: it.journal.wait_for("payments.create", payment_id=one)),
    "journal.assert_not_called": (PAID, lambda it, one: it.journal.assert_not_called("refunds.*", payment_id=one)),
}
"""By the method: what has to be there, and the call."""


def some(found: list[Any]) -> None:
    assert found


def receiver(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [])
    return [b""]


def made(sandbox: Sandbox, what: str) -> tuple[str, Any]:
    """The id of an object, and what has it."""
    if what in (PENDING, "challenge"):
        sandbox.next("charge", {"outcome": PENDING} if what == PENDING else {"challenge": "approved"})
    paid = sandbox.client.pay()
    if what == "refund":
        sandbox.next("refunds.create", {"outcome": PENDING})
        refund = sandbox.client.post("/refunds", {"payment_id": paid["payment_id"], "amount": 100})
        return refund["refund_id"], refund
    if what == "dispute":
        dispute = sandbox.trigger.dispute(paid["payment_id"])
        return dispute["dispute_id"], sandbox.client.get(f"/disputes/{dispute['dispute_id']}")
    return paid["payment_id"], paid


@pytest.mark.parametrize("form", ["id", "object", "answer", "answer of another client"])
@pytest.mark.parametrize("method", TAKES)
def test_an_object_is_as_good_as_its_id(method: str, form: str, inside: SandboxServer) -> None:
    what, call = TAKES[method]
    with Sandbox(server=inside) as sandbox:
        object_id, answer = made(sandbox, what)
        forms = (object_id, answer.json(), answer, SimpleNamespace(json=answer.json))
        call(sandbox, dict(zip(("id", "object", "answer", "answer of another client"), forms, strict=True))[form])


@pytest.mark.parametrize("wrong", [{"refund_id": "ref_1"}, {}, 5, None])
def test_what_has_no_such_id_is_said(wrong: Any, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox, pytest.raises(TypeError, match="payment_id"):
        sandbox.why(wrong)
