"""Challenges and customer pages, and the signed URL with which the customer returns."""

from __future__ import annotations

import hashlib
import hmac
from html.parser import HTMLParser
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from mock_server.conformance.answer import Broken, CheckedAnswer, Phrase
from mock_server.conformance.client import CHALLENGED, Check, MerchantClient
from mock_server.conformance.target import CONTROL


class Form(NamedTuple):
    """A form of a customer page: its address, its fields, and its buttons by their values."""

    action: str
    fields: dict[str, str]
    buttons: dict[str, str]


class _Forms(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.feed(html)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in pairs}
        if tag == "form":
            self.found.append(Form(named.get("action", ""), {}, {}))
        elif self.found and tag == "input" and named.get("type") not in ("checkbox", "radio") and "name" in named:
            self.found[-1].fields[named["name"]] = named.get("value", "")
        elif self.found and tag == "button" and "name" in named:
            self.found[-1].buttons[named.get("value", "")] = named["name"]


BROWSER: Final = {"api-key": None, "Content-Type": None}
RETURN_URL: Final = "https://shop.example/back?order=4711"


def challenged(api: MerchantClient, **fields: Any) -> CheckedAnswer:
    return api.pay(CHALLENGED, return_url=RETURN_URL, **fields).has(status="requires_action")


def opened(api: MerchantClient, made: CheckedAnswer) -> CheckedAnswer:
    """The page that the customer is sent to, as a browser gets it."""
    return api.call("GET", api.path_of(made["next_action.redirect_to_url"]), headers=BROWSER).is_(200)


def challenge(api: MerchantClient) -> None:
    made = challenged(api).has(amount_received=None)
    made.shows("next_action.type", "redirect_to_url")
    url = str(made["next_action.redirect_to_url"])
    made.expect("redirect_to_url", Phrase("an absolute address"), url, url.startswith(("http://", "https://")))
    api.payment(made.id).has(status="requires_action").shows("next_action.redirect_to_url", url)


def page_opens(api: MerchantClient) -> None:
    made = challenged(api)
    page = opened(api, made)
    kind = page.header("Content-Type")
    page.expect("the content type", Phrase("text/html"), kind, kind.startswith("text/html"))
    api.payment(made.id).has(status="requires_action")


def authenticated(api: MerchantClient, result: str) -> CheckedAnswer:
    made = challenged(api)
    api.control("POST", f"payments/{made.id}/authenticate", {"result": result})
    return api.payment(made.id)


def approved(api: MerchantClient) -> None:
    authenticated(api, "approved").has(status="succeeded", next_action=None, amount_received=6540)


def declined(api: MerchantClient) -> None:
    failed = authenticated(api, "declined").has(status="failed", next_action=None, amount_received=None)
    failed.is_text("error_code")


def held_after_challenge(api: MerchantClient) -> None:
    made = challenged(api, capture_method="manual")
    api.control("POST", f"payments/{made.id}/authenticate", {"result": "approved"})
    api.payment(made.id).has(status="requires_capture", amount_capturable=6540)


def asked_for(api: MerchantClient) -> None:
    api.pay(authentication_type="three_ds", return_url=RETURN_URL).has(status="requires_action")
    api.pay(authentication_type="no_three_ds", return_url=RETURN_URL).has(status="succeeded")


def no_confirm_meanwhile(api: MerchantClient) -> None:
    made = challenged(api)
    api.on(made.id, "confirm").refused(400, "IR_16")
    api.payment(made.id).has(status="requires_action")


def cancel_meanwhile(api: MerchantClient) -> None:
    api.on(challenged(api).id, "cancel").has(status="cancelled", next_action=None)


def pressed(api: MerchantClient, made: CheckedAnswer, result: str) -> CheckedAnswer:
    """The page's answer to a button."""
    page = opened(api, made)
    form = next((form for form in _Forms(page.body.decode()).found if result in form.buttons), None)
    if form is None:
        raise Broken("the page", Phrase(f"a form with the button {result}"), Phrase("none"), page.sent)
    fields = {**form.fields, form.buttons[result]: result}
    typed = {**BROWSER, "Content-Type": "application/x-www-form-urlencoded"}
    action = urljoin(made["next_action.redirect_to_url"], form.action)
    return api.call("POST", api.path_of(action), raw=urlencode(fields).encode(), headers=typed)


def way_back(api: MerchantClient) -> None:
    for result, status in (("approved", "succeeded"), ("declined", "failed")):
        made = challenged(api)
        answer = pressed(api, made, result)
        answer.expect("the HTTP status", 302, answer.status)
        url = answer.header("Location")
        answer.expect("the address", Phrase(f"to begin with {RETURN_URL}&"), url, url.startswith(f"{RETURN_URL}&"))
        said = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
        answer.expect("status on the way back", status, said.get("status"))
        answer.expect("payment_id on the way back", made.id, said.get("payment_id"))
        answer.expect("amount on the way back", "6540", said.get("amount"))
        api.payment(made.id).has(status=status)


def signed_way_back(api: MerchantClient) -> None:
    profile_id, key = api.profile()
    answer = pressed(api, challenged(api, profile_id=profile_id), "approved")
    pairs = parse_qsl(urlsplit(answer.header("Location")).query, keep_blank_values=True)
    said = dict(pairs)
    answer.expect("signature_algorithm", "HMAC-SHA512", said.get("signature_algorithm"))
    rest = sorted(pair for pair in pairs if pair[0] not in ("signature", "signature_algorithm"))
    message = "&".join(f"{name}={value}" for name, value in rest)
    expected = hmac.new(key.encode(), message.encode(), hashlib.sha512).hexdigest()
    answer.expect("signature", expected, said.get("signature"))


def bank_redirect(api: MerchantClient) -> None:
    ideal: dict[str, Any] = {
        "payment_method": "bank_redirect", "payment_method_type": "ideal", "currency": "EUR",
        "payment_method_data": {"bank_redirect": {"ideal": {"bank_name": "ing"}}},
    }  # fmt: skip
    made = api.create(confirm=True, return_url=RETURN_URL, **ideal).has(status="requires_action")
    made.shows("next_action.type", "redirect_to_url")


ROWS: Final = (
    Check("redirects.challenge", "A challenge is requires_action, with the URL of its page.", "interface §3", challenge),
    Check("redirects.page_opens", "The customer page opens without a key, and opening it changes nothing.", "facts §1.1", page_opens),
    Check("redirects.approved", "A payment succeeds after a passed challenge.", "facts §3.4", approved, CONTROL),
    Check("redirects.declined", "A payment fails after a failed challenge.", "facts §3.4", declined, CONTROL),
    Check("redirects.manual_capture", "With manual capture, a payment is authorized after the challenge.", "facts §3.4", held_after_challenge, CONTROL),
    Check("redirects.asked_for", "authentication_type three_ds requests a challenge for any card.", "interface §4.2", asked_for),
    Check("redirects.no_confirm", "A payment cannot be confirmed during a challenge: 400 IR_16.", "facts §3.3", no_confirm_meanwhile),
    Check("redirects.cancel", "A payment can be cancelled during a challenge.", "facts §3.3", cancel_meanwhile),
    Check("redirects.way_back", "The customer returns to return_url with the result.", "facts §6.3", way_back, CONTROL),
    Check("redirects.signed_way_back", "The return URL is signed with the profile's key.", "facts §6.3", signed_way_back, CONTROL),
    Check("redirects.bank_redirect", "A bank redirect sends the customer to the bank's page.", "interface §4.2", bank_redirect),
)  # fmt: skip
