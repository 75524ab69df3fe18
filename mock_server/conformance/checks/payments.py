"""Payments from create to their first outcome, with challenges, customer pages and the signed URL of the return."""

from __future__ import annotations

import hashlib
import hmac
import re
from html.parser import HTMLParser
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from mock_server.conformance.answer import INTERFACE, Broken, CheckedAnswer, Phrase, shown
from mock_server.conformance.client import CHALLENGED, CVC, DECLINED, POOR, SUCCESS, Check, MerchantClient, card
from mock_server.conformance.target import CONTROL

ECHOED: Final[dict[str, Any]] = {
    "description": "Two seats, Row 7: “stalls”",
    "metadata": {"order": "4711", "seats": 2, "gift": False, "nested": {"a": [1, None]}},
    "return_url": "https://shop.example/back?order=4711",
    "email": "ada@example.com",
    "statement_descriptor_name": "Example Shop",
    "merchant_order_reference_id": "order-4711",
    "billing": {"address": {"city": "London", "country": "GB"}, "phone": {"number": "123456789", "country_code": "+44"}},
}  # fmt: skip
TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def echoes(api: MerchantClient) -> None:
    customer = api.name("cus")
    made = api.create(**ECHOED, customer_id=customer)
    made.has(customer_id=customer, **{name: ECHOED[name] for name in ECHOED if name != "billing"})
    made.shows("billing.address.city", "London").shows("billing.phone.country_code", "+44")
    api.payment(made.id).has(description=ECHOED["description"], metadata=ECHOED["metadata"])


def empty_metadata(api: MerchantClient) -> None:
    api.create().has(metadata={})
    api.pay().has(metadata={})


def ids(api: MerchantClient) -> None:
    made, another = api.create(), api.create()
    made.begins("payment_id", "pay_").begins("merchant_id", "mer_")
    made.expect("ids of two payments", Phrase("to differ"), another.id, made.id != another.id)
    secret = str(made["client_secret"])
    is_sound = re.fullmatch(rf"{re.escape(made.id)}_secret_.+", secret) is not None
    made.expect("client_secret", Phrase("<payment_id>_secret_<random>"), secret, is_sound)


def own_id(api: MerchantClient) -> None:
    wanted = api.name("order")
    api.create(payment_id=wanted).has(payment_id=wanted)
    api.payment(wanted).has(payment_id=wanted, status="requires_payment_method")


def taken_id(api: MerchantClient) -> None:
    wanted = api.name("order")
    api.create(payment_id=wanted, amount=1000).is_(200)
    api.create(payment_id=wanted, amount=1000).refused(400, "HE_01")
    api.create(payment_id=wanted, amount=2000).refused(400, "HE_01")
    api.payment(wanted).has(amount=1000)


def created_in_utc(api: MerchantClient) -> None:
    made = api.create()
    seen = made["created"]
    made.expect("created", Phrase("an ISO 8601 instant in UTC"), seen, bool(TIMESTAMP.fullmatch(str(seen))))


def success(api: MerchantClient) -> None:
    paid = api.pay(amount=4200)
    paid.has(status="succeeded", amount=4200, amount_received=4200, amount_capturable=0, capture_method="automatic")
    paid.has(next_action=None, error_code=None, payment_method="card")


def card_shown(api: MerchantClient) -> None:
    paid = api.pay()
    for name, text in {"last4": "4242", "brand": "Visa", "exp_month": "03", "exp_year": "2035"}.items():
        paid.shows(f"payment_method_data.card.{name}", text)


def no_card_number(api: MerchantClient) -> None:
    paid = api.pay(metadata={"a": "b"})
    found = (paid, api.payment(paid.id), api.get("/payments/list?limit=1"), api.pay(SUCCESS[:-1] + "1"))
    for answer in found:
        text = answer.body.decode()
        answer.expect("the card's number", Phrase("to be nowhere"), Phrase(shown(text)), SUCCESS[:12] not in text)
        answer.expect("the card's CVC", Phrase("to be nowhere"), Phrase(shown(text)), f'"{CVC}"' not in text)


def decline(api: MerchantClient) -> None:
    for number in (DECLINED, POOR):
        api.pay(number).has(status="failed", next_action=None, amount_capturable=0)


