"""Who is refused as not saved is told to try again only if nothing was changed: else a shop pays twice."""

from __future__ import annotations

import json
from typing import Final

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects import DIALECTS, get
from mock_server.front import refused
from mock_server.http.errors import answer_refusal
from mock_server.lasting import batches
from mock_server.server import ELSEWHERE, UNSAVED
from tests.wire import wire

ADVICE: Final = {True: "Try again", False: "only with the X-Idempotency-Key that it had"}
"""By whether it is known that nothing was changed."""


def advises(message: str, is_known: bool) -> None:
    assert ("nothing was changed" in message) is is_known
    assert [told for told in ADVICE.values() if told in message] == [ADVICE[is_known]]


@pytest.mark.parametrize("dialect", [*map(get, DIALECTS)], ids=list(DIALECTS))
@pytest.mark.parametrize("outcome", [batches.NOTHING_CHANGED, batches.NOT_KNOWN])
def test_where_a_call_is_refused(outcome: str, dialect: Dialect) -> None:
    answer = answer_refusal(dialect, batches.not_saved("the disk is full", outcome))
    advises(json.loads(answer.body)["error"]["message"], outcome == batches.NOTHING_CHANGED)


@pytest.mark.parametrize(("reason", "is_known"), [(UNSAVED, False), (f"{ELSEWHERE} at http://b.test", True)])
def test_where_an_answer_is_withheld(reason: str, is_known: bool) -> None:
    status, _, body = refused(wire().sandbox, 503, reason)
    assert status == 503
    advises(json.loads(body)["error"]["message"], is_known)
