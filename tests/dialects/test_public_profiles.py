"""Which profile a payment belongs to: drawn sequences of calls, against a model of the public rules (facts §2.7)."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from mock_server.conformance.client import AGENT as CONFORMANCE
from mock_server.dashboard.visit import AGENT as DASHBOARD
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.events import PROFILE as OF_COMMANDS
from mock_server.domain.merchant import OWN_IDS
from mock_server.scenario.story.over_http import AGENT as COMMAND
from mock_server.scenario.story.requests import PROFILE as OF_STORIES
from tests.counts import times
from tests.wire import Reply, Wire, wire

PAYS: Final = {"amount": 6540, "currency": "USD"}
NEEDED: Final = "Missing required param: profile_id or business_country, business_label"
PLACES: Final = (("US", "shop"), ("DE", "shop"), ("FR", "nobody"))
STEPS: Final = 14


class Merchant:
    """A merchant's calls, and what the model expects of each."""

    def __init__(self, draw: Random, *, by_account: bool) -> None:
        """`by_account`: it begins with a call that makes its account, with up to three places of business."""
        self.draw = draw
        api = wire(dialect=HYPERSWITCH)
        self.admin = api.as_key("an_admin")
        if by_account:
            places = [
                dict(zip(("country", "business"), draw.choice(PLACES[:2]), strict=True))
                for _ in range(draw.randrange(4))
            ]
            body = {"merchant_id": "mer_shop", "primary_business_details": places}
            self.id = str(self.admin.post("/accounts", body)["merchant_id"])
            key = self.admin.post(f"/api_keys/{self.id}", {"name": "key", "expiration": "never"})["api_key"]
            self.api: Wire = api.as_key(key)
        else:
            self.api = api
            places = []
            self.id = str(api.get(f"/payments/{api.post('/payments', PAYS)['payment_id']}")["merchant_id"])
        names = list(dict.fromkeys(f"{place['country']}_{place['business']}" for place in places)) or ["default"]
        made = reversed(self.api.get(f"/account/{self.id}/business_profile").json)
        self.set_up = by_account
        self.known = {str(one["profile_id"]): str(one["profile_name"]) for one in made}
        assert list(self.known.values()) == names
        self.default: str | None = next(iter(self.known)) if len(names) == 1 else None

    def pay(self, agent: str = "shop/1", **fields: str) -> Reply:
        return self.api.post("/payments", {**PAYS, **fields}, User_Agent=agent)

    def belongs_to(self, reply: Reply, profile_id: str) -> None:
        assert (reply.status, reply["profile_id"]) == (200, profile_id), reply.raw

    def adds(self, name: str) -> None:
        """A profile that is made by its first use, and is the default one where it is the first."""
        self.default = self.default if self.known else name
        self.known.setdefault(name, name)

    def unknown(self, reply: Reply, name: str) -> None:
        expected = (404, "HE_02", f"Business profile with the given id {name} does not exist")
        assert (reply.status, reply.error["code"], reply.error["message"]) == expected

    def creates_one(self) -> None:
        name = self.draw.choice(["default", *(f"{country}_{label}" for country, label in PLACES[:2])])
        body = {} if name == "default" else {"profile_name": name}
        reply = self.api.post(f"/account/{self.id}/business_profile", body)
        if name in self.known.values():
            assert reply.error["code"] == "IR_38"
            return
        self.default = None if self.known else str(reply["profile_id"])
        self.known[str(reply["profile_id"])] = name
        self.set_up = True

    def deletes_one(self) -> None:
        gone = self.draw.choice([*self.known, "pro_nobody"])
        reply = self.admin.delete(f"/account/{self.id}/business_profile/{gone}")
        if gone not in self.known:
            self.unknown(reply, gone)
            return
        assert (reply.status, reply.json) == (200, True)
        del self.known[gone]
        if len(self.known) == 1:
            (self.default,) = self.known
        elif gone == self.default:
            self.default = None

    def lists_them(self) -> None:
        found = self.api.get(f"/account/{self.id}/business_profile?limit=100").json
        assert {one["profile_id"]: one["profile_name"] for one in found} == self.known

    def needs_one(self) -> None:
        """Without any, the account and a payment without a profile make one."""
        if not self.known:
            self.default = str(self.admin.get(f"/accounts/{self.id}")["default_profile"])
            self.known[self.default] = "default"

    def pays_without_one(self) -> None:
        self.needs_one()
        half = dict(self.draw.sample([("business_country", "US"), ("business_label", "food")], self.draw.randrange(2)))
        reply = self.pay(**half)
        if self.default is None:
            assert (reply.status, reply.error["code"], reply.error["message"]) == (400, "IR_04", NEEDED)
        else:
            self.belongs_to(reply, self.default)

    def pays_by_place(self) -> None:
        self.needs_one()
        country, label = self.draw.choice(PLACES)
        reply, name = self.pay(business_country=country, business_label=label), f"{country}_{label}"
        if self.default is not None:
            self.belongs_to(reply, self.default)
        elif name in self.known.values():
            self.belongs_to(reply, next(one for one, named in self.known.items() if named == name))
        else:
            self.unknown(reply, name)

    def pays_by_id(self) -> None:
        self.needs_one()
        chosen = self.draw.choice([*self.known])
        self.belongs_to(self.pay(profile_id=chosen), chosen)

    def pays_by_a_stray_id(self) -> None:
        stray = f"pro_stray_{self.draw.randrange(3)}"
        reply = self.pay(profile_id=stray)
        if self.set_up and stray not in self.known:
            self.unknown(reply, stray)
        else:
            self.belongs_to(reply, stray)
            self.adds(stray)

    def pays_by_our_own(self) -> None:
        chosen = self.draw.choice(sorted(OWN_IDS))
        self.belongs_to(self.pay(profile_id=chosen), chosen)
        self.adds(chosen)

    def pays_by_a_command(self) -> None:
        chosen = f"pro_stray_{self.draw.randrange(3)}"
        self.belongs_to(self.pay(self.draw.choice((COMMAND, DASHBOARD, CONFORMANCE)), profile_id=chosen), chosen)
        self.adds(chosen)

    def receives_events_at_a_new_one(self) -> None:
        chosen = f"pro_aimed_{self.draw.randrange(2)}"
        target = {"url": "http://127.0.0.1:9/hooks", "profile_id": chosen}
        assert self.api.put("/_sandbox/webhooks/target", target).status == 200
        self.belongs_to(self.pay(profile_id=chosen), chosen)
        self.adds(chosen)

    def chooses_its_default(self) -> None:
        self.needs_one()
        chosen = self.draw.choice([*self.known])
        reply = self.admin.post(f"/accounts/{self.id}", {"default_profile": chosen})
        assert reply["default_profile"] == chosen
        self.default = chosen

    def looks_at_its_account(self) -> None:
        self.needs_one()
        assert self.admin.get(f"/accounts/{self.id}")["default_profile"] == self.default


