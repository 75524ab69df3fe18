"""Which account a charge goes to: random sets of accounts, against the rule written by hand."""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.api.money_places import fine
from tests.counts import times
from tests.routes.good import merchant
from tests.wire import Wire, card_data, wire

NAMES: Final = ("stripe_test", "adyen_test", "paypal_test")
WAYS: Final[dict[str, dict[str, Any]]] = {
    "card.credit": {"payment_method_data": {"card": card_data()}},
    "wallet.paypal": {"payment_method_data": {"wallet": {"paypal_redirect": {}}}},
    "bank_redirect.eps": {"payment_method_data": {"bank_redirect": {"eps": {}}}},
}


class Account(NamedTuple):
    """One account of the profile; `takes` None: it lists no methods."""

    name: str
    id: str
    takes: frozenset[str] | None
    in_use: bool


def expected(accounts: list[Account], way: str, wanted: list[str]) -> tuple[str, str | None]:
    """The account that gets the first attempt."""
    live = [one for one in accounts if one.in_use]
    if not live:
        return "payment_sandbox", None
    fitting = next(
        ([one for one in live if word in one[:2]] for word in wanted if any(word in o[:2] for o in live)), []
    )
    fitting = fitting or [one for one in live if one.takes is None or way in one.takes] or live
    return fitting[0].name, fitting[0].id


def accounts_of(api: Wire, draw: Random) -> list[Account]:
    """Some accounts, the oldest first."""
    found = []
    for number in range(draw.randrange(5)):
        name = draw.choice(NAMES)
        takes = None if draw.random() < 0.2 else frozenset(draw.sample(sorted(WAYS), draw.randrange(len(WAYS) + 1)))
        switched = draw.choice(({}, {}, {}, {"disabled": True}, {"connector_type": "tax_processor"}))
        body: dict[str, Any] = {"connector_name": name, "connector_label": f"{name}_{number}", "profile_id": "pro_shop"}
        body["connector_type"] = "payment_processor"
        if takes is not None:
            body["payment_methods_enabled"] = [
                {
                    "payment_method": way.split(".")[0],
                    "payment_method_types": [{"payment_method_type": way.split(".")[1]}],
                }
                for way in takes
            ]
        made = fine(api.post(f"/account/{merchant(api)}/connectors", {**body, **switched}))
        found.append(Account(name, made["merchant_connector_id"], takes, not switched))
    return found


def paid(api: Wire, way: str, **more: Any) -> Any:
    category, type_ = way.split(".")
    return fine(
        api.post(
            "/payments",
            {
                "amount": 6540, "currency": "EUR", "profile_id": "pro_shop", "confirm": True,
                "return_url": "https://shop.example/", "payment_method": category, "payment_method_type": type_,
                **WAYS[way], **more,
            },
        )
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(times(8, soak=200)))
def test_every_charge_goes_where_the_rule_says(seed: int) -> None:
    draw = Random(seed)
    api = wire(dialect=HYPERSWITCH) if seed % 2 else wire()
    accounts = accounts_of(api, draw)
    for way in WAYS:
        asks: tuple[dict[str, Any], ...] = (
            {},
            {"connector": draw.sample(NAMES, 2)},
            {"routing": routing(draw, accounts)},
        )
        for asked in asks:
            made = paid(api, way, **asked)
            wanted = asked.get("connector") or named(asked.get("routing"))
            got = made["connector"], made["merchant_connector_id"]
            assert got == expected(accounts, way, wanted), (way, asked, accounts)
    offered(api, accounts)


def routing(draw: Random, accounts: list[Account]) -> dict[str, Any]:
    """A rule of one payment: one account, or several in their order, by name or by name and id."""
    whole = [{"connector": one.name, "merchant_connector_id": one.id} for one in accounts]
    if draw.random() < 0.5 or not whole:
        return {"type": "single", "data": draw.choice([*NAMES, *whole])}
    return {"type": "priority", "data": draw.sample(whole, len(whole))}


