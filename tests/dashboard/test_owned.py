"""A payment's page settles its refunds and moves its disputes on; the page of webhooks signs a body."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import Final

import pytest

from mock_server.control.requests import ENDS
from mock_server.engine.disputes import NEXT_STAGE, TARGETS
from tests.dashboard.visitor import Visitor, count, said, text


@pytest.mark.parametrize("end", ENDS)
def test_a_refund_is_settled_on_its_payments_page(visitor: Visitor, end: str) -> None:
    paid = visitor.api.pay()["payment_id"]
    visitor.api.post("/_sandbox/next", {"on": "refunds.create", "then": {"outcome": "pending"}})
    refund = visitor.api.post("/refunds", {"payment_id": paid, "amount": 100})["refund_id"]
    form = form_of(visitor.read(f"payments/{paid}"), "control.settle_refund")
    assert (form["arg.refund_id"], f"<option>{end}" in form["html"]) == (refund, True)
    page = text(visitor.press(f"payments/{paid}", "control.settle_refund", arg__refund_id=refund, body__as=end))
    assert said(page, "notice").startswith("The refund was settled.")
    assert visitor.api.get(f"/refunds/{refund}")["status"] == end


DECIDED: Final = ("won", "lost")


@pytest.mark.parametrize("to", TARGETS)
def test_a_dispute_is_won_lost_or_led_on_on_its_payments_page(visitor: Visitor, to: str) -> None:
    paid = visitor.api.pay()["payment_id"]
    dispute = visitor.api.post(f"/_sandbox/payments/{paid}/dispute", {"stage": "pre_dispute"})["dispute_id"]
    form = form_of(visitor.read(f"payments/{paid}"), "control.advance_dispute" if to in DECIDED else "move_dispute")
    assert form["arg.dispute_id"] == dispute
    assert to == NEXT_STAGE or f"<option>{to}" in form["html"]
    page = text(visitor.press(f"payments/{paid}", "control.advance_dispute", arg__dispute_id=dispute, body__to=to))
    assert said(page, "notice").startswith("The dispute was advanced.")
    now = visitor.api.get(f"/disputes/{dispute}")
    assert to == NEXT_STAGE or to in (now["dispute_status"].removeprefix("dispute_"), now["dispute_stage"])


def test_what_is_over_offers_no_end(visitor: Visitor) -> None:
    paid = visitor.api.pay()["payment_id"]
    refund = visitor.api.post("/refunds", {"payment_id": paid, "amount": 100})["refund_id"]
    form = form_of(visitor.read(f"payments/{paid}"), "control.settle_refund")
    assert "<option>succeeded" not in form["html"]
    visitor.api.post(f"/_sandbox/refunds/{refund}/settle", {"as": "failed"})
    assert not count(visitor.read(f"payments/{paid}"), "do-control.settle_refund")


def test_a_body_is_signed(visitor: Visitor) -> None:
    page = text(visitor.press("webhooks", "control.sign_webhook", body__body='{"a": 1}'))
    told = dict(visitor.api.post("/_sandbox/webhooks/sign", {"body": '{"a": 1}'})["headers"])
    assert told["X-Webhook-Signature-512"] in said(page, "signed")


def form_of(page: str, do: str) -> dict[str, str]:
    """A form's fields, and its text as `html`."""
    found = re.search(rf'<form[^>]*data-testid="do-{do}".*?</form>', page, re.DOTALL)
    assert found, f"no form does {do}"
    return {**dict(re.findall(r'name="([^"]+)" value="([^"]*)"', found[0])), "html": found[0]}


def test_an_event_is_delivered_by_its_command_as_by_the_sandbox(visitor: Visitor) -> None:
    visitor.api.pay()
    event = visitor.api.get("/_sandbox/webhooks")["data"][0]
    parts = shlex.split(said(visitor.read(f"webhooks/{event['event_id']}"), "curl-receiver"))
    assert parts[parts.index("--data-binary") + 1] == event["payload"]
    sent = [part.partition(": ")[::2] for before, part in pairwise(parts) if before == "-H"]
    assert sent == [tuple(pair) for pair in event["headers"]]


def test_why_names_its_page(visitor: Visitor) -> None:
    paid = visitor.api.pay()["payment_id"]
    page = visitor.api.get(f"/_sandbox/payments/{paid}/why")["page"]
    assert page.startswith("http://localhost/")
    assert paid in visitor.read(page.removeprefix("http://localhost"))
