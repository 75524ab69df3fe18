"""What pages keep out: forged forms, looking ahead, frames, open redirects, and whatever a field may hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.pages.browser import Browser, Seen, link, query_of, verified
from tests.pages.challenges import RETURN, challenged, key_of
from tests.wire import Wire

INJECTIONS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "{{ 7*7 }}",
    "{% include 'x' %}",
    "${7*7}",
    "<!--",
    "-->",
    "&lt;script&gt;",
    '"; url=https://evil.example',
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<base href=//evil.example>",
    "\x00\x01\x7f",
    "\u202etxt.exe",
    "a" * 255,
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "😀",
    "</dd></dl></main><form action=//evil.example>",
)


@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_whatever_a_field_holds_is_shown_as_text(api: Wire, text: str) -> None:
    plain = Browser(api).open(link(challenged(api)))
    fields: dict[str, Any] = {"description": text, "name": text, "customer_id": "cus_2", "metadata": {"a": text}}
    made = api.pay("visa_3ds_required", return_url=RETURN, **fields)
    assert made.status == 200, made.raw
    page = Browser(api).open(link(made.json))
    assert page.status == 200
    assert shape(page.seen) == shape(plain.seen)
    shown = page.seen.texts["description"]
    assert shown == text or "\x00" in text
    assert page.headers["Content-Security-Policy"] == plain.headers["Content-Security-Policy"]


def shape(seen: Seen) -> list[tuple[str, tuple[str, ...]]]:
    """The tags of a page with the names of their attributes: what a text could add to."""
    return [(tag, tuple(sorted(attributes))) for tag, attributes in seen.tags]


@pytest.mark.parametrize("text", INJECTIONS, ids=range(len(INJECTIONS)))
def test_a_banks_name_is_shown_as_text(api: Wire, text: str) -> None:
    body = {
        "amount": 100, "currency": "EUR", "profile_id": "pro_shop", "confirm": True, "return_url": RETURN,
        "payment_method": "bank_redirect", "payment_method_type": "ideal",
        "payment_method_data": {"bank_redirect": {"ideal": {"bank_name": text}}},
    }  # fmt: skip
    made = api.post("/payments", body)
    page = Browser(api).open(link(made.json))
    tags = {tag for tag, _ in page.seen.tags}
    assert tags <= {
        "html", "head", "meta", "link", "title", "style", "body", "main", "p", "strong", "h1", "dl", "div", "dt", "dd",
        "form", "input", "fieldset", "legend", "label", "button", "details", "summary", "br", "span",
        "svg", "rect", "path",
    }  # fmt: skip
    answer = Browser(api).press(page, "approved", bank=text)
    assert dict(query_of(answer.location))["status"] == "succeeded"


FORGED = [None, "", "0" * 40, "é"]


@pytest.mark.parametrize("token", FORGED)
def test_a_form_that_no_page_showed_is_refused(api: Wire, token: str | None) -> None:
    made = challenged(api)
    fields = {"result": "approved", **({} if token is None else {"token": token})}
    reply = Browser(api).open(link(made), "POST", fields)
    assert reply.status == 403
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"


def test_a_token_is_good_for_its_own_page_alone(api: Wire) -> None:
    first, second = challenged(api), challenged(api)
    token = Browser(api).open(link(first)).seen.forms[0].fields["token"]
    assert Browser(api).open(link(second), "POST", {"result": "approved", "token": token}).status == 403
    assert Browser(api).open(f"{link(first)}/finish?token={token}").status == 403


@pytest.mark.parametrize("result", [None, "", "abandoned", "succeeded", "APPROVED"])
def test_only_what_a_button_says_is_a_decision(api: Wire, result: str | None) -> None:
    made = challenged(api)
    token = Browser(api).open(link(made)).seen.forms[0].fields["token"]
    fields = {"token": token, **({} if result is None else {"result": result})}
    assert Browser(api).open(link(made), "POST", fields).status == 422
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"token=%FF", b"{}", b"a" * 2_000_000])
def test_a_body_that_is_no_form_is_refused(api: Wire, raw: bytes) -> None:
    path = link(challenged(api)).removeprefix("http://localhost")
    reply = api.call("POST", path, raw=raw)
    assert reply.status in (400, 403, 413)


def test_a_page_lets_nothing_else_run_and_may_stand_in_a_shops_frame(api: Wire) -> None:
    page = Browser(api).open(link(challenged(api)))
    policy = page.headers["Content-Security-Policy"]
    for part in (
        "default-src 'none'",
        "script-src 'none'",
        "base-uri 'none'",
        "frame-ancestors *",
        "img-src 'self' data:",
    ):
        assert part in policy
    assert "X-Frame-Options" not in page.headers
    assert (page.headers["X-Content-Type-Options"], page.headers["Cache-Control"]) == ("nosniff", "no-store")
    assert not [tag for tag, _ in page.seen.tags if tag in ("script", "iframe", "object")]
    assert not re.search(r"\son\w+=|\sstyle=", page.text)


def test_the_style_is_the_one_that_the_policy_names(api: Wire) -> None:
    import base64
    import hashlib

    page = Browser(api).open(link(challenged(api)))
    style = re.search(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert style is not None
    named = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{named}'" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize("query", ["?return_url=https://evil.example", "?next=//evil.example", "?url=javascript:1"])
def test_a_query_leads_nobody_elsewhere(api: Wire, query: str) -> None:
    browser, made = Browser(api), challenged(api)
    page = browser.open(link(made) + query)
    answer = browser.press(page, "approved")
    assert answer.location.startswith("https://shop.example.test/back")
    assert "evil" not in browser.open(link(made) + query).location


# pages whose end is fixed


def fixed(api: Wire, outcome: str) -> Any:
    return challenged(api, metadata={"sandbox_outcome": outcome})


@pytest.mark.parametrize("result", ["approved", "declined", "cancelled", "expired", "unavailable"])
def test_a_page_whose_end_is_fixed_ends_without_a_click(api: Wire, result: str) -> None:
    made = fixed(api, f"requires_action:{result}")
    page = Browser(api).open(link(made))
    assert page.status == 200
    assert page.seen.refresh is not None
    assert "approved" not in page.seen.ids
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"
    from urllib.parse import urljoin

    there = urljoin(page.url, page.seen.refresh)
    for header in ("Sec_Purpose", "Purpose", "X_Moz"):
        assert Browser(api).open(there, "GET", None, **{header: "prefetch;prerender"}).status == 403
    assert Browser(api).open(there, "HEAD").status == 403
    assert Browser(api).open(there.partition("?")[0]).status == 403
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"
    answer = Browser(api).open(there)
    status = "succeeded" if result == "approved" else "failed"
    assert dict(query_of(answer.location))["status"] == status
    assert verified(query_of(answer.location), key_of(api))
    assert Browser(api).open(there).location == answer.location


def test_a_customer_who_stays_away_is_said_to(api: Wire) -> None:
    made = fixed(api, "requires_action:abandoned")
    page = Browser(api).open(link(made))
    assert "The customer does not return" in page.text
    assert page.seen.refresh is None
    assert Browser(api).open(link(made) + "/finish").status == 403


def test_a_token_to_finish_does_not_finish_what_a_person_decides(api: Wire) -> None:
    from mock_server.pages import links
    from mock_server.pages.links import find

    made = challenged(api)
    found = find(api.sandbox, made["payment_id"], made["merchant_id"], f"{made['payment_id']}_1")
    answer = Browser(api).open(f"{link(made)}/finish?token={links.token_for(found, links.FINISH)}")
    assert (answer.status, answer.location) == (302, link(made))
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"
