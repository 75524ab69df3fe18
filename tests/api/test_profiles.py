"""Business profiles over HTTP, and what each of their fields does to payments (facts §1.5, §2.7)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain import declines
from mock_server.domain.events import DELIVER
from mock_server.domain.merchant import SENT_STATUSES
from mock_server.domain.outcomes import Challenge
from mock_server.domain.statuses import PaymentStatus
from tests.api.places import authenticate
from tests.api.saving import refused
from tests.clocks import ManualClock
from tests.wire import Reply, Wire, card_data, card_payment, wire

SWITCHES = [
    *("enable_payment_response_hash", "redirect_to_merchant_with_http_post", "is_manual_retry_enabled"),
    *("is_auto_retries_enabled", "is_connector_agnostic_mit_enabled", "always_enable_overcapture"),
    *("always_request_extended_authorization", "is_network_tokenization_enabled", "is_click_to_pay_enabled"),
    *("is_tax_connector_enabled", "force_3ds_challenge", "use_billing_as_payment_method_billing"),
    *("collect_shipping_details_from_wallet_connector", "collect_billing_details_from_wallet_connector"),
    *("always_collect_shipping_details_from_wallet_connector", "always_collect_billing_details_from_wallet_connector"),
]
ON_AT_FIRST = {"enable_payment_response_hash"}
VALUES: dict[str, Any] = {
    **{name: name not in ON_AT_FIRST for name in SWITCHES},
    "profile_name": "shop",
    "return_url": "https://shop.example.com/back",
    "payment_response_hash_key": "k" * 40,
    "metadata": {"n": 1},
    "session_expiry": 1200,
    "intent_fulfillment_time": 600,
    "outgoing_webhook_custom_http_headers": {"X-Shop": "long-secrets", "X-Short": "abcd"},
    "max_auto_retries_enabled": 3,
    "wallet_identities": ["google_pay"],
    "routing_algorithm": {"type": "single"},
    "applepay_verified_domains": ["shop.example.com"],
    "dispute_polling_interval": 24,
    "merchant_category_code": "5411",
}
DETAILS: dict[str, Any] = {
    "webhook_version": "1.0",
    "webhook_username": "u",
    "webhook_password": "p",
    "webhook_url": "https://shop.example.com/hooks",
    "payment_created_enabled": True,
    "payment_succeeded_enabled": True,
    "payment_failed_enabled": False,
    "payment_statuses_enabled": ["succeeded"],
    "refund_statuses_enabled": ["failed"],
    "payout_statuses_enabled": ["success"],
}


def home(api: Wire) -> str:
    """Where the merchant's profiles are."""
    merchant = api.post("/payments", card_payment())["merchant_id"]
    return f"/account/{merchant}/business_profile"


def made(api: Wire, **fields: Any) -> Reply:
    reply = api.post(home(api), {"profile_name": "shop", **fields})
    assert reply.status == 200, reply.raw
    return reply


def profile(api: Wire, **fields: Any) -> str:
    return str(made(api, **fields)["profile_id"])


def test_without_anything_it_has_the_documented_defaults(api: Wire) -> None:
    reply = made(api)
    assert reply["profile_id"].startswith("pro_")
    assert {name: reply[name] for name in SWITCHES} == {name: name in ON_AT_FIRST for name in SWITCHES}
    assert (reply["session_expiry"], reply["intent_fulfillment_time"], reply["metadata"]) == (900, 900, {})
    assert reply["wallet_identities"] == ["apple_pay", "google_pay"]
    assert len(reply["payment_response_hash_key"]) == 64
    assert reply["webhook_details"] is reply["return_url"] is reply["routing_algorithm"] is None


def test_keys_of_profiles_differ(api: Wire) -> None:
    assert made(api)["payment_response_hash_key"] != made(api, profile_name="other")["payment_response_hash_key"]


SHOWN: Final[dict[str, Any]] = {
    **VALUES, "outgoing_webhook_custom_http_headers": {"X-Shop": "lo***ts", "X-Short": "***"}
}  # fmt: skip
"""What comes back of it."""


