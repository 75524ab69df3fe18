"""A condition that can never be true is refused, whatever its operator: such an assertion would never fail.

The fields and their kinds are those of the OpenAPI documents; the records that a call can show are those of real calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from mock_server.contract.operations import BY_NAME, CHARGE
from mock_server.dialects import DIALECTS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.card_brands import BRANDS
from mock_server.domain.cards import CARDS, CardType
from mock_server.domain.declines import DECLINES
from mock_server.domain.events import EventType
from mock_server.domain.money import CURRENCIES
from mock_server.sandbox.deciding import Deciding
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.answers import LEADING_TO_CHARGE
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.counts import SOAK, times
from tests.openapi.agreeing import plain
from tests.routes.good import GOOD, as_client, caller
from tests.wire import wire

SUBJECTS: Final = {"payments": "Payment", "refunds": "Refund", "disputes": "Dispute", "customers": "Customer"}
SAID: Final = ("eq", "ne", "gt", "in", "not_in")
"""Operators that are followed by a value of the field's own kind."""
ON_TEXT: Final = {"matches": "^4", "starts_with": "4", "contains": "4"}
HIDDEN: Final = ("client_secret", "fingerprint", "payment_response_hash_key")


def refused(subject: str, path: str, operator: str, value: Any, **beside: Any) -> bool:
    wanted = [value] if operator in ("in", "not_in") else value
    try:
        load_mapping({"expect": [{subject: {**beside, path: {operator: wanted}}, "at_most": 0}]})
    except ScenarioErrors:
        return True
    return False


def schemas(dialect: str) -> dict[str, Any]:
    found: dict[str, Any] = plain(dialect)["components"]["schemas"]
    return found


def kind_of(schema: dict[str, Any]) -> str:
    said = schema.get("type", "")
    kinds = {said} if isinstance(said, str) else {*said} - {"null"}
    return kinds.pop() if len(kinds) == 1 else ""


def fields(subject: str, kind: str) -> list[str]:
    """The fields of a record that are of this kind in every dialect that has them."""
    found = [schemas(dialect)[SUBJECTS[subject]]["properties"] for dialect in DIALECTS]
    names = {name for one in found for name in one} - {*HIDDEN}
    return sorted(name for name in names if {kind_of(one[name]) for one in found if name in one} == {kind})


def sampled(cases: list[Any]) -> list[Any]:
    return Random(str(len(cases))).sample(cases, min(len(cases), times(150, soak=len(cases))))


NO_TEXT: Final = [
    (subject, name, operator, value)
    for subject in SUBJECTS
    for kind in ("integer", "boolean")
    for name in fields(subject, kind)
    for operator, value in (*ON_TEXT.items(), *((operator, "42") for operator in SAID))
    if (subject, name) != ("disputes", "amount")
]


def test_what_is_no_text_is_not_compared_with_one() -> None:
    assert len(NO_TEXT) > 150
    assert [case for case in sampled(NO_TEXT) if not refused(*case)] == []


def instants() -> Iterator[tuple[str, str]]:
    for subject, shown in SUBJECTS.items():
        properties = schemas("interface")[shown]["properties"]
        yield from ((subject, name) for name, one in properties.items() if one.get("format") == "date-time")


@pytest.mark.parametrize(("subject", "name"), list(instants()))
def test_an_instant_is_compared_with_one_or_its_beginning(subject: str, name: str) -> None:
    offsets = ("2026-01-31T12:00:00+01:00", "2026-01-31T12:00:00.000+01:00", "2026-01-31T12:00:00Z", "2026-01-31 12:00")
    for wrong in ("yesterday", "2026-13", "1767225600000", "31.01.2026", *offsets):
        assert [one for one in (*SAID, "starts_with") if not refused(subject, name, one, wrong)] == []
    for right in ("2026", "2026-01", "2026-04-3", "2026-01-31", "2026-01-31T12"):
        equal = [one for one in (*SAID, "starts_with") if refused(subject, name, one, right)]
        assert equal == [one for one in SAID if one != "gt"], "an instant is later than its beginning, and never equal"
    assert not any(refused(subject, name, one, "2026-01-31T12:00:00.000Z") for one in (*SAID, "starts_with"))


