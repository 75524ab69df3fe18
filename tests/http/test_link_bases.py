"""With which host and scheme the links of an answer begin: every call that answers with one, from every name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
import segno
from werkzeug.test import create_environ, run_wsgi_app

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.money_places import fine
from tests.wire import KEY, Reply, Wire, wire

MADE_AT: Final = "localhost"
NAMES: Final[dict[str, str]] = {
    "localhost:8443": "http://localhost:8443",
    "sandbox": "http://sandbox",
    "127.0.0.1:9000": "http://127.0.0.1:9000",
    "shop.localhost": "http://shop.localhost",
    "evil.example": "http://localhost",
    "rebound.example:8080": "http://localhost",
}
"""The host of a call, and how its links begin; a name that is not ours gets those of the create."""
PAY: Final = {
    "amount": 100, "currency": "EUR", "profile_id": "pro_shop", "return_url": "https://shop.example.com/",
}  # fmt: skip
IDEAL: Final = {
    "confirm": True, "payment_method": "bank_redirect", "payment_method_type": "ideal",
    "payment_method_data": {"bank_redirect": {"ideal": {}}},
}  # fmt: skip
_LINK: Final = re.compile(rb'"(https?://[^/"]+)/(?:payments/redirect|payment_link)/')

Ask = Callable[[Wire, Any, dict[str, str]], Reply]


def _get(path: str) -> Ask:
    return lambda api, made, headers: api.call("GET", path.format(**made.json), headers=headers)


def _post(path: str, body: dict[str, Any]) -> Ask:
    return lambda api, made, headers: api.call("POST", path.format(**made.json), body, headers=headers)


CALLS: Final[dict[str, tuple[Ask, bool]]] = {
    "retrieve": (_get("/payments/{payment_id}"), True),
    "retrieve with attempts": (_get("/payments/{payment_id}?expand_attempts=true"), True),
    "sync": (_post("/payments/sync", {}), True),
    "list": (_get("/payments/list"), True),
    "list by filters": (_post("/payments/list", {}), True),
    "link": (_get("/payment_link/plink_{payment_id}"), False),
    "retrieve with a link": (_get("/payments/{payment_id}"), False),
    "update": (_post("/payments/{payment_id}", {"description": "x"}), False),
    "confirm": (_post("/payments/{payment_id}/confirm", {k: v for k, v in IDEAL.items() if k != "confirm"}), False),
    "records": (_get("/_sandbox/records/payments"), True),
    "one record": (_get("/_sandbox/records/payments?id={payment_id}"), True),
    "expire": (_post("/_sandbox/payments/{payment_id}/expire", {"what": "session"}), False),
}
"""Each call, and whether the payment is confirmed before it."""
CONTROL: Final = ("records", "one record", "expire")


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("host", NAMES)
def test_links_begin_as_the_call_that_answers_with_them(dialect: Any, name: str, host: str) -> None:
    ask, confirmed = CALLS[name]
    api = wire(dialect=dialect)
    made = fine(api.post("/payments", {**PAY, **(IDEAL if confirmed else {"payment_link": True})}, Host=MADE_AT))
    if name == "sync":
        ask = _post("/payments/sync", {"payment_id": made["payment_id"]})
    answered = ask(api, made, {"Host": host})
    if name in CONTROL and NAMES[host] != f"http://{host}":
        assert answered.status == 403, "the control API answers nothing under a name that is not ours"
        return
    found = {base.decode() for base in _LINK.findall(answered.raw)}
    assert (answered.status, found) == (200, {NAMES[host]}), answered.raw
    again = api.get(f"/payments/{made['payment_id']}")
    assert {base.decode() for base in _LINK.findall(again.raw)} == {"http://localhost"}


@pytest.mark.parametrize("type_", ["ali_pay", "pix"])
@pytest.mark.parametrize("host", NAMES)
def test_a_code_leads_where_its_text_does(host: str, type_: str) -> None:
    api = wire()
    method = {"payment_method": "wallet", "payment_method_data": {"wallet": {"ali_pay_qr": {}}}}
    if type_ == "pix":
        method = {"payment_method": "bank_transfer", "payment_method_data": {"bank_transfer": {"pix": {}}}}
    body = {**PAY, **method, "confirm": True, "payment_method_type": type_, "currency": "BRL"}
    made = fine(api.post("/payments", body, Host=MADE_AT))
    shown = fine(api.call("GET", f"/payments/{made['payment_id']}", headers={"Host": host}))["next_action"]
    assert shown["qr_code_url"].startswith(NAMES[host])
    assert shown["image_data_url"] == segno.make(shown["raw_qr_data"], micro=False).svg_data_uri(scale=4)


@pytest.mark.parametrize("host", NAMES)
def test_a_public_url_wins(host: str) -> None:
    api = wire(public_url="https://pay.example.org")
    made = fine(api.post("/payments", {**PAY, **IDEAL}, Host=MADE_AT))
    shown = api.call("GET", f"/payments/{made['payment_id']}", headers={"Host": host})
    assert {base.decode() for base in _LINK.findall(shown.raw)} == {"https://pay.example.org"}


@pytest.mark.parametrize("host", NAMES)
def test_a_repeated_answer_keeps_its_bytes(host: str) -> None:
    api, once = wire(), {"X-Idempotency-Key": "once"}
    first = fine(api.call("POST", "/payments", {**PAY, **IDEAL}, headers={**once, "Host": MADE_AT}))
    again = fine(api.call("POST", "/payments", {**PAY, **IDEAL}, headers={**once, "Host": host}))
    assert again.raw == first.raw


BOUND: Final = {
    "127.0.0.1": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::1": "[::1]", "::": "[::1]", "sandbox": "sandbox",
}  # fmt: skip
"""Where a server listens, and the host under which its own machine reaches it."""


@pytest.mark.parametrize("host", [None, ""], ids=["no host", "an empty one"])
@pytest.mark.parametrize("bound", BOUND)
def test_a_call_that_names_no_host_gets_links_that_lead_somewhere(bound: str, host: str | None) -> None:
    app, at = wire().app, {"SERVER_NAME": bound, "SERVER_PORT": "8443"}

    def ask(method: str, path: str, body: Any = None) -> bytes:
        headers = {"api-key": KEY, "Accept": "application/json"}
        environ = {**create_environ(path, method=method, json=body, headers=headers), **at}
        environ |= {} if host is None else {"HTTP_HOST": host}
        if host is None:
            del environ["HTTP_HOST"]
        return b"".join(run_wsgi_app(app, environ)[0])

    (link,) = set(_LINK.findall(ask("POST", "/payments", {**PAY, **IDEAL})))
    places = json.loads(ask("GET", "/"))
    begins = f"http://{BOUND[bound]}:8443"
    assert link.decode() == begins
    assert all(places[name].startswith(f"{begins}/_sandbox/") for name in ("dashboard", "docs", "openapi", "health"))


def test_what_is_told_later_has_the_links_of_the_create() -> None:
    api = wire()
    made = fine(api.post("/payments", {**PAY, **IDEAL}, Host="sandbox"))
    fine(api.call("GET", f"/payments/{made['payment_id']}", headers={"Host": "127.0.0.1:9000"}))
    events = fine(api.get(f"/events/{made['merchant_id']}"))
    assert b"127.0.0.1" not in events.raw
    kept = api.call("GET", "/_sandbox/snapshot", headers={"Host": "127.0.0.1:9000"}).raw
    assert b"http://sandbox" in kept or b"127.0.0.1:9000/payments" not in kept
