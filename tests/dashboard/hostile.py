"""Workspaces that are hard to show: a payment with a long life, long texts wherever a text may be, many payments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlencode

from mock_server.dashboard.places import PAGES, WORKSPACE
from mock_server.dashboard.stepping import SHORT
from tests.counts import times
from tests.dashboard.visitor import Visitor
from tests.wire import Reply, Wire, card_payment

LONG: Final = '"' * 254 + "m"
"""As long as texts may be, of the character that takes most bytes in HTML."""
MANY: Final = times(10_000, soak=1_000_000)
LATER: Final = ({"later": "1"},)
"""What comes after the page."""
QUERIES: Final[dict[str, tuple[dict[str, str], ...]]] = {
    "payments": ({"status": "failed"}, {"customer_id": "cus_nobody"}, {"customer_email": LONG}, {"offset": "40"}),
    "payment": ({"step": "1"}, {"step": "50"}),
    "journal": ({"status": "4xx"}, {"payment_id": LONG}, {"offset": "40"}),
    "compare": ({"of": "1"},),
    "webhooks": ({"delivered": "false"}, {"payment_id": LONG}),
    "export": LATER,
    "line": LATER,
    "verdict": LATER,
    "find": ({"q": "pay_"}, {"q": "req_"}, {"q": "65.40"}, {"q": '"""'}, {"q": "DC_08"}, {"q": LONG}),
    "cards": ({"find": "visa"},),
}
"""What pages are asked for, besides the whole."""
Call = Callable[[str, str, Any], Any]
"""A call of the API by method, path and body, that succeeds; its answer."""


