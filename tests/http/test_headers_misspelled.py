"""Every header of ours that steers a call, misspelled once: a wish that nobody hears is worse than a refusal.

So are the words in them, and the keys of metadata that steer: an exemption for a rule that there is not exempts from
nothing, and a payment whose outcome is asked for by a wrong key succeeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final, cast

import pytest
from flask import Flask

from mock_server.contract.control_operations import EVERY
from mock_server.contract.dialect import Dialect
from mock_server.contract.kinds.values import STEERING
from mock_server.contract.operation import Operation
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.declines import DECLINES
from mock_server.scenario.deciding.decide import WORDS as OUTCOMES
from mock_server.verdict.rules import RULES, ClientRule
from tests.counts import times
from tests.loop import Loop
from tests.scenario.misspelling import KINDS, misspelled
from tests.wire import Wire, card_payment, wire

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


WORDS: Final = (
    *(("X-Sandbox-Accepts", f"{rule.id}; on purpose", rule.id) for rule in RULES),
    *(("X-Sandbox-Outcome", word.value, word.value) for word in OUTCOMES),
    *(("X-Sandbox-Outcome", f"failed:{row.name}", row.name) for row in DECLINES[::7]),
)
"""A header, its value, and the word in it that is misspelled."""


@pytest.mark.parametrize("row", Random(2).sample(ALL, times(5, soak=len(ALL))), ids=lambda row: row.name)
def test_no_call_takes_a_word_that_is_misspelled(row: Operation) -> None:
    api, draw, known = wire(), Random(row.name), {word for _, _, word in WORDS}
    path = row.path.translate({ord("{"): "", ord("}"): ""})
    for name, value, word in draw.sample(WORDS, times(12, soak=len(WORDS))):
        wrong = misspelled(word, draw.choice(KINDS), draw)
        if wrong in known:
            continue
        headers = {name: value.replace(word, wrong)}
        reply = api.call(row.method, path, {} if row.reads_body(row.method) else None, headers=headers)
        assert reply.status == 400, (wrong, reply.raw)
        assert name in (said := reply.raw.decode()) and wrong in said, reply.raw


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_mistake_is_accepted_by_its_rule_and_one_reason(rule: ClientRule) -> None:
    api = wire()
    assert api.get("/health", **{"X-Sandbox-Accepts": f" {rule.id} ;on purpose, and often; see PAY-1"}).status == 200
    twice = f"{rule.id}; on purpose,{rule.id}; as a header that is sent twice arrives"
    for wrong in (rule.id, f"{rule.id};", f"{rule.id}; ", "; on purpose", "", twice):
        reply = api.get("/health", **{"X-Sandbox-Accepts": wrong})
        assert reply.status == 400 and "X-Sandbox-Accepts" in reply.raw.decode(), (wrong, reply.raw)


@pytest.mark.parametrize("key", STEERING)
def test_a_wish_in_metadata_is_not_missed_by_a_slip(key: str) -> None:
    api, draw = wire(), Random(key)
    slips = {misspelled(key, kind, draw) for kind in KINDS for _ in range(times(5, soak=60))}
    for wrong in (*slips, key.title(), key.upper(), key.replace("_", "-"), f"{key}s"):
        reply = api.post("/payments", {**card_payment(), "metadata": {wrong: "failed"}})
        assert reply.status == 400 and f"did you mean {key}?" in reply.raw.decode(), (wrong, reply.raw)


@pytest.mark.parametrize(
    "key",
    [
        "sandbox",
        "outcome",
        "sandbox_order",
        "sandbox_run",
        "test_scenario_name",
        "sandbox_scenario_id",
        "my_sandbox_outcome",
    ],
)
def test_metadata_of_ones_own_is_taken(key: str) -> None:
    assert wire().post("/payments", {**card_payment(), "metadata": {key: "failed"}}).status == 200


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


@pytest.mark.parametrize(("header", "leaves"), [("X-Sandbox-Accepts", True), ("X-Sandbox-Label", False)])
def test_a_call_that_accepts_a_mistake_leaves_the_loop(header: str, leaves: bool) -> None:
    """The first of them imports the rules, for which nobody else has to wait."""
    api = wire()
    loop = Loop(api.app)
    through = Wire(cast(Flask, loop), api.sandbox, api.key)
    assert through.get("/payments/list", **{header: "double-charge; on purpose"}).status == 200
    assert loop.has_left is leaves
