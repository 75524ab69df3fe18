"""A call can ask for an outcome in the public API's words too, by header and metadata, in both dialects."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.hyperswitch.words import WORD_LISTS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.outcomes import OutcomeStatus
from mock_server.domain.statuses import ALIASES
from tests.wire import Reply, Wire, card_payment, wire

ENDS: Final = {
    "requires_action": ("", ":approved", ":declined", ":approved:insufficient_funds"),
    "pending": ("", ":succeeded", ":succeeded:30s", ":failed:insufficient_funds:30s"),
}
ASKED: Final = [(word, str(status), end) for word, status in ALIASES.items() for end in ENDS[status]]


def by_header(api: Wire, outcome: str) -> Reply:
    return api.call("POST", "/payments", BODY, headers={"X-Sandbox-Outcome": outcome})


def by_metadata(api: Wire, outcome: str) -> Reply:
    return api.post("/payments", {**BODY, "metadata": {"sandbox_outcome": outcome}})


BODY: Final = card_payment(confirm=True)


@pytest.mark.parametrize("dialect", [INTERFACE, HYPERSWITCH], ids=lambda one: one.name)
@pytest.mark.parametrize("ask", [by_header, by_metadata], ids=lambda one: one.__name__)
def test_each_word_means_the_outcome_of_its_status(dialect: Dialect, ask: Any) -> None:
    api = wire(dialect=dialect)
    for word, status, end in ASKED:
        said, meant = ask(api, word + end), ask(api, status + end)
        assert said.status == meant.status == 200, said.raw
        assert said["status"] == meant["status"] == dialect.status_out(ALIASES[word])


@pytest.mark.parametrize("word", sorted(set(WORD_LISTS["PaymentStatus"]) - set(ALIASES) - set(OutcomeStatus)))
def test_a_status_that_is_no_outcome_is_refused_with_those_that_are(word: str) -> None:
    error = by_header(wire(dialect=HYPERSWITCH), word).headers["X-Sandbox-Because"]
    assert "requires_action" in error and "pending" in error
