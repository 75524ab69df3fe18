"""A call's page, read back: everything on it is what the API's journal has of the call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from random import Random
from typing import Any, Final

import pytest

from mock_server.dashboard.folding import MOST
from tests.counts import times
from tests.dashboard.line_facts import facts
from tests.dashboard.trees import Tree, lines
from tests.dashboard.truths import plain
from tests.dashboard.visitor import HOME, Visitor
from tests.wire import Wire, card_payment

UNKNOWN: Final = "5425233430109903"
"""A card that is in no table, whose number is not stored."""
WHY: Final = {"object_unknown": "There is no object of this kind with this ID", "value_invalid": "Values are not valid"}


def lived(api: Wire, chance: Random) -> None:
    """Calls with and without bodies, queries, headers, repetitions, refusals and decisions."""
    for _ in range(10):
        body = {**card_payment(chance.choice(("visa_success", "visa_lost_card", UNKNOWN))), "confirm": True}
        key = {"X_Idempotency_Key": chance.choice(("order-1", "order-2"))} if chance.random() < 0.5 else {}
        match chance.randrange(6):
            case 0 | 1:
                body = {**card_payment(), "confirm": True} if key else body
                made = api.post("/payments", {**body, "description": "<b>two</b> seats, 李"}, **key)
                api.get(
                    f"/payments/{made['payment_id']}?force_sync=true&expand_attempts={chance.choice(('true', 'false'))}"
                )
            case 2:
                api.get("/payments/nobody", X_Tenant="acme & sons")
            case 3:
                api.post("/payments", {**body, "amount": -1})
            case 4:
                api.post("/payments", body, X_Sandbox_Outcome="failed:stolen_card")
            case _:
                api.get(f"/payments/list?limit={chance.randint(1, 9)}", User_Agent="shop/1.0 <x>")


def expected(call: dict[str, Any], first: int) -> Iterator[tuple[str, str]]:
    """What the head of the page says."""
    yield "Time", f"{call['at'][:10]} {call['at'][11:23]}"
    yield "Operation", call["operation"]
    yield "Request", call["request_id"]
    yield "Took", f"{call['took_ms']} ms"
    if call["payment_id"]:
        yield "Payment", call["payment_id"]
    yield "User agent", call["headers"]["user-agent"]
    if call["idempotency"]:
        yield "Idempotency key", f"{call['idempotency'][1]}…"
    if call["query"]:
        yield "Query", call["query"]
    if call["cause"]:
        yield "Refused because", WHY[call["cause"]]
    if call["replayed"]:
        yield "Replayed", f"the stored answer of call {first}"


def shown(html: str, part: str) -> list[tuple[str, str]] | str:
    """The tree or the text under a body's head."""
    inside = re.findall(rf'<div data-testid="{part}">(.*?)<a class="[^"]*"[^>]*href="\?as={part}"', html, re.DOTALL)
    if not inside:
        return ""
    if text := re.findall(r"<code>(.*)</code>", inside[0], re.DOTALL):
        return unescape(text[0])
    tree = Tree()
    tree.feed(inside[0].partition('role="region"')[2].partition(">")[2])
    return tree.said


@pytest.mark.parametrize("seed", range(times(3, soak=60)))
def test_a_calls_page_is_what_the_journal_has_of_it(api: Wire, seed: int) -> None:
    lived(api, Random(seed))
    visitor, first = Visitor(api), dict[str, int]()
    entries = api.get("/_sandbox/journal?limit=1000")["data"]
    assert len(entries) >= 10
    for call in entries:
        html = visitor.read(f"journal/{call['number']}")
        head = html[html.index("<h1>") :]
        assert plain(head.partition("</h1>")[0]) == f"{call['method']} {call['path']} {call['status']}"
        tone = "bad" if call["status"] >= 400 else "good"
        assert f'class="pill {tone}"' in head.partition("</h1>")[0]
        if call["idempotency"]:
            first.setdefault(str(call["idempotency"]), call["number"])
        wanted = list(expected(call, first.get(str(call["idempotency"]), 0)))
        assert list(facts(head.partition("</dl>")[0])) == wanted
        why = [unescape(plain(one)) for one in re.findall(r"<p>because <b>(.*?)</b>", html)]
        assert why == [one["text"] for one in call["because"]]
        for part in ("request", "response"):
            if call[part] is None:
                assert shown(html, part) == "" and "No body." in html
                continue
            said, is_text = lines(call[part]), isinstance(call[part], str)  # a text where the journal cut it
            is_tree = not is_text and sum(not text.startswith("and ") for _, text in said) <= MOST
            text = call[part] if is_text else json.dumps(call[part], ensure_ascii=False)
            assert shown(html, part) == (said if is_tree else text[:8_000] + "…" * (len(text) > 8_000))
            copied = visitor.look(f"journal/{call['number']}?as={part}").raw.decode()
            assert copied == (text if is_text else json.dumps(call[part], indent=2, ensure_ascii=False))
        is_api = not call["operation"].startswith(("control.", "page."))
        assert ('data-testid="replay"' in html) is is_api
        is_lost = "[hidden]" in visitor.look(f"journal/{call['number']}?as=curl").raw.decode()
        assert ("The number of the card was not stored" in html) is is_lost
        sent = html.partition('data-testid="headers">')[2].partition("</dl>")[0]
        assert dict(facts(sent)) == call["headers"]
        owner = f'href="{HOME}/{visitor.place}/payments/{call["payment_id"]}"'
        assert (owner in head.partition("</dl>")[0]) is bool(call["payment_id"])
