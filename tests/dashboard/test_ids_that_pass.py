"""Ids and addresses whose digits pass for a card's number: every link leads on, and every form sends what it got."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final
from urllib.parse import quote, urljoin

import pytest

from mock_server.dashboard.masked import restored
from mock_server.domain import hiding
from tests.counts import times
from tests.dashboard.reading import Form, Page
from tests.dashboard.visitor import Visitor, said, text
from tests.wire import Wire, card_payment, wire

DIGITS: Final = "5689009595002856"
URL: Final = f"http://127.0.0.1:9/hooks/{DIGITS}?again={DIGITS}"
WORDS: Final = {
    name: f"{name}_{DIGITS}"
    for name in ("ord", "ref", "cus", "rules", "shot", "order", "pro", "key", "label", "seed", "mer")
}
TEXT: Final = "4539578763621494"
"""A card's number in what a client writes: never in a page, whatever the part of it."""
RULES: Final = b"rules:\n  - on: charge\n    when: {body.amount: 1}\n    then: {decline: lost_card}\n"


def lived(api: Wire) -> None:
    """A workspace in which everything that the caller may name has such digits."""
    ok = [
        api.put("/_sandbox/webhooks/target", {"url": URL}),
        api.post("/customers", {"customer_id": WORDS["cus"], "name": "Ada", "metadata": {"note": TEXT}}),
        api.call(
            "PUT", f"/_sandbox/scenarios/{WORDS['rules']}", raw=RULES, headers={"Content-Type": "application/yaml"}
        ),
        api.call("PUT", f"/_sandbox/snapshots/{WORDS['shot']}"),
    ]
    for card, more in (("visa_success", ""), ("visa_3ds_required", "w"), ("visa_insufficient_funds", "f")):
        free = {"description": TEXT, "metadata": {"note": TEXT, TEXT: "x"}, "merchant_order_reference_id": TEXT}
        named = {"payment_id": WORDS["ord"] + more, "customer_id": WORDS["cus"], **free}
        headers = {"X-Sandbox-Scenario": WORDS["rules"], "X-Idempotency-Key": WORDS["key"] + more}
        body = {**card_payment(card), "confirm": True, "setup_future_usage": "off_session", **named}
        ok.append(api.call("POST", "/payments", body, headers=headers))
    refund = {"payment_id": WORDS["ord"], "refund_id": WORDS["ref"], "amount": 100, "metadata": {"note": TEXT}}
    ok += [
        api.post("/refunds", refund),
        api.post(f"/_sandbox/payments/{WORDS['ord']}/dispute", {"amount": 100}),
        api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}}),
    ]
    api.get(f"/payments/{WORDS['ord']}?note={TEXT}")
    assert [one.raw for one in ok if one.status >= 300] == []


PLACES: Final = (
    "overview", "payments", "journal", "webhooks", "scenarios", "snapshots", "clock", "new-payment", "new-scenario",
    f"payments?merchant_order_reference_id={WORDS['order']}&offset=40", f"payments?customer_id={WORDS['cus']}",
    f"journal?payment_id={WORDS['ord']}&offset=0", f"webhooks?payment_id={WORDS['ord']}",
    f"refunds?payment_id={WORDS['ord']}", f"find?q={WORDS['ord']}", f"compare?of={WORDS['ord']}&of={WORDS['ord']}w",
    f"cards?find={DIGITS}", f"payments/{WORDS['ord']}/export?later=1",
)  # fmt: skip


@pytest.fixture(scope="module")
def visitor() -> Visitor:
    api = wire()
    lived(api)
    return Visitor(api)


@pytest.fixture(scope="module")
def pages(visitor: Visitor) -> dict[str, str]:
    """Every page that links lead to, one of each kind; none is missing."""
    left, found = [visitor.at(place) for place in PLACES], dict[str, str]()
    while left:
        path = left.pop(0)
        reply = visitor.look(path)
        assert reply.status == 200, path
        found[path] = text(reply)
        for link in Page(found[path]).links:
            one = urljoin(path, unescape(link)).partition("#")[0]
            is_own = one.startswith(visitor.at("")) and not one.endswith("/live")
            if is_own and one not in found and one not in left and _is_wanted(one):
                left.append(one)
    assert len(found) > 40
    return found


def _is_wanted(link: str) -> bool:
    """All links, but of the calls in the journal a few: their pages are alike."""
    number = re.search(r"journal/(\d+)", link)
    return number is None or int(number[1]) % times(4, soak=1) == 0


def forms(pages: dict[str, str]) -> Iterator[tuple[str, Form]]:
    for path, html in pages.items():
        if "?as=" not in path and "&as=" not in path:
            yield from ((path, form) for form in Page(html).forms if form.test_id != "do-replay")  # of a masked call


def test_every_form_holds_what_it_acts_on(pages: dict[str, str], visitor: Visitor) -> None:
    names = set[str]()
    for path, form in forms(pages):
        assert not [pair for pair in form.values if hiding.HIDDEN in "".join(pair)], (path, form)
        names |= {restored(value) for _, value in form.values}
    assert names >= {URL, WORDS["ord"], WORDS["ref"], WORDS["rules"], WORDS["shot"]}
    copied = {restored(one) for html in pages.values() for one in Page(html).copies}
    assert {WORDS["ord"], WORDS["ref"]} <= copied


def test_a_form_that_is_sent_unchanged_changes_nothing(pages: dict[str, str], visitor: Visitor) -> None:
    target = visitor.api.get("/_sandbox/webhooks/target")
    for path, form in forms(pages):
        if form.method == "get":
            query = "&".join(f"{name}={quote(value)}" for name, value in form.values if name)
            there = visitor.look(f"{path.partition('?')[0]}?{query}") if "filters" in pages[path] else None
            assert there is None or hiding.HIDDEN not in str(Page(text(there)).forms), path
        elif form.test_id == "do-control.set_webhook_target":
            assert visitor.send(path, form.values).status == 200
    assert visitor.api.get("/_sandbox/webhooks/target")["url"] == target["url"] == URL


def test_each_button_finds_its_object(pages: dict[str, str], visitor: Visitor) -> None:
    """Nothing is refused because there is no such object."""
    done = 0
    for path, form in forms(pages):
        do = dict(form.values).get("do", "")
        if (
            form.method == "post"
            and any(DIGITS in restored(value) for _, value in form.values)
            and not re.search("drop|restore", do)
        ):
            assert "There is no" not in said(text(visitor.send(path, form.values)), "notice"), (path, form)
            done += 1
    assert done > 5


def test_no_number_is_in_any_part_of_a_page(pages: dict[str, str]) -> None:
    for path, html in pages.items():
        assert TEXT not in html and DIGITS not in html, path