def test_it_keeps_all_that_was_sent(api: Wire) -> None:
    reply = api.post(home(api), {**VALUES, "webhook_details": DETAILS})
    assert {name: reply[name] for name in VALUES} == SHOWN
    assert reply["webhook_details"] == DETAILS
    assert api.get(f"{home(api)}/{reply['profile_id']}").json == reply.json


@pytest.mark.parametrize("name", sorted(VALUES))
def test_an_update_changes_what_was_sent_and_leaves_the_rest(api: Wire, name: str) -> None:
    before = made(api, webhook_details=DETAILS).json
    after = api.post(f"{home(api)}/{before['profile_id']}", {name: VALUES[name]}).json
    assert after == {**before, name: SHOWN[name]}


@pytest.mark.parametrize("name", sorted(DETAILS))
def test_webhook_details_are_merged_subfield_by_subfield(api: Wire, name: str) -> None:
    others = {other: value for other, value in DETAILS.items() if other != name}
    path = f"{home(api)}/{profile(api, webhook_details=others)}"
    assert api.get(path)["webhook_details"] == {**DETAILS, name: None}
    assert api.post(path, {"webhook_details": {name: DETAILS[name]}})["webhook_details"] == DETAILS


def test_a_put_takes_away_what_it_leaves_out_but_the_key(api: Wire) -> None:
    before = api.post(home(api), {**VALUES, "webhook_details": DETAILS})
    fresh = made(api, profile_name="fresh")
    after = api.put(f"{home(api)}/{before['profile_id']}", {"profile_name": "put"})
    stays = {name: before[name] for name in ("profile_id", "payment_response_hash_key")}
    assert after.json == {**fresh.json, **stays, "profile_name": "put"}


def test_a_profile_is_deleted(api: Wire) -> None:
    path = f"{home(api)}/{profile(api)}"
    assert api.delete(path).raw == b"true"
    assert refused(api.get(path)) == (404, "HE_02")
    assert refused(api.delete(path)) == (404, "HE_02")


def test_a_deleted_default_is_made_anew_when_one_is_needed(api: Wire) -> None:
    path = home(api)
    default, shop = (one["profile_id"] for one in api.get(path)["data"])
    for gone, left in ((default, [shop]), (shop, [])):
        api.delete(f"{path}/{gone}")
        assert [one["profile_id"] for one in api.get(path)["data"]] == left
    assert api.get("/account/payment_methods").status == 200  # which needs a profile
    (again,) = api.get(path)["data"]
    assert again["profile_name"] == "default"
    assert again["profile_id"] not in (default, shop)


def test_lists_page_and_filter(api: Wire, clock: ManualClock) -> None:
    path = home(api)
    for name in "abc":
        clock.advance(1000)
        made(api, profile_name=name)
    page = api.get(f"{path}?limit=2&offset=1")
    assert ([one["profile_name"] for one in page["data"]], page["total_count"], page["has_more"]) == (
        ["b", "a"],
        5,
        True,
    )
    assert [one["profile_name"] for one in api.get(f"{path}?profile_name=c")["data"]] == ["c"]


def test_a_switch_has_a_route_of_its_own(api: Wire) -> None:
    path = f"{home(api)}/{profile(api)}"
    assert api.post(f"{path}/toggle_connector_agnostic_mit", {"enabled": True}).json == {"enabled": True}
    assert api.get(path)["is_connector_agnostic_mit_enabled"] is True
    assert refused(api.post(f"{path}/toggle_connector_agnostic_mit", {})) == (400, "IR_04")


