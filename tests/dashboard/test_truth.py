"""Every number, time and headline of the pages, against somebody who counted the calls (`tests/dashboard/life.py`)."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from random import Random
from typing import Any

import pytest

from mock_server.dashboard.visit import PAGE
from mock_server.verdict.rules import RULES
from tests.counts import times
from tests.dashboard.life import DAY, HOUR, MINUTE, SECOND, Life, iso, money, rough
from tests.dashboard.truths import OUTCOMES, plain, rows_of
from tests.dashboard.visitor import HOME, Visitor, count, said
from tests.wire import Wire


def near(at: int, now: int) -> str:
    """How near a time is, in the words of a list."""
    apart = at - now
    if apart <= -HOUR or apart > 31 * DAY:
        return ""
    text = rough(abs(apart))
    return "now" if not text else f"in {text}" if apart > 0 else f"{text} ago"


def span(ms: int) -> str:
    """A span in its two largest units that it has."""
    parts = []
    for size, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s")):
        whole, ms = divmod(ms, size)
        parts += [f"{whole} {name}"] if whole else []
    return " ".join(parts[:2]) or "now"


@pytest.fixture(params=range(times(2, soak=6)))
def life(api: Wire, request: pytest.FixtureRequest) -> Life:
    return Life(api, Random(request.param)).lived(times(90, soak=500))


@pytest.fixture
def page(life: Life) -> Visitor:
    return Visitor(life.api)


def total(html: str) -> int:
    return int(re.findall(r"of ([\d,]+)</span>", html)[0].replace(",", ""))


def test_what_the_pages_say_is_true(life: Life, page: Visitor) -> None:
    payments_are_true(life, page)
    each_payment_is_true(life, page)
    records_are_true(life, page)
    customers_are_true(life, page)
    overview_is_true(life, page)
    logs_are_true(life, page)
    clock_and_front_are_true(life, page)
    verdict_is_true(page)
    for _ in range(6):  # a day begins for all rows at the same time, whatever the hour
        life.move(4 * HOUR)
        life.pay()
        assert next(rows_of(page, life.now, "payments"))


def payments_are_true(life: Life, page: Visitor) -> None:
    html, now = page.read("payments"), life.now
    assert total(html) == len(life.payments)
    statuses = dict(re.findall(r'data-testid="status-(\w+)">[^<]*<b>([\d,]+)</b>', html))
    assert {name: int(text) for name, text in statuses.items()} == dict(life.statuses)
    for status, number in life.statuses.items():
        assert total(page.read(f"payments?status={status}")) == number
    shown = {}
    for at, when, id, amount, how, _, who in rows_of(page, life.now, "payments"):
        pill = re.search(r'title="([^"]*)"[^>]*>([^<]*)</span>(?: <span class="says">([^<]*)</span>)?', how)
        assert pill is not None
        note, headline = pill[3] or "", unescape(pill[1])
        shown[plain(id)] = (at, plain(when), plain(amount), pill[2], note, headline, plain(who))
    for one in life.payments:
        when = " ".join(f"{iso(one.at)[:10]} {iso(one.at)[11:19]} {near(one.at, now)}".split())
        badge, note, headline = one.stands(now)
        headline = re.sub(r"for 7 days|in 15 minutes", "in time", headline)  # a list reads no events
        assert shown[one.id] == (iso(one.at), when, money(one.amount, one.currency), badge, note, headline, one.name)
    assert len(shown) == len(life.payments)


def each_payment_is_true(life: Life, page: Visitor) -> None:
    for one in life.random.sample(life.payments, min(len(life.payments), times(12, soak=100))):
        html, (badge, _, headline) = page.read(f"payments/{one.id}"), one.stands(life.now)
        assert (said(html, "status"), said(html, "headline")) == (badge, headline)
        assert money(one.amount, one.currency) in html and iso(one.at) in html
        for id, amount, _ in one.refunds:
            assert f"{money(amount, one.currency)} succeeded {id}" in plain(html)
        whole = plain(page.read(f"payments/{one.id}?all=1"))
        assert all(f"By hand: dispute {money(two.amount, one.currency)}" in whole for two in one.disputes)
        found = page.read(f"find?q={money(one.amount, one.currency).replace(',', '').replace(' ', '+')}")
        sums = Counter((amount, two.currency) for two in life.payments for amount in two.sums)
        assert said(found, "hits").startswith(f"{sums[one.amount, one.currency]} result")


def records_are_true(life: Life, page: Visitor) -> None:
    refunds = {
        id: (iso(at), money(amount, one.currency), "succeeded")
        for one in life.payments
        for id, amount, at in one.refunds
    }
    disputes = {
        two.id: (iso(two.at), money(two.amount, one.currency), two.status.replace("_", " ") + two.due(life.now))
        for one in life.payments
        for two in one.disputes
    }
    for name, wanted in (("refunds", refunds), ("disputes", disputes)):
        if wanted:
            assert total(page.read(name)) == len(wanted)
        assert {
            plain(row[2]): (row[0], plain(row[3]), plain(row[4])) for row in rows_of(page, life.now, name)
        } == wanted


def customers_are_true(life: Life, page: Visitor) -> None:
    buyers = {one.id: (iso(one.at), one.says) for one in life.buyers.values()}
    assert {plain(row[2]): (row[0], plain(row[3])) for row in rows_of(page, life.now, "customers")} == buyers
    methods = {one.id: (iso(one.at), "active", one.card, one.customer) for one in life.methods.values()}
    assert {plain(row[2]): (row[0], *map(plain, row[3:])) for row in rows_of(page, life.now, "methods")} == methods
    mandates = {
        one.id: (iso(one.at), money(one.amount, "USD"), one.status, "multiple use", one.payment)
        for one in life.mandates
    }
    assert {plain(row[2]): (row[0], *map(plain, row[3:])) for row in rows_of(page, life.now, "mandates")} == mandates
    for id, number in Counter(one.customer for one in life.payments if one.customer).items():
        assert total(page.read(f"payments?customer_id={id}")) == number
        owned = {one.id for one in life.methods.values() if one.customer == id}
        assert {plain(row[2]) for row in rows_of(page, life.now, f"methods?customer_id={id}")} == owned


def overview_is_true(life: Life, page: Visitor) -> None:
    html = page.read("overview")
    assert said(html, "total") == f"{len(life.payments):,}"
    assert {name: said(html, f"tile-{name}") for name in life.statuses} == {
        name: f"{number:,}" for name, number in life.statuses.items()
    }
    newest = life.payments[-500:]
    assert said(html, "span-payments").startswith(("all", "the newest")[len(life.payments) >= 500] + f" {len(newest)} ")
    picture = re.search(r'aria-label="Payments by outcome: (\d+) succeeded, (\d+) open, (\d+) failed', html)
    assert picture is not None
    ends = Counter(OUTCOMES.get(one.status, "open") for one in newest)
    assert [int(number) for number in picture.groups()] == [ends["good"], ends["open"], ends["bad"]]
    own = [call for call in life.calls if not call[2].startswith("/payment_link")]
    refused = sum(status >= 400 for *_, status in own[-500:])
    assert (f"{refused} × 404 to payments.retrieve" in plain(html)) is bool(refused)


def logs_are_true(life: Life, page: Visitor) -> None:
    calls = [(row[0], plain(row[2]), int(plain(row[3]))) for row in rows_of(page, life.now, "journal")]
    assert calls == [(iso(at), f"{method} {path}", status) for at, method, path, status in reversed(life.calls)]
    reasons = {plain(row[4]) for row in rows_of(page, life.now, "journal?status=404")}
    assert reasons <= {"There is no object of this kind with this ID"}
    html = page.read("webhooks")
    assert f'Inbox <span class="count">{len(life.events):,}</span>' in html
    events: Any = Counter((row[0], plain(row[3]), plain(row[5])) for row in rows_of(page, life.now, "webhooks"))
    assert events == Counter((iso(one.at), one.type, one.object) for one in life.events)


def verdict_is_true(page: Visitor) -> None:
    """The life makes no call that a client should not make; each rule is counted once, each mistake has a card."""
    html = page.read("verdict?later=1")
    found = [int(text) for text in re.findall(r"\d+", said(html, "summary"))]
    pills = Counter(re.findall(r'<span class="pill (?:bad|wait)">(\w+)</span>\s*<code', html))
    assert found[:2] == [0, pills["advice"]] and not pills["error"], said(html, "summary")
    assert sum(found) == len(RULES)
    assert len(re.findall(r"<li><b>[\w-]+</b>: it needs|<li><b>[\w-]+</b>: none of", html)) == sum(found[3:])


def clock_and_front_are_true(life: Life, page: Visitor) -> None:
    html = page.read("clock")
    assert f'Scheduled events <span class="count">{len(life.due)}</span>' in html
    if len(life.due) <= PAGE:
        due = [(row[0], plain(row[2])) for row in rows_of(page, life.now, "clock")]
        wanted = sorted(at for at, _, _ in life.due)
        assert [at for at, _ in due] == [iso(at) for at in wanted]
        assert [apart for _, apart in due] == [span(at - life.now) for at in wanted]
    front = page.read(f"{HOME}?find={page.place}")
    card = plain(front[front.index('data-testid="workspaces"') :])
    assert f"{len(life.payments):,} payment" in card and f"{len(life.events):,} event" in card
    failed = life.statuses["failed"]
    assert (f"{failed:,} failed" in card) is bool(failed)
    assert count(front, "workspace") == 1
