"""Pages, order and filters of lists (interface §4.4, §8.1, §8.2)."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import INTERFACE, CheckedAnswer, Phrase
from mock_server.conformance.client import DECLINED, Check, MerchantClient
from mock_server.conformance.target import Ability


def several(api: MerchantClient, count: int) -> tuple[str, list[str]]:
    """A customer with `count` payments, the newest first."""
    customer = api.name("cus")
    return customer, [api.create(customer_id=customer).id for _ in range(count)][::-1]


def listed(api: MerchantClient, **parameters: Any) -> CheckedAnswer:
    return api.post("/payments/list", parameters).is_(200)


def ids(answer: CheckedAnswer) -> list[str]:
    return [row["payment_id"] for row in answer["data"]]


def envelope(api: MerchantClient) -> None:
    for kind in ("payments", "refunds", "customers", "disputes"):
        answer = api.get(f"/{kind}/list").is_(200)
        answer.expect("the keys of the envelope", ["data", "has_more", "total_count"], sorted(answer.json))
        answer.expect("data", Phrase("an array"), answer["data"], isinstance(answer["data"], list))


def items(api: MerchantClient) -> None:
    made = api.pay(customer_id=api.name("cus"))
    found = listed(api, customer_id=made["customer_id"])
    found.has(total_count=1, has_more=False).shows("data.0", api.payment(made.id).json)


def newest_first(api: MerchantClient) -> None:
    customer, made = several(api, 4)
    answer = listed(api, customer_id=customer)
    answer.expect("the order", made, ids(answer))


def default_limit(api: MerchantClient) -> None:
    customer, made = several(api, 12)
    answer = listed(api, customer_id=customer).has(total_count=12, has_more=True)
    answer.expect("the first page", made[:10], ids(answer))


def walk(api: MerchantClient) -> None:
    customer, made = several(api, 7)
    seen: list[str] = []
    more = True
    while more and len(seen) <= len(made):
        page = listed(api, customer_id=customer, limit=3, offset=len(seen)).has(total_count=7)
        seen += ids(page)
        more = page["has_more"]
        page.expect("has_more", len(seen) < len(made), more)
    page.expect("all pages together", made, seen)


def past_the_end(api: MerchantClient) -> None:
    customer, _ = several(api, 2)
    listed(api, customer_id=customer, offset=2).has(data=[], total_count=2, has_more=False)


def bounds(api: MerchantClient) -> None:
    for wrong in (0, 101, -1, "ten"):
        api.post("/payments/list", {"limit": wrong}).refused(400, "IR_04").names("limit")
    api.post("/payments/list", {"offset": -1}).refused(400, "IR_04").names("offset")
    listed(api, limit=100)


def by_status(api: MerchantClient) -> None:
    customer = api.name("cus")
    paid, failed = api.pay(customer_id=customer).id, api.pay(DECLINED, customer_id=customer).id
    for status, expected in (("succeeded", [paid]), ("failed", [failed]), ("cancelled", [])):
        answer = listed(api, customer_id=customer, status=status).has(total_count=len(expected))
        answer.expect(f"the payments that are {status}", expected, ids(answer))
    both = listed(api, customer_id=customer, status=["failed", "succeeded"])
    both.expect("the payments of both statuses", [failed, paid], ids(both))


def by_customer(api: MerchantClient) -> None:
    (one, made), (_, other) = several(api, 2), several(api, 1)
    answer = listed(api, customer_id=one).has(total_count=2)
    answer.expect("the customer's payments", made, ids(answer))
    answer.expect("another's payment", Phrase("not to be among them"), ids(answer), other[0] not in ids(answer))


def by_currency(api: MerchantClient) -> None:
    customer = api.name("cus")
    euros = api.create(customer_id=customer, currency="EUR").id
    api.create(customer_id=customer, currency="USD").is_(200)
    answer = listed(api, customer_id=customer, currency="EUR").has(total_count=1)
    answer.expect("the payments in EUR", [euros], ids(answer))


def by_method(api: MerchantClient) -> None:
    customer = api.name("cus")
    paid = api.pay(customer_id=customer).id
    api.create(customer_id=customer).is_(200)
    answer = listed(api, customer_id=customer, payment_method="card").has(total_count=1)
    answer.expect("the payments by card", [paid], ids(answer))
    listed(api, customer_id=customer, payment_method="wallet").has(total_count=0)


def by_time(api: MerchantClient) -> None:
    customer = api.name("cus")
    created = api.create(customer_id=customer)["created"]
    for name, instant, count in (
        ("created_gte", created, 1), ("created_lte", created, 1),
        ("created_gte", "2999-01-01T00:00:00Z", 0), ("created_lte", "2001-01-01T00:00:00Z", 0),
    ):  # fmt: skip
        listed(api, customer_id=customer, **{name: instant}).has(total_count=count)
    api.post("/payments/list", {"created_gte": "yesterday"}).refused(400, "IR_04").names("created_gte")


def both_verbs(api: MerchantClient) -> None:
    customer, _ = several(api, 3)
    posted = listed(api, customer_id=customer, limit=2, offset=1)
    got = api.get(f"/payments/list?customer_id={customer}&limit=2&offset=1").is_(200)
    got.expect("GET beside POST", posted.json, got.json)


def unknown_parameter(api: MerchantClient) -> None:
    api.get("/payments/list?limmit=5").refused(400, "IR_06")
    api.post("/payments/list", {"limmit": 5}).refused(400, "IR_06")


def grows(api: MerchantClient) -> None:
    customer, (newest, *_) = several(api, 2)
    listed(api, customer_id=customer, limit=2).has(total_count=2, has_more=False)
    later = api.create(customer_id=customer).id
    answer = listed(api, customer_id=customer, limit=2).has(total_count=3, has_more=True)
    answer.expect("the newest two", [later, newest], ids(answer))


def follows_changes(api: MerchantClient) -> None:
    customer = api.name("cus")
    held = api.hold(customer_id=customer)
    listed(api, customer_id=customer, status="requires_capture").has(total_count=1)
    api.on(held, "capture").is_(200)
    listed(api, customer_id=customer, status="requires_capture").has(total_count=0)
    listed(api, customer_id=customer, status="succeeded").has(total_count=1)


def of_refunds(api: MerchantClient) -> None:
    paid, other = api.pay().id, api.pay().id
    made = [api.refund(paid, amount=100)["refund_id"] for _ in range(3)]
    api.refund(other, amount=100).is_(200)
    answer = api.post("/refunds/list", {"payment_id": paid, "limit": 2}).has(total_count=3, has_more=True)
    answer.expect("the newest refunds", made[:0:-1], [row["refund_id"] for row in answer["data"]])


def whole_workspace(api: MerchantClient) -> None:
    made = [api.create().id for _ in range(3)]
    answer = listed(api).has(total_count=3, has_more=False)
    answer.expect("all payments", made[::-1], ids(answer))


ROWS: Final = (
    Check("lists.envelope", "Every list is {data, total_count, has_more}.", "interface §4.4", envelope, only=INTERFACE),
    Check("lists.items", "The items of a list equal the retrieved objects.", "interface §4.4", items),
    Check("lists.newest_first", "The newest item comes first.", "ours", newest_first),
    Check("lists.default_limit", "A page has ten items by default.", "interface §8.1", default_limit),
    Check("lists.walk", "Pages by offset return every item once; has_more is false on the last.", "interface §8.1", walk, only=INTERFACE),
    Check("lists.past_the_end", "After the last page, pages are empty.", "interface §8.1", past_the_end),
    Check("lists.bounds", "limit is from 1 to 100, offset at least 0: otherwise 400 IR_04.", "interface §8.1", bounds, only=INTERFACE),
    Check("lists.by_status", "status filters by one or several values.", "interface §8.2", by_status),
    Check("lists.by_customer", "customer_id is a filter.", "interface §8.2", by_customer),
    Check("lists.by_currency", "currency is a filter.", "interface §8.2", by_currency),
    Check("lists.by_method", "payment_method is a filter.", "interface §8.2", by_method),
    Check("lists.by_time", "created_gte and created_lte are filters and include the given time.", "interface §8.1", by_time, only=INTERFACE),
    Check("lists.both_verbs", "GET with a query returns the same as POST with a body.", "ours", both_verbs, only=INTERFACE),
    Check("lists.unknown_parameter", "An unknown parameter is 400 IR_06.", "facts §1.1.1", unknown_parameter, only=INTERFACE),
    Check("lists.grows", "New items appear in the list immediately.", "interface §4.4", grows),
    Check("lists.follows_changes", "Filters use the current status.", "interface §8.2", follows_changes),
    Check("lists.of_refunds", "Refunds can be listed by payment, in pages.", "facts §1.2", of_refunds),
    Check("lists.whole_workspace", "Without a filter, all items of the merchant are counted.", "interface §4.4", whole_workspace, frozenset({Ability.OWN_WORKSPACES})),
)  # fmt: skip
