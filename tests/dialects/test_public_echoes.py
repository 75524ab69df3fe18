"""What a caller sends cannot make an answer that the public API does not give: wrong words and types are refused.

For every operation with a body: each place of its answer, at any depth, that the request has too, with values that do
not belong there. The client of these tests holds every answer against the table (public.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.api.saving import ACCEPTANCE, CUSTOMER
from tests.counts import times
from tests.dialects.public import schema_of, table
from tests.dialects.public_values import SCHEMAS, Place, parts
from tests.dialects.public_values import places as request_places
from tests.openapi.agreeing import Disagreement
from tests.routes.good import GOOD, caller
from tests.wire import card_payment, wire

FREE: Final = {
    *("acquirer_configs", "additional_merchant_data", "connector_metadata", "feature_metadata", "frm_configs"),
    *("frm_metadata", "frm_routing_algorithm", "payment_method_blocking", "payout_link_config", "pm_auth_config"),
    *("payout_routing_algorithm", "pm_collect_link_config", "routing_algorithm", "split_payments", "split_refunds"),
}
"""Fields without a function here, whose inside is stored and returned unread (decision 0028)."""
UNREAD: Final = {
    **dict.fromkeys(("sdk_ui_rules", "payment_link_ui_rules"), "styles by names of the shop's own"),
    **dict.fromkeys(("transaction_details", "background_image"), "looks of a link"),
    "custom_message_for_payment_method_types": "texts of a link",
    "number_of_installments": "a text in the public document, and an array on its server",
    "business_specific_configs": "configurations of links by names of the shop's own",
}
"""Inner fields that are returned unread, with the reason."""
ELSEWHERE: Final = {"api_keys.update", "connectors.update", "webhook_details.payout_statuses_enabled.[]"}
"""What is tried with the operation that creates, and what is about payouts."""
WRONG: Final = ("nope", 5, True, [5], {"nope": "nope"})
DEEP: Final = 6
Path = tuple[str, ...]


def places(schema: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a schema; `[]` is an item of an array."""
    if "$ref" in schema:
        schema = table()[1][schema["$ref"].rpartition("/")[2]]
    if path:
        yield path
    if len(path) < DEEP:
        for one in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from places(one, path)
        if "items" in schema:
            yield from places(schema["items"], (*path, "[]"))
        for name, one in schema.get("properties", {}).items():
            yield from places(one, (*path, name))


def rows() -> Iterator[tuple[Operation, Path]]:
    for row in BY_NAME.values():
        found = schema_of(row.method, row.path.replace("<", "{").replace(">", "}"))
        if row.takes[0] is None or found not in table()[1] or row.multipart:
            continue
        shape: Any = row.takes[0].of(HYPERSWITCH)
        known = shape.schema.load_fields
        for path in dict.fromkeys(places(table()[1][found])):
            if UNREAD.keys() & set(path[1:]) or path[0] in FREE or path[0] not in known:
                continue
            if ELSEWHERE.isdisjoint((row.name, ".".join(path))):
                yield row, path


ROWS: Final = tuple(rows())
NAMES: Final = tuple(dict.fromkeys(row.name for row, _ in ROWS))


def body_with(path: Path, value: Any, base: Any) -> Any:
    """A body with a value at a place."""
    if not path:
        return value
    name, *rest = path
    if name == "[]":
        return [body_with(tuple(rest), value, None)]
    old = base if isinstance(base, dict) else {}
    return {**old, name: body_with(tuple(rest), value, old.get(name))}