def words() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The fields with a closed list of words: in answers, in requests, and in the tables of declines and cards."""
    requests = schemas("interface")["PaymentsCreateRequest"]["properties"]
    for subject, shown in SUBJECTS.items():
        for name, one in schemas("interface")[shown]["properties"].items():
            ref = one.get("$ref", "").rpartition("/")[2]
            said = {
                **schemas("interface").get(ref, one),
                **(requests.get(name, {}) if kind_of(one) == "string" else {}),
            }
            if known := tuple(word for word in said.get("enum", ()) if word is not None):
                yield subject, name, known
    for subject in ("payments", "refunds"):
        yield subject, "error_code", tuple(row.error_code for row in DECLINES)
    for subject in ("payments", "refunds", "disputes"):
        yield subject, "currency", tuple(row.code for row in CURRENCIES)
    yield "payments", "card.name", tuple(row.name for row in CARDS)
    yield "payments", "card.brand", tuple(row.slug for row in BRANDS)
    yield "payments", "card.type", tuple(CardType)
    yield "webhooks", "type", tuple(EventType)


@pytest.mark.parametrize(("subject", "name", "known"), list(words()), ids=lambda value: str(value)[:40])
def test_a_word_of_a_closed_list_is_known_and_no_other(subject: str, name: str, known: tuple[str, ...]) -> None:
    assert not refused(subject, name, "matches", f"^{known[0][:2]}")
    assert not refused(subject, name, "starts_with", known[-1][:2])
    assert not refused(subject, name, "contains", known[-1][1:3])
    load_mapping({"expect": [{subject: {name: {one: [*known]}}} for one in ("in", "not_in")]})
    for operator in ("eq", "ne", "in", "not_in", "starts_with", "contains"):
        assert refused(subject, name, operator, f"{known[0]}_x"), operator
    for operator, value in (("matches", "^qx"), ("gt", "~"), ("lt", " "), ("eq", 5), ("gte", 5), ("contains", False)):
        assert refused(subject, name, operator, value), operator


@pytest.mark.parametrize(
    ("subject", "wrong"),
    [
        ("calls", [("http", "eq", 2000), ("http", "gte", 600), ("http", "lt", 100), ("http", "matches", "^5")]),
        ("calls", [("attempt", "eq", "1"), ("attempt", "eq", 0), ("replayed", "contains", False), ("key", "eq", 5)]),
        ("calls", [("code", "starts_with", "ZZ"), ("fault", "matches", "hangs"), ("card.type", "eq", "CREDIT")]),
        ("webhooks", [("copy", "eq", 0), ("attempt", "lt", 1), ("http", "in", 99), ("delivered", "starts_with", "t")]),
        ("payments", [("refunds", "gt", 1), ("payment_method_data", "eq", "card"), ("amount", "eq", 4.5)]),
        ("payments", [("amount", "eq", True), ("off_session", "eq", 1), ("frm_message.frm_score", "eq", "4.5")]),
    ],
)
def test_other_values_that_nothing_can_have(subject: str, wrong: list[tuple[str, str, Any]]) -> None:
    assert [case for case in wrong if not refused(subject, *case)] == []


@pytest.mark.parametrize("value", [4.5, 4, 4.0])
def test_a_number_that_a_field_can_have_is_taken(value: float) -> None:
    assert not refused("payments", "frm_message.frm_score", "eq", value)
    assert refused("payments", "amount", "eq", value) is (value == 4.5)
    assert not refused("payments", "amount", "gt", value)


def test_a_client_can_send_anything() -> None:
    for value in ("4200", True, 4.5, -1, "eur"):
        assert not refused("calls", "body.amount", "eq", value, on="payments.create")
        assert not refused("calls", "body.currency", "eq", value, on="payments.create")
        assert not refused("calls", "query.limit", "eq", value, on="payments.list")


def test_an_events_object_is_of_its_type() -> None:
    for event in EventType:
        for about, name in {"refunds": "refund_id", "disputes": "dispute_id", "payments": "net_amount"}.items():
            value, is_own = 1 if about == "payments" else "x", event.about == about
            assert refused("webhooks", f"object.{name}", "eq", value, type=event.value) is not is_own, (event, name)
    assert not refused("webhooks", "object.refund_id", "eq", "x", type={"starts_with": "refund"})
    assert refused("webhooks", "object.refund_id", "eq", "x", type={"starts_with": "dispute"})


# what a call can show of records

ROOTS: Final = {
    "payment": "payment_id", "refund": "refund_id", "dispute": "dispute_id", "customer": "customer_id", "card": "last4",
    "event": "event_id", "header": "X-Any", "attempt": "",
}  # fmt: skip


def mistakes(on: str, root: str) -> bool:
    path = f"{root}.{ROOTS[root]}".rstrip(".")
    then = (
        {"drop": True} if on.startswith("webhook.") else {"decline": "lost_card"} if on == CHARGE else {"delay": "1s"}
    )
    try:
        load_mapping({"rules": [{"on": on, "when": {path: {"exists": True}}, "then": then}]})
    except ScenarioErrors:
        return True
    return False


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """The records in the questions to the deciders, by what a rule's `on` names."""
    found: dict[str, set[str]] = {}

    def watched(real: Any) -> Any:
        def ask(deciding: Any, *given: Any) -> Any:
            for name in given[-1].names:
                found.setdefault(name, set()).update(name for name, one in given[-1].records.items() if one is not None)
            return real(deciding, *given)

        return ask

    for name in ("decide", "faults"):
        monkeypatch.setattr(Deciding, name, watched(getattr(Deciding, name)))
    return found


