"""A payment made on a page, a call made once more, things side by side: the calls are the client's own."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, Final

import pytest

from mock_server.dashboard.folding import differences
from mock_server.dashboard.trying import cards_by_effect
from mock_server.dashboard.visit import AGENT
from mock_server.domain.cards import CARDS
from mock_server.domain.methods import METHODS
from tests.counts import times
from tests.dashboard.reading import Page
from tests.dashboard.visitor import Visitor, count, said, text
from tests.wire import card_data, card_payment

BASE = {
    "body.amount:money": "65.40",
    "body.currency": "USD",
    "body.confirm:flag": "true",
    "body.profile_id": "pro_shop",
}


def pay(visitor: Visitor, **fields: str) -> Any:
    return visitor.send("new-payment", {"do": "payments.create", **BASE, **fields})


def test_every_listed_card_is_in_one_group() -> None:
    names = [name for _, rows in cards_by_effect() for name, _ in rows]
    assert sorted(names) == sorted(card.name for card in CARDS if card.listed)
    assert all(rows for _, rows in cards_by_effect())


def test_a_new_payment_becomes_its_page_and_stands_in_the_journal(visitor: Visitor) -> None:
    made_there = visitor.post("new-payment", {"do": "payments.create", **BASE, "card": "visa_insufficient_funds"})
    reply = visitor.follow("new-payment", made_there)
    assert reply.status == 200
    assert said(text(reply), "status") == "failed"
    assert "card visa_insufficient_funds" in said(text(reply), "notice")
    made = visitor.api.get("/payments/list")["data"][0]["payment_id"]
    assert f"payments/{made}?" in made_there.headers["Location"]
    line = visitor.api.get("/_sandbox/journal?operation=payments.create")["data"][0]
    assert (line["status"], line["payment_id"], line["headers"]["user-agent"]) == (
        200,
        made,
        AGENT,
    )
    assert "4000" not in json.dumps(line["request"])


def test_a_scenario_decides_of_that_call(visitor: Visitor) -> None:
    reply = pay(visitor, card="visa_success", **{"header.X-Sandbox-Scenario": "issuer_down_then_up"})
    assert said(text(reply), "status") == "failed"
    assert "issuer_down_then_up" in said(text(reply), "notice")


@pytest.mark.parametrize("row", [row for row in METHODS if row.category != "card"], ids=lambda row: row.type)
def test_every_method_can_be_tried(visitor: Visitor, row: Any) -> None:
    currency = {"pix": "BRL", "boleto": "BRL", "upi_collect": "INR", "upi_intent": "INR", "bacs": "GBP", "ach": "USD"}
    reply = pay(
        visitor,
        method=f"{row.category}.{row.type}",
        **{"body.currency": currency.get(row.type, "EUR"), "body.return_url": "https://shop.example.test/"},
    )
    assert reply.status == 200, said(text(reply), "notice")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"card": "visa_nobody"}, "visa_nobody is not a card"),
        ({"card": "visa_success", "body.amount:money": "much"}, "must be an amount in USD, such as 20.00"),
        ({"method": "cash"}, "is not a method"),
    ],
)
def test_what_is_wrong_is_said_and_the_form_stays(visitor: Visitor, fields: dict[str, str], says: str) -> None:
    reply = pay(visitor, **fields)
    assert reply.status == 400
    assert says in text(reply)
    assert count(text(reply), "do-payments.create") == 1


@pytest.mark.parametrize("between", [" ", "-", "\u00a0", " - ", "\t"])
def test_a_number_is_pasted_as_it_is_printed(visitor: Visitor, between: str) -> None:
    number = between.join(("4000", "0000", "0000", "9995"))
    fields = {"do": "payments.create", "card": number, "body.amount:money": "1", "body.currency": "USD"}
    made = visitor.send("new-payment", {**fields, "body.confirm:flag": "true", "body.profile_id": "pro_shop"})
    assert (made.status, "insufficient_funds" in text(made)) == (200, True)


KEY: Final = "header.X-Idempotency-Key"


@pytest.mark.parametrize("key", ["é", "k" * 256])
def test_a_key_that_is_refused_stays_where_it_was_typed(visitor: Visitor, key: str) -> None:
    visitor.api.pay()
    replay = f"journal/{visitor.api.get('/_sandbox/journal')['data'][-1]['number']}/replay"
    form = next(one for one in Page(visitor.read(replay)).forms if one.test_id == "do-replay")
    sent = [(name, {KEY: key, "card": "visa_success"}.get(name, value)) for name, value in form.values]
    page = visitor.send(replay, sent)
    field = next(one for one in Page(text(page)).forms if one.test_id == "do-replay").named(KEY)
    assert (page.status, field.value, field.is_wrong) == (400, key, True)


def test_a_number_outside_the_table_is_on_no_page(visitor: Visitor) -> None:
    reply = pay(visitor, card="4929000000006", **{"body.amount:money": "x"})
    assert "4929000000006" not in text(reply)
    assert "4929000000006" not in text(pay(visitor, card="4929000000006"))


# once more


def fields_of(page: str) -> dict[str, str]:
    form = re.search(r'data-testid="do-replay".*?</form>', page, re.DOTALL)
    assert form
    fields = dict(re.findall(r'<input[^>]*? name="([^"]+)" value="([^"]*)"', form[0]))
    body = re.search(r'<textarea name="json".*?>\n(.*?)</textarea>', form[0], re.DOTALL)
    return {**fields, **({"json": unescape(body[1])} if body else {})}


@pytest.mark.parametrize("card", [card.name for card in CARDS if card.listed][:: times(8, soak=1)])
def test_a_call_that_is_not_changed_differs_in_nothing_that_was_sent(visitor: Visitor, card: str) -> None:
    body = card_payment(card)
    body["payment_method_data"]["card"] |= {"card_exp_year": "2041", "card_exp_month": "03"}
    visitor.api.post("/payments", {**body, "confirm": True})
    number = _first(visitor)
    answered = text(
        visitor.send(f"journal/{number}/replay", fields_of(visitor.read(f"journal/{number}/replay")) | {"card": card})
    )
    changed = re.findall(r'<tr role="row" data-testid="change">.*?<code>(.*?)</code>', answered, re.DOTALL)
    assert [one for one in changed if "card" in one] == [], changed


def test_a_call_is_changed_and_made_again_beside_the_old_answer(visitor: Visitor) -> None:
    visitor.api.post("/payments", {**card_payment(), "confirm": True}, X_Idempotency_Key="once-and-again")
    number = _first(visitor)
    fields = fields_of(visitor.read(f"journal/{number}/replay"))
    assert "[hidden]" in fields["json"] and "4242" not in fields["json"]
    assert fields["header.X-Idempotency-Key"].startswith("replay-"), "a new key, unless told otherwise"
    changed = fields["json"].replace("6540", "9900")
    sent = {**fields, "json": changed, "card": "visa_insufficient_funds"}
    answered = text(visitor.send(f"journal/{number}/replay", sent))
    changes = " ".join(re.findall(r'data-testid="change">(.*?)</tr>', answered, re.DOTALL))
    assert ">amount<" in changes and "6540" in changes and "9900" in changes
    assert "succeeded" in changes and "failed" in changes
    assert [one["amount"] for one in visitor.api.get("/payments/list")["data"]] == [9900, 6540]


def _first(visitor: Visitor) -> int:
    return int(visitor.api.get("/_sandbox/journal?operation=payments.*")["data"][0]["number"])


def test_a_number_that_is_not_kept_is_asked_for_again(visitor: Visitor) -> None:
    visitor.api.pay("4929000000006")
    number = _first(visitor)
    fields = fields_of(visitor.read(f"journal/{number}/replay"))
    reply = visitor.send(f"journal/{number}/replay", fields)
    assert (reply.status, "choose a test card" in said(text(reply), "problem-card")) == (400, True)


def test_a_look_is_made_again_too(visitor: Visitor) -> None:
    made = visitor.api.pay()["payment_id"]
    visitor.api.get(f"/payments/{made}?expand_attempts=true")
    number = int(visitor.api.get("/_sandbox/journal?operation=payments.retrieve")["data"][0]["number"])
    visitor.api.post("/refunds", {"payment_id": made, "amount": 1000})
    reply = visitor.send(f"journal/{number}/replay", fields_of(visitor.read(f"journal/{number}/replay")))
    assert reply.status == 200
    assert "refunds" in said(text(reply), "changes")


@pytest.mark.parametrize("body", ["{", "[" * 5_000, '"x"', "", "null", '{"card_number": "[hidden]"}'])
def test_a_body_that_cannot_be_is_no_servers_fault(visitor: Visitor, body: str) -> None:
    visitor.api.pay()
    number = _first(visitor)
    reply = visitor.send(f"journal/{number}/replay", {"do": "payments.create", "json": body, "card": "visa_success"})
    assert reply.status in (200, 400)
    assert "HE_00" not in text(reply)


# side by side


def test_two_calls_two_payments_and_two_attempts_are_compared(visitor: Visitor) -> None:
    one, two = visitor.api.pay(amount=100)["payment_id"], visitor.api.pay(amount=200)["payment_id"]
    numbers = [line["number"] for line in visitor.api.get("/_sandbox/journal?operation=payments.create")["data"]]
    for first, second in (numbers, (one, two), (f"{one}_1", f"{two}_1")):
        page = visitor.read(f"compare?of={first}&of={second}")
        assert "100" in said(page, "changes") and "200" in said(page, "changes")
        assert "not-compared" not in page
        assert said(visitor.read(f"compare?of={first}&of={second}&of={first}"), "not-compared").startswith("Of the 3 ")
    assert "No differences" in visitor.read(f"compare?of={one}&of={one}")
    reply = visitor.look(f"compare?of={one}&of=pay_nobody")
    assert (reply.status, said(text(reply), "problem-of1")) == (404, "there is no pay_nobody")


def test_differences_name_their_places() -> None:
    found = differences({"a": {"b": 1, "c": [1, 2]}, "d": None}, {"a": {"b": 2, "c": [1]}, "e": {}})
    assert [tuple(one) for one in found.rows] == [
        ("a.b", "1", "2"),
        ("a.c.1", "2", None),
        ("d", "null", None),
        ("e", None, "{}"),
    ]
    assert found.same == 1


def test_a_number_that_was_typed_is_not_shown_again(visitor: Visitor) -> None:
    number, code = "5425233430109903", "751"
    assert visitor.api.post("/payments", card_payment()).status == 200
    page = f"journal/{visitor.api.get('/_sandbox/journal')['data'][0]['number']}/replay"
    body = {**card_payment(number), "confirm": True, "payment_method_data": {"card": card_data(number, card_cvc=code)}}
    shown = [
        visitor.send(page, {"do": "payments.create", "json": json.dumps(body)}),
        visitor.send(page, {"do": "payments.create", "json": json.dumps({**body, "amount": "much"})}),
        pay(visitor, card=" ".join(number[at : at + 4] for at in range(0, 16, 4)), **{"body.currency": "XXX"}),
        visitor.look(f"find?q={number}"),
    ]
    assert [reply.status for reply in shown] == [200, 400, 400, 200]
    for reply in shown:
        assert number not in text(reply)
        assert f"&#34;{code}&#34;" not in text(reply)
    assert 'name="card"' in text(shown[0]), "a card takes the place of the number that was typed"


def test_a_difference_sets_ids_and_times_apart(visitor: Visitor) -> None:
    first, second = (visitor.api.pay(amount=amount)["payment_id"] for amount in (100, 200))
    page = visitor.read(f"compare?of={first}&of={second}")
    rows = re.findall(r'<tr role="row"( class="mark-row")? data-testid="change">\s*<td role="cell"><code>([^<]*)', page)
    marks = {place for mark, place in rows if mark}
    assert {"payment_id", "client_secret", "connector_transaction_id"} <= marks
    assert {place for mark, place in rows if not mark} == {"amount", "net_amount", "amount_received"}
    assert "Show 5 IDs and times that differ" in " ".join(page.split())


def test_an_attempt_is_compared_with_the_one_before(visitor: Visitor) -> None:
    api = visitor.api
    api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/hook"})
    api.pay()
    event = api.get("/_sandbox/webhooks")["data"][0]["event_id"]
    for _ in range(2):
        api.post(f"/_sandbox/webhooks/{event}/resend")
    link = re.search(r'href="([^"]+)"\s+data-testid="compare-attempts"', visitor.read(f"webhooks/{event}"))
    assert link is not None
    assert count(visitor.read(link[1].replace("&amp;", "&")), "change") > 0
