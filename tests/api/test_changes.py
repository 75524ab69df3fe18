"""A change of a payment ends where its create would have: each field, each customer, each rule between two fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any, Final, NamedTuple

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.values import Anything, Free
from mock_server.contract.operations import BY_NAME
from mock_server.contract.routes import TOGETHER
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause as C
from mock_server.domain.limits import AMOUNT_MAX
from tests.api.saving import ACCEPTANCE, off_session
from tests.counts import times
from tests.routes.test_accepted_lasts import sample
from tests.wire import Reply, Wire, card_data, card_payment, wire

Body = dict[str, Any]
BARE: Final[Body] = {"amount": 1000, "currency": "EUR", "profile_id": "pro_shop"}
CARD: Final[Body] = {name: value for name, value in card_payment().items() if name.startswith("payment_method")}
NEEDS: Final[dict[str, Body]] = {"payments.update": {}, "payments.replace": BARE, "payments.confirm": CARD}
"""The operations that change a payment, and what each needs."""
MERGING: Final = ("payments.update", "payments.confirm")
DIALECTS: Final = (INTERFACE, HYPERSWITCH)


def changed(api: Wire, operation: str, made: Reply, body: Body) -> Reply:
    row = BY_NAME[operation]
    return api.call(row.method, row.path.replace("<payment_id>", made["payment_id"]), {**NEEDS[operation], **body})


def created(api: Wire, **body: Any) -> Reply:
    reply = api.post("/payments", {**BARE, **body})
    assert reply.status == 200, reply.raw
    return reply


# Every field, by every call.

SHAPE: Final[Any] = BY_NAME["payments.create"].takes[0]
FIELDS: Final = SHAPE.of(INTERFACE).schema.load_fields.keys() - {"payment_id", "confirm", "client_secret", *BARE}
TERMS: Final[Body] = {"multi_use": {"amount": 5000, "currency": "EUR", "end_date": "2027-01-01T00:00:00.000Z"}}
AGREED: Final[Body] = {
    "setup_future_usage": "off_session",
    "mandate_data": {"customer_acceptance": ACCEPTANCE, "mandate_type": TERMS},
}
CONTENTS: Final[dict[str, Body]] = {
    "customer": {"customer": {"name": "Ann", "email": "a@shop.test", "phone": "1", "phone_country_code": "+1"}},
    "customer.id": {"customer": {"id": "cus_inner", "name": "Ann", "email": "a@shop.test", "phone": "1"}},
    "surcharge_details": {"surcharge_details": {"surcharge_amount": 5, "tax_amount": 2}},
    "payment_method": CARD,
    "amount_to_capture": {"amount_to_capture": 1000},
    "mandate_data": {"customer_id": "cus_mandate", **AGREED},
    "payment_channel": {"payment_channel": "ecommerce"},
    "session_expiry": {"session_expiry": 600},
    "enable_overcapture": {"enable_overcapture": True, "capture_method": "manual"},
}
"""What is sent to try a field that has more to it than a sample."""
PROFILES: Final[dict[str, Body]] = {
    "plain": {},
    "switched": {
        "always_enable_overcapture": True,
        "always_request_extended_authorization": True,
        "session_expiry": 4000,
    },
}
DRAWN: Final = (
    *("client_secret", "connector_transaction_id", "reference_id", "network_transaction_id", "sdk_authorization"),
    *("payment_method_id", "mandate_id", "connector_mandate_id"),
)


def comparable(reply: Reply) -> Any:
    """An answer without what is drawn for each payment."""
    if reply.status != 200:
        return reply.json
    shown = {name: value for name, value in reply.json.items() if name not in DRAWN}
    return json.loads(json.dumps(shown).replace(reply["payment_id"], "ID"))


def bodies(dialect: Dialect) -> Iterator[tuple[str, Body]]:
    fields = SHAPE.of(dialect).schema.load_fields
    for name in sorted({*FIELDS, *CONTENTS}):
        if dialect is INTERFACE or not isinstance(fields.get(name), Anything | Free):  # the public document knows more
            yield name, CONTENTS.get(name) or {name: sample(fields[name])}


@pytest.mark.parametrize(
    ("dialect", "profile"), [(INTERFACE, "plain"), (INTERFACE, "switched"), (HYPERSWITCH, "switched")]
)
@pytest.mark.parametrize("operation", NEEDS)
def test_what_is_sent_later_has_the_effect_of_what_is_sent_at_once(
    dialect: Dialect, operation: str, profile: str
) -> None:
    api = wire(dialect=dialect)
    merchant = created(api)["merchant_id"]
    switched = api.post(f"/account/{merchant}/business_profile/pro_shop", PROFILES[profile])
    assert switched.status == 200
    full: Body = {}
    for name, body in bodies(dialect):
        if not name.startswith(("payment_", "customer", "mandate", "recurring")) and name != "amount_to_capture":
            full |= body
    if operation in MERGING:
        full = {}
    wrong, accepted = [], 0
    for name, body in bodies(dialect):
        asked = {**NEEDS[operation], **body, **({"confirm": True} if operation == "payments.confirm" else {})}
        at_once = api.post("/payments", {**BARE, **asked})
        later = changed(api, operation, created(api, **full), body)
        accepted += later.status == 200
        if comparable(at_once) != comparable(later):
            wrong.append((name, at_once.raw, later.raw))
    assert [name for name, *_ in wrong] == [], wrong[0]
    assert accepted > 60


UNKNOWN: Final = "mandate_id payment_token recurring_details"
"""Fields that name what the merchant does not have."""


@pytest.mark.parametrize(
    ("more", "interface", "public"),
    [
        ({}, "payment_method_type", ""),
        ({"capture_method": "manual"}, "payment_method_type", ""),
        (
            {"confirm": True, **CARD},
            "payment_link payment_method_data setup_future_usage",
            "payment_link payment_method_data payment_method_type setup_future_usage",
        ),
    ],
)
def test_every_field_alone_is_accepted_but_those_that_need_another(more: Body, interface: str, public: str) -> None:
    for dialect, needing in zip(DIALECTS, (interface, public), strict=True):
        api = wire(dialect=dialect)
        refused = {
            name for name, body in bodies(dialect) if api.post("/payments", {**BARE, **more, **body}).status != 200
        }
        assert refused == {*UNKNOWN.split(), *needing.split()}


# A customer's values.

WHO: Final = ("name", "email", "phone", "phone_country_code")
SUBSETS: Final = [names for size in range(len(WHO) + 1) for names in combinations(WHO, size)]
SETS: Final = ((), ("name", "phone"), WHO, *SUBSETS)[: times(3, soak=8)]
STORED: Final = ("stored", "changed meanwhile", "made by the payment")


def values(person: str, names: tuple[str, ...] = WHO) -> Body:
    made = {"name": person, "email": f"{person}@shop.test", "phone": f"555{len(person)}", "phone_country_code": "+1"}
    return {name: made[name] for name in names}


def who(id_: str, sent: Body, *, inner: bool) -> Body:
    return {"customer": {"id": id_, **sent}} if inner else {"customer_id": id_, **sent}


@pytest.mark.parametrize("inner", [False, True], ids=["beside", "in customer"])
@pytest.mark.parametrize("former", STORED)
@pytest.mark.parametrize("operation", NEEDS)
def test_another_customer_has_nothing_of_the_former_one(api: Wire, operation: str, former: str, inner: bool) -> None:
    for number, (first, then, has) in enumerate(product(SETS, SETS, SETS[::2])):
        ann, bob = f"ann_{number}", f"bob_{number}"
        if former != STORED[2]:
            api.post("/customers", {"customer_id": ann, **values("ann")})
        api.post("/customers", {"customer_id": bob, **values("bobby", has)})
        sent = values("sent", first)
        made = created(api, **who(ann, sent, inner=inner))
        own = {**(values("ann") if former != STORED[2] else {}), **sent}
        shown(made, ann, own)
        if former == STORED[1]:
            api.post(f"/customers/{ann}", values("another"))
        sent = {**(sent if operation in MERGING else {}), **values("later", then)}
        moved = changed(api, operation, made, who(bob, values("later", then), inner=inner))
        shown(moved, bob, {**values("bobby", has), **sent})
        if operation != "payments.confirm":  # and back again
            stored = api.get(f"/customers/{ann}").json
            back = changed(api, "payments.update", made, who(ann, {}, inner=inner))
            shown(back, ann, {**{name: stored[name] for name in WHO}, **sent})


def shown(reply: Reply, customer_id: str, own: Body) -> None:
    expected = {name: own.get(name) for name in WHO}
    assert reply.status == 200, reply.raw
    assert {name: reply["customer"][name] for name in WHO} == expected
    assert {name: reply[name] for name in WHO[:3]} == {name: expected[name] for name in WHO[:3]}
    assert reply["customer_id"] == reply["customer"]["id"] == customer_id


def test_what_is_sent_for_a_payment_is_no_longer_its_customers(api: Wire) -> None:
    for person in ("ann", "bobby"):
        api.post("/customers", {"customer_id": person, **values(person)})
    made = created(api, customer_id="ann")
    changed(api, "payments.update", made, {"email": "sent@shop.test"})
    moved = changed(api, "payments.update", made, {"customer_id": "bobby"})
    shown(moved, "bobby", {**values("bobby"), "email": "sent@shop.test"})


# Every rule between two fields.


class Rule(NamedTuple):
    """Two parts of a body that are refused together; `among`: what else is needed, `only`: the dialect that has it."""

    cause: C
    one: Body
    other: Body
    among: Body = {}  # noqa: RUF012 — nobody changes it
    only: Dialect | None = None


MOST: Final = AMOUNT_MAX - BARE["amount"]
SUM: Final[tuple[Body, ...]] = (
    {"shipping_cost": MOST},
    {"order_tax_amount": MOST},
    {"surcharge_details": {"surcharge_amount": MOST}},
    {"surcharge_details": {"surcharge_amount": 0, "tax_amount": MOST}},
)
OWNER: Final[Body] = {"customer_id": "cus_rule"}
SAVED: Final[Body] = {"recurring_details": {"type": "payment_method_id", "data": "pm_1"}}
PAYPAL: Final = {"payment_method": "wallet", "payment_method_type": "paypal"}
TYPE_ALONE: Final[Body] = {"setup_future_usage": "off_session", "mandate_data": {"mandate_type": TERMS}}
RULES: Final = (
    *(Rule(C.AMOUNT_TOO_LARGE, one, other) for one, other in combinations(SUM, 2) if one.keys() != other.keys()),
    *(Rule(C.AMOUNT_TOO_LARGE, one, {"amount": AMOUNT_MAX}) for one in SUM),
    Rule(C.AMOUNT_TO_CAPTURE_OVER_AMOUNT, {"amount_to_capture": 400}, {"amount": 300}, {"capture_method": "manual"}),
    Rule(C.AMOUNT_TO_CAPTURE_NOT_AMOUNT, {"amount_to_capture": 1000}, {"amount": 1200}),
    Rule(
        C.AMOUNT_TO_CAPTURE_NOT_AMOUNT,
        {"amount_to_capture": 400, "capture_method": "manual"},
        {"capture_method": "automatic"},
    ),
    Rule(C.MANDATE_DATA_NEEDS_OFF_SESSION, AGREED, {"setup_future_usage": "on_session"}, OWNER),
    Rule(
        C.MANDATE_DATA_NEEDS_OFF_SESSION,
        {"setup_future_usage": "on_session"},
        {"mandate_data": AGREED["mandate_data"]},
        OWNER,
    ),
    Rule(
        C.MANDATE_NEEDS_CUSTOMER,
        {"setup_future_usage": "off_session"},
        {"mandate_data": AGREED["mandate_data"]},
        only=HYPERSWITCH,
    ),
    Rule(C.VALUE_MISSING, TYPE_ALONE, {"confirm": True}, {**CARD, **OWNER}, HYPERSWITCH),
    Rule(C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER, {"setup_future_usage": "off_session"}, {"confirm": True}, CARD),
    Rule(
        C.OVERCAPTURE_NEEDS_MANUAL,
        {"enable_overcapture": True, "capture_method": "manual"},
        {"capture_method": "automatic"},
        only=HYPERSWITCH,
    ),
    Rule(C.METHOD_MISMATCH, CARD, {"payment_method_type": "paypal"}),
    Rule(C.DATA_MISMATCH, PAYPAL, {"payment_method_data": {"card": card_data()}}, only=INTERFACE),
    Rule(C.RECURRING_NEEDS, {"off_session": False}, SAVED, OWNER),
    Rule(C.RECURRING_DATA_DOUBLED, TYPE_ALONE, {**SAVED, "off_session": True}, OWNER, HYPERSWITCH),
)
ALONE: Final = {
    C.FEATURE_NOT_OFFERED: "one word is enough",
    C.LINK_AND_CONFIRM: "both are sent: a stored link's customer confirms",
    C.CUSTOMER_CONFLICT: "both are sent: a stored customer is changed",
    C.CUSTOMER_REDACTED: "one id is enough",
    C.MANDATE_DATES_REVERSED: "both are in one object, which is sent whole",
    C.ACCEPTANCE_NEEDS_ONLINE: "both are in one object, which is sent whole",
}
"""Contradictions that no stored field can have part in."""


def test_the_rules_are_all_those_between_fields() -> None:
    assert {rule.cause for rule in RULES} >= set(TOGETHER) - set(ALONE)
    assert not {rule.cause for rule in RULES} & set(ALONE)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: "-".join((rule.cause, *rule.one, "with", *rule.other)))
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
def test_a_stored_field_is_held_to_the_rule_that_it_would_break_at_once(dialect: Dialect, rule: Rule) -> None:
    if rule.only not in (None, dialect):
        return
    api, tried = wire(dialect=dialect), 0
    for operation, (stored, sent) in product(NEEDS, permutations((rule.one, rule.other))):
        among = {**BARE, **(CARD if operation == "payments.confirm" and "recurring_details" not in sent else {})}
        among |= rule.among
        confirm = {"confirm": True} if operation == "payments.confirm" else {}
        at_once = api.post("/payments", {**among, **stored, **sent, **confirm})
        made = api.post("/payments", {**among, **stored})
        if at_once.status == 200 or made.status != 200 or "confirm" in stored:
            continue  # it depends on the order, or cannot be stored
        if confirm and sent is PAYPAL:
            continue  # it is a change to a method without data
        sent = {name: value for name, value in sent.items() if name not in confirm}
        body = {**among, **stored, **sent} if operation == "payments.replace" else sent
        row = BY_NAME[operation]
        later = api.call(row.method, row.path.replace("<payment_id>", made["payment_id"]), body)
        assert later.raw == at_once.raw, (operation, body)
        assert comparable(api.get(f"/payments/{made['payment_id']}")) == comparable(made)
        tried += 1
    assert tried > 1


# A mandate in several calls.

STEPS: Final = ("create", "update", "confirm")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))
@pytest.mark.parametrize("kind", ["single_use", "multi_use"])
@pytest.mark.parametrize("accepted_at", STEPS)
@pytest.mark.parametrize("terms_at", STEPS)
def test_a_mandate_keeps_all_that_was_agreed(dialect: Dialect, terms_at: str, accepted_at: str, kind: str) -> None:
    if dialect is INTERFACE and STEPS.index(terms_at) < STEPS.index(accepted_at):
        return  # terms without an acceptance are refused
    api = wire(dialect=dialect)
    owned = {**BARE, "customer_id": "cus_saver", "setup_future_usage": "off_session"}
    agreed: Body = {"customer_acceptance": ACCEPTANCE, "mandate_type": {kind: TERMS["multi_use"]}}
    bodies: dict[str, Body] = {step: {} for step in STEPS}
    for step, name in ((accepted_at, "customer_acceptance"), (terms_at, "mandate_type")):
        bodies[step].setdefault("mandate_data", {})[name] = agreed[name]
    path = "/payments/" + api.post("/payments", {**owned, **bodies["create"]})["payment_id"]
    assert api.post(path, bodies["update"]).status == 200
    paid = api.post(f"{path}/confirm", {**CARD, **bodies["confirm"]})
    at_once = api.post("/payments", {**owned, **CARD, "mandate_data": agreed, "confirm": True})
    assert (paid["status"], paid["mandate_data"]) == ("succeeded", at_once["mandate_data"])
    over = off_session(api, "mandate_id", paid["mandate_id"], amount=5001, currency="EUR")
    assert (over.status, over.error["code"]) == (400, "HE_03")
    assert off_session(api, "mandate_id", paid["mandate_id"], amount=5000, currency="EUR").status == 200
