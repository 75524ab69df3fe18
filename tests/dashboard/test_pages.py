"""What each page shows: the same as the control API, and what to do where there is nothing yet."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from mock_server.contract.acts import BY_OPERATION
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.dashboard.acting import DOES
from mock_server.dashboard.places import LISTINGS, PAGES
from mock_server.dashboard.verifying import VERIFY
from mock_server.dashboard.visit import PAGE
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from tests.control.full_workspace import full
from tests.counts import times
from tests.dashboard.visitor import HOME, Visitor, count, said, text
from tests.wire import Wire, wire

SCENARIO = """
version: 1
name: rules
summary: Ones are declined.
rules:
  - on: charge
    when: {payment.amount: 1}
    then: {decline: lost_card}
expect:
  - {payments: {status: failed}, exactly: 1}
"""
MENU = [page.path.rsplit("/", 1)[1] for page in PAGES if page.menu]


def keep(api: Wire, name: str = "rules", scenario: str = SCENARIO) -> None:
    answer = api.call(
        "PUT", f"/_sandbox/scenarios/{name}", raw=scenario.encode(), headers={"Content-Type": "application/yaml"}
    )
    assert answer.status == 200, answer.raw


# the front page


def test_the_first_visit_shows_the_first_payment_to_make() -> None:
    fresh = wire()
    page = text(fresh.as_key(None).get(HOME))
    command = unescape(said(page, "first-payment"))
    assert command.startswith("curl -X POST http://localhost/payments")
    body = json.loads(re.search(r"-d '(.*)'", command, re.DOTALL)[1])  # type: ignore[index]  # it is there, or the test fails
    key = re.search(r'"api-key: (\w+)"', command)
    assert key is not None
    assert fresh.as_key(key[1]).post("/payments", body)["status"] == "succeeded"
    assert "first-visit" not in text(fresh.as_key(None).get(HOME))


def test_a_key_opens_its_workspace(visitor: Visitor) -> None:
    reply = visitor.send(HOME, {"key": f" {visitor.api.key} "})
    assert (reply.status, reply.headers["Location"]) == (303, f"{HOME}/{visitor.place}/overview")
    assert str(visitor.api.key) not in str(reply.headers)


@pytest.mark.parametrize("key", ["", "nonsense", "prd_0123456789", "pk_snd_0123456789", "snd_x"])
def test_what_is_no_key_is_said_to_be_none(visitor: Visitor, key: str) -> None:
    reply = visitor.send(HOME, {"key": key})
    assert reply.status == 400
    assert said(text(reply), "problem")
    assert not key or key not in text(reply)


def test_workspaces_are_listed_with_their_counts(visitor: Visitor) -> None:
    visitor.api.pay()
    visitor.api.pay("visa_insufficient_funds")
    page = visitor.read(HOME)
    assert re.search(rf"{visitor.place}.*?<b>2</b> payments.*?<b>1</b> failed", page, re.DOTALL)
    assert "failed-last" not in page.partition(visitor.place)[2].partition("</li>")[0], "it is the newest one"
    visitor.api.pay()
    assert said(visitor.read(HOME).partition(visitor.place)[2], "failed-last") == "insufficient funds"


def test_a_workspace_that_is_not_there_is_not_made_by_looking(visitor: Visitor) -> None:
    before = len(visitor.api.sandbox.workspaces())
    assert visitor.look(f"{HOME}/w_nobody/payments").status == 404
    assert visitor.look(f"{HOME}/w_nobody/live").status == 204
    assert len(visitor.api.sandbox.workspaces()) == before


# every page


@pytest.mark.parametrize("name", MENU)
def test_an_empty_page_says_what_to_do_next(visitor: Visitor, name: str) -> None:
    page = visitor.read(f"{name}?later=1")
    if name not in ("scenarios", "cards"):
        assert 'data-testid="empty"' in page
    assert ("curl" in page) is (name != "methods"), "the API lists methods only of one customer"


@pytest.mark.parametrize("name", MENU)
def test_a_filled_page_tells_its_command(visitor: Visitor, name: str) -> None:
    visitor.api.pay("visa_pending_succeeds")
    visitor.api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    page = visitor.read(name if name != "methods" else "methods?customer_id=cus_1")
    assert "curl" in page and "$PAYMENT_SANDBOX_API_KEY" in unescape(page)
    assert str(visitor.api.key) not in page


def test_what_there_is_not_is_a_page_too(visitor: Visitor) -> None:
    for path in ("payments/pay_nobody", "journal/99999", "journal/x", "webhooks/evt_nobody"):
        reply = visitor.look(path)
        assert (reply.status, count(text(reply), "missing")) == (404, 1), path


# payments


def test_the_list_is_the_apis_own(visitor: Visitor) -> None:
    api = visitor.api
    api.pay(currency="EUR")
    failed = api.pay("visa_insufficient_funds")["payment_id"]
    page = visitor.read("payments")
    assert count(page, "payment") == 2
    assert said(page, "status-failed") == "failed 1"
    page = visitor.read("payments?status=failed")
    assert (count(page, "payment"), said(page, "payment")) == (1, failed)
    assert "insufficient funds" in page
    page = visitor.read("payments?currency=EUR&status=&offset=0")
    assert count(page, "payment") == 1
    assert """-d '{"currency": ["EUR"], "limit": 40}'""" in unescape(page)


def test_a_filter_that_cannot_be_is_refused_as_the_api_refuses_it(visitor: Visitor) -> None:
    visitor.api.pay()
    reply = visitor.look("payments?currency=nonsense")
    assert reply.status == 400
    assert "currency" in text(reply)


def test_pages_of_the_list_follow_one_another(visitor: Visitor) -> None:
    for _ in range(PAGE + 1):
        visitor.api.pay()
    assert count(visitor.read("payments"), "payment") == PAGE
    assert 'data-testid="older"' in visitor.read("payments")
    assert count(visitor.read(f"payments?offset={PAGE}"), "payment") == 1


TURNING = re.compile(r'<div class="pages">(.*?)</div>', re.DOTALL)


def test_beyond_its_end_a_list_says_so_and_leads_back(visitor: Visitor) -> None:
    full(visitor.api)
    for page in ("payments", "webhooks", "journal", *(row.page for row in LISTINGS)):
        begin, turned = (TURNING.findall(visitor.read(f"{page}?offset={at}")) for at in (0, 5_000))
        assert len(turned) == 1, page  # and not that nothing has happened yet
        said_there = " ".join(re.sub(r"<[^>]*>", "", turned[0]).split())
        total = re.search(r" of ([0-9]+)", begin[0]) if begin else None
        assert said_there == f"Nothing older{f', {total[1]} in all' if total else ''} Newest", page
        assert 'href="?offset=0"' in turned[0], page


def test_a_payment_says_why_it_failed_and_what_nearly_decided(visitor: Visitor) -> None:
    keep(visitor.api)
    visitor.api.post("/_sandbox/scenarios/rules/activate")
    payment = visitor.api.pay("visa_insufficient_funds")["payment_id"]
    page = visitor.read(f"payments/{payment}")
    assert said(page, "status") == "failed"
    assert "DC_08" in said(page, "headline")
    assert "visa_insufficient_funds" in said(page, "because")
    assert said(page, "near-miss") == "rules:6 did not match: payment.amount is 6540, not 1"
    assert count(page, "row") == 3
    for form, begins in (("svg", "<svg"), ("mermaid", "sequenceDiagram"), ("json", "[")):
        assert visitor.read(f"payments/{payment}/export?as={form}").startswith(begins)


def test_a_payment_offers_what_can_be_done_to_it(visitor: Visitor) -> None:
    waits = visitor.api.pay("visa_3ds_required")["payment_id"]
    done = visitor.api.pay()["payment_id"]
    assert count(visitor.read(f"payments/{waits}"), "do-control.authenticate") == 1
    assert count(visitor.read(f"payments/{done}"), "do-control.authenticate") == 0
    assert count(visitor.read(f"payments/{done}"), "do-control.dispute") == 1


# the journal


def test_a_call_is_shown_with_request_answer_and_reason(visitor: Visitor) -> None:
    payment = visitor.api.pay("visa_insufficient_funds")["payment_id"]
    assert count(visitor.read("journal"), "line") == 1
    assert count(visitor.read("journal?status=4xx"), "line") == 0
    number = re.search(r"/journal/(\d+)", visitor.read("journal"))
    assert number is not None
    page = visitor.read(f"journal/{number[1]}")
    assert "[hidden]" in said(page, "request")
    assert payment in said(page, "response")


def test_the_command_of_a_call_makes_the_same_call(visitor: Visitor) -> None:
    visitor.api.pay("visa_insufficient_funds", amount=1234)
    number = re.search(r"/journal/(\d+)", visitor.read("journal"))
    assert number is not None
    command = said(visitor.read(f"journal/{number[1]}"), "as-curl")
    body = json.loads(re.search(r"-d '(.*)'", command)[1])  # type: ignore[index]  # it is there, or the test fails
    again = visitor.api.post("/payments", body)
    assert (again["status"], again["amount"], again["error_code"]) == ("failed", 1234, "DC_08")


def test_the_test_of_a_call_is_python_that_passes(visitor: Visitor) -> None:
    visitor.api.pay("visa_insufficient_funds", metadata={"note": "it's <b>\n"})
    number = re.search(r"/journal/(\d+)", visitor.read("journal"))
    assert number is not None
    page = visitor.read(f"journal/{number[1]}?later=1")
    source = unescape(re.sub(r"<[^>]*>", "", page[page.index('data-testid="as-pytest"') :].partition("</pre>")[0]))
    found: dict[str, object] = {}
    exec(compile(source.partition(">")[2], "test", "exec"), found)
    made = found["test_payments_create"]
    assert callable(made)
    made(Fixture(visitor.api))


class Fixture:
    """What of the fixture `payment_sandbox` such a test uses, over the same server."""

    def __init__(self, api: Wire) -> None:
        self._api = api
        self.cards = {card.name: self for card in CARDS}
        self.client = self
        self.control = self

    def as_data(self) -> dict[str, str]:
        return {"card_number": "4000000000009995", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}

    def request(self, method: str, path: str, body: object = None) -> object:
        return self._api.call(method, path, body)

    def post(self, path: str, body: object = None) -> object:
        return self._api.post(f"/_sandbox{path}", body)


def test_looking_leaves_no_trace(visitor: Visitor) -> None:
    visitor.api.pay()
    before = visitor.api.get("/_sandbox/journal").json
    for name in MENU:
        visitor.read(name)
    assert visitor.api.get("/_sandbox/journal").json == before


# webhooks, clock, tables


def test_the_inbox_says_that_nobody_listens(visitor: Visitor) -> None:
    visitor.api.pay()
    page = visitor.read("webhooks")
    assert count(page, "event") == 1
    assert "no endpoint configured" in page
    secret = visitor.api.get("/_sandbox/webhooks/target")["secret"]
    assert said(page, "secret") == secret


def test_an_event_explains_its_signature(visitor: Visitor) -> None:
    visitor.api.pay()
    told = visitor.api.get("/_sandbox/webhooks")["data"][0]
    page = visitor.read(f"webhooks/{told['event_id']}")
    assert said(page, "signature") == dict(told["headers"])["X-Webhook-Signature-512"]
    assert f"{len(told['payload'].encode()):,} bytes" in page
    assert "here that is the workspace" in page


def test_the_clock_shows_what_will_fall_due(visitor: Visitor) -> None:
    visitor.api.pay("visa_pending_succeeds")
    page = visitor.read("clock")
    assert ">payment settles<" in page and ">10 s<" in page
    assert said(page, "now") == "2026-03-02 10:00:00.000 UTC"


def test_cards_and_declines_are_the_tables(visitor: Visitor) -> None:
    page = visitor.read("cards")
    assert count(page, "card") == len(CARDS)
    assert all(row.name in page for row in DECLINES)
    found = visitor.read("cards?find=insufficient+visa")
    assert 0 < count(found, "card") < len(CARDS)


def test_every_call_that_does_something_says_so_when_it_is_done() -> None:
    ends_its_own_page = {"control.end"}
    assert {row.name for row in CONTROL_OPERATIONS if row.method != "GET"} - ends_its_own_page <= DOES
    assert all(BY_OPERATION[name].done for name in DOES - {VERIFY})


def test_a_page_says_in_which_dialect_bodies_are_shown() -> None:
    visitor = Visitor(wire())
    assert "speaks" not in text(visitor.look("payments"))
    visitor.api.put("/_sandbox/dialect", {"dialect": "hyperswitch"})
    assert "hyperswitch dialect" in text(visitor.look("payments"))


@pytest.mark.parametrize("path", MENU[:: times(4, soak=1)])
def test_every_page_says_in_which_zone_its_times_are(visitor: Visitor, path: str) -> None:
    visitor.api.pay()
    assert re.search(r"\d\d:\d\d:\d\d(\.\d{3})? UTC", re.sub(r"<[^>]+>", "", visitor.read(path)))
