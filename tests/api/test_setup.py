"""What set-up scripts call: accounts, api keys, connector accounts, all with an admin's key of any text (decisions)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import re
from typing import Any

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from tests.api.saving import refused
from tests.clocks import ManualClock
from tests.wire import KEY, PUBLISHABLE, Reply, Wire, card_payment, wire

ADMIN = "test_admin"
HOUR_MS = 60 * 60 * 1000
SETUP = [row for row in OPERATIONS if KeyKind.ADMIN in row.keys]
by_route = pytest.mark.parametrize("row", SETUP, ids=lambda row: f"{row.method} {row.path}")


@pytest.fixture
def admin(api: Wire) -> Wire:
    """A client with an admin's key."""
    return api.as_key(ADMIN)


def made(admin: Wire, merchant: str = "mer_shop", **fields: Any) -> Reply:
    reply = admin.post("/accounts", {"merchant_id": merchant, **fields})
    assert reply.status == 200, reply.raw
    return reply


def issued(admin: Wire, merchant: str = "mer_shop", **fields: Any) -> Reply:
    reply = admin.post(f"/api_keys/{merchant}", {"name": "Test key", **fields})
    assert reply.status == 200, reply.raw
    return reply


def path_of(row: Operation, merchant: str = "mer_shop", **known: str) -> str:
    return re.sub("<([a-z_]+)>", lambda part: {"merchant_id": merchant, **known}.get(part[1], "unknown_id"), row.path)


def body_of(row: Operation) -> Any:
    words = {"api_keys.create": "name", "connectors.create": "connector_name", "profiles.create": "profile_name"}
    body = {words[row.name]: "stripe_test"} if row.name in words else {}
    return body if row.method in ("POST", "PUT") else None


# accounts


def test_an_account_is_a_merchant_of_its_own(admin: Wire) -> None:
    reply = made(
        admin,
        merchant_name="Example Shop",
        metadata={"n": 1},
        merchant_details={"website": "x"},
        return_url="https://shop.example.com/back",
        webhook_details={"webhook_url": "https://shop.example.com/hooks"},
    )
    assert (reply["merchant_id"], reply["merchant_name"], reply["metadata"]) == ("mer_shop", "Example Shop", {"n": 1})
    assert reply["merchant_details"] == {"website": "x"}
    assert re.fullmatch(r"pk_snd_[0-9a-f]{32}", reply["publishable_key"])
    key = admin.as_key(issued(admin)["api_key"])
    payment = key.post("/payments", card_payment())
    assert payment["merchant_id"] == "mer_shop"
    profile = key.get(f"/account/mer_shop/business_profile/{reply['default_profile']}")
    assert (profile["return_url"], profile["webhook_details"]["webhook_url"]) == (
        "https://shop.example.com/back",
        "https://shop.example.com/hooks",
    )
    assert admin.get("/accounts/mer_shop").json == reply.json


def test_without_an_id_it_gets_one(admin: Wire) -> None:
    first, second = (admin.post("/accounts", {}) for _ in range(2))
    assert re.fullmatch(r"mer_[A-Za-z0-9]{20}", first["merchant_id"])
    assert first["merchant_id"] != second["merchant_id"]
    assert first["organization_id"] != second["organization_id"]


def test_an_update_reaches_the_default_profile(admin: Wire) -> None:
    made(admin, webhook_details={"webhook_url": "https://a.example.com"})
    reply = admin.post(
        "/accounts/mer_shop", {"merchant_name": "New", "webhook_details": {"webhook_version": "2"}, "locker_id": "m0"}
    )
    assert (reply["merchant_name"], reply["locker_id"]) == ("New", "m0")
    assert (reply["webhook_details"]["webhook_url"], reply["webhook_details"]["webhook_version"]) == (
        "https://a.example.com",
        "2",
    )


