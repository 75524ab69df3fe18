"""A receiver's debug page shows all that it got; nothing secret of it is kept, anywhere."""

from __future__ import annotations

import json
from typing import Final

import pytest

from mock_server.cli.webhooks import posted
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response
from tests.webhooks.shops import HOOK, mall
from tests.wire import KEY

NUMBER: Final = "4539578763621486"
CODE: Final = "8642"
PARTS: Final = {"card_number": NUMBER, "card_cvc": CODE, "note": CODE, "api-key": KEY, "password": "swordfish"}
BODIES: Final = {
    "json": json.dumps(PARTS),
    "json in json": json.dumps({"echo": json.dumps(PARTS)}),
    "html": "<table>" + "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in PARTS.items()),
    "text": "\n".join(f"{name}: {value}" for name, value in PARTS.items()),
    "form": "&".join(f"{name}={value}" for name, value in PARTS.items()),
    "cut json": json.dumps({"x": "y" * (LONGEST_EXCERPT - 25), **PARTS}),
}
HEADERS: Final = (("X-Echo", f"{NUMBER} {KEY}"), ("Set-Cookie", "session=swordfish"), ("X-Api-Key", KEY))


@pytest.mark.parametrize("form", BODIES)
def test_nothing_secret_of_a_receivers_answer_is_kept(form: str) -> None:
    shopping = mall()
    shopping.shop.always = Response(500, HEADERS, BODIES[form].encode())
    shopping.api.pay()
    shopping.deliver()
    assert shopping.api.put("/_sandbox/snapshots/kept?journal=1").status == 200
    (event,) = shopping.api.get("/_sandbox/webhooks")["data"]
    views = [
        shopping.api.get(f"/_sandbox/webhooks/{event['event_id']}").raw.decode(),
        shopping.api.get("/_sandbox/snapshots/kept").raw.decode(),
        repr(shopping.attempts()),
    ]
    for view in views:
        for secret in (NUMBER, NUMBER[:13], KEY, "swordfish", f'"{CODE}"', f">{CODE}<", f"={CODE}", f": {CODE}"):
            assert secret not in view.replace('\\"', '"') or (secret == "swordfish" and form == "html"), secret


@pytest.mark.parametrize("form", BODIES)
def test_listen_prints_no_more_than_the_inbox_shows(form: str) -> None:
    shopping = mall()
    shopping.shop.always = Response(500, HEADERS, BODIES[form].encode())
    shopping.api.pay()
    shopping.deliver()
    (event,) = shopping.inbox()
    printed = posted(shopping.shop, event, HOOK).removeprefix("answered 500 ")
    assert event["deliveries"][0]["response_body"].startswith(printed)
    assert len(printed) > 50


def test_a_plain_answer_is_kept_as_it_came() -> None:
    shopping = mall()
    shopping.shop.always = Response(200, (("Server", "shop/2.1"),), b'{"ok": true, "order": 1042}')
    shopping.api.pay()
    shopping.deliver()
    (attempt,) = shopping.attempts()
    assert attempt.response_body == '{"ok": true, "order": 1042}'
    assert attempt.response_headers == '[["Server","shop/2.1"]]'