def named(rule: dict[str, Any] | None) -> list[str]:
    data = rule["data"] if rule else []
    rows = data if isinstance(data, list) else [data]
    return [one if isinstance(one, str) else one["merchant_connector_id"] for one in rows]


def offered(api: Wire, accounts: list[Account]) -> None:
    """Wallets of session tokens, and the accounts of each type, follow the same rule."""
    made = fine(api.pay(confirm=False, amount=6540, currency="EUR"))
    page, query = api.page(), f"?client_secret={made['client_secret']}"
    live = [one for one in accounts if one.in_use]
    shown = fine(page.get(f"/payments/{made['payment_id']}/client{query}"))["payment_methods_enabled"]
    body = {key: made[key] for key in ("payment_id", "client_secret")}
    tokens = fine(page.post("/payments/session_tokens", {**body, "wallets": []}))["session_token"]
    connectors = {one["wallet_name"]: one.get("connector") for one in tokens}
    there = [one for one in live if one.takes is None or "wallet.paypal" in one.takes]
    if live:
        assert ("paypal" in {one["payment_method_type"] for one in shown}) is bool(there)
        assert connectors.get("paypal") == (there[0].name if there else None)
        assert set(connectors) == {"paypal", *(w for w in connectors if any(one.takes is None for one in live))} - (
            set() if there else {"paypal"}
        )
    config = fine(page.get(f"/v1/sdk/configs/web/sdk_config.json{query}"))
    for group in config["payment_methods"]:
        for one in group["payment_method_types"]:
            way = f"{group['payment_method']}.{one['payment_method_type']}"
            takers = [a.name for a in live if a.takes is None or way in a.takes] or ["payment_sandbox"]
            for rule in one["criteria_rules"]:
                assert rule["eligible_connectors"] == list(dict.fromkeys(takers))


def test_a_retry_goes_to_the_next_account(api: Wire) -> None:
    path = f"/account/{merchant(api)}/business_profile/pro_shop"
    fine(api.pay())
    fine(api.post(path, {"is_auto_retries_enabled": True, "max_auto_retries_enabled": 3}))
    ids = [fine(api.post(f"/account/{merchant(api)}/connectors", {
        "connector_name": name, "connector_label": name, "profile_id": "pro_shop"}))["merchant_connector_id"]
        for name in NAMES]  # fmt: skip
    made = fine(api.pay("visa_generic_decline"))
    shown = fine(api.get(f"/payments/{made['payment_id']}?expand_attempts=true"))
    assert [one["connector"] for one in shown["attempts"]] == [*NAMES, NAMES[0]]
    assert shown["merchant_connector_id"] == ids[0]


def test_a_network_that_we_do_not_know_is_kept(api: Wire) -> None:
    types = [{"payment_method_type": "credit", "card_networks": ["CartesBancaires", "Visa"]}]
    enabled = [{"payment_method": "card", "payment_method_types": types}]
    body = {"connector_name": "adyen", "profile_id": "pro_shop", "payment_methods_enabled": enabled}
    fine(api.post(f"/account/{merchant(api)}/connectors", body))
    made = fine(api.pay(confirm=False))
    shown = fine(api.page().get(f"/payments/{made['payment_id']}/client?client_secret={made['client_secret']}"))
    assert shown["payment_methods_enabled"][0]["card_networks"] == ["Visa", "CartesBancaires"]


def test_what_a_checkout_script_starts_with_has_plain_words(api: Wire) -> None:
    made = fine(api.pay(confirm=False))
    shown = fine(api.page().get(f"/payments/{made['payment_id']}/client?client_secret={made['client_secret']}"))
    found = {one["payment_method_type"]: one["payment_experience"] for one in shown["payment_methods_enabled"]}
    assert found["google_pay"] == ["invoke_sdk_client"]
    assert found["ali_pay"] == ["display_qr_code"]
    assert found["klarna"] == ["redirect_to_url"]
    assert found["credit"] in (None, [])