def test_the_merchant_of_a_key_has_an_account_too(api: Wire, admin: Wire) -> None:
    merchant = api.post("/payments", card_payment())["merchant_id"]
    reply = admin.get(f"/accounts/{merchant}")
    assert (reply["merchant_id"], reply["publishable_key"]) == (merchant, None)
    assert admin.post(f"/accounts/{merchant}", {"merchant_name": "Named"})["merchant_name"] == "Named"
    assert admin.get(f"/accounts/{merchant}")["merchant_name"] == "Named"
    key = issued(admin, merchant)["api_key"]
    assert api.as_key(key).get("/payments/list")["total_count"] == 1


def test_a_deleted_account_is_gone_with_its_keys(admin: Wire) -> None:
    publishable, key = made(admin)["publishable_key"], issued(admin)["api_key"]
    assert admin.delete("/accounts/mer_shop").json == {"merchant_id": "mer_shop", "deleted": True}
    assert refused(admin.get("/accounts/mer_shop")) == (404, "HE_02")
    for text in (key, publishable):
        assert refused(admin.as_key(text).get("/payments/list")) == (401, "IR_01")
    fresh = made(admin)
    assert fresh["publishable_key"] != publishable
    assert admin.as_key(issued(admin)["api_key"]).get("/payments/list")["total_count"] == 0


@pytest.mark.parametrize("taken", ["by an account", "by a key"])
def test_a_known_merchant_id_is_refused(api: Wire, admin: Wire, taken: str) -> None:
    known = (
        made(admin)["merchant_id"] if taken == "by an account" else api.post("/payments", card_payment())["merchant_id"]
    )
    assert refused(admin.post("/accounts", {"merchant_id": known})) == (400, "HE_01")


# keys


def test_an_issued_key_is_told_once(admin: Wire) -> None:
    made(admin)
    reply = issued(admin, description="For tests")
    assert list(reply.json) == ["key_id", "merchant_id", "name", "description", "api_key", "created", "expiration"]
    assert re.fullmatch(r"snd_[A-Za-z0-9]{64}", reply["api_key"])
    known = admin.get(f"/api_keys/mer_shop/{reply['key_id']}")
    assert list(known.json) == ["key_id", "merchant_id", "name", "description", "prefix", "created", "expiration"]
    assert reply["api_key"].startswith(known["prefix"])
    assert known["expiration"] == "never"


def test_no_key_stays_anywhere(admin: Wire) -> None:
    made(admin)
    key = issued(admin)["api_key"]
    connector = admin.post(
        "/account/mer_shop/connectors",
        {
            "connector_name": "x",
            "connector_account_details": {"auth_type": "HeaderKey", "api_key": "sk_live_of_a_real_processor"},
        },
    )
    assert connector["connector_account_details"] == {"auth_type": "HeaderKey"}
    sandbox = admin.sandbox
    kept = [
        repr(sandbox.server.dump()),
        *(repr((one.space.dump(), one.space.dump_log("journal", repr))) for one in sandbox.workspaces()),
    ]
    for secret in (key, key.removeprefix("snd_"), "sk_live_of_a_real_processor"):
        assert not [text[max(0, text.find(secret) - 300) : text.find(secret) + 60] for text in kept if secret in text]


def test_several_keys_share_a_workspace_with_their_twins(admin: Wire) -> None:
    publishable = made(admin)["publishable_key"]
    first, second = (admin.as_key(issued(admin)["api_key"]) for _ in range(2))
    payment = first.post("/payments", card_payment())
    path = f"/payments/{payment['payment_id']}"
    assert second.get(path).status == 200
    for text in (publishable, f"pk_{first.key}"):
        assert admin.as_key(text).get(f"{path}?client_secret={payment['client_secret']}").status == 200


def test_keys_are_listed_newest_first(admin: Wire, clock: ManualClock) -> None:
    made(admin)
    made(admin, "mer_other")
    issued(admin, "mer_other")
    ids = []
    for _ in range(3):
        ids.append(issued(admin)["key_id"])
        clock.advance(1000)
    page = admin.get("/api_keys/mer_shop/list?limit=2")
    assert ([key["key_id"] for key in page["data"]], page["total_count"], page["has_more"]) == (ids[:0:-1], 3, True)


