"""Kinds of keys and their rights, and the separation of merchants."""

from __future__ import annotations

from typing import Final

from mock_server.conformance.answer import INTERFACE, Phrase
from mock_server.conformance.client import Check, MerchantClient, card
from mock_server.conformance.target import CLOCK, OTHER, Ability

ROUTES: Final = ("/payments/list", "/refunds/list", "/customers/list")


def missing(api: MerchantClient) -> None:
    for key in (None, ""):
        nobody = api.with_key(key)
        for path in ROUTES:
            nobody.get(path).refused(401, "IR_01")
        nobody.post("/payments", api.body()).refused(401, "IR_01")
    # The public API first asks which of several kinds of keys it is (facts §1.0).
    told = (401, "IR_01") if api.target.dialect == INTERFACE else (400, "IR_04")
    api.with_key(None).payment("pay_nowhere").refused(*told)


def malformed(api: MerchantClient) -> None:
    for key in ("x", "snd_", "Bearer snd_0123456789", "sk_test_0123456789"):
        api.with_key(key).get("/payments/list").refused(401, "IR_01")


def production(api: MerchantClient) -> None:
    for prefix in ("prd", "pk_prd"):
        made_up = api.name(f"{prefix}_conformance")
        answer = api.with_key(made_up).get("/payments/list").refused(401, "IR_01")
        is_told = made_up in answer.body.decode()
        answer.expect("the answer", Phrase("not to repeat the key"), Phrase("the key"), not is_told)


def isolated(api: MerchantClient) -> None:
    mine = api.pay(customer_id=api.name("cus"))
    other = api.other
    other.payment(mine.id).refused(404, "HE_02")
    other.on(mine.id, "cancel").refused(404, "HE_02")
    other.refund(mine.id).refused(404, "HE_02")
    other.get(f"/customers/{mine['customer_id']}").refused(404, "HE_02")


def lists_apart(api: MerchantClient) -> None:
    customer = api.name("cus")
    api.pay(customer_id=customer).is_(200)
    for path in ("/payments/list", "/customers/list"):
        api.other.get(f"{path}?customer_id={customer}").has(total_count=0, data=[])


def merchants_apart(api: MerchantClient) -> None:
    mine, theirs = api.create(), api.other.create()
    again = api.create()
    again.expect("merchant_id of the same key", mine["merchant_id"], again["merchant_id"])
    other = theirs["merchant_id"]
    theirs.expect("merchant_id of another key", Phrase("another one"), other, other != mine["merchant_id"])


def same_id_apart(api: MerchantClient) -> None:
    wanted = api.name("order")
    api.create(payment_id=wanted, amount=1000).is_(200)
    api.other.create(payment_id=wanted, amount=2000).has(amount=2000)
    api.payment(wanted).has(amount=1000)


def browser_reads(api: MerchantClient) -> None:
    made = api.create()
    found = api.browser.get(f"/payments/{made.id}?client_secret={made['client_secret']}")
    found.has(payment_id=made.id, status="requires_payment_method")


def browser_confirms(api: MerchantClient) -> None:
    made = api.create()
    api.browser.on(made.id, "confirm", {**card(), "client_secret": made["client_secret"]}).has(status="succeeded")


def browser_needs_secret(api: MerchantClient) -> None:
    made = api.create(**card())
    api.browser.payment(made.id).refused(400, "IR_04").names("client_secret")
    api.browser.on(made.id, "confirm").refused(400, "IR_04").names("client_secret")
    api.payment(made.id).has(status="requires_confirmation")


def wrong_secret(api: MerchantClient) -> None:
    made, other = api.create(), api.create()
    api.browser.get(f"/payments/{made.id}?client_secret={other['client_secret']}").refused(400, "IR_09")
    api.browser.get(f"/payments/{made.id}?client_secret={made.id}_secret_wrong").refused(400, "IR_09")


def browser_is_no_server(api: MerchantClient) -> None:
    held = api.hold()
    browser = api.browser
    browser.post("/payments", api.body()).refused(401, "IR_01")
    browser.get("/payments/list").refused(401, "IR_01")
    browser.on(held, "capture").refused(401, "IR_01")
    browser.refund(held).refused(401, "IR_01")
    api.payment(held).has(status="requires_capture")


