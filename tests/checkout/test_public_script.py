"""What the public checkout script reads of each answer is there, in both dialects: the table of the reference."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from mock_server.dialects import get
from tests.architecture.sources import ROOT
from tests.clocks import ManualClock
from tests.wire import Wire, card_data, wire

TABLE: Final = (ROOT / "docs/reference/checkout.md").read_text("utf-8").split("## Calls of the public script")[1]
ROWS: Final = {
    call: re.findall("`([^`]+)`", fields)
    for call, fields in re.findall(r"^\| `(\w+ /[^`]+)` \| (.*) \|$", TABLE, re.MULTILINE)
}
HEADERS: Final = re.findall("`(x-[a-z-]+)`", TABLE)
SHOP: Final = "https://shop.example.test"
BODIES: Final[dict[str, dict[str, Any]]] = {
    "eligibility": {
        "payment_method_type": "card",
        "payment_method_data": {"card": {"card_number": "4242424242424242"}},
    },
    "eligibility_check": {"payment_method_type": "card"},
    "post_session_tokens": {"payment_method": "wallet", "payment_method_type": "paypal"},
    "calculate_tax": {"shipping": {"address": {"country": "NL"}}, "payment_method_type": "paypal"},
    "sdk": {"component": "checkout", "logs": []},
}


@pytest.fixture(params=["interface", "hyperswitch"])
def page(request: pytest.FixtureRequest) -> tuple[Wire, dict[str, str]]:
    """A browser, and the payment of a customer who has saved a card."""
    api = wire(clock=ManualClock(), dialect=get(request.param))
    api.post("/customers", {"customer_id": "cus_ada"})
    order = {"amount": 6540, "currency": "EUR", "customer_id": "cus_ada", "profile_id": "pro_shop"}
    order |= {"setup_future_usage": "on_session", "return_url": "https://shop.example.test/"}
    first, second = (api.post("/payments", order).json for _ in range(2))
    api.post("/blocklist", {"type": "card_bin", "data": "411111"})
    api.post("/blocklist", {"type": "fingerprint", "data": "fp_of_somebody"})
    page = api.page()
    accepted = {"acceptance_type": "online", "accepted_at": "2026-01-01T00:00:00Z", "online": {"user_agent": "x"}}
    assert (
        page.post(
            f"/payments/{first['payment_id']}/confirm", {**_confirm(first), "customer_acceptance": accepted}
        ).status
        == 200
    )
    return page, second


def _confirm(payment: dict[str, str], number: str = "4242424242424242") -> dict[str, Any]:
    method = {"payment_method": "card", "payment_method_type": "credit"}
    return {"client_secret": payment["client_secret"], **method, "payment_method_data": {"card": card_data(number)}}


def _has(answer: Any, path: str) -> bool:
    name, _, rest = path.partition(".")
    if (key := name.removesuffix("[]")) and key not in answer:
        return False
    found = answer[key] if key else answer
    if name.endswith("[]"):
        found = found[0] if found else {}
    return not rest or (isinstance(found, dict) and _has(found, rest))


@pytest.mark.parametrize("call", ROWS)
def test_each_answer_has_what_is_read(page: tuple[Wire, dict[str, str]], call: str) -> None:
    browser, payment = page
    named = {"{payment_id}": payment["payment_id"], "{poll_id}": f"external_authentication_{payment['payment_id']}"}
    method, path = re.sub(r"{\w+}", lambda name: named[name[0]], call).split()
    body = {"client_secret": payment["client_secret"], **BODIES.get(path.rpartition("/")[2], {})}
    if path == "/payments/session_tokens":
        body |= {"payment_id": payment["payment_id"], "wallets": []}
    challenge = "/payments/" + payment["payment_id"] + "/confirm"
    if path == challenge or path == challenge.removesuffix("/confirm"):
        body = _confirm(payment, "4000000000003220")
    if path + "/confirm" == challenge:
        assert browser.post(challenge, body).status == 200
    asks = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": ",".join(["api-key", *HEADERS])}
    before = browser.as_key(None).call("OPTIONS", path, headers={"Origin": SHOP, **asks})
    assert {*before.headers["Access-Control-Allow-Headers"].split(",")} >= {"api-key", *HEADERS}
    asked = f"{'&' if '?' in path else '?'}client_secret={payment['client_secret']}" if method == "GET" else ""
    sent = {"Origin": SHOP, **dict.fromkeys(HEADERS, "x")}
    reply = browser.call(method, path + asked, None if asked else body, headers=sent)
    assert reply.status == (200 if ROWS[call] else 204), reply.raw
    assert reply.headers["Access-Control-Allow-Origin"] in ("*", SHOP)
    assert [field for field in ROWS[call] if not _has(reply.json, field)] == []
    if path.startswith("/blocklist"):
        assert [entry["fingerprint_id"] for entry in reply.json] == ["411111"]


def test_the_table_is_read() -> None:
    assert len(ROWS) == 14
    assert len(HEADERS) == 8
    assert not _has({"a": [{"b": 1}]}, "a[].c")
