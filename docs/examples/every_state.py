"""Takes payments through every state with only Python's own HTTP client, and checks the answers.

    python docs/examples/every_state.py [http://127.0.0.1:12190]

Each line that it prints is a case that a real integration has to handle. It exits with 1 at the first mismatch.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

Json = dict[str, Any]
BASE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:12190"
KEY = f"snd_every_state_{uuid.uuid4().hex}"  # each key has its own merchant
SHOP = "https://shop.example.com/return?order=42"

DECLINES = {  # card number -> error_code
    "4000000000000002": "DC_08",
    "4000000000009995": "DC_08",
    "4000000000009987": "DC_08",
    "4000000000009979": "DC_08",
    "4000000000000069": "expired_card",
    "4000000000000127": "incorrect_cvc",
    "4000000000000119": "processing_error",
    "4000000000006975": "card_velocity_exceeded",
    "4100000000000019": "fraudulent",
}

FIELDS = {  # what a payment carries: field -> type (interface, section 2.1)
    "payment_id": str,
    "merchant_id": str,
    "status": str,
    "amount": int,
    "currency": str,
    "capture_method": str,
    "client_secret": str,
    "created": str,
    "profile_id": str,
    "metadata": dict,
}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are inspected, not followed."""

    def redirect_request(self, *_: object) -> None:
        return None


BROWSER = urllib.request.build_opener(NoRedirect)