def test_there_are_many() -> None:
    assert len(ROWS) > 400
    assert {"payments.create", "payments.confirm", "connectors.create", "profiles.create"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_repeats_what_does_not_belong_there(name: str) -> None:
    wrong = []
    cases = [(row, path, value) for row, path in ROWS if row.name == name for value in WRONG]
    for row, path, value in cases[:: times(7, soak=1)]:
        api = wire(dialect=HYPERSWITCH)
        good = GOOD[name](api)
        body = body_with(path, value, good.body)
        try:
            reply = caller(api, row).call(row.method, good.path(row), body, headers=dict(good.headers))
        except Disagreement as found:
            wrong.append((".".join(path), value, str(found)[:200]))
        else:
            if reply.status >= 500 and reply.status != 501:
                wrong.append((".".join(path), value, reply.raw.decode()))
    assert not wrong, (len(wrong), wrong)


MANDATE: Final[dict[str, Any]] = {
    "customer_acceptance": ACCEPTANCE,
    "mandate_type": {"multi_use": {"amount": 1000, "currency": "USD"}},
}
LEGAL: Final = {
    **card_payment(confirm=True, customer_id=CUSTOMER, return_url="https://shop.example.com/"),
    "setup_future_usage": "off_session",
    "mandate_data": MANDATE,
}
"""Beside it most fields may be sent."""
EMPTY: Final[tuple[Any, ...]] = ({}, [], None, "", [None], [{}], {"nope": "nope"}, {"": None})


def test_nothing_in_the_place_of_something_does_not_belong_there_either() -> None:
    answered = parts(SCHEMAS["PaymentsResponse"])[0]
    found = (path_of(way) for way, _ in request_places(SCHEMAS["PaymentsCreateRequest"]))
    paths = [path for path in dict.fromkeys(found) if path[0] in answered and path[0] not in FREE and len(path) < DEEP]
    paths = [path for path in paths if path[-1] != "ip_address"]  # the public page leaves it out
    cases = [(path, value) for path in paths for value in EMPTY]
    assert len(cases) > 3_000
    answer_as_the_schema_says(cases[:: times(17, soak=1)])


def test_two_fields_of_one_object_are_empty() -> None:
    """Every pair of neighbours, with null or nothing in both: what is one of several kinds is none of them then."""
    found = dict.fromkeys(path_of(way) for way, _ in request_places(SCHEMAS["PaymentsCreateRequest"]))
    answered = parts(SCHEMAS["PaymentsResponse"])[0]
    inner = [path for path in found if len(path) > 1 and path[0] in answered and path[0] not in FREE]
    by_object = {path[:-1]: [one[-1] for one in inner if one[:-1] == path[:-1]] for path in inner}
    nothing: tuple[Any, ...] = (None, {})
    cases = [
        (way, {first: value, second: value})
        for way, names in by_object.items()
        if len(way) < DEEP and "[]" not in names and "ip_address" not in names
        for first, second in combinations(names, 2)
        for value in nothing
    ]
    assert len(cases) > 500
    known = [(("mandate_data", "mandate_type"), dict.fromkeys(("single_use", "multi_use")))]
    answer_as_the_schema_says([*known, *cases[:: times(29, soak=1)]])


def answer_as_the_schema_says(cases: Iterable[tuple[Path, Any]]) -> None:
    """Whatever stands at a place of a payment that is created, the answer is one of the public API's."""
    wrong, api = [], wire(dialect=HYPERSWITCH)
    for path, value in cases:
        try:
            reply = api.post("/payments", body_with(path, value, LEGAL))
        except Disagreement as disagreement:
            wrong.append((path, value, str(disagreement)[:200]))
        else:
            assert reply.status < 500 or reply.status == 501, (path, value, reply.raw)
    assert not wrong, (len(wrong), wrong[:4])


def path_of(way: Place) -> Path:
    """The way without the numbers of variants."""
    return tuple(step for step in way if isinstance(step, str))


@pytest.mark.parametrize("kinds", [{}, {"single_use": None}, {"single_use": None, "multi_use": None}], ids=str)
def test_a_mandate_is_of_one_kind(kinds: dict[str, Any]) -> None:
    mandate = {**MANDATE, "mandate_type": kinds}
    error = wire(dialect=HYPERSWITCH).post("/payments", {**LEGAL, "mandate_data": mandate}).error
    assert error["error_type"] == "invalid_request"
    assert error["message"].startswith("Json deserialize error: mandate_data.mandate_type ")
    error = wire(dialect=INTERFACE).post("/payments", {**LEGAL, "mandate_data": mandate}).error
    assert [error["code"], *(one["field"] for one in error["fields"])] == ["IR_04", "mandate_data.mandate_type"]


@pytest.mark.parametrize("kinds", [{"nope": {}}, {"": None}, {"nope": 1, "multi_use": None}], ids=str)
def test_an_unknown_kind_of_mandate_is_told_once(kinds: dict[str, Any]) -> None:
    mandate = {**MANDATE, "mandate_type": kinds}
    error = wire(dialect=INTERFACE).post("/payments", {**LEGAL, "mandate_data": mandate}).error
    assert error["code"] == "IR_06"
    assert [one["message"] for one in error["fields"]] == ["is not a known field"]
    if "multi_use" not in kinds:
        error = wire(dialect=HYPERSWITCH).post("/payments", {**LEGAL, "mandate_data": mandate}).error
        assert error["message"].startswith("Json deserialize error: mandate_data.mandate_type ")


@pytest.mark.parametrize("kinds", [{"single_use": 5}, {"multi_use": {"amount": "x", "currency": "USD"}}], ids=str)
def test_a_wrong_kind_of_mandate_is_told_once(kinds: dict[str, Any]) -> None:
    mandate = {**MANDATE, "mandate_type": kinds}
    error = wire(dialect=INTERFACE).post("/payments", {**LEGAL, "mandate_data": mandate}).error
    assert len(error["fields"]) == 1, error


def test_a_kind_that_is_null_beside_the_other_is_not_there() -> None:
    kinds = {"single_use": MANDATE["mandate_type"]["multi_use"], "multi_use": None}
    for dialect in (INTERFACE, HYPERSWITCH):
        made = wire(dialect=dialect).post("/payments", {**LEGAL, "mandate_data": {**MANDATE, "mandate_type": kinds}})
        assert list(made["mandate_data"]["mandate_type"]) == ["single_use"]