def test_a_revoked_key_opens_nothing(admin: Wire) -> None:
    made(admin)
    key = issued(admin)
    assert admin.delete(f"/api_keys/mer_shop/{key['key_id']}").json == {
        "merchant_id": "mer_shop",
        "key_id": key["key_id"],
        "revoked": True,
    }
    for text in (key["api_key"], f"pk_{key['api_key']}"):
        reply = admin.as_key(text).get("/payments/list")
        assert refused(reply) == (401, "IR_01")
        assert "revoked" in reply.error["message"]
    assert refused(admin.get(f"/api_keys/mer_shop/{key['key_id']}")) == (404, "HE_02")
    assert admin.get("/api_keys/mer_shop/list")["total_count"] == 0


def test_a_key_expires_by_its_workspaces_clock(admin: Wire, clock: ManualClock) -> None:
    made(admin)
    key = issued(admin, expiration="2026-01-01T01:00:00Z")
    client = admin.as_key(key["api_key"])
    clock.advance(HOUR_MS - 1)
    assert client.get("/payments/list").status == 200
    clock.advance(1)
    reply = client.get("/payments/list")
    assert refused(reply) == (401, "IR_01")
    assert "2026-01-01T01:00:00.000Z" in reply.error["message"]
    assert admin.post(f"/api_keys/mer_shop/{key['key_id']}", {"expiration": "never"})["expiration"] == "never"
    assert client.get("/payments/list").status == 200


def test_a_key_is_renamed(admin: Wire) -> None:
    made(admin)
    key = issued(admin, description="old", expiration="2027-01-01")
    reply = admin.post(f"/api_keys/mer_shop/{key['key_id']}", {"name": "New"})
    assert (reply["name"], reply["description"], reply["expiration"]) == ("New", "old", "2027-01-01T00:00:00.000Z")


def test_an_issued_key_holds_under_a_restricted_list_too() -> None:
    api = wire(keys=frozenset({KEY}))
    admin = api.as_key(ADMIN)
    publishable = made(admin)["publishable_key"]
    assert api.as_key(issued(admin)["api_key"]).get("/payments/list").status == 200
    assert refused(api.as_key("snd_not_on_the_list").get("/payments/list")) == (401, "IR_01")
    assert refused(api.as_key(publishable).get("/payments/pay_x?client_secret=s")) == (404, "HE_02")


# the registry and resets


def _reset(api: Wire, text: str) -> None:
    assert api.as_key(text).post("/_sandbox/reset", {}).status == 200


def test_a_workspaces_reset_keeps_its_keys(admin: Wire) -> None:
    made(admin, merchant_name="Kept")
    key, second = issued(admin)["api_key"], issued(admin)
    admin.as_key(key).post("/payments", card_payment())
    _reset(admin, key)
    assert admin.as_key(key).get("/payments/list")["total_count"] == 0
    assert admin.as_key(second["api_key"]).post("/payments", card_payment())["merchant_id"] == "mer_shop"
    assert admin.get("/accounts/mer_shop")["merchant_name"] == "Kept"
    assert issued(admin)["api_key"] not in (key, second["api_key"])


def test_a_reset_of_everything_empties_the_registry(admin: Wire) -> None:
    made(admin)
    key, numbered = issued(admin)["api_key"], admin.post("/accounts", {"merchant_name": "Next"}).json
    admin.as_key(None).post("/_sandbox/reset", {})
    assert refused(admin.get("/accounts/mer_shop")) == (404, "HE_02")
    assert admin.post("/accounts", {"merchant_name": "Next"}).json == numbered, "the ids begin anew"
    assert admin.as_key(key).post("/payments", card_payment())["merchant_id"] != "mer_shop"


# connectors


