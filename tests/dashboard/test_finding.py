"""One search finds a payment by the beginning of any id, by whose it is, by amount, error code and decline."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

import pytest
from msgspec import structs

from mock_server.control.search import SCANNED
from mock_server.dashboard.visit import PAGE
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.engine.kinds import PAYMENTS
from mock_server.store.transaction import Transaction
from tests.dashboard.visitor import Visitor, count, said
from tests.wire import wire

ORDER: Final[dict[str, Any]] = {
    "merchant_order_reference_id": "order-42",
    "customer": {"id": "cus_ada", "email": "ada@example.test"},
}


def hits(visitor: Visitor, text: str) -> list[str]:
    """Where the search leads, in its order."""
    return re.findall(r'href="[^"]*/([^"/]+)" data-testid="hit"', visitor.read(f"find?q={quote(text)}"))


@pytest.fixture
def filled(visitor: Visitor) -> dict[str, str]:
    api = visitor.api
    paid = api.pay(amount=6540, **ORDER)["payment_id"]
    failed = api.pay("visa_insufficient_funds", amount=1234)["payment_id"]
    refund = api.post("/refunds", {"payment_id": paid, "amount": 100})["refund_id"]
    dispute = api.post(f"/_sandbox/payments/{paid}/dispute", {"amount": 100})["dispute_id"]
    event = api.get("/_sandbox/webhooks")["data"][0]["event_id"]
    return {"paid": paid, "failed": failed, "refund": refund, "dispute": dispute, "event": event, "customer": "cus_ada"}


@pytest.mark.parametrize("what", ["paid", "failed", "refund", "dispute", "event", "customer"])
def test_any_id_is_found_by_how_it_begins(visitor: Visitor, filled: dict[str, str], what: str) -> None:
    id = filled[what]
    for text in (id, id[:-3]):
        assert id in hits(visitor, text)


def test_a_call_is_found_by_the_id_of_its_request(visitor: Visitor, filled: dict[str, str]) -> None:
    line = visitor.api.get("/_sandbox/journal")["data"][0]
    assert hits(visitor, line["request_id"][:12]) == [str(line["number"])]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("order-42", "paid"), ("ada@example.test", "paid"), ("cus_ada", "paid"), ("65.40", "paid"),
        ("65.40 USD", "paid"), ("6540", "paid"), ("12,34", "failed"), ("insufficient funds", "failed"),
        ("insufficient_funds", "failed"), ("dc_08", "failed"),
    ],
)  # fmt: skip
def test_a_payment_is_found_by_what_is_known_of_it(
    visitor: Visitor, filled: dict[str, str], text: str, what: str
) -> None:
    assert [id for id in hits(visitor, text) if id.startswith("pay_")] == [filled[what]]


@pytest.mark.parametrize("text", ["order-43", "65.41", "65.40 EUR", "lost_card", "nobody", "\x00\x00", "%%", "x" * 300])
def test_what_is_not_there_is_not_found(visitor: Visitor, filled: dict[str, str], text: str) -> None:
    assert hits(visitor, text) == []
    assert said(visitor.read(f"find?q={quote(text)}"), "hits").startswith("No results for")


def test_an_empty_search_says_what_can_be_found(visitor: Visitor) -> None:
    assert count(visitor.read("find"), "empty") == 1
    assert count(visitor.read("find"), "too-short") == 0
    assert "No search was made for a" in said(visitor.read("find?q=a"), "too-short")


def test_a_scan_says_where_it_stopped() -> None:
    """A text is looked for in the newest 50 000; what is older is not, and the page says so. An amount has an index."""
    api = wire()
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    space = api.sandbox.workspace(key).space
    first = api.pay(amount=4242, name="Ada Lovelace")["payment_id"]
    newer = iter(range(SCANNED + 4_096))

    def put(tx: Transaction) -> None:
        record = tx.get(PAYMENTS, first)
        assert record is not None
        for number in islice(newer, SCANNED // 2 + 2_048):
            tx.put(PAYMENTS, structs.replace(record, payment_id=f"pay_{number:020}", amount=1, customer_name="Bob"))

    visitor = Visitor(api)
    space.transact(put)
    assert hits(visitor, "lovelace") == hits(visitor, "42.42") == [first]
    assert "newest" not in said(visitor.read("find?q=lovelace"), "hits")
    space.transact(put)
    assert hits(visitor, "lovelace") == []
    assert "in the newest 50,001 of 54,097 payments" in said(visitor.read("find?q=lovelace"), "hits")
    assert hits(visitor, "42.42") == [first], "amounts have no such end"
    assert hits(visitor, first) == [first], "ids have no such end"


# the lists


@pytest.mark.parametrize("name", ["refund", "dispute", "customer"])
def test_every_row_of_a_list_leads_to_its_record(visitor: Visitor, filled: dict[str, str], name: str) -> None:
    page = visitor.read(f"{name}s")
    assert said(page, "one") == filled[name]
    shown = visitor.read(f"{name}s/{filled[name]}")
    assert filled[name] in shown and "Hide null fields" in shown
    assert filled["paid"] in shown or name == "customer"


def test_saved_methods_and_mandates_are_listed_too(visitor: Visitor) -> None:
    accepted = {"acceptance_type": "online", "accepted_at": "2026-03-02T10:00:00.000Z"}
    visitor.api.pay(
        customer={"id": "cus_keeps"}, setup_future_usage="off_session", customer_acceptance=accepted,
        mandate_data={"customer_acceptance": accepted, "mandate_type": {"multi_use": {"amount": 9, "currency": "USD"}}},
    )  # fmt: skip
    for name in ("methods", "mandates"):
        id = said(visitor.read(name), "one")
        assert id in visitor.read(f"{name}/{id}")
        assert said(visitor.read(f"{name}?customer_id=cus_keeps"), "one") == id
        assert "No results." in visitor.read(f"{name}?customer_id=cus_other")


def test_a_list_has_its_pages(visitor: Visitor) -> None:
    for number in range(PAGE + 3):
        visitor.api.post("/customers", {"customer_id": f"cus_{number:03}"})
    assert count(visitor.read("customers"), "one") == PAGE
    assert f"offset={PAGE}" in visitor.read("customers")
    assert count(visitor.read(f"customers?offset={PAGE}"), "one") == 3


def test_the_last_day_of_a_filter_is_in_it(visitor: Visitor) -> None:
    visitor.api.pay()
    assert count(visitor.read("payments?created_gte=2026-03-02&created_lte=2026-03-02"), "payment") == 1
    assert count(visitor.read("payments?created_lte=2026-03-01"), "payment") == 0


@pytest.mark.parametrize("name", ["王", "이", "李", "😀", "é", "Ω"])
def test_one_sign_is_enough_where_it_can_be_a_whole_name(visitor: Visitor, name: str) -> None:
    """Here and in the control API; one letter of ASCII is in everything."""
    visitor.api.post("/customers", {"customer_id": "who", "name": f"{name} Sommer"})
    assert hits(visitor, name) == ["who"]
    assert [hit["id"] for hit in visitor.api.get(f"/_sandbox/search?text={quote(name)}").json["data"]] == ["who"]
    assert visitor.api.get("/_sandbox/search?text=S").status == 400
    assert "What you can search for" in visitor.read("find?q=S")
