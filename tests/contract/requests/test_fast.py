"""The compiled checks and marshmallow alone: the same command, or the same mistakes, for whatever comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import Schema, fields, validate
from marshmallow.fields import Field

from mock_server.contract.kinds.base import DOUBTS
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, OneOrMany, ShownBody, Variant, compile_schema
from mock_server.contract.kinds.rules import NOW_MS as TIME
from mock_server.contract.kinds.rules import ValueRule
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Flag, Free, Metadata, Whole
from mock_server.contract.requests import analytics, customers, events, payment_methods, profiles, setup
from mock_server.contract.requests.payments import calls as payments
from mock_server.contract.requests.shapes import NO_BODY, Shape, named
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Refusal
from tests.contract.requests.bodies import CREATE, FULL, LEAST, NOW_MS
from tests.counts import times

SHAPES: Final[dict[str, Any]] = {
    "create": CREATE,
    "update": payments.UPDATE,
    "confirm": payments.CONFIRM,
    "capture": named(payments.CaptureBody),
    "cancel": named(payments.CancelBody),
    "nothing": NO_BODY,
    "increment": named(payments.IncrementBody),
    "update_metadata": named(payments.MetadataBody),
    "complete": named(payments.CompleteBody),
    "retrieve": payments.RETRIEVE,
    "sync": payments.SYNC,
    "list": payments.LIST.of(INTERFACE),
    "customer": customers.CUSTOMER,
    "customers": customers.LIST.of(INTERFACE),
    "method": payment_methods.CREATE,
    "method update": payment_methods.UPDATE,
    "method list": named(payment_methods.ClientQuery),
    "session tokens": named(payment_methods.SessionTokensBody),
    "ephemeral key": named(payment_methods.EphemeralKeyBody),
    "mandates": payment_methods.MANDATES.of(INTERFACE),
    "profile": profiles.PROFILE.of(INTERFACE),
    "profiles": profiles.LIST.of(INTERFACE),
    "toggle": named(profiles.ToggleBody),
    "account": setup.ACCOUNT.of(INTERFACE),
    "key": setup.KEY,
    "key update": setup.KEY_UPDATE,
    "keys": setup.KEYS.of(INTERFACE),
    "connector": setup.CONNECTOR,
    "connector update": setup.CONNECTOR_UPDATE,
    "connectors": setup.CONNECTORS.of(INTERFACE),
    "events": events.LIST.of(INTERFACE),
    "attempts": events.ATTEMPTS.of(INTERFACE),
    "metrics": analytics.METRICS.one,
    "filters": analytics.FILTERS,
    "report": analytics.REPORT,
}
LIKE_CREATE: Final = ("update", "confirm")
"""Most of their fields are those of `create`, and they are as many."""
TEXT: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
JSON: Final = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), TEXT
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=5,
)
KNOWN_WORDS: Final = st.sampled_from(
    [
        *("4242424242424242", "4242424242424241", "378282246310005", "03", "12", "2035", "2026", "737"),
        *("cus_1", "list", "", "jane.doe@example.com", "https://shop.example.com/return", "success@upi"),
        *("2027-01-15T08:00:00+02:00", "2027-01-15", "mandate_id", "processor_payment_token"),
        *("card_with_limited_data", "network_transaction_id_and_card_details"),
    ]
)


def likely(field: Field[Any] | None) -> st.SearchStrategy[Any]:
    """Values that a field mostly takes, and some at its edges."""
    if isinstance(field, ObjectOf | Variant):
        return st.deferred(lambda: objects(field.schema_for({"type": "card_with_limited_data"})))
    if isinstance(field, OneOrMany):
        return st.one_of(likely(field.inner), st.lists(likely(field.inner), max_size=3))
    if isinstance(field, Items):
        return st.lists(likely(field.inner), max_size=3)
    if isinstance(field, Metadata | Free):
        return st.dictionaries(TEXT, JSON, max_size=3)
    if isinstance(field, Choice):
        return st.sampled_from(sorted(field.words))
    if isinstance(field, Whole):
        return st.one_of(st.integers(-1, 101), st.sampled_from([59, 900, 999_999_999, 1_000_000_000, 2**53]))
    if isinstance(field, Flag):
        return st.booleans()
    return st.one_of(KNOWN_WORDS, TEXT)


def objects(schema: Schema) -> st.SearchStrategy[Any]:
    """Objects of a schema's keys, with now and then a wrong value or a strange key."""
    known = {name: st.one_of(likely(field), likely(field), JSON) for name, field in schema.load_fields.items()}
    required = {name: known[name] for name, field in schema.load_fields.items() if field.required}
    optional = {name: value for name, value in known.items() if name not in required}
    sound = st.fixed_dictionaries(required, optional=optional)
    return st.one_of(
        sound, sound, st.builds(lambda body, more: {**body, **more}, sound, st.dictionaries(TEXT, JSON, max_size=1))
    )