@pytest.fixture(params=["secret", "admin"])
def script(request: pytest.FixtureRequest, api: Wire, admin: Wire) -> tuple[Wire, str]:
    """A client that may set connectors up, and where."""
    if request.param == "admin":
        made(admin)
        return admin, "/account/mer_shop/connectors"
    return api, f"/account/{api.post('/payments', card_payment())['merchant_id']}/connectors"


def test_a_connector_is_kept_changed_and_forgotten(script: tuple[Wire, str]) -> None:
    client, path = script
    body = {
        "connector_type": "payment_processor",
        "connector_name": "stripe_test",
        "payment_methods_enabled": [{"payment_method": "card"}],
        "metadata": {"n": 1},
        "connector_account_details": {"auth_type": "HeaderKey", "api_key": "k"},
    }
    reply = client.post(path, body)
    assert reply["merchant_connector_id"].startswith("mca_")
    assert (reply["connector_label"], reply["status"], reply["test_mode"], reply["disabled"]) == (
        "stripe_test_default",
        "active",
        True,
        False,
    )
    assert reply["payment_methods_enabled"] == [{"payment_method": "card"}]
    own = f"{path}/{reply['merchant_connector_id']}"
    assert client.get(own).json == reply.json
    changed = client.post(own, {"disabled": True, "connector_label": "mine"})
    assert changed.json == {**reply.json, "disabled": True, "connector_label": "mine"}
    page = client.get(f"{path}?connector_name=stripe_test")
    assert [one["connector_label"] for one in page["data"]] == ["mine"]
    assert client.delete(own)["deleted"] is True
    assert refused(client.get(own)) == (404, "HE_02")


def test_a_label_is_used_once(script: tuple[Wire, str]) -> None:
    client, path = script
    client.post(path, {"connector_name": "stripe_test"})
    other = client.post(path, {"connector_name": "adyen_test"})["merchant_connector_id"]
    assert refused(client.post(path, {"connector_name": "stripe_test"})) == (400, "HE_01")
    assert refused(client.post(f"{path}/{other}", {"connector_label": "stripe_test_default"})) == (400, "HE_01")


def test_connectors_change_nothing_else(api: Wire) -> None:
    merchant = api.post("/payments", card_payment())["merchant_id"]
    api.post(f"/account/{merchant}/connectors", {"connector_name": "stripe_test", "disabled": True})
    assert (api.pay()["status"], api.pay()["connector"]) == ("succeeded", "payment_sandbox")


# who may, and what is wrong


@by_route
@pytest.mark.parametrize("text", ["x", "Bearer abc", "admin key with blanks", "snd_short"])
def test_any_text_is_an_admins_key_here(api: Wire, row: Operation, text: str) -> None:
    made(api.as_key(ADMIN))
    assert api.as_key(text).call(row.method, path_of(row), body_of(row)).status in (200, 404)


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if KeyKind.ADMIN not in row.keys], ids=lambda row: f"{row.method} {row.path}"
)
def test_and_of_no_use_elsewhere(admin: Wire, row: Operation) -> None:
    body: Any = {} if row.method in ("POST", "PUT") else None
    assert refused(admin.call(row.method, path_of(row), body)) == (401, "IR_01")


@by_route
@pytest.mark.parametrize(
    "text", [None, "prd_abcdefgh12345678", PUBLISHABLE, "epk_00000000-0000-4000-8000-000000000000"]
)
def test_no_key_and_keys_of_other_kinds_are_refused(api: Wire, row: Operation, text: str | None) -> None:
    made(api.as_key(ADMIN))
    assert api.as_key(text).call(row.method, path_of(row), body_of(row)).status == 401


@pytest.mark.parametrize(
    "row", [row for row in SETUP if "<merchant_id>" in row.path], ids=lambda row: f"{row.method} {row.path}"
)
def test_an_unknown_merchant_is_not_there(admin: Wire, row: Operation) -> None:
    assert refused(admin.call(row.method, path_of(row, "mer_nobody"), body_of(row))) == (404, "HE_02")


