"""Which dialect a workspace speaks: the server's, or the one that its control API was told before its first record."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mock_server.contract.operations import OPERATIONS
from mock_server.contract.requests.payments.body import PaymentBody
from mock_server.contract.requests.refunds import RefundBody
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.wire import KEY, Wire, card_data, card_payment, wire

BARE = {"amount": 100, "currency": "USD"}
SAID = {"dialect": "hyperswitch"}


def switched(api: Wire) -> Wire:
    """The client, its workspace speaking the public API from now on."""
    assert api.put("/_sandbox/dialect", SAID).json == {**SAID, "set_by": "workspace"}
    api.speaks = HYPERSWITCH
    return api


def test_a_workspace_is_switched_and_tells_it() -> None:
    api = wire()
    assert api.get("/_sandbox/dialect").json == {"dialect": "interface", "set_by": "server"}
    assert api.post("/payments", BARE).status == 400
    switched(api)
    assert api.get("/_sandbox/dialect").json == {**SAID, "set_by": "workspace"}
    assert api.post("/payments", BARE).status == 200
    assert api.get("/_sandbox/workspaces")["data"][0]["dialect"] == "hyperswitch"


def test_it_is_refused_once_there_are_records() -> None:
    api = wire()
    api.pay()
    refused = api.put("/_sandbox/dialect", SAID)
    assert (refused.status, refused.error["code"]) == (409, "IR_16")
    assert api.put("/_sandbox/dialect", {"dialect": "interface"}).status == 200
    assert api.pay().status == 200
    assert (
        api.put("/_sandbox/dialect", {"dialect": "hyperswich"})
        .error["fields"][0]["message"]
        .startswith("is not known (did you mean hyperswitch?)")
    )


def test_a_reset_goes_back_and_a_snapshot_carries_it() -> None:
    api = switched(wire())
    api.post("/payments", BARE)
    assert api.put("/_sandbox/snapshots/mine").status == 200
    api.post("/_sandbox/reset")
    api.speaks = None
    assert api.get("/_sandbox/dialect")["dialect"] == "interface"
    assert api.post("/_sandbox/snapshots/mine/restore").status == 200
    assert api.get("/_sandbox/dialect").json == {**SAID, "set_by": "workspace"}


def test_a_setting_gives_the_default_dialect_a_default_profile_and_takes_the_others() -> None:
    api = wire(default_profile="on")
    profile = api.post("/payments", BARE)["profile_id"]
    assert api.post("/payments", BARE)["profile_id"] == profile
    api.post("/payments", {**BARE, "profile_id": "pro_second"})
    wrong = api.post("/payments", BARE).error
    assert (wrong["code"], [one["field"] for one in wrong["fields"]]) == ("IR_04", ["profile_id"])
    strict = wire(dialect=HYPERSWITCH, default_profile="off").post("/payments", BARE)
    assert strict.error["message"] == "Missing required param: profile_id"
    assert switched(wire(default_profile="off")).post("/payments", BARE).status == 400


CALLS = (
    ("POST", "/payments", {**card_payment(profile_id="pro_1"), "confirm": True, "capture_method": "manual"}, 200),
    ("POST", "/payments", {**card_payment("visa_3ds", profile_id="pro_1"), "confirm": True}, 200),
    ("POST", "/payments", {"amount": -1}, 400),
    ("GET", "/payments/pay_nobody", None, 404),
    ("POST", "/payments/pay_nobody/capture", {"sent_by_an_older_client": 1}, None),
    ("GET", "/customers/list", None, 200),
)


def told(api: Wire) -> Iterator[tuple[Any, ...]]:
    """What tells one dialect from the other in the answers to some calls."""
    for method, path, body, status in CALLS:
        reply = api.call(method, path, body)
        assert status in (None, reply.status)
        error = reply.error if reply.status >= 400 else {}
        status_word = reply.json.get("status") if isinstance(reply.json, dict) else None
        yield reply.status, sorted(error), error.get("code"), status_word, type(reply.json).__name__


def test_two_keys_of_two_dialects_in_32_threads_get_no_answer_in_the_wrong_one() -> None:
    plain = wire()
    other = switched(plain.as_key("snd_other_0123456789"))
    expected = {INTERFACE.name: list(told(plain)), HYPERSWITCH.name: list(told(other))}
    assert expected["interface"] != expected["hyperswitch"]
    assert "requires_customer_action" in str(expected["hyperswitch"])
    assert "requires_customer_action" not in str(expected["interface"])

    def shopper(number: int) -> bool:
        key, speaks = ((KEY, None), (other.key, HYPERSWITCH))[number % 2]
        api = plain.as_key(key)
        api.speaks = speaks
        return list(told(api)) == expected[HYPERSWITCH.name if speaks else INTERFACE.name]

    with ThreadPoolExecutor(32) as threads:
        assert all(threads.map(shopper, range(96)))


# what the public API's server takes where the interface's does not


@pytest.fixture
def api() -> Wire:
    return wire(dialect=HYPERSWITCH)


def test_an_unknown_field_of_an_object_is_passed_over_and_a_parameter_of_some_queries_refused(api: Wire) -> None:
    payment = api.pay(billing={"planet": "Mars"})
    assert api.get(f"/payments/{payment['payment_id']}?planet=Mars").status == 200
    assert api.get("/payments/list?planet=Mars").status == 400
    assert api.get("/disputes/list?planet=Mars").status == 400


def test_empty_bodies_and_texts_are_taken(api: Wire) -> None:
    nothing = {"email": "", "address": {"line1": "", "zip": "", "first_name": ""}, "phone": {"number": ""}}
    for way, body in (("capture", b"null"), ("cancel", b""), ("capture", b"{}"), ("cancel", b"null")):
        payment = api.pay(capture_method="manual", billing=nothing, shipping=nothing, email="")
        assert api.call("POST", f"/payments/{payment['payment_id']}/{way}", raw=body).status == 200
    assert api.call("GET", f"/payments/{payment['payment_id']}", {"any": "thing"}).status == 200
    assert api.post("/customers", {"customer_id": "cus_1", "email": ""}).status == 200
    assert api.delete("/customers/cus_1", {"any": "thing"}).status == 200


@pytest.mark.parametrize("year", ["35", "2035"])
def test_an_expiry_year_is_shown_as_it_was_sent(api: Wire, year: str) -> None:
    payment = api.pay(payment_method_data={"card": card_data(card_exp_year=year)})
    assert payment["status"] == "succeeded"
    shown = payment["payment_method_data"]["card"]
    assert year in (shown.get("exp_year"), shown.get("card_exp_year"))


@pytest.mark.parametrize(
    ("method", "type_"),
    [("network_token", "network_token"), ("open_banking", "open_banking_pis"), ("wallet", "venmo")],
)
def test_methods_of_the_public_api_that_are_not_modelled(api: Wire, method: str, type_: str) -> None:
    reply = api.post("/payments", {**BARE, "payment_method": method, "payment_method_type": type_})
    assert (reply.status, reply.error["code"]) == (501, "IR_00")


def test_a_billing_address_counts_where_a_method_needs_it(api: Wire) -> None:
    address = {"email": "jane.doe@example.com", "address": {"country": "US"}}
    klarna = {**BARE, "payment_method": "pay_later", "payment_method_type": "klarna", "confirm": True}
    data: dict[str, Any] = {"pay_later": {"klarna_redirect": {}}}
    lacking = api.post("/payments", {**klarna, "payment_method_data": data})
    assert lacking.error["message"] == "Missing required param: email"
    with_own = {**klarna, "payment_method_data": {**data, "billing": address}}
    assert api.post("/payments", with_own)["status"] == "requires_customer_action"
    with_the_payments = {**klarna, "payment_method_data": data, "billing": address}
    assert api.post("/payments", with_the_payments)["status"] == "requires_customer_action"


def test_a_browser_may_send_key_and_secret_in_one_header(api: Wire) -> None:
    payment = api.post("/payments", {**card_payment(), "profile_id": None}).json
    path, nobody = f"/payments/{payment['payment_id']}", api.as_key(None)

    def sent(secret: str) -> dict[str, str]:
        text = f"publishable_key={api.page().key},client_secret={secret}"
        return {"Authorization": b64encode(text.encode()).decode()}

    good, bad = sent(payment["client_secret"]), sent("pay_other_secret_x")
    handed_out = b64decode(payment["sdk_authorization"])
    assert handed_out.startswith(b64decode(good["Authorization"]))
    assert nobody.call("GET", path, headers=good)["payment_id"] == payment["payment_id"]
    assert nobody.call("GET", f"{path}?force_sync=true", headers=good).status == 200
    assert nobody.call("GET", path, headers=bad).error["code"] == "IR_09"
    assert nobody.call("POST", f"{path}/confirm", headers=good)["status"] == "succeeded"
    for wrong in ("Bearer x", "é", "AAAA", b64encode(b"publishable_key=,client_secret=").decode(), "A" * 9_999):
        assert nobody.call("GET", path, headers={"Authorization": wrong}).error["code"] == "IR_04"
    assert api.call("GET", path, headers={"Authorization": "Bearer of something else"}).status == 200


PATHS = tuple((row.method, re.sub("<[a-z_]+>", "pay_1", row.path)) for row in OPERATIONS)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-1, 2**53), st.text(max_size=8), st.just("4242424242424241"))
NAMES = st.sampled_from(sorted({name for schema in (PaymentBody, RefundBody) for name in schema().fields})) | st.text()
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3))


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(PATHS), st.dictionaries(NAMES, ANYTHING, max_size=6) | ANYTHING)
def test_no_body_leads_to_a_defect(route: tuple[str, str], body: object) -> None:
    method, path = route
    sent = {"api-key": KEY, "Content-Type": "application/json"}
    with FUZZED.app.test_client() as client:
        reply = client.open(path, method=method, data=json.dumps(body), headers=sent)
    assert reply.status_code != 500
    assert reply.headers.get("X-Sandbox-Because", "").isascii()


FUZZED = wire(dialect=HYPERSWITCH)
