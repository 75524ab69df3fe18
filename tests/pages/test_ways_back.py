"""The customer gets back to any return URL: a redirect has it with the signs that a header can have."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from tests.pages.browser import Browser, link, verified
from tests.pages.challenges import key_of
from tests.wire import Wire

HOSTS: Final = ("shop.example", "shöp.example:8443", "店.example", "[::1]:8443", "ü" * 64 + ".example")
TAILS: Final = (
    "", "/", "/zurück", "/戻る/", "/\U0001f6d2", "/%E6%88%BB?a=%2F", "?ü=é", "?q=戻る&q=2", "/a#戻る", "/'\"<>`{|}^~",
)  # fmt: skip


@pytest.mark.parametrize("by_api", [False, True], ids=["page", "api"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_redirect_leads_to_any_return_url(api: Wire, host: str, by_api: bool) -> None:
    for tail in TAILS:
        url = f"https://{host}{tail}"
        made = api.pay("visa_3ds_required", return_url=url).json
        if by_api:
            api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "approved"})
            own = f"/payments/{made['payment_id']}/{made['merchant_id']}/redirect/response/payment_sandbox"
            led = api.as_key(None).get(own).headers["Location"]
        else:
            led = Browser(api).press(Browser(api).open(link(made)), "approved").headers["Location"]
        assert led.isascii()
        assert tail.isascii() is False or host.isascii() is False or led.startswith(url.partition("#")[0])
        wanted, there = urlsplit(url), urlsplit(led)
        assert unquote(there.netloc) == host
        assert unquote(there.path) == unquote(wanted.path)
        assert unquote(there.fragment) == wanted.fragment
        own_pairs = parse_qsl(wanted.query, keep_blank_values=True)
        pairs = parse_qsl(there.query, keep_blank_values=True)
        assert pairs[: len(own_pairs)] == own_pairs
        assert dict(pairs)["status"] == "succeeded"
        assert verified(pairs, key_of(api))
