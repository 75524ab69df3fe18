"""Every example of a request in a document, sent as it is to a server of that dialect, has the promised success."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects import get
from mock_server.openapi.requests import operation_ids, template
from tests.clocks import ManualClock
from tests.openapi.agreeing import JSON, SPOKEN, Disagreement, held, plain, pointer
from tests.openapi.recording import BASE, LONG, prepared
from tests.routes.good import GOOD, as_client, caller
from tests.wire import Reply, Wire, wire

PARAMETER: Final = "#/components/parameters/"


def required_headers(dialect: str, found: Mapping[str, Any]) -> dict[str, str]:
    """The headers that an operation requires, as its document shows them."""
    known = plain(dialect)["components"]["parameters"]
    named = (known.get(one.get("$ref", "").removeprefix(PARAMETER), one) for one in found.get("parameters", ()))
    return {one["name"]: one["example"] for one in named if one["in"] == "header" and one["required"]}


def bodies(found: Mapping[str, Any]) -> Iterator[Any]:
    for example in found.get("requestBody", {}).get("content", {}).get(JSON, {}).get("examples", {}).values():
        yield example["value"]


def sent(server: Wire, row: Operation, key: str, found: Mapping[str, Any], dialect: str) -> Iterator[tuple[Any, Reply]]:
    """Each example of a route with its answer; everything that it names is there."""
    headers = required_headers(dialect, found)
    for value in bodies(found):
        own = server.as_key(key)
        if row.needs is not None:
            path, ids = template(row.path), prepared(own, row.name) if PARTS.findall(row.path) else {}
            for part in PARTS.findall(row.path):
                path = path.replace(f"{{{part}}}", ids[part])
            yield value, own.call(row.method, path, value, headers=headers)
        else:
            good, client = GOOD[row.name](own), caller(own, row)
            if good.secret is not None and client is not own:
                good = as_client(good, row)
            good.body, good.headers = value, headers
            yield value, good.sent(client, row)


@pytest.mark.parametrize("dialect", sorted(SPOKEN))
def test_every_example_of_a_request_succeeds_as_it_is(dialect: str) -> None:
    server = wire(clock=ManualClock(), public_url=BASE, dialect=get(dialect))
    numbers = {name: number for number, (_, name) in enumerate(operation_ids(OPERATIONS))}
    count, wrong = 0, list[tuple[Any, ...]]()
    for at, row in enumerate((*OPERATIONS, *CONTROL_OPERATIONS)):
        if row.name in LONG:
            continue
        found = plain(dialect)["paths"][template(row.path)][row.method.lower()]
        place = pointer(
            "paths", template(row.path), row.method.lower(), "requestBody", "content", JSON, "schema", speaks=dialect
        )
        key = f"snd_example_{numbers.get(row.name, at):03}"  # the recording's, so that ids are the same
        for value, reply in sent(server, row, key, found, dialect):
            count += 1
            try:
                held(place, value)
            except Disagreement as disagreement:
                wrong.append((row.route, str(disagreement)))
            if reply.status != 200:
                wrong.append((row.route, value, reply.raw))
    assert count == 78
    assert not wrong, "\n".join(map(str, wrong))
