"""Customers over HTTP (facts §1.4, §2.6, §8)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_payment

FULL: dict[str, Any] = {
    "name": "Jane Doe",
    "email": "jane.doe@example.com",
    "phone": "5550100",
    "phone_country_code": "+1",
    "description": "Met at the fair",
    "tax_registration_id": "DE123",
    "address": {"city": "Berlin", "country": "DE", "line1": "Am Markt 1"},
    "metadata": {"segment": "gold", "count": 42},
    "document_details": {"document_type": "cpf", "document_number": "12345678909"},
}
NAMES = [
    *("customer_id", "name", "email", "phone", "phone_country_code", "description", "tax_registration_id", "address"),
    *("created_at", "metadata", "default_payment_method_id", "document_details"),
]


def made(api: Wire, **fields: Any) -> str:
    reply = api.post("/customers", fields)
    assert reply.status == 200, reply.raw
    return str(reply["customer_id"])


def refused(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.error["code"]


def test_a_customer_is_made_with_what_was_sent(api: Wire) -> None:
    reply = api.post("/customers", {"customer_id": "cus_1", **FULL})
    assert list(reply.json) == [*NAMES, "ephemeral_key"]
    sent = {name: value for name, value in FULL.items() if name != "address"}
    assert {name: reply[name] for name in sent} == sent
    assert {name: reply["address"][name] for name in FULL["address"]} == FULL["address"]
    assert reply["created_at"] == "2026-01-01T00:00:00.000Z"
    assert api.get("/customers/cus_1").json == {name: reply[name] for name in NAMES}


def test_a_new_customer_comes_with_a_key_for_the_browser(api: Wire) -> None:
    key = api.post("/customers", {"customer_id": "cus_1"})["ephemeral_key"]
    assert key["customer_id"] == "cus_1"
    browser = api.as_key(key["secret"])
    assert browser.get("/customers/cus_1").status == 200
    assert browser.get("/customers/cus_2").status == 401
    assert key["secret"] not in repr(api.sandbox.workspaces()[0].space.dump())


def test_without_anything_it_has_an_id_and_nulls(api: Wire) -> None:
    reply = api.post("/customers")
    assert reply["customer_id"].startswith("cus_")
    assert len(reply["customer_id"]) == len("cus_") + 20
    assert {name for name in NAMES if reply[name] is not None} == {"customer_id", "created_at", "metadata"}
    assert reply["metadata"] == {}


@pytest.mark.parametrize("name", sorted(FULL))
def test_an_update_overwrites_what_was_sent_and_leaves_the_rest(api: Wire, name: str) -> None:
    made(api, customer_id="c", **FULL)
    before = api.get("/customers/c").json
    document = {"document_type": "other", "document_number": "1"}
    others: dict[str, Any] = {"metadata": {"new": 1}, "address": {"city": "Rome"}, "document_details": document}
    value: Any = others.get(name, "new@new.example")
    after = api.post("/customers/c", {name: value}).json
    assert after == {**before, name: {**dict.fromkeys(before["address"]), **value} if name == "address" else value}
    assert api.get("/customers/c").json == after


def test_a_put_takes_away_what_it_leaves_out(api: Wire) -> None:
    made(api, customer_id="c", **FULL)
    after = api.put("/customers/c", {"name": "New"}).json
    assert after == {
        **dict.fromkeys(NAMES),
        "customer_id": "c",
        "name": "New",
        "created_at": "2026-01-01T00:00:00.000Z",
        "metadata": {},
    }


def test_an_id_may_be_said_again_and_never_changed(api: Wire) -> None:
    made(api, customer_id="c")
    assert api.post("/customers/c", {"customer_id": "c", "name": "A"}).status == 200
    for reply in (api.post("/customers/c", {"customer_id": "d"}), api.put("/customers/c", {"customer_id": "d"})):
        assert refused(reply) == (400, "IR_04")
        assert reply.error["fields"][0]["field"] == "customer_id"


def test_deleting_blacks_out_what_was_known(api: Wire) -> None:
    made(api, customer_id="c", **FULL)
    deleted = api.delete("/customers/c")
    assert deleted.json == {
        "customer_id": "c",
        "customer_deleted": True,
        "address_deleted": True,
        "payment_methods_deleted": True,
    }
    left = api.get("/customers/c")
    assert left.status == 200
    assert left["name"] == left["email"] == left["phone"] == "Redacted"
    assert left["address"] is left["document_details"] is None
    for secret in ("Jane", "jane.doe", "5550100", "Berlin", "gold", "passport", "DE123", "fair"):
        assert secret not in left.raw.decode()


REFUSED: list[tuple[str, str, str, object, int, str]] = [
    ("unknown to retrieve", "GET", "/customers/nobody", None, 404, "HE_02"),
    ("unknown to update", "POST", "/customers/nobody", {}, 404, "HE_02"),
    ("unknown to replace", "PUT", "/customers/nobody", {}, 404, "HE_02"),
    ("unknown to delete", "DELETE", "/customers/nobody", None, 404, "HE_02"),
    ("taken id", "POST", "/customers", {"customer_id": "here"}, 400, "IR_12"),
    ("id of a deleted one", "POST", "/customers", {"customer_id": "gone"}, 400, "IR_12"),
    ("deleted to update", "POST", "/customers/gone", {"name": "x"}, 400, "IR_11"),
    ("deleted to replace", "PUT", "/customers/gone", {"name": "x"}, 400, "IR_11"),
    ("deleted to delete", "DELETE", "/customers/gone", None, 400, "IR_11"),
    ("deleted to pay", "POST", "/payments", card_payment(customer_id="gone"), 400, "IR_11"),
    ("two customers", "POST", "/payments", card_payment(customer_id="here", customer={"id": "other"}), 400, "IR_16"),
    ("route word as id", "POST", "/customers", {"customer_id": "list"}, 400, "IR_04"),
    ("wrong email", "POST", "/customers", {"email": "nobody"}, 400, "IR_04"),
    ("wrong country", "POST", "/customers", {"address": {"country": "Germany"}}, 400, "IR_04"),
    ("long name", "POST", "/customers", {"name": "x" * 256}, 400, "IR_04"),
    ("metadata not an object", "POST", "/customers", {"metadata": [1]}, 400, "IR_04"),
    ("unknown field", "POST", "/customers", {"nmae": "x"}, 400, "IR_06"),
    ("unknown field inside", "POST", "/customers", {"address": {"town": "x"}}, 400, "IR_06"),
    ("unknown parameter", "GET", "/customers/list?name=x", None, 400, "IR_06"),
    ("limit", "GET", "/customers/list?limit=0", None, 400, "IR_04"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED]
)
def test_what_is_refused(api: Wire, method: str, path: str, body: object, status: int, code: str) -> None:
    made(api, customer_id="here")
    made(api, customer_id="gone")
    api.delete("/customers/gone")
    assert refused(api.call(method, path, body)) == (status, code)


@pytest.mark.parametrize("path", ["/customers/list", "/customers/list_with_count"])
@pytest.mark.parametrize("by", ["query", "body"])
def test_lists_page_and_filter(api: Wire, clock: ManualClock, path: str, by: str) -> None:
    for number in range(5):
        made(api, customer_id=f"c{number}", email=f"n{number % 2}@example.com")
        clock.advance(1000)

    def listed(**asked: Any) -> Any:
        query = "&".join(f"{name}={value}" for name, value in asked.items())
        return (api.get(f"{path}?{query}") if by == "query" else api.post(path, asked)).json

    def ids_of(page: Any) -> list[str]:
        return [item["customer_id"] for item in page["data"]]

    assert ids_of(listed()) == ["c4", "c3", "c2", "c1", "c0"]
    page = listed(limit=2, offset=1)
    assert (ids_of(page), page["total_count"], page["has_more"]) == (["c3", "c2"], 5, True)
    assert ids_of(listed(email="n1@example.com")) == ["c3", "c1"]
    assert ids_of(listed(customer_id="c2")) == ["c2"]
    assert ids_of(listed(created_gte="2026-01-01T00:00:03Z")) == ["c4", "c3"]
    assert ids_of(listed(created_lte="2026-01-01T00:00:00Z")) == ["c0"]


def test_a_payment_makes_the_customer_that_it_names(api: Wire) -> None:
    api.pay(customer_id="c9", name="Jane", email="jane@example.com", phone="1", phone_country_code="+1")
    known = api.get("/customers/c9")
    assert (known["name"], known["email"], known["phone"]) == ("Jane", "jane@example.com", "1")


def test_a_payment_shows_the_customer_that_was_there(api: Wire) -> None:
    made(api, customer_id="c", **FULL)
    payment = api.pay(customer_id="c")
    assert payment["customer"]["name"] == "Jane Doe"
    assert payment["email"] == "jane.doe@example.com"
    assert api.pay(customer={"id": "c"})["customer_id"] == "c"


def test_customers_are_the_merchants_own(api: Wire) -> None:
    made(api, customer_id="c")
    assert refused(api.as_key("snd_somebody_else").get("/customers/c")) == (404, "HE_02")