def long_life(call: Call, attempts: int = 50, captures: int = 50, refunds: int = 10, looks: int = 390) -> str:
    """A payment with so many attempts, captures, refunds and looks at it, all in all 500 calls."""
    sent = {**card_payment("visa_insufficient_funds"), "amount": 6500, "capture_method": "manual_multiple"}
    first = call("POST", "/payments", {**sent, "confirm": True})
    made = str(first["payment_id"])
    profile = f"/account/{first['merchant_id']}/business_profile/{first['profile_id']}"
    call("POST", profile, {"is_manual_retry_enabled": True})
    method = {name: value for name, value in sent.items() if name.startswith("payment_method")}
    good = card_payment("visa_success")["payment_method_data"]
    for number in range(2, attempts + 1):
        data = good if number == attempts else sent["payment_method_data"]
        call("POST", f"/payments/{made}/confirm", {**method, "payment_method_data": data})
    for _ in range(captures):
        call("POST", f"/payments/{made}/capture", {"amount_to_capture": 6500 // captures})
    for _ in range(refunds):
        call("POST", "/refunds", {"payment_id": made, "amount": 90})
    for _ in range(looks):
        call("GET", f"/payments/{made}", None)
    return made


def lived(api: Wire) -> None:
    """A workspace of one payment with a long life."""

    long_life(lambda method, path, body: done(api.call(method, path, body)))


def just_shown_whole(api: Wire) -> None:
    """A workspace of one payment whose story is as long as one that is shown whole."""
    made = long_life(lambda method, path, body: done(api.call(method, path, body)), 4, 2, 2, 0)
    rows = len(api.get(f"/_sandbox/payments/{made}/timeline")["data"])
    while rows < SHORT:
        done(api.get(f"/payments/{made}"))
        rows += 1
    assert rows == SHORT


def wordy(api: Wire) -> None:
    """A workspace with a page full of everything, each with texts as long as they may be."""
    name = "s" * 40
    scenario = SCENARIO.format(name=name, text="m" * 200).encode()
    headers = {"Content-Type": "application/yaml", "User-Agent": LONG, "X-Sandbox-Label": LONG}
    done(api.call("PUT", f"/_sandbox/scenarios/{name}", raw=scenario, headers=headers))
    done(api.post(f"/_sandbox/scenarios/{name}/activate"))
    done(api.put("/_sandbox/webhooks/target", {"url": f"http://127.0.0.1:9/{'c' * 1_000}"}))
    for number in range(60):
        payment = f"pay_{number:02}" + "i" * 50
        made = api.pay(CARDS[number % 3], payment_id=payment, **texts(number))
        assert done(made)["payment_id"] == payment
        if made["status"] == "succeeded":
            refund = {"payment_id": payment, "amount": 10, "reason": LONG, "metadata": NOTES}
            done(api.post("/refunds", {**refund, "refund_id": f"ref_{number:02}" + "i" * 20}))
            done(api.post(f"/_sandbox/payments/{payment}/dispute", {"amount": 10}))
        assert api.post("/payments", {"amount": LONG, "currency": LONG}).status == 400
        assert api.get(f"/payments/{'p' * 200}{number}").status == 404
        if number < 30:
            done(api.call("PUT", f"/_sandbox/snapshots/{number:02}{'s' * 50}"))
            done(api.post("/_sandbox/next", {"on": "payments.cancel", "then": {"decline": "insufficient_funds"}}))
    done(api.post("/_sandbox/clock/advance", {"by": "10m"}))


CARDS: Final = ("visa_success", "visa_insufficient_funds", "visa_success")
NOTES: Final = {f"note_{number}": LONG for number in range(10)}
SCENARIO: Final = """
version: 1
name: {name}
summary: {text}
rules:
  - on: charge
    when: {{payment.amount: {{lt: 100}}, payment.description: {text}}}
    then: {{decline: insufficient_funds}}
"""


def texts(number: int) -> dict[str, Any]:
    """Fields of a payment that hold texts, each as long as it may be."""
    customer = {
        "id": f"{number:02}" + "c" * 62,
        "name": LONG,
        "email": f"{'m' * 60}@{'m' * 60}.test",
        "phone": LONG,
    }
    accepted = {"customer_acceptance": {"acceptance_type": "online"}}
    multiple = {"mandate_type": {"multi_use": {"amount": 6540, "currency": "USD"}}}
    return {
        "customer": customer,
        "description": LONG * 4,
        "merchant_order_reference_id": LONG,
        "return_url": "https://shop.test/" + "b" * 2_000,
        "metadata": NOTES,
        "setup_future_usage": "off_session",
        "mandate_data": {**accepted, **multiple},
    }


def done(reply: Reply) -> Any:
    """The answer of a call that succeeded."""
    assert reply.status == 200, reply.raw
    return reply.json


def crowded(api: Wire) -> None:
    """A workspace with many payments of all ages and statuses."""
    given = f"""
version: 1
name: history
given:
  payments:
    count: {MANY}
    over: 30d
    status: {{succeeded: 0.8, failed: 0.1, requires_capture: 0.05, pending: 0.05}}
"""
    headers = {"Content-Type": "application/yaml"}
    done(api.call("PUT", "/_sandbox/scenarios/history", raw=given.encode(), headers=headers))
    done(api.post("/_sandbox/scenarios/history/activate"))
    for _ in range(500):
        api.get("/payments/pay_nobody")
    paid = api.pay()["payment_id"]
    api.post("/refunds", {"payment_id": paid, "amount": 10})
    api.post(f"/_sandbox/payments/{paid}/dispute", {"amount": 10})


FILLED: Final[dict[str, Callable[[Wire], None]]] = {
    "long life": lived,
    "just shown whole": just_shown_whole,
    "long texts": wordy,
    "many payments": crowded,
}


def places(visitor: Visitor) -> Iterator[tuple[str, str]]:
    """Every page of a workspace: its name and path, about the first object that the list above it leads to."""
    rows = {page.path.removeprefix(f"{WORKSPACE}/"): page.name for page in PAGES}
    for path, name in rows.items():
        above, _, below = path.partition("/<")
        if not below:
            yield from ((name, asked) for asked in (path, *queries(name, path)))
        elif first := re.search(rf'href="[^"]*/{above}/([^"/?]+)"', visitor.read(above)):
            found = f"{above}/{first[1]}{below.partition('>')[2]}"
            yield from ((name, asked) for asked in (found, *queries(name, found)))


def queries(name: str, path: str) -> list[str]:
    """A page with each of its queries."""
    return [f"{path}?{urlencode(query)}" for query in QUERIES.get(name, ())]
