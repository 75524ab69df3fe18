"""A workspace with one of each kind of thing: no page says `1 payments`."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from mock_server.dashboard.places import PAGES
from tests.dashboard.visitor import Visitor, text

PLURAL: Final = re.compile(r"(?<![\w.,:/–-])1 (?:[a-z]+ )?(?!(?:is|was|has|as|ms|this)\b)[a-z]+s\b")
"""A plural after a 1 that stands alone, perhaps with a word between."""


def plurals(page: str) -> list[str]:
    plain = re.sub(r'<(script|style|svg)\b.*?</\1>|<div class="json">.*?</div></div>', " ", page, flags=re.DOTALL)
    found = " ".join(unescape(re.sub(r"<[^>]*>", " ", plain)).split())
    return PLURAL.findall(found)


def test_no_page_has_a_plural_of_one(visitor: Visitor) -> None:
    api = visitor.api
    paid = api.pay(merchant_order_reference_id="order-one")
    api.get("/payments/nowhere")
    event = api.get("/_sandbox/webhooks")["data"][0]
    api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")
    api.call("PUT", "/_sandbox/snapshots/one")
    at = {"payment_id": paid["payment_id"], "event_id": event["event_id"], "number": "2", "name": "lost_response"}
    paths = [
        re.sub(r"<(\w+)>", lambda part: at.get(part[1], visitor.place), one.path)
        for one in PAGES
        if "<id>" not in one.path
    ]
    more = [
        f"{visitor.at('compare')}?of=2&of=3",
        f"{visitor.at('find')}?q=order-one",
        f"{visitor.at('verdict')}?later=1",
        "/_sandbox/ui",
    ]
    found = {path: wrong for path in (*paths, *more) if (wrong := plurals(text(visitor.look(path))))}
    assert not found, str(found)