EVERY: Final = tuple(BY_NAME.values())


def test_a_rule_can_ask_for_what_its_calls_have(asked: dict[str, set[str]]) -> None:
    server = wire(scenarios_inline="name: any\nrules: [{on: '*', then: {delay: 0ms}}]", scenario=("any",))
    for number, row in enumerate(EVERY if SOAK else Random("rules").sample(EVERY, 40)):
        api = server.as_key(f"snd_merchant_{number:06}")
        made = GOOD[row.name](api)
        made = as_client(made, row) if row.wants_secret and KeyKind.SECRET not in row.keys else made
        made.sent(caller(api, row), row)
    seen = [(on, root) for on, roots in asked.items() for root in roots if on in BY_NAME or on == CHARGE]
    assert len(seen) > 30
    assert [(on, root) for on, root in seen if mistakes(on, root)] == []


NEVER: Final = [
    *((f"webhook.{event}", root) for event in EventType for root in ("header", "customer")),
    *((name, root) for name in BY_NAME for root in ("event",)),
    *((name, "payment") for name in BY_NAME if name.partition(".")[0] in ("customers", "profiles", "accounts")),
    *((name, "refund") for name in (CHARGE, *LEADING_TO_CHARGE)),
    *((name, "dispute") for name in (CHARGE, *LEADING_TO_CHARGE, "refunds.create")),
    *((f"webhook.{event}", "refund") for event in EventType if event.about != "refunds"),
    *((f"webhook.{event}", "dispute") for event in EventType if event.about != "disputes"),
]


def test_a_rule_that_asks_for_what_its_calls_never_have_is_refused() -> None:
    assert [(on, root) for on, root in NEVER if not mistakes(on, root)] == []


def test_what_only_some_of_a_rules_calls_have_can_be_asked() -> None:
    for on, root in (("payments.*", "refund"), ("*", "payment"), ("webhook.*", "refund"), ("page.*", "payment")):
        path = f"{root}.{ROOTS[root]}"
        then = {"drop": True} if "webhook" in on else {"delay": "1s"}
        rule = {"on": on, "when": {path: {"exists": True}}, "then": then}
        if (on, root) == ("payments.*", "refund"):
            with pytest.raises(ScenarioErrors, match="refund"):
                load_mapping({"rules": [rule]})
        else:
            load_mapping({"rules": [rule]})
