"""Every answer and every body: ids, types, calls without a route, the rate limit, wrong fields (interface §8.4)."""

from __future__ import annotations

from typing import Any, Final

from mock_server.conformance.answer import INTERFACE, CheckedAnswer, Phrase
from mock_server.conformance.client import DECLINED, SUCCESS, Check, MerchantClient, card
from mock_server.conformance.target import CLOCK


def answers(api: MerchantClient) -> list[CheckedAnswer]:
    """A good answer, and a few that are none."""
    got = [api.get(path) for path in ("/health", "/payments/list", "/payments/pay_nowhere", "/nowhere")]
    return [*got, api.delete("/payments"), api.post("/payments", {}), api.with_key(None).get("/health")]


def health(api: MerchantClient) -> None:
    api.get("/health").is_(200)
    api.with_key(None).get("/health").refused(401, "IR_01")


def request_id(api: MerchantClient) -> None:
    seen = [answer.header("X-Request-Id") for answer in answers(api)]
    api.get("/health").expect("request ids of different calls", Phrase("to differ"), seen, len(set(seen)) == len(seen))


def content_type(api: MerchantClient) -> None:
    for answer in answers(api):
        answer.expect("the content type", "application/json", answer.header("Content-Type").partition(";")[0])
        answer.expect("the body", Phrase("a JSON object"), answer.json, isinstance(answer.json, dict))


def unknown_route(api: MerchantClient) -> None:
    api.get("/nowhere").refused(404, "IR_02")
    api.post("/payments/pay_nowhere/teleport", {}).refused(404, "IR_02")


def method_not_allowed(api: MerchantClient) -> None:
    api.delete("/payments").refused(405, "IR_03")
    answer = api.put("/health", {}).refused(405, "IR_03")
    allowed = answer.header("Allow")
    answer.expect("the header Allow", Phrase("to name GET"), allowed, "GET" in allowed)


def bad_json(api: MerchantClient) -> None:
    for raw in (b"{", b'{"amount": 1,}', b"[1", b"\xff", b"[]"):
        api.call("POST", "/payments", raw=raw).refused(400, "IR_06")


def content_type_wrong(api: MerchantClient) -> None:
    api.call("POST", "/payments", raw=b'{"amount": 1}', headers={"Content-Type": "text/plain"}).refused(400, "IR_06")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    api.call("POST", "/payments", raw=b"amount=1", headers=form).refused(400, "IR_06")


def empty_body(api: MerchantClient) -> None:
    for raw in (b"", b"{}", b"null"):
        made = api.create().id
        api.call("POST", f"/payments/{made}/cancel", raw=raw).has(status="cancelled")
    made = api.create().id
    api.call("POST", f"/payments/{made}/cancel", headers={"Content-Type": None}).has(status="cancelled")


def cross_origin(api: MerchantClient) -> None:
    made = api.create()
    shop = {"Origin": "https://shop.example", "api-key": api.browser.key}
    path = f"/payments/{made.id}"
    asks = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "api-key"}
    preflight = api.call("OPTIONS", path, headers={**shop, **asks, "api-key": None, "Content-Type": None})
    preflight.expect("the preflight", Phrase("2xx"), preflight.status, 200 <= preflight.status < 300)
    allowed = preflight.header("Access-Control-Allow-Headers").lower()
    preflight.expect("the allowed headers", Phrase("to name api-key"), allowed, "api-key" in allowed)
    found = api.call("GET", f"{path}?client_secret={made['client_secret']}", headers=shop).is_(200)
    found.header("Access-Control-Allow-Origin")


