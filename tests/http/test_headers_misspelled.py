"""Every header of ours that steers a call, misspelled once: a wish that nobody hears is worse than a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

import pytest

from mock_server.contract.control_operations import EVERY
from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.values import STEERING
from mock_server.contract.operation import Operation
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from tests.counts import times
from tests.scenario.misspelling import KINDS, misspelled
from tests.wire import card_payment, wire

HEADERS: Final = {
    "X-Sandbox-Accepts": "double-charge; on purpose", "X-Sandbox-Label": "a test", "X-Sandbox-Outcome": "failed",
    "X-Sandbox-Scenario": "none", "X-Sandbox-Token": "any",
}  # fmt: skip
ALL: Final = [*EVERY.values()]


def slips(draw: Random) -> Iterator[tuple[str, str]]:
    """Each header, and how it can be misspelled; HTTP does not tell large letters from small ones."""
    for name in HEADERS:
        for kind in KINDS:
            wrong = misspelled(name.removeprefix("X-Sandbox-").lower(), kind, draw)
            yield name, f"x-sandbox-{wrong}"


@pytest.mark.parametrize("row", Random(1).sample(ALL, times(25, soak=len(ALL))), ids=lambda row: row.name)
def test_no_call_takes_a_header_that_is_misspelled(row: Operation) -> None:
    api = wire()
    path = row.path.translate({ord("{"): "", ord("}"): ""})
    for name, wrong in slips(Random(row.name)):
        reply = api.call(row.method, path, {} if row.reads_body(row.method) else None, headers={wrong: HEADERS[name]})
        assert reply.status == 400, (wrong, reply.raw)
        assert wrong in reply.raw.decode().lower(), reply.raw
        assert name.encode() in reply.raw, reply.raw


def test_every_header_that_is_spelled_right_is_taken() -> None:
    api = wire()
    for name, value in HEADERS.items():
        assert api.post("/payments", card_payment(), **{name: value}).status == 200, name
    assert api.get("/_sandbox/journal", **HEADERS).status == 200


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("key", STEERING)
@pytest.mark.parametrize("value", [["failed"], {"a": "failed"}, 7, True, 1.5], ids=repr)
def test_a_wish_in_metadata_is_text(key: str, value: object, dialect: Dialect) -> None:
    api = wire(dialect=dialect)
    payment = api.post("/payments", card_payment()).json["payment_id"]
    for path in ("/payments", f"/payments/{payment}", f"/payments/{payment}/confirm"):
        reply = api.post(path, {**(card_payment() if path == "/payments" else {}), "metadata": {key: value}})
        assert reply.status in (400, 422), path
        assert key.encode() in reply.raw, reply.raw
