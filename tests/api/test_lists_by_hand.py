"""Every list of records, under filters, times, bounds, orders, cursors and pages at once, sorted and cut by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, wire

Row = dict[str, Any]
Of = Callable[[Row], Any]
CARDS: Final = (
    "visa_success",
    "mastercard_success",
    "visa_debit_success",
    "visa_insufficient_funds",
    "visa_3ds_required",
)
IDS: Final = {
    "payments": "payment_id", "refunds": "refund_id", "disputes": "dispute_id", "customers": "customer_id",
}  # fmt: skip
OWN: Final = {
    "payments": (
        "status", "customer_id", "currency", "payment_method", "payment_method_type", "profile_id", "connector",
        "authentication_type", "merchant_order_reference_id", "payment_id", "card_discovery",
    ),
    "refunds": ("payment_id", "currency", "profile_id", "connector", "status", "refund_id"),
    "disputes": ("payment_id", "currency", "profile_id", "connector", "dispute_status", "dispute_stage", "dispute_id"),
    "customers": ("customer_id", "email"),
}  # fmt: skip
OF_THE_PAYMENT: Final = ("customer_id", "payment_method", "payment_method_type")
"""Filters of refunds and disputes by what their payment has."""
RANGES: Final = {
    "payments": (("created_gte", "created_lte"), ("start_time", "end_time"), ("created_gt", "created_lt")),
    "refunds": (("created_gte", "created_lte"), ("start_time", "end_time")),
    "disputes": (
        ("received_time_gte", "received_time_lte"), ("received_time_gt", "received_time_lt"),
        ("start_time", "end_time"),
    ),
    "customers": (("created_gte", "created_lte"), ("start_time", "end_time")),
}  # fmt: skip


def at(row: Row) -> str:
    return str(row.get("created") or row["created_at"])


def filled(chance: Random) -> Wire:
    """A workspace with records of every kind, some of which are of one instant."""
    clock = ManualClock()
    api = wire(clock=clock)
    for _ in range(40):
        clock.advance(chance.choice((0, 0, 1, 1_000)))
        made = api.pay(
            chance.choice(CARDS), amount=chance.choice((1, 99, 100, 500, 6540)),
            currency=chance.choice(("USD", "JPY", "KWD")), profile_id=chance.choice(("pro_a", "pro_b")),
            merchant_order_reference_id=chance.choice(("order 1", "order 2", None)),
            authentication_type=chance.choice(("no_three_ds", "three_ds")), confirm=chance.random() < 0.9,
            capture_method=chance.choice(("automatic", "manual")), customer_id=chance.choice(("cus_a", "cus_b", None)),
            email=chance.choice(("a@shop.test", "b@shop.test", None)),
        ).json  # fmt: skip
        if made["status"] != "succeeded":
            continue
        for _ in range(chance.randrange(3) if made["amount"] > 10 else 0):
            api.post("/refunds", {"payment_id": made["payment_id"], "amount": chance.choice((1, 2, 30))})
        if chance.random() < 0.5:
            api.post(f"/_sandbox/payments/{made['payment_id']}/dispute", {"amount": 1})
    return api


def everything(api: Wire, kind: str) -> list[Row]:
    """The whole list, page by page."""
    rows: list[Row] = []
    while True:
        page = api.get(f"/{kind}/list?limit=17&offset={len(rows)}")
        rows += page["data"]
        if not page["has_more"]:
            return rows


def of_payment(payments: Mapping[str, Row], name: str, row: Row) -> Any:
    return payments[row["payment_id"]][name]


def readers(kind: str, payments: Mapping[str, Row]) -> dict[str, Of]:
    """What a record has under the name of each filter."""
    found: dict[str, Of] = {name: itemgetter(name) for name in OWN[kind]}
    if kind == "payments":
        found["customer_email"] = lambda row: row["email"]
        found["card_network"] = lambda row: ((row["payment_method_data"] or {}).get("card") or {}).get("brand")
    elif kind != "customers":
        found |= {name: partial(of_payment, payments, name) for name in OF_THE_PAYMENT}
    return found


class Asked:
    """One question in both forms, and the rows that answer it."""

    def __init__(self, chance: Random, kind: str, rows: list[Row], by_name: Mapping[str, Of]) -> None:
        self.chance, self.kind, self.rows = chance, kind, rows
        self.pairs: list[tuple[str, Any]] = []
        self.body: Row = {}
        for name in chance.sample(sorted(by_name), min(len(by_name), chance.choice((0, 1, 1, 2, 3)))):
            if there := sorted({value for row in rows if (value := by_name[name](row)) is not None}):
                chosen = chance.sample(there, 1 if kind == "customers" else min(len(there), chance.choice((1, 1, 2))))
                self.say(name, *chosen)
                self.rows = [row for row in self.rows if by_name[name](row) in chosen]
        self.counted = self.rows
        if rows and chance.random() < 0.5:
            self.between(rows)
        if kind in ("payments", "refunds") and chance.random() < 0.4:
            self.bounded()
        self.counted = self.rows
        self.order: Row = {}
        if kind == "payments":
            self.sorted_and_cut(rows)

    def say(self, name: str, *values: Any) -> None:
        self.pairs += [(name, value) for value in values]
        self.body[name] = list(values) if len(values) > 1 else values[0]

    def between(self, rows: list[Row]) -> None:
        first, last = self.chance.choice(RANGES[self.kind])
        if self.chance.random() < 0.7:
            since = at(self.chance.choice(rows))
            self.say(first, since)
            self.rows = [row for row in self.rows if at(row) >= since and (at(row) > since or not first.endswith("gt"))]
        if self.chance.random() < 0.7:
            until = at(self.chance.choice(rows))
            self.say(last, until)
            self.rows = [row for row in self.rows if at(row) <= until and (at(row) < until or not last.endswith("lt"))]

    def bounded(self) -> None:
        least, most = self.chance.choice((None, 0, 2, 99, 100)), self.chance.choice((None, 2, 100, 6540))
        bounds = {name: one for name, one in (("start_amount", least), ("end_amount", most)) if one is not None}
        self.pairs += bounds.items()
        self.body |= {"amount_filter": bounds} if bounds else {}
        self.rows = [
            row for row in self.rows if (least or 0) <= row["amount"] <= (row["amount"] if most is None else most)
        ]

    def sorted_and_cut(self, rows: list[Row]) -> None:
        if self.chance.random() < 0.5:
            self.order = {"on": self.chance.choice(("created", "amount")), "by": self.chance.choice(("asc", "desc"))}
            self.body["order"] = self.order
        age = {row["payment_id"]: -place for place, row in enumerate(rows)}
        is_by_amount = self.order.get("on") == "amount"

        def rank(row: Row) -> tuple[int, int]:
            return row["amount"] if is_by_amount else 0, age[row["payment_id"]]

        for name, is_beyond in (("starting_after", int.__lt__), ("ending_before", int.__gt__)):
            if self.chance.random() < 0.25:
                cursor = self.chance.choice(rows)
                self.say(name, cursor["payment_id"])
                places = sorted(map(rank, rows))
                edge = places.index(rank(cursor))
                self.rows = [row for row in self.rows if is_beyond(places.index(rank(row)), edge)]
        self.rows = sorted(self.rows, key=rank, reverse=self.order.get("by") != "asc")

    def page(self, offset: int, limit: int) -> list[Row]:
        """Its page; with `ending_before` alone it ends with what is just before the cursor."""
        if "ending_before" in self.body and "starting_after" not in self.body and self.order.get("by") != "asc":
            return self.rows[::-1][offset : offset + limit][::-1]
        return self.rows[offset : offset + limit]


@pytest.fixture(scope="module", params=range(times(1, soak=8)))
def lists(request: pytest.FixtureRequest) -> tuple[Wire, dict[str, list[Row]]]:
    api = filled(Random(request.param))
    return api, {kind: everything(api, kind) for kind in IDS}


@pytest.mark.parametrize("kind", IDS)
def test_a_page_of_any_list_is_filtered_sorted_and_cut_by_hand(
    lists: tuple[Wire, dict[str, list[Row]]], kind: str
) -> None:
    api, every = lists
    by_name, chance = readers(kind, {row["payment_id"]: row for row in every["payments"]}), Random(kind)
    for _ in range(times(60, soak=2_000)):
        asked = Asked(chance, kind, every[kind], by_name)
        total, limit = len(asked.rows), chance.choice((1, 2, 10, 100))
        offset = chance.choice((0, 0, 1, 5, total, max(0, total - 1)))
        said = (asked.body, asked.pairs, offset, limit)
        ways = [api.post(f"/{kind}/list", {**asked.body, "limit": limit, "offset": offset})]
        if not asked.order:
            ways.append(api.get(f"/{kind}/list?{urlencode([*asked.pairs, ('limit', limit), ('offset', offset)])}"))
        page = asked.page(offset, limit)
        for reply in ways:
            assert reply.status == 200, (reply.raw, said)
            assert [row[IDS[kind]] for row in reply["data"]] == [row[IDS[kind]] for row in page], said
            assert (reply["total_count"], reply["has_more"]) == (total, offset + len(page) < total), said
        if kind != "customers" and not {"starting_after", "ending_before"} & asked.body.keys():
            counts = api.get(f"/{kind}/aggregate?{urlencode(asked.pairs)}")["status_with_count"]
            word = "dispute_status" if kind == "disputes" else "status"
            assert {name: many for name, many in counts.items() if many} == Counter(
                row[word] for row in asked.counted
            ), said
