"""The word that an answer shows finds exactly what shows it, in every list, figure and report, in both dialects.

One payment by every method that the dialect offers; then every filter with every word that occurs, and with words that
no list has.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import StringIO
from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.figures import DIMENSIONS
from mock_server.domain.methods import ALL_METHODS, METHODS, PUBLIC_WORDS
from mock_server.domain.paging import Query
from mock_server.engine.kinds import REPORTS
from tests.api.places import workspace
from tests.wire import Wire, wire

TIME: Final = {"startTime": "2020-01-01T00:00:00Z"}
OPEN: Final = {"connector", "profile_id", "card_last_4", "error_reason", "refund_reason", "refund_error_message"}
"""Dimensions whose values are not words of a list."""
SHOWN: Final = ("payment_method", "payment_method_type", "currency", "status", "authentication_type", "profile_id")
"""What answers, figures, lists and reports all have under one name."""
DIALECTS: Final = {"interface": INTERFACE, "hyperswitch": HYPERSWITCH}
dialects = pytest.mark.parametrize("dialect", DIALECTS)


class Shop:
    """A workspace with payments, and what its answers showed."""

    def __init__(self, dialect: Dialect) -> None:
        self.api = wire(dialect=dialect)
        self.rows = [self.api.post("/payments", body).json for body in self._bodies(dialect is HYPERSWITCH)]
        self.rows += [self.api.pay(card).json for card in ("4242424242424242", "5555555555554444")]
        assert len({row["payment_id"] for row in self.rows}) == len(self.rows)

    def _bodies(self, public: bool) -> Iterator[dict[str, Any]]:
        for row in ALL_METHODS if public else METHODS:
            group, word = PUBLIC_WORDS[row[:2]] if public else row[:2]
            body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop", "payment_method": group}
            more = {"ctp_service_details": {"provider": "visa"}} if public else {}  # it stands for the method's data
            yield {**body, "payment_method_type": word, **more}

    def counts(self, name: str) -> Counter[str]:
        return Counter(row[name] for row in self.rows if row[name] is not None)


@cache
def shop(dialect: str) -> Shop:
    return Shop(DIALECTS[dialect])


def figures(api: Wire, domain: str, **more: Any) -> list[dict[str, Any]]:
    body = [{"timeRange": TIME, "metrics": [f"{domain.removesuffix('s')}_count"], **more}]
    return list(api.post(f"/analytics/v1/metrics/{domain}", body)["queryData"])


@dialects
def test_a_snapshot_with_every_word_is_sound(dialect: str) -> None:
    there = shop(dialect)
    assert there.api.put(f"/_sandbox/snapshots/{dialect}").status == 200
    assert there.api.as_key("snd_restored_here").post(f"/_sandbox/snapshots/{dialect}/restore").status == 200


@dialects
@pytest.mark.parametrize("name", SHOWN)
def test_figures_have_the_words_of_answers(dialect: str, name: str) -> None:
    there = shop(dialect)
    told = {row[name]: row["payment_count"] for row in figures(there.api, "payments", groupByNames=[name])}
    assert {word: count for word, count in told.items() if word is not None} == there.counts(name)
    asked = {"timeRange": TIME, "groupByNames": [name]}
    (listed,) = there.api.post("/analytics/v1/filters/payments", asked)["queryData"]
    assert set(listed["values"]) == set(there.counts(name))


@dialects
@pytest.mark.parametrize("name", SHOWN)
def test_a_word_that_is_shown_finds_what_shows_it(dialect: str, name: str) -> None:
    there = shop(dialect)
    wrong = {}
    for word, count in there.counts(name).items():
        told = [row["payment_count"] for row in figures(there.api, "payments", filters={name: [word]})]
        listed = there.api.post("/payments/list", {name: [word], "limit": 50})
        shown = {row[name] for row in listed["data"]}
        if (told, listed["total_count"], shown) != ([count], count, {word}):
            wrong[word] = (told, listed["total_count"], shown, count)
    assert not wrong


@dialects
def test_a_report_has_the_words_of_answers(dialect: str) -> None:
    there = shop(dialect)
    there.api.post("/analytics/v1/report/payments", {"timeRange": TIME, "emails": ["a@shop.example"]})
    (made,) = workspace(there.api).space.scan(REPORTS, Query())
    path = made.download_url[made.download_url.index("/_sandbox") :]
    rows = list(csv.DictReader(StringIO(there.api.get(path).raw.decode())))
    for name in SHOWN:
        assert Counter(row[name] for row in rows if row[name]) == there.counts(name)


@dialects
@pytest.mark.parametrize("row", DIMENSIONS, ids=lambda row: f"{row.subject}-{row.name}")
@pytest.mark.parametrize("word", ["nope", "eur", "Vissa"])
def test_a_word_that_no_list_has_is_refused(dialect: str, row: Any, word: str) -> None:
    api = shop(dialect).api
    for call in ("metrics", "filters"):
        body = {"timeRange": TIME, "filters": {row.name: [word]}}
        asked = [{**body, "metrics": [METRIC[row.subject]]}] if call == "metrics" else body
        reply = api.post(f"/analytics/v1/{call}/{row.subject}", asked)
        assert reply.status == (200 if row.name in OPEN else 400), reply.raw
        if reply.status == 400 and dialect == "hyperswitch":
            assert f"unknown variant `{word}`, expected one of `" in reply.error["message"]


FILTERS: Final = [("POST", "payments"), ("POST", "refunds"), ("GET", "disputes")]


@dialects
@pytest.mark.parametrize(("method", "kind"), FILTERS)
def test_the_words_to_filter_by_are_those_that_lists_accept(dialect: str, method: str, kind: str) -> None:
    api = shop(dialect).api
    told = api.call(method, f"/{kind}/filter", {}).json
    schema: Any = BY_NAME[f"{kind}.list"].takes[0 if method == "POST" else 1]
    fields = schema.of(DIALECTS[dialect]).schema.fields
    asked = {name: words for name, words in told.items() if name not in ("connector", "payment_method_type")}
    assert asked and all(asked.values())
    for name, words in asked.items():
        for word in words:
            query = f"/{kind}/list?{name}={word}"
            reply = api.post(f"/{kind}/list", {name: [word]}) if method == "POST" else api.get(query)
            assert reply.status == 200, (name, word)
        inner = fields[name].inner
        if name == "currency":
            assert set(words) == set(inner.listed)
            paid: Any = BY_NAME["payments.create"].takes[0]
            assert set(words) == set(paid.of(DIALECTS[dialect]).schema.fields["currency"].words)


METRIC: Final = {"payments": "payment_count", "refunds": "refund_count", "disputes": "total_amount_disputed"}