def sparse(shape: Shape[Any]) -> st.SearchStrategy[Any]:
    """Bodies with a handful of a shape's fields, so that some are free of mistakes."""
    names = sorted(shape.schema.load_fields)

    def some(chosen: set[str]) -> st.SearchStrategy[Any]:
        return st.fixed_dictionaries({name: likely(shape.schema.load_fields[name]) for name in sorted(chosen)})

    return st.sets(st.sampled_from(names), max_size=4).flatmap(some) if names else st.just({})


def slowly(shape: Shape[Any]) -> Callable[[Any, int], Any]:
    """As `load`, by marshmallow alone."""

    def load(body: Any, now_ms: int) -> Any:
        TIME.set(now_ms)
        return shape._build(shape._slowly({} if body is None else body))

    return load


def outcome(load: Any, body: Any) -> Any:
    try:
        return load(body, NOW_MS)
    except Refusal as refusal:
        return refusal.cause, refusal.fields, dict(refusal.values)


@pytest.mark.parametrize("name", SHAPES)
def test_both_ways_say_the_same(name: str) -> None:
    shape = SHAPES[name]
    base = {key: value for key, value in LEAST.items() if key in shape.schema.load_fields and name == "create"}

    @settings(
        max_examples=times(8 if name in LIKE_CREATE else 20, soak=1000),
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(objects(shape.schema), sparse(shape).map(lambda body: {**base, **body}), JSON))
    def holds(body: Any) -> None:
        assert outcome(shape.load, body) == outcome(slowly(shape), body)

    holds()


@pytest.mark.parametrize("key", FULL)
def test_good_values_take_the_fast_way(key: str) -> None:
    check = compile_schema(CREATE.schema)
    body = {**LEAST, key: FULL[key]}
    assert check(body) is not None
    assert CREATE.load(body, NOW_MS) == slowly(CREATE)(body, NOW_MS)


def test_the_whole_body_takes_the_fast_way() -> None:
    assert outcome(CREATE.load, FULL) == outcome(slowly(CREATE), FULL)
    assert compile_schema(CREATE.schema)(FULL)["amount"] == 6540


class Strange(Text):
    """A kind of field that has no check of its own."""

    def read(self, value: Any) -> Any:
        return super().read(value).upper()


class Unusual(ShownBody):
    """Everything that the compiler has no quick way for."""

    strange = Strange()
    spread = Text(rules=[ValueRule(str.isalpha, "must be letters"), ValueRule(str.islower, "must be small")])
    foreign = Text(rules=[validate.Regexp("[0-9]+$", error="must be digits")])
    doubtful = Whole()
    listed = Items(Text(), rules=[ValueRule(bool, "must name at least one")])
    length = fields.String(validate=validate.Length(min=2, max=3))


Unusual._declared_fields["doubtful"].validators = [validate.Equal(7)]


class Turned(Body):
    """A key that is loaded under another name: nothing for the compiler."""

    turned = fields.String(data_key="from")


@pytest.mark.parametrize("body", [{"from": "x"}, {"turned": "x"}, {"from": 1}])
def test_a_schema_of_another_kind_is_left_to_marshmallow(body: dict[str, Any]) -> None:
    shape = Shape(Turned, lambda values: values)
    assert outcome(shape.load, body) == outcome(slowly(shape), body)


@pytest.mark.parametrize(
    ("body", "loaded"),
    [
        ({"strange": "a"}, "A"),
        ({"strange": 1}, None),
        ({"spread": "ab"}, None),
        ({"spread": "aB"}, None),
        ({"spread": "a1"}, None),
        ({"foreign": "12"}, None),
        ({"foreign": "a"}, None),
        ({"doubtful": 7}, None),
        ({"doubtful": 8}, None),
        ({"listed": []}, None),
        ({"listed": ["a", 1]}, None),
        ({"length": "a"}, None),
        ({"length": "abc"}, None),
    ],
)
def test_what_the_compiler_does_not_know_is_left_to_marshmallow(body: dict[str, Any], loaded: str | None) -> None:
    shape = Shape(Unusual, lambda values: sorted(values.items(), key=str))
    assert outcome(shape.load, body) == outcome(slowly(shape), body)
    if loaded:
        assert ("strange", loaded) in shape.load(body, NOW_MS)


class Named(Body):
    """A schema whose every field is known to the compiler."""

    name = Text(required=True)


@pytest.mark.parametrize("body", [[], "x", {"name": None}, {}, {"name": 1}, {"name": "x", "other": 1}])
def test_every_mistake_is_a_doubt(body: Any) -> None:
    with pytest.raises(DOUBTS):
        compile_schema(Named())(body)