HTTP: Final = (
    Check("http.health", "/health answers 200 with a valid key and 401 without one.", "interface §4.3", health, only=INTERFACE),
    Check("http.request_id", "Every answer has an X-Request-Id.", "facts §1.0", request_id),
    Check("http.content_type", "Every answer is a JSON object, including errors.", "interface §1", content_type, only=INTERFACE),
    Check("http.unknown_route", "An unknown path is 404 IR_02.", "facts §4.1", unknown_route),
    Check("http.method_not_allowed", "An unsupported method is 405 IR_03, with Allow.", "facts §4.1", method_not_allowed),
    Check("http.bad_json", "A body that is not a JSON object is 400 IR_06.", "facts §4.1", bad_json),
    Check("http.content_type_wrong", "A body with another content type is 400 IR_06.", "facts §8", content_type_wrong),
    Check("http.large_body", "A body over 1 MiB is 413 IR_06.", "ours", lambda api: api.post("/payments", api.body(description="x" * (1 << 20))).refused(413, "IR_06")),
    Check("http.empty_body", "Calls without parameters accept no body, {} or null.", "ours", empty_body),
    Check("http.cross_origin", "A script of another origin can make the calls of publishable keys.", "ours", cross_origin),
)  # fmt: skip


NAMES: Final = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
WINDOW_S: Final = 60
ALLOWED: Final = 3


def figures(answer: CheckedAnswer) -> tuple[int, int, int]:
    """Limit, remaining and reset. Broken where one is missing or no number."""
    found = [(name, answer.header(name)) for name in NAMES]
    for name, text in found:
        answer.expect(f"the header {name}", Phrase("a whole number"), text, text.isdecimal())
    limit, remaining, reset = (int(text) for _, text in found)
    return limit, remaining, reset


def headers(api: MerchantClient) -> None:
    good, lost = api.get("/health"), api.payment("pay_nowhere")
    wrong, nowhere, nobody = api.post("/payments", {}), api.get("/nowhere"), api.with_key(None).get("/health")
    for answer in (good, lost, wrong, nowhere, nobody, api.delete("/payments")):
        limit, remaining, _ = figures(answer)
        answer.expect("remaining", Phrase(f"from 0 to {limit}"), remaining, 0 <= remaining <= limit)


def counts_down(api: MerchantClient) -> None:
    for _ in range(2):  # a window may end between two calls, but not twice
        (_, first, window), (_, second, same_window) = figures(api.get("/health")), figures(api.payment("pay_nowhere"))
        if window == same_window:
            api.get("/health").expect("remaining after one more call", first - 1, second)
            return


def reset(api: MerchantClient) -> None:
    now_s = api.means.clock.now_ms() // 1000
    answer = api.get("/health")
    _, _, at = figures(answer)
    ahead = at - now_s
    answer.expect("the seconds until the window ends", Phrase(f"0 to {WINDOW_S}"), ahead, -2 <= ahead <= WINDOW_S + 2)


def limited(api: MerchantClient) -> CheckedAnswer:
    """The call after the last that is allowed."""
    document = {"version": 1, "name": "conformance", "settings": {"rate_limit": ALLOWED}}
    api.control("POST", "clock/freeze", {})
    api.control("PUT", "scenarios/conformance", {**document, "summary": "Three calls per minute."})
    api.control("POST", "scenarios/conformance/activate")
    for left in (2, 1, 0):
        answer = api.get("/health").is_(200)
        answer.expect("limit and remaining", [ALLOWED, left], list(figures(answer)[:2]))
    return api.get("/health")


def exceeded(api: MerchantClient) -> None:
    answer = limited(api).refused(429, "RL_01", "rate_limit")
    wait = answer.header("Retry-After")
    answer.expect("Retry-After", Phrase(f"0 to {WINDOW_S} seconds"), wait, wait.isdecimal() and int(wait) <= WINDOW_S)
    figures(answer)


def nothing_happens(api: MerchantClient) -> None:
    answer = limited(api)
    refused = api.create(payment_id="too_much").refused(429, "RL_01", "rate_limit")
    answer.expect("two refusals", answer.status, refused.status)
    api.advance(f"{WINDOW_S}s")
    api.payment("too_much").refused(404, "HE_02")


def window_ends(api: MerchantClient) -> None:
    limited(api).is_(429)
    api.advance(f"{WINDOW_S}s")
    answer = api.get("/health").is_(200)
    answer.expect("limit and remaining in a new window", [ALLOWED, ALLOWED - 1], list(figures(answer)[:2]))