WRONG: list[tuple[str, dict[str, Any], int, str]] = [
    ("name taken", {"profile_name": "taken"}, 400, "IR_38"),
    ("default name", {}, 400, "IR_38"),
    ("empty name", {"profile_name": " "}, 400, "IR_04"),
    ("long name", {"profile_name": "x" * 65}, 400, "IR_04"),
    ("no URL", {"profile_name": "n", "return_url": "shop"}, 400, "IR_04"),
    ("short session", {"profile_name": "n", "session_expiry": 59}, 400, "IR_04"),
    ("long session", {"profile_name": "n", "session_expiry": 7_890_001}, 400, "IR_04"),
    ("many retries", {"profile_name": "n", "max_auto_retries_enabled": 11}, 400, "IR_04"),
    ("unknown wallet", {"profile_name": "n", "wallet_identities": ["paypal"]}, 400, "IR_04"),
    ("header's name", {"profile_name": "n", "outgoing_webhook_custom_http_headers": {"a b": "1"}}, 400, "IR_04"),
    ("header's value", {"profile_name": "n", "outgoing_webhook_custom_http_headers": {"A": "1\r\nB: 2"}}, 400, "IR_04"),
    ("header of ours", {"profile_name": "n", "outgoing_webhook_custom_http_headers": {"Content-Type": "x"}}, 400, "IR_04"),
    ("unknown status", {"profile_name": "n", "webhook_details": {"payment_statuses_enabled": ["asleep"]}}, 400, "IR_04"),
    ("status without event", {"profile_name": "n", "webhook_details": {"payment_statuses_enabled": ["requires_confirmation"]}}, 422, "IR_06"),
    ("refund without event", {"profile_name": "n", "webhook_details": {"refund_statuses_enabled": ["pending"]}}, 422, "IR_06"),
    ("unknown field", {"profile_name": "n", "profil": 1}, 400, "IR_06"),
    ("unknown field inside", {"profile_name": "n", "webhook_details": {"url": "x"}}, 400, "IR_06"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
@pytest.mark.parametrize("how", ["create", "update", "replace"])
def test_what_is_refused(api: Wire, how: str, fields: dict[str, Any], status: int, code: str) -> None:
    path, own = home(api), profile(api)
    made(api, profile_name="taken")
    ask = {"create": api.post, "update": api.post, "replace": api.put}[how]
    reply = ask(path if how == "create" else f"{path}/{own}", fields)
    if how == "update" and not fields:
        assert reply.status == 200
    else:
        assert refused(reply) == (status, code)


def test_a_profile_keeps_its_own_name(api: Wire) -> None:
    own = profile(api)
    assert api.post(f"{home(api)}/{own}", {"profile_name": "shop"}).status == 200


@pytest.mark.parametrize(
    ("method", "tail"),
    [("GET", ""), ("POST", ""), ("GET", "/pro_x"), ("POST", "/pro_x"), ("PUT", "/pro_x"), ("DELETE", "/pro_x")],
)
def test_another_merchants_profiles_are_not_there(api: Wire, method: str, tail: str) -> None:
    theirs = home(api.as_key("snd_somebody_else"))
    reply = api.call(method, theirs + tail, {} if method in ("POST", "PUT") else None)
    assert refused(reply) == (404, "HE_02")


# what it does


def test_every_status_with_an_event_can_be_filtered(api: Wire) -> None:
    for name, told in SENT_STATUSES.items():
        chosen = sorted(str(status) for status in told)
        reply = made(api, profile_name=name, webhook_details={name: chosen})
        assert reply["webhook_details"][name] == chosen


def test_the_public_words_of_a_status_are_understood(api: Wire) -> None:
    reply = made(api, webhook_details={"payment_statuses_enabled": ["requires_customer_action", "processing"]})
    assert reply["webhook_details"]["payment_statuses_enabled"] == ["requires_action", "pending"]


def due(api: Wire) -> int:
    return sum(entry.what == DELIVER for entry in api.sandbox.workspaces()[0].space.transact(lambda tx: tx.all_due()))


@pytest.mark.parametrize(
    ("details", "hears"),
    [
        (None, False),
        ({"webhook_version": "1"}, False),
        ({"webhook_url": "https://shop.example.com/h"}, True),
        ({"webhook_url": "https://shop.example.com/h", "payment_statuses_enabled": ["succeeded", "failed"]}, True),
        ({"webhook_url": "https://shop.example.com/h", "payment_statuses_enabled": ["failed"]}, False),
    ],
)
def test_the_filter_decides_what_is_delivered(api: Wire, details: Any, hears: bool) -> None:
    own = profile(api, webhook_details=details)
    api.pay(profile_id=own)
    assert due(api) == int(hears)


def test_its_session_time_is_its_payments(api: Wire) -> None:
    own = profile(api, session_expiry=60)
    assert api.post("/payments", card_payment(profile_id=own))["expires_on"] == "2026-01-01T00:01:00.000Z"
    longer = card_payment(profile_id=own, session_expiry=120)
    assert api.post("/payments", longer)["expires_on"] == "2026-01-01T00:02:00.000Z"


def test_its_return_url_stands_in(api: Wire) -> None:
    ideal: dict[str, Any] = {
        "payment_method": "bank_redirect",
        "payment_method_type": "ideal",
        "payment_method_data": {"bank_redirect": {"ideal": {}}},
        "confirm": True,
    }
    bare, own = profile(api), profile(api, profile_name="back", return_url="https://shop.example.com/back")
    assert refused(api.post("/payments", card_payment(profile_id=bare, **ideal))) == (400, "IR_04")
    assert api.post("/payments", card_payment(profile_id=own, **ideal))["status"] == "requires_action"


def test_its_wallet_identities_say_what_can_be_paid_by(api: Wire) -> None:
    own = profile(api, wallet_identities=["google_pay"])
    for wallet, status in (("google_pay", 200), ("apple_pay", 400)):
        data: dict[str, Any] = {
            "payment_method": "wallet",
            "payment_method_type": wallet,
            "payment_method_data": {"wallet": {wallet: {"token": "t"}}},
        }
        reply = api.post("/payments", card_payment(profile_id=own, confirm=True, **data))
        assert reply.status == status
    assert reply.error["code"] == "IR_39"
    assert "wallet_identities" in reply.error["message"]


def test_it_allows_to_confirm_again_after_a_failure(api: Wire, clock: ManualClock) -> None:
    own = profile(api)
    failed = api.pay("visa_generic_decline", profile_id=own)["payment_id"]
    again = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
    assert refused(api.post(f"/payments/{failed}/confirm", again)) == (400, "IR_16")
    api.post(f"{home(api)}/{own}", {"is_manual_retry_enabled": True})
    second = api.post(f"/payments/{failed}/confirm", again)
    assert (second["status"], second["attempt_count"], second["manual_retry_allowed"]) == ("succeeded", 2, None)


@pytest.mark.parametrize(("after_ms", "status"), [(30_000, 200), (30_001, 400)])
def test_the_time_to_try_again_is_half_the_session(api: Wire, clock: ManualClock, after_ms: int, status: int) -> None:
    own = profile(api, is_manual_retry_enabled=True, session_expiry=60)
    failed = api.pay("visa_generic_decline", profile_id=own)["payment_id"]
    again = {"payment_method": "card", "payment_method_data": {"card": card_data()}}
    clock.advance(after_ms)
    assert api.post(f"/payments/{failed}/confirm", again).status == status


def test_a_failed_challenge_can_be_tried_again_too(api: Wire) -> None:
    own = profile(api, is_manual_retry_enabled=True)
    asked = api.pay("visa_3ds_required", profile_id=own)["payment_id"]
    authenticate(api, asked, Challenge.DECLINED)
    assert api.post(f"/payments/{asked}/confirm")["status"] == "requires_action"


@pytest.mark.parametrize("act", ["capture", "cancel"])
def test_nothing_is_tried_again_after_an_authorization(api: Wire, act: str) -> None:
    made = api.pay(capture_method="manual", profile_id=profile(api, is_manual_retry_enabled=True))["payment_id"]
    failed = api.post(f"/payments/{made}/{act}", {}, X_Sandbox_Outcome="failed")
    assert (failed["status"], failed["manual_retry_allowed"]) == ("failed", False)
    again = api.post(f"/payments/{made}/confirm")
    assert (again.status, again.error["code"]) == (400, "IR_16") and "confirm" in again.error["message"]


@pytest.mark.parametrize(
    ("fields", "attempts"),
    [
        ({}, 1),
        ({"is_auto_retries_enabled": True}, 1),
        ({"max_auto_retries_enabled": 2}, 1),
        ({"is_auto_retries_enabled": True, "max_auto_retries_enabled": 2}, 3),
    ],
)
def test_it_tries_declined_charges_again(api: Wire, fields: dict[str, Any], attempts: int) -> None:
    payment = api.pay("visa_generic_decline", profile_id=profile(api, **fields))
    assert (payment["status"], payment["attempt_count"]) == ("failed", attempts)
    assert told(api) == ["payment_failed"]


@pytest.mark.parametrize("name", declines.names())
def test_nobody_tries_again_what_is_declined_for_good(api: Wire, name: str) -> None:
    row = declines.find(name)
    assert row is not None
    own = profile(api, is_auto_retries_enabled=True, max_auto_retries_enabled=1)
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": name}})
    payment = api.pay(profile_id=own)
    is_final = row.standard.recommended_action == "do_not_retry"
    assert (payment["status"], payment["attempt_count"]) == (("failed", 1) if is_final else ("succeeded", 2))


@pytest.mark.parametrize("answer", [{"decline": "do_not_honor"}, {"outcome": "failed"}])
def test_nobody_hears_of_a_decline_that_is_tried_again(api: Wire, answer: dict[str, str]) -> None:
    own = profile(api, is_auto_retries_enabled=True, max_auto_retries_enabled=2)
    api.post("/_sandbox/next", {"on": "charge", "then": answer})
    payment = api.pay(profile_id=own)
    assert (payment["status"], payment["attempt_count"]) == ("succeeded", 2)
    assert told(api) == ["payment_succeeded"]
    attempts = api.get(f"/payments/{payment['payment_id']}?expand_attempts=true")["attempts"]
    assert sorted(one["status"] for one in attempts) == ["charged", "failure"]


def told(api: Wire) -> list[str]:
    return [event["event_type"] for event in api.get("/_sandbox/webhooks")["data"]]


@pytest.mark.parametrize(
    ("switch", "field"),
    [
        ("always_enable_overcapture", "enable_overcapture"),
        ("always_request_extended_authorization", "request_extended_authorization"),
    ],
)
def test_what_it_always_wants_its_payments_have(api: Wire, switch: str, field: str) -> None:
    own = profile(api, **{switch: True})
    assert api.post("/payments", card_payment(profile_id=own))[field] is True
    assert api.post("/payments", {**card_payment(profile_id=own), field: False})[field] is False
    assert api.post("/payments", card_payment())[field] is None


def test_payments_of_a_deleted_profile_stay_and_go_no_further(api: Wire) -> None:
    own = profile(api)
    payment = api.post("/payments", card_payment(profile_id=own))["payment_id"]
    api.delete(f"{home(api)}/{own}")
    assert api.get(f"/payments/{payment}")["status"] == PaymentStatus.REQUIRES_CONFIRMATION
    assert refused(api.post(f"/payments/{payment}/confirm")) == (404, "HE_02")


def test_an_unknown_profile_is_made_or_refused_as_the_server_is_set() -> None:
    assert wire().post("/payments", card_payment(profile_id="pro_new")).status == 200
    strict = wire(unknown_profiles="refuse")
    reply = strict.post("/payments", card_payment(profile_id="pro_new"))
    assert refused(reply) == (404, "HE_02")
    assert "unknown_profiles" in reply.error["fields"][0]["message"], "which of the two it is"
    public = wire(unknown_profiles="refuse", dialect=HYPERSWITCH)
    reply = public.post("/payments", card_payment(profile_id="pro_new"))
    assert reply.status == 404
    assert "unknown_profiles" in reply.headers["X-Sandbox-Because"]