@pytest.mark.parametrize(
    "row", [row for row in SETUP if KeyKind.SECRET in row.keys], ids=lambda row: f"{row.method} {row.path}"
)
def test_a_secret_key_reaches_its_own_merchant_alone(api: Wire, admin: Wire, row: Operation) -> None:
    made(admin)
    assert refused(api.call(row.method, path_of(row), body_of(row))) == (404, "HE_02")


WRONG: list[tuple[str, str, str, Any, int, str]] = [
    ("unknown key", "GET", "/api_keys/mer_shop/key_nobody", None, 404, "HE_02"),
    ("unknown key to change", "POST", "/api_keys/mer_shop/key_nobody", {}, 404, "HE_02"),
    ("unknown key to revoke", "DELETE", "/api_keys/mer_shop/key_nobody", None, 404, "HE_02"),
    ("key without name", "POST", "/api_keys/mer_shop", {}, 400, "IR_04"),
    ("key that is over", "POST", "/api_keys/mer_shop", {"name": "k", "expiration": "2025-01-01"}, 400, "IR_04"),
    ("key with a bad end", "POST", "/api_keys/mer_shop", {"name": "k", "expiration": "soon"}, 400, "IR_04"),
    ("unknown field of a key", "POST", "/api_keys/mer_shop", {"name": "k", "nam": 1}, 400, "IR_06"),
    ("unknown connector", "GET", "/account/mer_shop/connectors/mca_nobody", None, 404, "HE_02"),
    ("unknown connector to change", "POST", "/account/mer_shop/connectors/mca_nobody", {}, 404, "HE_02"),
    ("unknown connector to delete", "DELETE", "/account/mer_shop/connectors/mca_nobody", None, 404, "HE_02"),
    ("connector without name", "POST", "/account/mer_shop/connectors", {}, 400, "IR_04"),
    ("connector of an unknown sort", "POST", "/account/mer_shop/connectors", {"connector_name": "x", "connector_type": "bank"}, 400, "IR_04"),
    ("connector of an unknown profile", "POST", "/account/mer_shop/connectors", {"connector_name": "x", "profile_id": "pro_nobody"}, 404, "HE_02"),
    ("account with a route's word", "POST", "/accounts", {"merchant_id": "list"}, 400, "IR_04"),
    ("account with an unknown field", "POST", "/accounts", {"merchant": "x"}, 400, "IR_06"),
    ("account with a bad status", "POST", "/accounts/mer_shop", {"webhook_details": {"payment_statuses_enabled": ["requires_confirmation"]}}, 422, "IR_06"),
    ("bad limit", "GET", "/api_keys/mer_shop/list?limit=0", None, 400, "IR_04"),
    ("unknown parameter", "GET", "/account/mer_shop/connectors?kind=x", None, 400, "IR_06"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG]
)
def test_what_is_refused(admin: Wire, method: str, path: str, body: Any, status: int, code: str) -> None:
    made(admin)
    assert refused(admin.call(method, path, body)) == (status, code)


def test_another_merchants_key_is_not_there(admin: Wire) -> None:
    made(admin)
    made(admin, "mer_other")
    key = issued(admin)["key_id"]
    assert refused(admin.get(f"/api_keys/mer_other/{key}")) == (404, "HE_02")


def test_admins_calls_can_be_repeated_under_a_key(admin: Wire) -> None:
    first = admin.post("/accounts", {"merchant_id": "mer_twice"}, X_Idempotency_Key="k")
    again = admin.post("/accounts", {"merchant_id": "mer_twice"}, X_Idempotency_Key="k")
    assert (again.status, again.raw, again.headers["X-Sandbox-Replayed"]) == (200, first.raw, "true")


def test_the_same_seed_hands_out_the_same_keys() -> None:
    def run() -> tuple[str, str, str]:
        admin = wire(seed="same").as_key(ADMIN)
        account = admin.post("/accounts", {})
        return account["merchant_id"], account["publishable_key"], issued(admin, account["merchant_id"])["api_key"]

    assert run() == run()
