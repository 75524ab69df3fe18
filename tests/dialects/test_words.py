"""Statuses, lists and names in a dialect's words (interface §3, §4.4, §8)."""

from __future__ import annotations

import json
from enum import StrEnum

import pytest

from mock_server.contract.dialect import KINDS, Dialect
from mock_server.contract.requests.payments.calls import LIST
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import statuses
from mock_server.domain.errors import Refusal
from mock_server.domain.statuses import ALIASES, DisputeStatus, PaymentStatus, RefundStatus
from tests.dialects.nonsense import GIBBERISH, MARK, NONSENSE, renamed
from tests.wire import wire

by_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
by_dialect = pytest.mark.parametrize("dialect", [INTERFACE, NONSENSE], ids=lambda dialect: dialect.name)


def test_every_status_enum_goes_through_the_dialect() -> None:
    enums = {value for value in vars(statuses).values() if isinstance(value, type) and issubclass(value, StrEnum)}
    assert enums - {StrEnum} == set(KINDS)


@by_dialect
@by_kind
def test_each_status_goes_out_and_comes_back(dialect: Dialect, kind: type[StrEnum]) -> None:
    for word in kind:
        assert dialect.status_in(dialect.status_out(word), kind) is word
    assert tuple(dialect.words[kind].values()) == tuple(map(dialect.status_out, kind))


@by_kind
def test_the_interface_speaks_the_engines_words(kind: type[StrEnum]) -> None:
    assert tuple(INTERFACE.words[kind].values()) == tuple(word.value for word in kind)
    assert all(word.startswith(MARK) for word in NONSENSE.words[kind].values())


@pytest.mark.parametrize(("word", "member"), ALIASES.items())
def test_an_alias_is_read_and_never_written(word: str, member: StrEnum) -> None:
    assert INTERFACE.status_in(word, type(member)) is member
    assert word not in INTERFACE.words[type(member)].values()


def test_the_decided_aliases() -> None:
    assert INTERFACE.status_in("requires_customer_action", PaymentStatus) is PaymentStatus.REQUIRES_ACTION
    assert INTERFACE.status_in("processing", PaymentStatus) is PaymentStatus.PENDING
    assert INTERFACE.status_in("processing", RefundStatus) is None
    assert INTERFACE.status_in("refunded", PaymentStatus) is None


def test_kinds_with_equal_words_stay_apart() -> None:
    assert INTERFACE.status_in("pending", RefundStatus) is RefundStatus.PENDING
    assert INTERFACE.status_in("pending", PaymentStatus) is PaymentStatus.PENDING
    assert INTERFACE.status_in("succeeded", DisputeStatus) is None


def test_words_of_other_enums_stay_as_they_are() -> None:
    class Other(StrEnum):
        WORD = "word"

    assert NONSENSE.status_out(Other.WORD) == "word"


def test_the_list_envelope() -> None:
    of_interface, of_nonsense = (dialect.list_of("payments.list") for dialect in (INTERFACE, NONSENSE))
    assert of_interface.envelope([1], 7, True) == {"data": [1], "total_count": 7, "has_more": True}
    assert json.dumps(of_interface.envelope([], 0, False)) == '{"data": [], "total_count": 0, "has_more": false}'
    assert json.dumps(of_nonsense.envelope([], 0, False)).count(f'"{MARK}') == 3


def test_a_list_can_have_an_envelope_of_its_own_or_none_by_operation_and_by_route() -> None:
    assert GIBBERISH.list_of("customers.list", "POST /customers/list").envelope([1], 7, True) == [1]
    sized = GIBBERISH.list_of("payments.list", "GET /payments/list").envelope([1], 7, True)
    assert sized == {renamed("size"): 1, renamed("data"): [1]}
    plain = GIBBERISH.list_of("payments.list", "POST /payments/list")
    assert plain is NONSENSE.list_keys


@pytest.mark.parametrize(("dialect", "limit"), [(INTERFACE, "limit"), (NONSENSE, renamed("limit"))])
def test_the_parameters_of_a_list(dialect: Dialect, limit: str) -> None:
    shape = LIST.of(dialect)
    assert shape.load({limit: 3}, 0).limit == 3
    with pytest.raises(Refusal, match="unknown_field"):
        shape.load({"limmit": 3}, 0)


def test_names_and_requirements() -> None:
    assert NONSENSE.record_names["PaidCard"]["last4"] == renamed("last4")
    assert "PaidCard" not in INTERFACE.record_names
    assert "PaidCard" not in INTERFACE.record_fields
    assert INTERFACE.bodies["payments.create"].required == {"amount", "currency", "profile_id"}
    assert "payments.cancel" not in INTERFACE.bodies


SCENARIO = """\
rules:
  - on: payments.cancel
    when: {payment.status: {in: [requires_action]}}
    then: {error: HE_00}
  - on: charge
    then: [{outcome: pending}, {outcome: requires_action}]
given:
  payments: {count: 4, status: {pending: 1}}
expect:
  - payments: {status: pending}
    exactly: 5
"""


def outcome(text: str) -> list[object]:
    api = wire()
    api.call("PUT", "/_sandbox/scenarios/one", raw=text.encode(), headers={"Content-Type": "application/yaml"})
    assert api.post("/_sandbox/scenarios/one/activate").status == 200
    paid = [api.pay(return_url="https://shop.example").json for _ in range(2)]
    cancelled = api.post(f"/payments/{paid[1]['payment_id']}/cancel", {})
    checked = api.post("/_sandbox/scenarios/one/check").json
    return [*(one["status"] for one in paid), cancelled.status, checked["holds"]]


def test_a_scenario_says_a_status_in_either_dialects_words() -> None:
    public = SCENARIO
    for word, status in ALIASES.items():
        public = public.replace(status.value, word)
    assert public != SCENARIO
    assert outcome(public) == outcome(SCENARIO) == ["pending", "requires_action", 500, True]