RATE_LIMIT: Final = (
    Check("rate_limit.headers", "Every answer has limit, remaining and reset, including errors.", "interface §8.4", headers),
    Check("rate_limit.counts_down", "Each call reduces remaining by one.", "interface §8.4", counts_down),
    Check("rate_limit.reset", "reset is a time in seconds, at most a minute ahead.", "interface §8.4", reset),
    Check("rate_limit.exceeded", "A call above the limit is 429, with the seconds to wait.", "interface §8.4", exceeded, CLOCK),
    Check("rate_limit.no_effect", "A call above the limit has no effect.", "interface §8.4", nothing_happens, CLOCK),
    Check("rate_limit.window_ends", "After a minute, calls are accepted again.", "interface §8.4", window_ends, CLOCK),
)  # fmt: skip


def wrong(api: MerchantClient, field: str, *values: Any) -> None:
    """Each value is refused, and the message names the field."""
    for value in values:
        answer = api.post("/payments", {**api.body(), field: value}).refused(400, "IR_04").names(field)
        message = answer["error.message"]
        answer.expect("the message", Phrase(f"to name {field}"), message, field in message)


def envelope(api: MerchantClient) -> None:
    paid = api.pay()
    refused = (
        api.with_key(None).get("/payments/list"), api.get("/nowhere"), api.post("/payments", {}), api.payment("pay_nowhere"),
        api.on(paid.id, "cancel"), api.on(paid.id, "capture"), api.call("POST", "/payments", raw=b"{"),
    )  # fmt: skip
    for answer in refused:
        answer.expect("the HTTP status", Phrase("400 or more"), answer.status, answer.status >= 400)
        answer.expect("other keys besides error", [], [name for name in answer.json if name != "error"])
        answer.refused(answer.status, answer["error.code"])
        said = answer["error.message"]
        answer.expect("the message", Phrase("a sentence"), said, len(said) > 10)


def missing(api: MerchantClient) -> None:
    api.post("/payments", {}).refused(400, "IR_04").names("amount", "currency", "profile_id")
    api.post("/payments", api.body(amount=None)).refused(400, "IR_04").names("amount")
    api.post("/refunds", {}).refused(400, "IR_04").names("payment_id")


def all_at_once(api: MerchantClient) -> None:
    body = api.body(amount="ten", currency="dollars", capture_method="later", metadata=[])
    api.post("/payments", body).refused(400, "IR_04").names("amount", "currency", "capture_method", "metadata")


def amount(api: MerchantClient) -> None:
    wrong(api, "amount", "100", 1.5, 100.0, True, -1, 1_000_000_000, [1])
    api.create(amount=999_999_999).has(amount=999_999_999)


def words(api: MerchantClient) -> None:
    wrong(api, "capture_method", "later")
    wrong(api, "authentication_type", "sometimes")
    wrong(api, "setup_future_usage", "maybe")


def card_number(api: MerchantClient) -> None:
    for number in ("4242424242424241", "4242", "4242 4242 4242 424x", ""):
        api.pay(number).refused(400, "IR_04").names("payment_method_data.card.card_number")


def expiry(api: MerchantClient) -> None:
    for month, year, field in (("03", "2020", "year"), ("13", "2035", "month"), ("3x", "2035", "month")):
        made = card(SUCCESS, card_exp_month=month, card_exp_year=year)
        api.create(confirm=True, **made).refused(400, "IR_04").names(f"payment_method_data.card.card_exp_{field}")


def cvc(api: MerchantClient) -> None:
    for text in ("12", "12345", "abc", 123):
        made = card(DECLINED, card_cvc=text)
        api.create(confirm=True, **made).refused(400, "IR_04").names("payment_method_data.card.card_cvc")


def unknown_field(api: MerchantClient) -> None:
    api.create(amuont=1).refused(400, "IR_06").names("amuont")
    api.pay(payment_method_data={"card": {**card()["payment_method_data"]["card"], "pin": "1"}}).refused(400, "IR_06")


