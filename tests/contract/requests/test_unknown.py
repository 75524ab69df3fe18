"""`unknown_fields=ignore`, and how far the search for a nearest name goes."""

from __future__ import annotations

from mock_server.domain.errors import Cause
from mock_server.guesses import guessed
from tests.contract.requests.bodies import CREATE, FULL, LEAST, NOW_MS, refused, spoiled, wrong

STRANGE = {
    "amont": 1,
    "billing": {"address": {"street": "x", "city": "Berlin"}, "fax": 1},
    "order_details": [{"product_name": "a", "quantity": 1, "amount": 1, "colour": "red"}],
    "recurring_details": {"type": "card_with_limited_data", "extra": 1, "data": "x"},
    "metadata": {"anything": "goes"},
}


def test_unknown_fields_can_be_passed_over_at_every_depth() -> None:
    body = {**LEAST, **STRANGE, "recurring_details": {"type": "mandate_id", "data": "man_1", "extra": 1}}
    clean = {
        **LEAST,
        "billing": {"address": {"city": "Berlin"}},
        "order_details": [{"product_name": "a", "quantity": 1, "amount": 1}],
        "recurring_details": {"type": "mandate_id", "data": "man_1"},
        "metadata": {"anything": "goes"},
    }
    assert CREATE.load(body, NOW_MS, lambda: True) == CREATE.load(clean, NOW_MS)
    assert refused(CREATE, body).cause is Cause.UNKNOWN_FIELD


def test_other_mistakes_are_still_told() -> None:
    refusal = refused(CREATE, {**LEAST, **STRANGE, "amount": "1"}, ignore_unknown=True)
    assert [error.field for error in refusal.fields] == ["amount", "recurring_details.data"]


def test_free_objects_know_no_strangers() -> None:
    body = spoiled("metadata.any", "thing", spoiled("connector_metadata.any.depth", {"at": "all"}))
    assert (
        CREATE.load(body, NOW_MS).echo["connector_metadata"]
        == '{"anything":[1,{"at":"all"}],"any":{"depth":{"at":"all"}}}'
    )


def test_unknown_beside_other_mistakes_is_an_invalid_value_with_all_in_fields() -> None:
    refusal = refused(CREATE, {**FULL, "amount": -1, "amont": 1})
    assert refusal.cause is Cause.VALUE_INVALID
    assert [error.cause for error in refusal.fields] == [Cause.VALUE_INVALID, Cause.UNKNOWN_FIELD]


def test_a_flood_of_strangers_is_told_without_searching_for_each() -> None:
    *errors, rest = wrong(CREATE, {**LEAST, **{f"amoun{number}": 1 for number in range(500)}})
    assert len(errors) == 100
    assert (rest.field, rest.message) == ("body", "has more mistakes, at least 400")
    assert sum("did you mean" in error.message for error in errors) == 20


def test_long_words_are_like_nothing() -> None:
    assert guessed("amount" * 100_000, ["amount"]) is None
    assert guessed("AMOUNT", ["amount"]) == "amount"
    (error,) = wrong(CREATE, {**LEAST, "x" * 1_000: 1})
    assert error.field == "x" * 40 + "…"