def call(method: str, path: str, body: object = None, **headers: str) -> Json:
    """One call of the API; errors come back as bodies too, with their status under `http`."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"api-key": KEY, "Content-Type": "application/json", **headers}
    request = urllib.request.Request(BASE + path, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return {"http": answer.status, **json.load(answer)}
    except urllib.error.HTTPError as refused:
        with refused:
            return {"http": refused.code, **json.load(refused)}


def card(number: str = "4242424242424242") -> Json:
    """A card, with an expiry in the future and any security code."""
    details = {"card_number": number, "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
    return {"payment_method": "card", "payment_method_data": {"card": details}}


def create(**fields: object) -> Json:
    """A payment of 65.40 USD."""
    payment = call("POST", "/payments", {"amount": 6540, "currency": "USD", "profile_id": "pro_shop", **fields})
    check_fields(payment)
    return payment


def check_fields(payment: Json) -> None:
    """Checks that all fields of the interface are there, with their types, and no card number or code."""
    for name, kind in FIELDS.items():
        assert isinstance(payment[name], kind), (name, payment.get(name))
    assert re.fullmatch(r"mer_[A-Za-z0-9]{20}", payment["merchant_id"])
    assert re.fullmatch(payment["payment_id"] + r"_secret_[A-Za-z0-9]{20}", payment["client_secret"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", payment["created"])
    shown = (payment["payment_method_data"] or {}).get("card")
    if shown:
        assert {"last4", "brand", "exp_month", "exp_year"} <= set(shown)
        assert not {"card_number", "number", "card_cvc", "cvc"} & set(shown)


def expect(what: str, payment: Json, **expected: object) -> Json:
    """Prints what was done and checks the result."""
    for name, value in expected.items():
        assert payment.get(name) == value, f"{what}: {name} is {payment.get(name)!r}, not {value!r}: {payment}"
    print(f"{what:<68} {payment.get('status', payment['http'])}")
    return payment


def on_the_page(payment: Json, button: str) -> Json:
    """Acts as the customer: opens the page, presses a button, is redirected to the shop."""
    page = payment["next_action"]["redirect_to_url"]
    with BROWSER.open(page, timeout=60) as answer:
        token = re.search(r'name="token" value="(\w+)"', answer.read().decode())
    assert token is not None, "the page has no form"
    form = urllib.parse.urlencode({"token": token[1], "result": button}).encode()
    try:
        BROWSER.open(urllib.request.Request(page, form, method="POST"), timeout=60)
    except urllib.error.HTTPError as sent_back:
        sent_back.close()
        assert sent_back.code in (302, 303), sent_back.code
        back = urllib.parse.urlsplit(sent_back.headers["Location"])
    parameters = dict(urllib.parse.parse_qsl(back.query))
    assert back.netloc == "shop.example.com" and parameters["order"] == "42"
    assert parameters["payment_id"] == payment["payment_id"] and len(parameters["signature"]) == 128
    return call("GET", f"/payments/{payment['payment_id']}")


def main() -> None:
    print(f"{BASE}\n")

    payment = expect("created without a method", create(), http=200, status="requires_payment_method", metadata={})
    path = f"/payments/{payment['payment_id']}"
    expect("confirmed with 4242…", call("POST", path + "/confirm", card()), status="succeeded", amount_received=6540)

    payment = create(confirm=True, capture_method="manual_multiple", **card())
    expect("authorized", payment, status="requires_capture", amount_capturable=6540, amount_received=None)
    path = f"/payments/{payment['payment_id']}/capture"
    part = call("POST", path, {"amount_to_capture": 4000})
    expect("captured the first part", part, status="partially_captured_and_capturable", amount_received=4000)
    rest = call("POST", path, {"amount_to_capture": 2540})
    expect("captured the rest", rest, status="succeeded", amount_received=6540, amount_capturable=0)

    for number, code in DECLINES.items():
        declined = create(confirm=True, **card(number))
        expect(f"declined: {declined['error_message']}", declined, http=200, status="failed", error_code=code)

    secure = card("4000000000003220")
    payment = expect("3-D Secure asked for", create(confirm=True, return_url=SHOP, **secure), status="requires_action")
    expect("… and approved on the page", on_the_page(payment, "approved"), status="succeeded", next_action=None)
    payment = create(confirm=True, return_url=SHOP, **secure)
    failed = on_the_page(payment, "declined")
    expect("… or declined", failed, status="failed", error_code="AUTHENTICATION_FAILED")

    payment = create(confirm=True, capture_method="manual", **card())
    reason = {"cancellation_reason": "out of stock"}
    cancelled = call("POST", f"/payments/{payment['payment_id']}/cancel", reason)
    expect("cancelled before capture", cancelled, status="cancelled", cancellation_reason="out of stock")

    for answer, status in (("approve", "succeeded"), ("reject", "failed")):
        payment = create(confirm=True, **card("4000000000009235"))
        expect("held for review", payment, status="requires_merchant_action")
        decided = call("POST", f"/payments/{payment['payment_id']}/{answer}", {})
        expect(f"… and {answer}ed".replace("eed", "ed"), decided, status=status)

    everything = call("POST", "/payments/list", {"limit": 100})
    total = everything["total_count"]
    assert len(everything["data"]) == total and everything["has_more"] is False
    filters = {"status": "failed", "currency": "USD", "payment_method": "card", "customer_id": "cus_nobody"}
    for name, value in filters.items():
        found = call("POST", "/payments/list", {name: value, "limit": 100})
        wanted = [one for one in everything["data"] if one[name] == value]
        assert [one["payment_id"] for one in found["data"]] == [one["payment_id"] for one in wanted], name
        expect(f"listed by {name}: {found['total_count']} of {total}", found, http=200)
    page = call("GET", f"/payments/list?limit=2&offset=1&created_gte={everything['data'][-1]['created']}")
    assert page["data"] == everything["data"][1:3] and page["has_more"] is True
    expect("listed a page of two", page, total_count=total)

    key = {"X-Idempotency-Key": str(uuid.uuid4())}
    body = {"amount": 100, "currency": "USD", "profile_id": "pro_shop", "confirm": True, **card()}
    first, again = call("POST", "/payments", body, **key), call("POST", "/payments", body, **key)
    assert first == again
    expect("sent twice with one idempotency key: one payment", again, payment_id=first["payment_id"])
    print("\neverything as expected")


if __name__ == "__main__":
    main()