def metadata_limits(api: MerchantClient) -> None:
    full = {f"{'k' * 37}{number:03}": "v" * 500 for number in range(50)}
    api.create(metadata=full).has(metadata=full)
    over: tuple[dict[str, str], ...] = ({**full, "more": "x"}, {"k" * 41: "x"}, {"k": "v" * 501})
    for metadata in over:
        api.create(metadata=metadata).refused(400, "IR_04")


def descriptor(api: MerchantClient) -> None:
    api.create(statement_descriptor_name="A" * 22).has(statement_descriptor_name="A" * 22)
    wrong(api, "statement_descriptor_name", "A" * 23, "1234 5678")


def order_reference(api: MerchantClient) -> None:
    api.create(merchant_order_reference_id="x" * 255).is_(200)
    wrong(api, "merchant_order_reference_id", "x" * 256)


def method_pair(api: MerchantClient) -> None:
    data = {"bank_redirect": {"ideal": {"bank_name": "ing", "country": "NL"}}}
    made = api.create(payment_method="wallet", payment_method_type="ideal", payment_method_data=data)
    made.refused(422, "IR_06")
    api.create(payment_method="bank_redirect", payment_method_type="ideal", payment_method_data=data).is_(200)


def needs_method(api: MerchantClient) -> None:
    api.create(confirm=True).refused(400, "IR_04")
    api.on(api.create().id, "confirm").refused(400, "IR_04")


def unknown_object(api: MerchantClient) -> None:
    for path in ("/payments/pay_nowhere", "/refunds/ref_nowhere", "/customers/cus_nowhere", "/mandates/man_nowhere"):
        api.get(path).refused(404, "HE_02")
    for action in ("confirm", "capture", "cancel"):
        api.on("pay_nowhere", action, card() if action == "confirm" else None).refused(404, "HE_02")


VALIDATION: Final = (
    Check("errors.envelope", "Every error is {error: {type, code, message}}, each a string.", "interface §7", envelope),
    Check("errors.unknown_object", "An unknown id is 404 HE_02.", "facts §4.3", unknown_object),
    Check("validation.missing", "A missing required field is 400 IR_04 and named.", "interface §4.2", missing, only=INTERFACE),
    Check("validation.all_at_once", "All invalid fields are named at once.", "ours", all_at_once, only=INTERFACE),
    Check("validation.amount", "amount must be an integer from 0 to 999 999 999.", "interface §4.2", amount, only=INTERFACE),
    Check("validation.currency", "currency must be an ISO 4217 code in upper case.", "interface §4.2", lambda api: wrong(api, "currency", "usd", "US", "XQZ", 840, ""), only=INTERFACE),
    Check("validation.words", "An unknown value of an enum is refused.", "interface §4.2", words, only=INTERFACE),
    Check("validation.card_number", "A card number must have a valid length and check digit.", "ours", card_number, only=INTERFACE),
    Check("validation.expiry", "A card's expiry must be in the future.", "interface §2.4", expiry, only=INTERFACE),
    Check("validation.cvc", "A CVC must be a string of three or four digits.", "interface §2.4", cvc, only=INTERFACE),
    Check("validation.unknown_field", "An unknown field is 400 IR_06, at any depth.", "facts §8", unknown_field, only=INTERFACE),
    Check("validation.metadata_limits", "metadata has at most 50 pairs, keys of 40 and values of 500 characters.", "interface §8.5", metadata_limits, only=INTERFACE),
    Check("validation.descriptor", "statement_descriptor_name has at most 22 characters and at least one letter.", "interface §8.5", descriptor, only=INTERFACE),
    Check("validation.order_reference", "merchant_order_reference_id has at most 255 characters.", "interface §8.5", order_reference, only=INTERFACE),
    Check("validation.method_pair", "payment_method_type must belong to payment_method: 422 IR_06.", "facts §4.4", method_pair),
    Check("validation.needs_method", "A payment cannot be confirmed without a payment method: 400 IR_04.", "interface §4.2", needs_method, only=INTERFACE),
)  # fmt: skip
