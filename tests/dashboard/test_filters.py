"""A filter that makes no sense keeps its form: what was typed, and what is wrong with it beside the field."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from mock_server.dashboard import calls, webhooks
from mock_server.dashboard.payments import NAMES
from mock_server.dashboard.places import BY_LIST, PAGES, WORKSPACE
from mock_server.dialects import get
from tests.counts import SOAK
from tests.dashboard.reading import Page
from tests.dashboard.test_exports_of_calls import sent_by
from tests.dashboard.visitor import HOME, Visitor, count, said, text

BAD: Final = (
    ("payments", "created_gte", "banana"),
    ("payments", "created_lte", "2026-13-01"),
    ("payments", "currency", "QQQ"),
    ("payments", "status", "paid"),
    ("journal", "status", "banana"),
    ("webhooks", "type", "paid"),
    ("webhooks", "delivered", "perhaps"),
)


@pytest.mark.parametrize(("page", "name", "value"), BAD)
def test_the_form_stays_with_what_is_wrong(visitor: Visitor, page: str, name: str, value: str) -> None:
    visitor.api.pay()
    reply = visitor.look(f"{page}?{name}={value}&payment_id=pay_mine&payment_method=card")
    html = text(reply)
    assert reply.status == 400
    assert said(html, f"problem-{name}")
    assert count(html, "bad-filter") == 1
    assert re.search(rf'name="{name}"[^>]*(?:value="{value}"|aria-invalid="true")', html), "what was typed is there"
    assert ('value="pay_mine"' if page != "payments" else "<option selected>card") in html
    assert not count(html, "missing")


@pytest.mark.parametrize("name", sorted(NAMES - {"status"}))
def test_any_value_of_a_payments_filter_keeps_the_page(visitor: Visitor, name: str) -> None:
    visitor.api.pay()
    for value in ("%00", "x" * 3_000, "-1", "%ff", "a&{name}=b"):
        reply = visitor.look(f"payments?{name}={value.format(name=name)}")
        assert reply.status in (200, 400), (name, value)
        assert count(text(reply), f"filter-{name}") == 1


TWICE: Final = (
    *(("payments", name, ("succeeded", "failed") if name == "status" else ("USD", "EUR")) for name in sorted(NAMES)),
    *(
        ("journal", name, ("200", "404") if name == "status" else ("payments.create", "x"))
        for name in sorted(calls.NAMES)
    ),
    *(("webhooks", name, ("true", "false")) for name in sorted(webhooks.NAMES)),
    *((name, "payment_id", ("pay_1", "pay_2")) for name in ("refunds", "disputes")),
)


@pytest.mark.parametrize(("page", "name", "values"), TWICE)
def test_a_filter_that_is_there_twice_is_the_one_that_is_shown(
    visitor: Visitor, page: str, name: str, values: tuple[str, str]
) -> None:
    for card, currency in (("visa_success", "USD"), ("visa_insufficient_funds", "EUR")):
        visitor.api.pay(card, currency=currency)
    visitor.api.get("/payments/pay_nobody")
    both, last = (
        re.sub(r'data-seen="[^"]*"', "", text(visitor.look(f"{page}?{urlencode([(name, one) for one in asked])}")))
        for asked in (values, values[1:])
    )
    assert both == last
    word = {"created_gte": "from", "created_lte": "until"}.get(name, name.removesuffix("_id").replace("_", " "))
    assert said(both, "asked").lower().startswith(f"{word} {values[1]}".lower())


def test_a_filter_that_finds_nothing_is_no_mistake(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "No results." in visitor.read("payments?currency=JPY")


@pytest.mark.parametrize(
    "page", [*(f"{page}?{name}={value}" for page, name, value in BAD), "compare?of=x&of=y", "replay", "text"]
)
def test_what_is_wrong_is_heard_at_its_field(visitor: Visitor, page: str) -> None:
    visitor.api.pay()
    if page == "replay":
        path = f"journal/{visitor.api.get('/_sandbox/journal')['data'][-1]['number']}/replay"
        (form,) = (one for one in Page(visitor.read(path)).forms if one.test_id == "do-replay")
        reply = visitor.send(path, [(name, "{" if name == "json" else value) for name, value in form.values])
    elif page == "text":
        reply = visitor.press("new-scenario", "control.put_scenario", arg__name="x", text="rules: 5\nrule: 6\n")
    else:
        reply = visitor.look(page)
    marked = re.findall(r'<[^>]* aria-invalid="true"[^>]*>', text(reply))
    assert marked or "status=paid" in page
    for tag in marked:
        (described,) = re.findall(r'aria-describedby="([^"]*)"', tag)
        assert f'id="{described}"' in text(reply)


MENUS: Final = {"currency": "JPY", "payment_method": "wallet", "card_network": "AmericanExpress"}


def test_a_menu_shows_what_is_filtered_by_where_nothing_of_it_is_left(visitor: Visitor) -> None:
    """To send the form again with another filter does not drop it."""
    visitor.api.pay()
    filters = Page(visitor.read(f"payments?{urlencode(MENUS)}")).forms
    form = next(one for one in filters if {field.name for field in one.fields} >= MENUS.keys())
    assert {name: form.named(name).value for name in MENUS} == MENUS


@pytest.mark.parametrize("page", ["payments", "refunds", "journal", "webhooks"])
def test_only_a_filter_can_be_cleared(visitor: Visitor, page: str) -> None:
    visitor.api.post("/refunds", {"payment_id": visitor.api.pay()["payment_id"]})
    assert "Clear filters" not in visitor.read(f"{page}?offset=9999")
    assert "Clear filters" in visitor.read(f"{page}?payment_id=pay_nobody&customer_id=nobody&offset=9999")


def test_a_call_that_is_not_there_is_called_so(visitor: Visitor) -> None:
    reply = visitor.look("journal/999")
    assert reply.status == 404
    assert said(text(reply), "missing").startswith("There is no call 999 here")


@pytest.mark.parametrize("page", ["refunds", "disputes", "methods", "mandates"])
def test_a_status_that_a_list_does_not_know_is_explained(visitor: Visitor, page: str) -> None:
    reply = visitor.look(f"{page}?status=suceeded")
    assert reply.status == 400
    assert said(text(reply), "problem-status").startswith("must be one of ")
    assert "No search was made" in text(reply)


def filled(visitor: Visitor) -> dict[str, str]:
    """Several of everything, and the filters of the lists with values that some of it has."""
    api = visitor.api
    buyer: Any = {"customer": {"id": "cus_filters"}, "setup_future_usage": "off_session"}
    terms = {"mandate_type": {"multi_use": {"amount": 9_000, "currency": "USD"}}, **CONSENT}
    for amount in (100, 200, 300):
        made = api.pay(amount=amount, mandate_data=terms, **buyer)["payment_id"]
        api.post("/refunds", {"payment_id": made, "amount": 10})
        api.post("/refunds", {"payment_id": made, "amount": 10})
        api.post(f"/_sandbox/payments/{made}/dispute", {"amount": 10})
        api.post("/_sandbox/clock/advance", {"by": "1d"})
    api.pay(card="visa_insufficient_funds")
    api.get("/payments/pay_nobody")
    return {"payment_id": made, "customer_id": "cus_filters", "type": "refund_succeeded", "delivered": "false",
        "operation": "refunds.*",
        "created_gte": "2026-03-03", "created_lte": "2026-03-04", "currency": "USD", "payment_method": "card",
        "card_network": "Visa", "customer_email": "x@shop.test", "merchant_order_reference_id": "order"}  # fmt: skip


CONSENT: Final = {"customer_acceptance": {"acceptance_type": "offline"}}
STATUS: Final = {"payments": "succeeded", "refunds": "succeeded", "disputes": "dispute_opened", "mandates": "active",
    "methods": "active", "journal": "4xx"}  # fmt: skip
FILTERS: Final = {"payments": sorted(NAMES), "journal": sorted(calls.NAMES), "webhooks": sorted(webhooks.NAMES)} | {
    page: sorted({one.name for one in row.kind.indexes} & {"payment_id", "customer_id", "status"})
    for page, row in BY_LIST.items()
}
CURL: Final = re.compile(r"<summary>curl</summary>.*?<code>\s*(curl .*?)</code>", re.DOTALL)
ROW: Final = re.compile(r'data-testid="(?:payment|one|event|line)"')


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
@pytest.mark.parametrize("page", FILTERS)
def test_the_command_of_a_list_gives_what_the_page_shows(visitor: Visitor, page: str, dialect: str) -> None:
    """Every list, each of its filters and pairs of them, and a later part of it, in each dialect."""
    visitor.api.put("/_sandbox/dialect", {"dialect": dialect})
    visitor.api.speaks = get(dialect)
    values = {**filled(visitor), "status": STATUS.get(page, "")}
    pairs = [*combinations(FILTERS[page], 2)] if SOAK else [*zip(FILTERS[page], FILTERS[page][1:], strict=False)]
    for names in ((), *((name,) for name in FILTERS[page]), *pairs):
        for offset in (0, 1):
            asked = {**{name: values[name] for name in names}, **({"offset": str(offset)} if offset else {})}
            html = visitor.read(f"{page}?{urlencode(asked)}")
            shown = re.findall(rf'href="[^"]*/{page}/([^"/?]+)" data-testid="(?:payment|one|event|line)"', html)
            commands = CURL.findall(html)
            if not commands:
                assert page == "methods" and (names != ("customer_id",) or offset), "the API has no such list"
                continue
            answer = sent_by(unescape(commands[-1]), visitor.api)
            found = answer.json if isinstance(answer.json, list) else answer[ROWS.get(page, "data")]
            ids = [str(row[ID.get(page, f"{page[:-1]}_id")]) for row in found]
            ids = ids[: len(ids) - offset] if page == "journal" else ids
            assert sorted(ids) == sorted(shown), (asked, commands[-1])
            assert shown or offset or EMPTY.intersection(names) or len(names) > 1, asked


EMPTY: Final = {"customer_email", "merchant_order_reference_id", "delivered"}
ROWS: Final = {"methods": "customer_payment_methods"}
ID: Final = {"methods": "payment_method_id", "webhooks": "event_id", "journal": "number"}


@pytest.mark.parametrize("address", ["nowhere", "x/y/z", "payments", "assets/none"])
def test_an_address_without_a_page_has_a_page(visitor: Visitor, address: str) -> None:
    reply = visitor.look(f"{HOME}/{address}/none/of/ours")
    assert (reply.status, said(text(reply), "nowhere")) == (404, "The dashboard has no page at this address.")


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
def test_the_command_of_every_other_page_is_answered(visitor: Visitor, dialect: str) -> None:
    visitor.api.put("/_sandbox/dialect", {"dialect": dialect})
    visitor.api.speaks = get(dialect)
    values = filled(visitor)
    of_pages = [page.path.removeprefix(f"{WORKSPACE}/") for page in PAGES if page.menu]
    records = [f"payments/{values['payment_id']}", f"customers/{values['customer_id']}"]
    for page in (*of_pages, *records, f"payments/{values['payment_id']}/export"):
        for command in CURL.findall(visitor.read(f"{page}?later=1")):
            line = unescape(command)
            if "GET" in line or "-X" not in line or line.startswith("curl -X POST http://localhost/payments/list"):
                assert sent_by(line, visitor.api).status == 200, (page, line)
