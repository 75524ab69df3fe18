"""The overview's figures are those of a model that counted the calls as they were made and answered."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any, Final

import pytest

from tests.counts import times
from tests.dashboard.visitor import Visitor, count, said, text
from tests.wire import Reply, Wire, wire

CARDS: Final = (
    "visa_success", "visa_insufficient_funds", "visa_generic_decline", "visa_expired_card", "visa_3ds_required",
    "visa_pending_succeeds", "visa_review", "visa_lost_card", "visa_stolen_card", "visa_incorrect_cvc",
    "visa_do_not_honor",
)  # fmt: skip
NOWHERE: Final = "http://127.0.0.1:9/hook"


class Model:
    """A client that counts what it was answered."""

    def __init__(self, api: Wire, chance: random.Random) -> None:
        self.api, self.chance = api, chance
        self.payments: dict[str, Any] = {}
        self.refused = Counter[str]()
        self.attempts = 0
        self.calls = 0
        self.last: Reply | None = None

    def call(self, operation: str, method: str, path: str, body: object = None) -> Reply:
        self.calls += 1
        self.last = reply = self.api.call(method, path, body)
        self.refused[f"{reply.status} to {operation}"] += reply.status >= 400
        return reply

    def act(self) -> None:
        match self.chance.randrange(6):
            case 0 | 1 | 2:
                sent = {"amount": self.chance.choice((100, 6540))}
                self.calls += 1
                self.last = made = self.api.pay(self.chance.choice(CARDS), **sent)
                self.payments[made["payment_id"]] = made.json
            case 3:
                kind = self.chance.choice(("payments", "refunds", "disputes", "customers", "mandates"))
                self.call(f"{kind}.retrieve", "GET", f"/{kind}/nobody")
            case 4:
                payment = self.chance.choice([*self.payments, "pay_nobody"])
                self.call("refunds.create", "POST", "/refunds", {"payment_id": payment, "amount": 10})
            case _:
                self.api.post("/_sandbox/clock/advance", {"by": self.chance.choice(("1s", "20m", "3h"))})

    def resend(self) -> None:
        events = self.api.get("/_sandbox/webhooks")["data"]
        for event in self.chance.sample(events, min(3, len(events))):
            self.attempts += len(self.api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")["made"])

    def look_again(self) -> None:
        """The payments as they are at the end."""
        for name in self.payments:
            self.call("payments.retrieve", "GET", f"/payments/{name}")
            assert self.last is not None
            self.payments[name] = self.last.json


def numbers(html: str, test_id: str) -> dict[str, int]:
    """A list of names with their numbers."""
    found = re.search(rf'data-testid="{test_id}">(.*?)</ul>', html, re.DOTALL)
    rows = re.findall(r"<li>(.*?)<b>([\d,]+)</b>", found[1], re.DOTALL) if found else []
    return {re.sub(r"<[^>]*>", "", name).strip(): int(number.replace(",", "")) for name, number in rows}


def left_out(html: str, test_id: str) -> tuple[int, int]:
    """How many more there are than those shown, and of how many kinds; nothing where none is left out."""
    times, kinds = re.findall(r"\d+", said(html, test_id)) if f'data-testid="{test_id}"' in html else (0, 0)
    return int(times), int(kinds)


def reason(payment: dict[str, Any]) -> str:
    """The decline of a failed payment, as its details say it."""
    return str(payment["error_details"]["connector_details"]["reason"]).replace("_", " ")


@pytest.mark.parametrize("seed", range(times(4, soak=100)))
def test_the_figures_are_those_of_the_calls(api: Wire, seed: int) -> None:
    model = Model(api, random.Random(seed))
    for _ in range(model.chance.randint(5, 60)):
        model.act()
    api.put("/_sandbox/webhooks/target", {"url": NOWHERE})
    model.resend()
    model.look_again()
    assert model.last is not None
    page = Visitor(api).read("overview")
    every = list(model.payments.values())
    statuses = Counter(one["status"] for one in every)
    assert {name: int(said(page, f"tile-{name}")) for name in statuses} == statuses
    assert count(page, "tile-") == 0 and page.count('data-testid="tile-') == len(statuses)
    declines = Counter(reason(one) for one in every if one["error_code"] and one["status"] == "failed")
    five = numbers(page, "declines")
    assert five.items() <= declines.items() and sorted(five.values()) == sorted(declines.values())[-5:]
    assert left_out(page, "more-declines") == (declines.total() - sum(five.values()), len(declines) - len(five))
    assert numbers(page, "results") == ({"no answer": model.attempts} if model.attempts else {})
    label = re.search(r'aria-label="Payments by outcome: ([^"]*)"', page)
    assert label is not None
    drawn = {name: int(number) for number, name in re.findall(r"(\d+) ([a-z]+)", label[1])}
    good, bad = ("succeeded", "partially_captured"), ("failed", "expired", "cancelled")
    assert drawn["succeeded"] == sum(statuses[name] for name in good)
    assert drawn["failed"] == sum(statuses[name] for name in bad)
    assert sum(drawn.values()) == len(every)
    calls_are_true(model, page)


def calls_are_true(model: Model, page: str) -> None:
    """What was refused and not delivered, how often and since when; and what took long."""
    entries = model.api.get("/_sandbox/journal?limit=1000")["data"]
    entries = [one for one in entries if not one["operation"].startswith("control.")]
    groups = re.findall(
        r'class="times">(\d+) ×</b> <span>(?:<a[^>]*>)?([^<:]*).*?<time datetime="([^"]*)"', page, re.DOTALL
    )
    shown = {says: int(number) for number, says, _ in groups if " to " in says}
    assert shown.items() <= model.refused.items()
    assert [since for _, says, since in groups if " to " in says] == [
        min(one["at"] for one in entries if says == f"{one['status']} to {one['operation']}") for says in shown
    ]
    times_left, kinds_left = left_out(page, "more-groups")
    assert len(groups) + kinds_left >= len(+model.refused) + bool(model.attempts)
    assert sum(int(number) for number, *_ in groups) + times_left == model.refused.total() + model.attempts
    spans = said(page, "span-calls"), f"{model.calls} call{'s' * (model.calls > 1)}, since {read(entries[0]['at'])}"
    assert spans[0].removeprefix("all ") == spans[1]
    took = {one["number"]: one["took_ms"] for one in entries}
    slowest = [int(number) for number in re.findall(r'href="[^"]*/journal/(\d+)" data-testid="slow"', page)]
    assert [took[number] for number in slowest] == sorted(took.values(), reverse=True)[:5]


def read(at: str) -> str:
    """A time as the pages write it."""
    return f"{at[:10]} {at[11:19]}"


@pytest.mark.parametrize("seed", range(times(4, soak=100)))
def test_what_failed_is_shown_before_the_first_payment(api: Wire, seed: int) -> None:
    model = Model(api, random.Random(seed))
    for _ in range(model.chance.randint(1, 12)):
        kind = model.chance.choice(("payments", "refunds", "customers"))
        model.call(f"{kind}.create", "POST", f"/{kind}", {"amount": model.chance.choice((-1, "many"))})
    if model.chance.random() < 0.5:
        api.put("/_sandbox/webhooks/target", {"url": NOWHERE})
        api.post("/_sandbox/webhooks/trigger", {"type": "payment_succeeded"})
        model.resend()
    page = Visitor(api).read("overview")
    assert 'data-testid="empty"' in page
    calls_are_true(model, page)


def test_the_rate_limit_is_read_and_not_used() -> None:
    api = wire(rate_limit=50)
    visitor = Visitor(api)
    for made in range(1, 4):
        left = int(api.pay().headers["X-RateLimit-Remaining"])
        for _ in range(2):
            assert said(text(visitor.look("overview")), "rate") == f"{made} of 50"
        assert left == 50 - made


def test_what_failed_alike_is_sent_again_at_once(api: Wire) -> None:
    for _ in range(3):
        api.pay()
    api.put("/_sandbox/webhooks/target", {"url": NOWHERE})
    for event in api.get("/_sandbox/webhooks")["data"]:
        api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")
    visitor = Visitor(api)
    page = visitor.read("overview")
    assert "3 × your receiver 127.0.0.1:9/hook: the connection was refused" in said(page, "groups")
    ids = re.search(r'name="body.event_ids:list" value="([^"]+)"', page)
    assert ids is not None
    sent = visitor.send("overview", {"do": "control.resend_webhooks", "body.event_ids:list": ids[1]})
    assert sent.status == 200
    due = visitor.read("clock")
    assert len(ids[1].split()) == 3
    assert all(f">{name}<" in due for name in ids[1].split())


def test_the_verdict_comes_after_the_page(api: Wire) -> None:
    api.pay()
    assert said(Visitor(api).read("overview"), "later") == "not counted yet"