def secret_with_secret(api: MerchantClient) -> None:
    made = api.create()
    api.get(f"/payments/{made.id}?client_secret={made['client_secret']}").refused(422, "IR_06")


def session_ends(api: MerchantClient) -> None:
    made = api.create()
    path = f"/payments/{made.id}?client_secret={made['client_secret']}"
    api.advance("14m")
    api.browser.get(path).is_(200)
    api.advance("2m")
    api.browser.get(path).refused(400, "IR_08")
    api.payment(made.id).has(status="requires_payment_method")


def ephemeral(api: MerchantClient) -> None:
    mine, other = (api.post("/customers", {"customer_id": api.name("cus")})["customer_id"] for _ in range(2))
    made = api.post("/ephemeral_keys", {"customer_id": mine}).has(customer_id=mine)
    holder = api.with_key(made["secret"])
    holder.get(f"/customers/{mine}").has(customer_id=mine)
    holder.get(f"/customers/{other}").refused(401, "IR_15")
    holder.get("/payments/list").refused(401, "IR_01")


def issued(api: MerchantClient) -> None:
    merchant_id = api.create()["merchant_id"]
    made = api.admin.post(f"/api_keys/{merchant_id}", {"name": "conformance", "expiration": "never"}).is_(200)
    holder = api.with_key(made["api_key"])
    holder.create().has(merchant_id=merchant_id)
    api.admin.delete(f"/api_keys/{merchant_id}/{made['key_id']}").is_(200)
    holder.get("/payments/list").refused(401, "IR_01")


BROWSER: Final = frozenset({Ability.PUBLISHABLE_KEY})
ROWS: Final = (
    Check("keys.missing", "A call without a key is refused: 401 IR_01.", "interface §5", missing),
    Check("keys.malformed", "A malformed key is 401 IR_01.", "interface §5", malformed),
    Check("keys.in_the_header", "The key is accepted only in the header api-key.", "interface §5", lambda api: api.call("GET", "/payments/list", headers={"api-key": None, "Authorization": f"Bearer {api.key}"}).refused(401, "IR_01")),
    Check("keys.production", "A production key is refused in a sandbox and not returned.", "interface §5", production),
    Check("keys.isolated", "Another merchant's objects are not found.", "interface §5", isolated, OTHER),
    Check("keys.lists_apart", "Another merchant's objects are in no list.", "interface §5", lists_apart, OTHER, only=INTERFACE),
    Check("keys.merchants_apart", "A key always belongs to the same merchant.", "interface §5", merchants_apart, OTHER),
    Check("keys.same_id_apart", "Two merchants can use the same payment_id.", "interface §5", same_id_apart, OTHER),
    Check("keys.browser_reads", "A publishable key can retrieve a payment with its client_secret.", "facts §1.0", browser_reads, BROWSER),
    Check("keys.browser_confirms", "A publishable key can confirm a payment with its client_secret.", "facts §1.0", browser_confirms, BROWSER),
    Check("keys.browser_needs_secret", "A publishable key without client_secret is 400 IR_04.", "facts §1.0", browser_needs_secret, BROWSER),
    Check("keys.wrong_secret", "A client_secret of another payment is 400 IR_09.", "facts §4.4", wrong_secret, BROWSER),
    Check("keys.browser_is_no_server", "A publishable key cannot call server routes: 401.", "interface §5", browser_is_no_server, BROWSER),
    Check("keys.secret_with_secret", "A secret key with a client_secret is 422 IR_06.", "facts §1.0", secret_with_secret),
    Check("keys.session_ends", "A client_secret expires with its session: 400 IR_08; the payment is kept.", "facts §3.8", session_ends, CLOCK | BROWSER),
    Check("keys.ephemeral", "An ephemeral key gives access to its customer only.", "facts §1.0", ephemeral),
    Check("keys.issued", "An issued key works until it is revoked.", "facts §1.5", issued, frozenset({Ability.ADMIN_KEY})),
)  # fmt: skip