def decline_reason(api: MerchantClient) -> None:
    failed = api.pay(POOR)
    for name in ("error_code", "error_message", "unified_code", "unified_message"):
        failed.is_text(name)
    code = str(failed["unified_code"])
    failed.expect("unified_code", Phrase("UE_ and four digits"), code, bool(re.fullmatch(r"UE_\d{4}", code)))
    api.payment(failed.id).has(error_code=failed["error_code"], error_message=failed["error_message"])


def retrieve(api: MerchantClient) -> None:
    for made in (api.create(**ECHOED), api.pay(), api.pay(DECLINED), api.pay(capture_method="manual")):
        found = api.payment(made.id).is_(200)
        for name, value in made.json.items():
            if name != "sdk_authorization":  # in the public API, only a create returns it
                found.shows(name, value)


def confirm_later(api: MerchantClient) -> None:
    made = api.create(**card(), amount=4200)
    made.has(status="requires_confirmation", amount_received=None)
    api.on(made.id, "confirm").has(status="succeeded", amount_received=4200, payment_id=made.id)


def confirm_with_method(api: MerchantClient) -> None:
    made = api.create()
    api.on(made.id, "confirm", card()).has(status="succeeded", payment_id=made.id)
    api.payment(made.id).has(status="succeeded").shows("payment_method_data.card.last4", "4242")


def confirm_twice(api: MerchantClient) -> None:
    paid = api.pay()
    api.on(paid.id, "confirm").refused(400, "IR_16")
    api.payment(paid.id).has(status="succeeded", attempt_count=1)


def failed_stays(api: MerchantClient) -> None:
    failed = api.pay(DECLINED)
    api.on(failed.id, "confirm", card()).refused(400, "IR_16")
    api.payment(failed.id).has(status="failed")


def update(api: MerchantClient) -> None:
    made = api.create(description="first", amount=1000)
    api.post(f"/payments/{made.id}", {"amount": 2500}).has(amount=2500, description="first")
    api.payment(made.id).has(amount=2500, description="first", currency="USD")


def update_late(api: MerchantClient) -> None:
    paid = api.pay(amount=1000)
    api.post(f"/payments/{paid.id}", {"amount": 2500}).refused(400, "IR_16")
    api.payment(paid.id).has(amount=1000)


def replace(api: MerchantClient) -> None:
    made = api.create(description="first", amount=1000)
    api.put(f"/payments/{made.id}", api.body(amount=2500)).has(amount=2500, description=None, payment_id=made.id)


def update_metadata(api: MerchantClient) -> None:
    paid = api.pay(metadata={"a": "1", "b": "2"})
    changed = api.on(paid.id, "update_metadata", {"metadata": {"b": "3", "c": "4"}}).is_(200)
    changed.shows("metadata", {"a": "1", "b": "3", "c": "4"})


def pending(api: MerchantClient) -> None:
    made = api.pay("4000990000002000").has(status="pending", amount_received=None)
    api.control("POST", f"payments/{made.id}/settle", {"as": "succeeded"})
    api.payment(made.id).has(status="succeeded", amount_received=6540)
    other = api.pay("4000990000002000").has(status="pending")
    api.control("POST", f"payments/{other.id}/settle", {"as": "failed"})
    api.payment(other.id).has(status="failed")


def expires_on(api: MerchantClient) -> None:
    made = api.create(session_expiry=120)
    seen, created = str(made["expires_on"]), str(made["created"])
    made.expect("expires_on", Phrase(f"later than created, {created}"), seen, seen > created)


