"""Forms that no page of ours sends: each is answered with a page that says what is wrong, and never with a 5xx."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from itertools import islice
from typing import Final
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.contract.control_operations import EVERY
from mock_server.dashboard.acting import DOES, FORM
from mock_server.dashboard.places import HOME, PAGES
from mock_server.domain.money import currency
from tests.counts import SOAK, times
from tests.dashboard.visitor import OWN, Visitor, text
from tests.wire import Reply, card_payment, wire

HUGE: Final = "x" * 20_000
NUMBERS: Final = ("-1", "9" * 5_000, "1e999", "²")
ODD: Final = ("", " ", HUGE, *NUMBERS, "null", "[" * 2_000, "\x00", "\u202e", "../..", "<name>", "%")
BYTES: Final = (b"", b"\xff\xfe", b"do", b"&&==&", b"do=%ff%fe", b"%", "do=ü".encode("latin-1"), b"\x00" * 100)
FORM_OF_PAGE: Final = re.compile(r"<form method=\"post\".*?</form>", re.DOTALL)
FIELD: Final = re.compile(r"<(?:input|select|textarea)\b[^>]*?name=\"([^\"]+)\"(?:[^>]*?value=\"([^\"]*)\")?")


ENDLESS: Final = frozenset({"control.reset", "control.clock_advance"})
"""What would take the workspace that is tried, or its time."""
CALLS: Final = DOES - ENDLESS


def post(visitor: Visitor, path: str, body: bytes, kind: str = FORM) -> Reply:
    return visitor._call("POST", path, body, {"Content-Type": kind, **OWN})


@pytest.fixture
def shop() -> Visitor:
    """A workspace in which every page has its forms."""
    api = wire()
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-02T10:00:00Z"})
    return Visitor(api)


def pages_of(visitor: Visitor) -> list[str]:
    """Every page, and that of a payment in each state that has buttons of its own."""
    api = visitor.api
    cards = ("visa_3ds_required", "visa_pending_succeeds", "visa_insufficient_funds", "visa_review")
    waits, pends, fails, held = (api.pay(card)["payment_id"] for card in cards)
    open_ = api.pay(capture_method="manual", customer={"id": "cus_forms"})["payment_id"]
    begun = api.post("/payments", card_payment())["payment_id"]
    paid = api.pay()["payment_id"]
    api.post("/_sandbox/next", {"on": "refunds.create", "then": {"outcome": "pending"}})
    refund = api.post("/refunds", {"payment_id": paid, "amount": 100})["refund_id"]
    dispute = api.post(f"/_sandbox/payments/{paid}/dispute", {"amount": 100})["dispute_id"]
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/x"})
    text_of = "rules:\n  - on: charge\n    then: {decline: lost_card}\n"
    api.call("PUT", "/_sandbox/scenarios/rules", raw=text_of.encode(), headers={"Content-Type": "application/yaml"})
    api.post("/_sandbox/scenarios/rules/activate")
    api.call("PUT", f"/_sandbox/snapshots/{visitor.place}")
    event = api.get("/_sandbox/webhooks")["data"][0]["event_id"]
    line = str(api.get("/_sandbox/journal")["data"][0]["number"])
    filled = [f"payments/{one}" for one in (waits, pends, paid, fails, held, open_, begun)]
    owned = {
        "export": [f"payments/{paid}/export"],
        "refunds_one": [f"refunds/{refund}"],
        "disputes_one": [f"disputes/{dispute}"],
    }
    named = {"payment": filled, "line": [f"journal/{line}"], "event": [f"webhooks/{event}"],
             "scenario": ["scenarios/rules", "scenarios/lost_response"], "replay": [f"journal/{line}/replay"],
             "customers_one": ["customers/cus_forms"], "methods_one": [], "mandates_one": [], **owned}  # fmt: skip
    return [path for page in PAGES for path in named.get(page.name, [page.path.rsplit("/", 1)[1]])]


def forms_of(page: str) -> Iterator[dict[str, str]]:
    for form in FORM_OF_PAGE.findall(page):
        yield {name: unescape(value) for name, value in FIELD.findall(form)}


def damaged(form: dict[str, str]) -> Iterator[list[tuple[str, str]]]:
    """A form with one field left out, repeated, of another sort, with a stranger beside it, or gone too deep."""
    whole = list(form.items())
    for name, value in whole:
        rest = [pair for pair in whole if pair[0] != name]
        yield rest
        yield [*whole, (name, value), (name, "another")]
        yield [*rest, (f"{name}.deeper", value or "x")]
        yield [(name, value or "x"), (f"{name}.deeper", "x"), *rest]
        yield [*rest, (f"{name}:nonsense", value)]
        yield [*rest, (f"{name}:whole", "9" * 5_000), (f"{name}:json", "[" * 5_000)]
        yield from ([*rest, (name, odd)] for odd in (ODD if SOAK else ODD[::3]))
    yield [*whole, ("arg.stranger", "x"), ("body.stranger", "x"), ("body.", "x"), ("body", "x"), ("arg.", "x")]
    yield [*whole, ("text", "x"), ("new", "true")]


def assert_told(reply: Reply, sent: object) -> None:
    assert reply.status < 500, (sent, reply.raw[:300])
    assert "INTERNAL" not in text(reply) and "Internal error in the sandbox" not in text(reply), sent


def test_every_amount_is_typed_as_money(shop: Visitor) -> None:
    names = [name for path in pages_of(shop) for form in forms_of(shop.read(path)) for name in form]
    kinds = {name.partition(":")[2] for name in names if "amount" in name}
    assert kinds and all(kind == "money" or currency(kind) for kind in kinds), kinds


def test_every_call_that_does_something_has_its_form(shop: Visitor) -> None:
    """The README promises it."""
    asked = {form["do"] for path in pages_of(shop) for form in forms_of(shop.read(path)) if "do" in form}
    assert asked == DOES


def test_a_damaged_form_is_no_servers_fault(shop: Visitor) -> None:
    forms = {form["do"]: (path, form) for path in pages_of(shop) for form in forms_of(shop.read(path)) if "do" in form}
    for at, (path, form) in enumerate(forms[do] for do in sorted(forms) if do not in ENDLESS):
        every = times(2, soak=1)
        for fields in islice(damaged(form), at % every, None, every):
            assert_told(post(shop, path, urlencode(fields).encode()), (path, fields))
    assert len(forms) == len(DOES)


@pytest.mark.parametrize("body", BYTES, ids=repr)
@pytest.mark.parametrize("kind", [FORM, f"{FORM}; charset=utf-16", "text/plain", "multipart/form-data", ""])
def test_bytes_that_are_no_form(shop: Visitor, body: bytes, kind: str) -> None:
    for path in (HOME, "clock", "new-scenario"):
        reply = post(shop, path, body, kind)
        assert reply.status in (200, 400, 415), (reply.status, reply.raw)


@pytest.mark.parametrize("kind", [FORM, "text/plain"])
def test_the_door_takes_any_form(kind: str) -> None:
    """Where a token is wanted, a form of another kind is one without it."""
    api = wire(control_token="hush_hush")
    for body in BYTES:
        assert post(Visitor(api), HOME, body, kind).status == 403


NAMES: Final = st.sampled_from(
    ["do", "text", "new", "token", "key", "arg.name", "arg.payment_id", "arg.refund_id", "arg.dispute_id", "body.to",
     "body.by", "body.at", "body.on", "body.then", "body.then:json", "body.then.decline", "body.times:whole",
     "body.amount:whole", "body.amount:money", "body.currency", "body.a.b.c", "body.a", "body.delivered:flag"]
)  # fmt: skip
VALUES: Final = st.one_of(st.text(max_size=40), st.sampled_from([*ODD, "true", "24h", '{"a": [1]}', *sorted(CALLS)]))


@cache
def anybody() -> Visitor:
    api = wire()
    api.pay()
    return Visitor(api)


@settings(max_examples=times(60, soak=5_000), deadline=None)
@given(st.sampled_from(sorted(CALLS)), st.lists(st.tuples(NAMES, VALUES), max_size=6))
def test_any_form_at_all(do: str, fields: list[tuple[str, str]]) -> None:
    sent = urlencode([("do", do), *fields], errors="replace").encode()
    for path in ("queue", "new-scenario", "scenarios/rules"):
        assert_told(post(anybody(), path, sent), (path, do, fields))


def test_the_parts_of_a_path_are_all_asked_for(shop: Visitor) -> None:
    for do in DOES & set(EVERY):
        for name in re.findall(r"<(\w+)>", EVERY[do].path):
            reply = shop.send("queue", {"do": do})
            assert reply.status == 400, do
            assert name in text(reply)
