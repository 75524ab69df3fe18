"""What generators of clients make of the document beside its schemas: names, types of answers, arguments of calls.

Each law here is one that a client of openapi-generator did not compile without: Go's has a function `NewX` for each
schema `X`, TypeScript's a type `YRequest` with the arguments of each operation `y`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.kinds.objects import ObjectOf
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects import get
from mock_server.openapi.requests import Requests, camel, template
from tests.openapi.agreeing import SPOKEN, plain
from tests.wire import wire

METHODS: Final = frozenset(("get", "post", "put", "delete"))
BESIDE: Final = ("New{}", "New{}WithDefaults", "Nullable{}", "NewNullable{}")
"""The names that a client in Go has for each schema, beside its own."""
EVERY_DIALECT: Final = pytest.mark.parametrize("dialect", sorted(SPOKEN))


def operations(dialect: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in plain(dialect)["paths"].values():
        yield from ((found["operationId"], found) for method, found in item.items() if method in METHODS)


def objects_in_queries(dialect: str) -> Iterator[tuple[str, str]]:
    """Each path that reads a query, with each name in it that only a body can say."""
    for row in OPERATIONS:
        shape = Requests(get(dialect))._shape(row.takes[1])
        for name, field in shape.schema.fields.items() if shape and row.method == "GET" else ():
            if isinstance(field, ObjectOf):
                yield template(row.path), name


def schemas(dialect: str) -> dict[str, Any]:
    found: dict[str, Any] = plain(dialect)["components"]["schemas"]
    assert len(found) > 300
    return found


@EVERY_DIALECT
def test_no_schema_has_the_name_of_what_makes_another(dialect: str) -> None:
    found = schemas(dialect)
    assert [name for name in found for form in BESIDE if form.format(name) in found] == []


@EVERY_DIALECT
def test_no_schema_has_the_name_of_the_arguments_of_an_operation_without_it(dialect: str) -> None:
    """An operation whose body it is gives its arguments another name."""
    found = schemas(dialect)
    wrong = []
    for name, operation in operations(dialect):
        arguments = f"{camel(name)}Request"
        if arguments in found and f"/{arguments}'" not in str(operation.get("requestBody")):
            wrong.append(name)
    assert wrong == []


@EVERY_DIALECT
def test_an_answer_is_never_only_null(dialect: str) -> None:
    wrong = []
    for name, operation in operations(dialect):
        contents = operation["responses"]["200"].get("content", {}).values()
        wrong += [name for content in contents if content["schema"].get("type") == "null"]
    assert wrong == []


@EVERY_DIALECT
def test_a_query_offers_only_what_a_query_can_say(dialect: str) -> None:
    """An object has no form in a query: a client that sends one is refused."""
    found = schemas(dialect)
    wrong = []
    for name, operation in operations(dialect):
        for parameter in operation.get("parameters", ()):
            schema = parameter.get("schema", {})
            whole = found[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
            if whole.get("type") == "object":
                wrong.append((name, parameter["name"]))
    assert wrong == []


@EVERY_DIALECT
def test_a_query_that_says_what_only_a_body_can_is_told_so(dialect: str) -> None:
    found = set(objects_in_queries(dialect))
    assert len(found) > 7
    api = wire(dialect=get(dialect))
    for path, name in sorted(found):
        for value in ("1", "{}", '{"on":"amount"}'):
            reply = api.get(f"{path}?{name}={value}")
            assert (reply.status, b"can only be sent in a body" in reply.raw) == (400, True), reply.raw