PAYMENTS: Final = (
    Check("payments.without_method", "A payment without a method is requires_payment_method.", "interface §4.2", lambda api: api.create(amount=4200, currency="EUR").has(status="requires_payment_method", amount=4200, currency="EUR", profile_id=api.target.profile_id)),
    Check("payments.echoes", "Fields are returned as they were sent.", "interface §2.1", echoes),
    Check("payments.empty_metadata", "metadata is an empty object if none was sent.", "interface §2.1", empty_metadata),
    Check("payments.ids", "Ids have their prefixes, and client_secret its format.", "interface §2.7", ids),
    Check("payments.own_id", "A payment_id can be chosen by the caller.", "interface §2.1", own_id),
    Check("payments.taken_id", "A payment_id can be used once: 400 HE_01.", "facts §4.4", taken_id),
    Check("payments.created_in_utc", "created is an ISO 8601 instant in UTC.", "interface §2.1", created_in_utc),
    Check("payments.expires_on", "A session ends after it starts.", "facts §3.8", expires_on),
    Check("payments.success", "A valid card confirmed immediately succeeds, and the full amount is received.", "facts §3.4", success),
    Check("payments.card_shown", "A card is returned with last4, brand and expiry, as strings.", "interface §2.1", card_shown, only=INTERFACE),
    Check("payments.no_card_number", "Card number and CVC are never returned, not even in errors.", "interface §2.1", no_card_number),
    Check("payments.decline", "A decline is not an HTTP error: 200 with status failed.", "facts §3.4", decline),
    Check("payments.decline_reason", "A failed payment has the issuer's and the unified reason.", "facts §4.5", decline_reason),
    Check("payments.retrieve", "A retrieve shows what the create showed.", "facts §1.1", retrieve),
    Check("payments.confirm_later", "A payment with a method is requires_confirmation until it is confirmed.", "facts §3.3", confirm_later),
    Check("payments.confirm_with_method", "The method can be sent with confirm.", "interface §4.5", confirm_with_method),
    Check("payments.confirm_twice", "A succeeded payment cannot be confirmed again: 400 IR_16.", "facts §3.3", confirm_twice),
    Check("payments.failed_stays", "A failed payment cannot be confirmed again unless the profile allows it.", "facts §3.3", failed_stays),
    Check("payments.update", "POST changes the fields that are sent and keeps the others.", "facts §1.1", update),
    Check("payments.update_late", "A confirmed payment cannot be updated: 400 IR_16.", "facts §3.3", update_late),
    Check("payments.replace", "PUT replaces the payment: omitted fields return to their defaults.", "interface §4.1", replace),
    Check("payments.update_metadata", "update_metadata merges the top-level keys.", "facts §3.3", update_metadata),
    Check("payments.pending", "An asynchronous charge is pending until it settles.", "facts §3.4", pending, CONTROL),
)  # fmt: skip


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


def authenticated(api: MerchantClient, result: str, **fields: Any) -> CheckedAnswer:
    made = challenged(api, **fields)
    api.control("POST", f"payments/{made.id}/authenticate", {"result": result})
    return api.payment(made.id)


def asked_for(api: MerchantClient) -> None:
    api.pay(authentication_type="three_ds", return_url=RETURN_URL).has(status="requires_action")
    api.pay(authentication_type="no_three_ds", return_url=RETURN_URL).has(status="succeeded")


def no_confirm_meanwhile(api: MerchantClient) -> None:
    made = challenged(api)
    api.on(made.id, "confirm").refused(400, "IR_16")
    api.payment(made.id).has(status="requires_action")


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


REDIRECTS: Final = (
    Check("redirects.challenge", "A challenge is requires_action, with the URL of its page.", "interface §3", challenge),
    Check("redirects.page_opens", "The customer page opens without a key, and opening it changes nothing.", "facts §1.1", page_opens),
    Check("redirects.approved", "A payment succeeds after a passed challenge.", "facts §3.4", lambda api: authenticated(api, "approved").has(status="succeeded", next_action=None, amount_received=6540), CONTROL),
    Check("redirects.declined", "A payment fails after a failed challenge.", "facts §3.4", lambda api: authenticated(api, "declined").has(status="failed", next_action=None, amount_received=None).is_text("error_code"), CONTROL),
    Check("redirects.manual_capture", "With manual capture, a payment is authorized after the challenge.", "facts §3.4", lambda api: authenticated(api, "approved", capture_method="manual").has(status="requires_capture", amount_capturable=6540), CONTROL),
    Check("redirects.asked_for", "authentication_type three_ds requests a challenge for any card.", "interface §4.2", asked_for),
    Check("redirects.no_confirm", "A payment cannot be confirmed during a challenge: 400 IR_16.", "facts §3.3", no_confirm_meanwhile),
    Check("redirects.cancel", "A payment can be cancelled during a challenge.", "facts §3.3", lambda api: api.on(challenged(api).id, "cancel").has(status="cancelled", next_action=None)),
    Check("redirects.way_back", "The customer returns to return_url with the result.", "facts §6.3", way_back, CONTROL),
    Check("redirects.signed_way_back", "The return URL is signed with the profile's key.", "facts §6.3", signed_way_back, CONTROL),
    Check("redirects.bank_redirect", "A bank redirect sends the customer to the bank's page.", "interface §4.2", bank_redirect),
)  # fmt: skip
