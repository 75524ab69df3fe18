"""The OpenAPI document is in a dialect: the one that is asked for, the caller's workspace's, or the server's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.cli import main
from mock_server.dialects import get
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.openapi.document import document
from tests.dialects import public
from tests.wire import wire

WHERE = "/_sandbox/openapi.json"


def words(found: Any) -> list[str]:
    schemas: dict[str, Any] = found["components"]["schemas"]
    listed: list[str] = schemas["PaymentStatus"]["enum"]
    return listed


@pytest.mark.parametrize("name", ["interface", "hyperswitch"])
def test_every_reference_leads_somewhere(name: str) -> None:
    whole = document(get(name))
    for reference in references(whole):
        found: Any = whole
        for part in reference.removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/")]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from [inner] if key == "$ref" and isinstance(inner, str) else references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_control_api_keeps_the_engines_words_under_names_of_their_own() -> None:
    schemas = document(HYPERSWITCH)["components"]["schemas"]
    assert "requires_customer_action" in schemas["PaymentStatus"]["enum"]
    assert "requires_action" in schemas["EnginePaymentStatus"]["enum"]
    assert not [name for name in document(get("interface"))["components"]["schemas"] if name.startswith("Engine")]


def test_a_document_has_no_answers_that_were_recorded_in_another_dialect() -> None:
    create = document(HYPERSWITCH)["paths"]["/payments"]["post"]
    assert "examples" in create["requestBody"]["content"]["application/json"]
    assert "examples" not in create["responses"]["200"]["content"]["application/json"]


def test_the_document_that_is_served() -> None:
    api, other = wire(), wire(dialect=HYPERSWITCH)
    assert "pending" in words(api.get(WHERE).json)
    assert "processing" in words(api.get(f"{WHERE}?dialect=hyperswitch").json)
    assert "processing" in words(other.as_key(None).get(WHERE).json)
    assert words(api.as_key("snd_never_used_0123").get(WHERE).json) == words(api.get(WHERE).json)
    unknown = api.get(f"{WHERE}?dialect=klingon")
    assert unknown.status == 400
    assert "hyperswitch, interface" in unknown.error["message"]


def test_the_document_of_a_workspace_is_in_its_dialect() -> None:
    api = wire()
    assert api.put("/_sandbox/dialect", {"dialect": "hyperswitch"}).status == 200
    api.speaks = HYPERSWITCH
    assert "processing" in words(api.get(WHERE).json)
    assert "pending" in words(api.as_key(None).get(WHERE).json)


def test_the_command_prints_a_dialects_document(capsys: pytest.CaptureFixture[str]) -> None:
    main(["openapi", "--dialect", "hyperswitch"], standalone_mode=False)
    assert "processing" in words(json.loads(capsys.readouterr().out))


# the lists of words of the public document

Words = dict[str, set[str | None]]
DEEPEST: Final = 6


def listed(schema: Any, where: Any, place: str, found: Words) -> Words:
    """The words that each part of an answer can have, by its place; None where it can have any."""
    while "$ref" in schema:
        schema = where[schema["$ref"].rpartition("/")[2]]
    found.setdefault(place, set()).update(schema.get("enum", [None] if "string" in str(schema.get("type")) else ()))
    inner = [(f"{place}.{name}", one) for name, one in schema.get("properties", {}).items()]
    inner += [(f"{place}[]", schema["items"])] if isinstance(schema.get("items"), dict) else []
    inner += [(place, one) for kind in ("anyOf", "oneOf", "allOf") for one in schema.get(kind, ())]
    for at, one in inner if place.count(".") < DEEPEST else ():
        listed(one, where, at, found)
    return found


def test_an_answer_has_no_word_that_the_public_document_does_not_know() -> None:
    """In each list of words in each answer that both documents describe."""
    ours, schemas = document(HYPERSWITCH), public.table()[1]
    pairs, wrong, count = dict[tuple[str, str], str](), set[str](), 0
    for path, method in [(path, method) for path, rows in ours["paths"].items() for method in rows]:
        name = public.schema_of(method.upper(), path)
        found = name and ours["paths"][path][method]["responses"].get("200", {}).get("content", {})
        pairs |= {(name or "", json.dumps(one["schema"])): f"{method} {path}" for one in (found or {}).values()}
    for (name, shown), route in pairs.items():
        known = listed(public.type_of(name), schemas, "", {})
        for place, words_here in listed(json.loads(shown), ours["components"]["schemas"], "", {}).items():
            there = known.get(place)
            if there and None not in there:
                count += 1
                wrong |= {f"{route} {place}: {one}" for one in words_here - there - {None}}
    assert (sorted(wrong), count > 100) == ([], True)
