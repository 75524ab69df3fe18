"""The document itself: sound by the standard, complete by our tables, true to the rules of the interface."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.cards import CARDS
from mock_server.domain.events import EventType
from mock_server.http.errors import RETRIED
from mock_server.openapi import examples
from mock_server.openapi.requests import operation_ids, template
from tests.openapi.agreeing import JSON, Disagreement, agree, held, pointer, strict, webhook
from tests.running import call
from tests.wire import Wire, card_payment, wire

PLACE: Final = ("paths", "/payments", "post", "requestBody", "content", JSON, "schema")


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    made: dict[str, Any] = strict(INTERFACE.name)
    return made


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, item in document["paths"].items():
        yield from ((path, method, found) for method, found in item.items() if method != "parameters")


def test_it_is_sound_by_the_standard() -> None:
    from mock_server.openapi.document import document

    made = json.loads(json.dumps(document(INTERFACE)))
    del made["components"]["examples"]  # plain values, and half of its time
    _without_examples(made)
    assert [wrong.message for wrong in OpenAPIV31SpecValidator(made).iter_errors()] == []


def test_a_body_that_may_be_left_out_may_be_null(document: dict[str, Any], api: Wire) -> None:
    payment = api.pay(capture_method="manual")["payment_id"]
    body = document["paths"]["/payments/{payment_id}/capture"]["post"]["requestBody"]
    assert body["required"] is False
    assert {"type": "null"} in body["content"][JSON]["schema"]["anyOf"]
    assert api.call("POST", f"/payments/{payment}/capture", raw=b"null").status == 200


def test_whoever_takes_a_snapshot_may_say_null(document: dict[str, Any], api: Wire) -> None:
    body = document["paths"]["/_sandbox/snapshots/{name}"]["put"]["requestBody"]
    assert body["content"][JSON]["schema"]["type"] == ["object", "null"]
    assert api.call("PUT", "/_sandbox/snapshots/taken", raw=b"null").status == 200


def test_a_scenario_is_the_same_document_in_yaml_and_in_json(document: dict[str, Any]) -> None:
    exported = document["paths"]["/_sandbox/payments/{payment_id}/export"]["get"]["responses"]["200"]["content"]
    taken = document["paths"]["/_sandbox/scenarios/{name}"]["put"]["requestBody"]["content"]
    schema = {"$ref": "#/components/schemas/ScenarioDocument"}
    assert exported["application/yaml"]["schema"] == schema
    assert [taken[kind]["schema"] for kind in ("application/yaml", JSON)] == [schema, schema]


def _without_examples(value: Any) -> None:
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            if isinstance(inner, dict) and "schema" in inner:
                inner.pop("examples", None)
            _without_examples(inner)


def test_it_has_every_route_under_its_operations_name(document: dict[str, Any]) -> None:
    rows: list[tuple[Any, str]] = [*operation_ids(OPERATIONS), *operation_ids(CONTROL_OPERATIONS)]
    wanted = {(template(row.path), row.method.lower()): (name, row.name) for row, name in rows}
    found = {(path, method): one for path, method, one in operations(document)}
    assert found.keys() == wanted.keys()
    for at, (name, operation) in wanted.items():
        assert found[at]["operationId"] == name
        assert found[at].get("x-operation", name) == operation


def test_ids_are_said_once_and_most_are_the_plain_names(document: dict[str, Any]) -> None:
    ids = [found["operationId"] for _, _, found in operations(document)]
    assert len(ids) == len(set(ids))
    assert {row.name for row in OPERATIONS} | {row.name for row in CONTROL_OPERATIONS} <= set(ids)


def test_every_tag_is_described_and_grouped(document: dict[str, Any]) -> None:
    described = [tag["name"] for tag in document["tags"]]
    used = {tag for _, _, found in operations(document) for tag in found["tags"]} | {"webhooks"}
    grouped = [tag for group in document["x-tagGroups"] for tag in group["tags"]]
    assert used == set(described) == set(grouped)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")
def test_each_route_lists_each_of_its_own_errors(document: dict[str, Any], row: Any) -> None:
    responses = document["paths"][template(row.path)][row.method.lower()]["responses"]
    for cause in row.errors:
        said = INTERFACE.errors[cause]
        if said.status != 200:
            known = answered(document, responses[str(said.status)])
            assert f"`{said.code}` {cause}:" in known["description"]


def answered(document: Mapping[str, Any], found: Mapping[str, Any]) -> Mapping[str, Any]:
    """A response, also where several routes share it."""
    known: Mapping[str, Any] = (
        document["components"]["responses"][found["$ref"].rpartition("/")[2]] if "$ref" in found else found
    )
    return known


def test_what_changes_something_takes_an_idempotency_key(document: dict[str, Any]) -> None:
    for row in OPERATIONS:
        parameters = document["paths"][template(row.path)][row.method.lower()].get("parameters", [])
        takes = {"$ref": "#/components/parameters/IdempotencyKey"} in parameters
        assert takes is row.changes, row


def test_any_call_can_be_put_off(document: dict[str, Any]) -> None:
    """What may take long, while too much is worked on; any other, while nothing can be saved."""
    for path, _, operation in operations(document):
        answers = operation["responses"]
        assert "503" in answers, path
        for status in {"429", "503"} & set(answers):
            assert "Retry-After" in answered(document, answers[status])["headers"], path


def test_when_to_come_again_is_promised_where_it_is_said(document: dict[str, Any]) -> None:
    wrong = []
    for path, _, operation in operations(document):
        for status, response in operation["responses"].items():
            found = answered(document, response)
            causes = set(re.findall(r"^- `\w+` (\w+):", found["description"], re.MULTILINE))
            if causes and ("Retry-After" in found["headers"]) is causes.isdisjoint(RETRIED):
                wrong.append((path, status, causes))
    assert wrong == []


def test_every_event_is_a_webhook(document: dict[str, Any]) -> None:
    assert set(document["webhooks"]) == {str(kind) for kind in EventType}


# the interface's rules


def test_a_payment_as_clients_send_it_is_allowed() -> None:
    for card in CARDS[:3]:
        held(pointer(*PLACE), {**card_payment(card.name), "confirm": True})


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": 1.5},
        {"amount": -1},
        {"amount": 1_000_000_000},
        {"amount": None},
        {"currency": "usd"},
        {"currency": None},
        {"profile_id": None},
        {"payment_id": "with blanks"},
        {"statement_descriptor_name": "x" * 23},
        {"merchant_order_reference_id": "x" * 256},
        {"capture_method": "sometimes"},
        {"email": "nobody"},
        {"metadata": {"k" * 41: "v"}},
        {"metadata": {f"k{n}": "v" for n in range(51)}},
        {"unheard_of": 1},
        {"payment_method_data": {"card": {"card_number": "4242"}}},
    ],
    ids=str,
)
def test_what_the_interface_forbids_is_not_allowed(api: Wire, changes: dict[str, Any]) -> None:
    body = {**card_payment(), **changes}
    with pytest.raises(Disagreement):
        held(pointer(*PLACE), body)
    assert api.post("/payments", body).status == 400


@pytest.mark.parametrize("name", ["amount", "currency", "profile_id"])
def test_what_the_dialect_requires_must_be_there(name: str) -> None:
    with pytest.raises(Disagreement, match="required"):
        held(pointer(*PLACE), {key: value for key, value in card_payment().items() if key != name})


# examples


def test_every_example_is_what_the_document_says(document: dict[str, Any]) -> None:
    shown = 0
    for path, method, found in operations(document):
        for place in (("requestBody",), ("responses", "200")):
            body = found.get("requestBody") if place == ("requestBody",) else found["responses"]["200"]
            content = (body or {}).get("content", {}).get(JSON, {})
            for example in content.get("examples", {}).values():
                held(pointer("paths", path, method, *place, "content", JSON, "schema"), example["value"])
                shown += 1
    assert shown > 180


def test_every_example_of_a_refusal_and_of_a_webhook_is_one(document: dict[str, Any]) -> None:
    for body in document["components"]["examples"].values():
        held(pointer("components", "schemas", "Error"), body["value"])
    for body in examples.recorded()["webhooks"].values():
        webhook(body)
    assert len(examples.recorded()["webhooks"]) > 10


def test_a_payments_first_example_was_paid() -> None:
    row = examples.recorded()["operations"]["payments.create"]
    assert row["answer"]["status"] == "succeeded"
    assert "4242424242424242" not in json.dumps(row["answer"])


# where it is


def test_it_is_served_and_printed_alike(api: Wire) -> None:
    served = api.as_key(None).get("/_sandbox/openapi.json")
    assert served.headers["Content-Type"] == "application/json"
    printed = call("openapi")
    assert json.loads(printed.stdout) == served.json
    assert served.json["openapi"] == "3.1.0"


def test_it_is_printed_as_yaml() -> None:
    printed = call("openapi", "--yaml").stdout
    assert printed.startswith("openapi: 3.1.0\n")
    assert all(f"\n  {path}:\n" in printed for path in strict(INTERFACE.name)["paths"])


def test_it_comes_small_to_whoever_can_read_that(api: Wire) -> None:
    import gzip

    reply = api.call("GET", "/_sandbox/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert reply.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(reply.raw) == api.get("/_sandbox/openapi.json").raw
    assert len(reply.raw) < 150_000


# that the tests' client would see a drift


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"payment_id": "pay_1"}),
        (202, {}),
        (400, {"error": {"type": "invalid_request", "code": "XX_99", "message": "x"}}),
        (400, {"error": {"type": "invalid_request", "code": "IR_04"}}),
        (404, {"detail": "not found"}),
    ],
)
def test_an_answer_that_is_not_promised_is_seen(status: int, body: dict[str, Any]) -> None:
    with pytest.raises(Disagreement):
        agree("GET", "/payments/pay_1", status, json.dumps(body).encode(), {"Content-Type": JSON})


def test_a_field_too_many_is_seen(api: Wire) -> None:
    paid = api.pay().json
    for changed in ({**paid, "surprise": 1}, {**paid, "amount": "6540"}, {**paid, "status": "paid"}):
        with pytest.raises(Disagreement):
            agree("POST", "/payments", 200, json.dumps(changed).encode(), {"Content-Type": JSON})


def test_nothing_where_something_is_promised_is_seen() -> None:
    with pytest.raises(Disagreement, match="content type: none"):
        agree("POST", "/payments", 200, b"", {})


def test_another_content_type_is_seen() -> None:
    with pytest.raises(Disagreement, match="content type"):
        agree("POST", "/payments", 200, b"<p>", {"Content-Type": "text/html"})
