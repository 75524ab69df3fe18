"""Card data and keys in the wrong places are an error where they are certain, and never where they are a guess.

And what the fixture's own client does is no mistake of the program under test.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final

import pytest

from mock_server.domain.api_keys import KEY_FORMS
from mock_server.domain.cards import CARDS
from mock_server.testing import Sandbox, SandboxServer
from mock_server.testing.outcomes import PaymentOutcome, outcomes
from mock_server.verdict.evidence import MANY_CALLS
from mock_server.verdict.rules import State
from tests.counts import times

CODES: Final = ("cvc", "cvv", "CVC2", "csc", "cid", "security code", "card code", "verification value")
PREFIXES: Final = [row.prefix for row in KEY_FORMS]
GUESSES: Final = [
    *(text.format(code) for code in CODES for text in ("Model {}-123", "{}: 100 units", "{} is 1234 mm")),
    *(f"Sound pack {prefix}{name}" for prefix in PREFIXES for name in ("explosion01", "loop_number_12345", "a" * 19)),
    "4539578763621486",
]
"""Texts of a shop that look like card data or keys, and need be none."""
PLACES: Final = ("metadata", "description", "statement_descriptor_name", "merchant_order_reference_id", "return_url")
OWN: Final = "snd_my_own_key_1"
CERTAIN: Final = [
    *(
        ("note", f"paid with {prefix}{rest}", "key")
        for prefix in PREFIXES
        for rest in ("A1b2" * 6, "test_" + "A1b2" * 6)
    ),
    ("note", f"paid with {OWN}", "key"),
    *((name, "snd_12345678", "key") for name in ("key", "api_key", "Secret", "auth-token")),
    *((name, digits, "card") for name in CODES for digits in ("123", "1234")),
    *(("note", card.number, "card") for card in CARDS[: times(3, soak=99)]),
]
RULES: Final = {"key": "key-misplaced", "card": "card-data-misplaced"}


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as found:
        yield found


def states(sandbox: Sandbox) -> dict[str, State]:
    return {one.rule.id: one.state for one in sandbox.verdict().results}


def sent(place: str, text: str) -> dict[str, Any]:
    if place == "return_url":
        return {place: f"https://shop.example/?about={text.replace(' ', '%20')}"}
    return {place: {"note": text} if place == "metadata" else text}


def test_a_guess_is_no_error(server: SandboxServer) -> None:
    for place in PLACES:
        with Sandbox(server=server) as sandbox:
            for text in GUESSES:
                sandbox.client.pay(**sent(place, text))
            sandbox.client.get("/payments/list", {"order_id": "Model CVC-123", "description": "snd_explosion01"})
            assert {states(sandbox)[rule] for rule in RULES.values()} == {State.WELL}, sandbox.verdict().found()


def test_what_is_certain_is_found(server: SandboxServer) -> None:
    for name, text, sort in CERTAIN:
        with Sandbox(server=server, api_key=OWN) as sandbox:
            sandbox.reset()
            sandbox.client.pay(metadata={name: text})
            assert states(sandbox)[RULES[sort]] is State.FOUND, (name, text)


@pytest.mark.parametrize("threads", [1, 4])
def test_the_fixtures_client_keeps_its_connections(server: SandboxServer, threads: int) -> None:
    with Sandbox(server=server) as sandbox:

        def pays() -> None:
            for _ in range(MANY_CALLS):
                assert sandbox.client.pay()["status"] == "succeeded"

        running = [threading.Thread(target=pays) for _ in range(threads)]
        for one in running:
            one.start()
        for one in running:
            one.join()
        assert states(sandbox)["connection-for-each-call"] is State.WELL
        assert sandbox.client.get("/payments/list")["total_count"] == threads * MANY_CALLS


@pytest.mark.parametrize("outcome", outcomes(["faults"]), ids=lambda one: one.name)
def test_no_call_is_sent_twice_over_a_connection_that_was_kept(server: SandboxServer, outcome: PaymentOutcome) -> None:
    with Sandbox(server=server) as sandbox:
        for number in range(3):
            sandbox.client.pay()
            sandbox.next("payments.create", dict(outcome.then))
            with suppress(OSError, HTTPException, ValueError):
                sandbox.client.pay(timeout=0.2).json()
            assert len(sandbox.journal.calls("payments.create")) == 2 * (number + 1)