CALLS: Final = (
    *(Merchant.creates_one, Merchant.pays_without_one, Merchant.pays_by_place, Merchant.pays_by_id),
    *(Merchant.pays_by_a_stray_id, Merchant.pays_by_our_own, Merchant.receives_events_at_a_new_one),
    *(Merchant.pays_by_a_command, Merchant.deletes_one, Merchant.deletes_one, Merchant.lists_them),
    *(Merchant.chooses_its_default, Merchant.looks_at_its_account),
)


@pytest.mark.parametrize("number", range(times(25, soak=600)))
def test_every_sequence_follows_the_model(number: int) -> None:
    draw = Random(number)
    merchant = Merchant(draw, by_account=number % 2 == 0)
    for _ in range(STEPS):
        draw.choice(CALLS)(merchant)


@pytest.mark.parametrize("number", range(times(6, soak=200)))
def test_no_read_of_the_default_dialect_brings_a_profile_back(number: int) -> None:
    draw, api = Random(number), wire(default_profile="on")
    admin, names = api.as_key("an_admin"), iter("abcdefghijklmnop")
    home = f"/account/{api.post('/payments', PAYS)['merchant_id']}/business_profile"
    known = {one["profile_id"] for one in api.get(home)["data"]}
    for _ in range(STEPS):
        match draw.choice(("create", "delete", "pay", "list")):
            case "create":
                known.add(api.post(home, {"profile_name": next(names)})["profile_id"])
            case "delete" if known:
                gone = draw.choice(sorted(known))
                assert admin.delete(f"{home}/{gone}").json is True
                known.remove(gone)
            case "pay":
                paid = api.post("/payments", PAYS)
                assert paid.status == (200 if len(known) < 2 else 400)
                known |= set() if known else {paid["profile_id"]}
                assert len(known) > 1 or {paid["profile_id"]} == known
        assert {one["profile_id"] for one in api.get(f"{home}?limit=100")["data"]} == known


def test_our_own_profiles_are_named_in_one_place() -> None:
    assert {OF_COMMANDS, OF_STORIES} < OWN_IDS


def test_a_client_of_the_fixture_pays_whatever_was_set_up() -> None:
    api = wire(dialect=HYPERSWITCH)
    merchant = api.post("/payments", PAYS)["merchant_id"]
    assert api.post(f"/account/{merchant}/business_profile", {"profile_name": "second"}).status == 200
    assert api.post("/payments", {**PAYS, "profile_id": "pro_tests"}).status == 200


def test_the_default_dialect_still_makes_them() -> None:
    api = wire()
    merchant = api.post("/payments", {**PAYS, "profile_id": "pro_a"})["merchant_id"]
    api.post(f"/account/{merchant}/business_profile", {"profile_name": "second"})
    assert api.post("/payments", {**PAYS, "profile_id": "pro_b"})["profile_id"] == "pro_b"


@pytest.mark.parametrize(
    "place",
    ["US", {}, {"country": "US"}, {"country": "us", "business": "a"}, {"country": "US", "business": ""}],
    ids=str,
)
def test_a_place_of_business_has_a_country_and_a_name(place: object) -> None:
    admin = wire(dialect=HYPERSWITCH).as_key("an_admin")
    reply = admin.post("/accounts", {"merchant_id": "mer_shop", "primary_business_details": [place]})
    assert (reply.status, reply.error["code"]) == (400, "IR_06")
    assert admin.post("/accounts", {"merchant_id": "mer_shop"}).status == 200
    assert wire().as_key("an_admin").post("/accounts", {"primary_business_details": [place]}).status == 200
