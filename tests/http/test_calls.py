"""A call passes few functions, and what is made for every call by position has its fields in that order."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.calls import counted
from mock_server.domain.outcomes import CallContext, DecisionRequest
from mock_server.domain.payment import KeptCard, Payment
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import charge, instrument
from mock_server.http import journal, running
from mock_server.sandbox.workspace import Workspace

MOST = {"create": 253, "confirm": 246, "retrieve": 101}
"""Calls of the package's functions; a version of Python that needs no function for a comprehension makes fewer."""

BY_POSITION: dict[Callable[..., Any], tuple[Callable[..., Any], tuple[str, ...]]] = {
    journal.JournalEntry: (
        journal.write,
        (
            "at", "request_id", "operation", "method", "path", "query", "status", "key", "request", "response", "cut",
            "took_ms", "began_us", "notes", "cause", "replayed", "idempotent", "fault", "payment_id", "left", "events",
            "headers", "idempotency", "connection", "left_first", "took_place", "delay_ms", "retry_after", "misplaced",
        ),
    ),
    CallContext: (
        running.context_of,
        (
            "operation", "body", "headers", "query", "wanted", "wanted_by", "scenarios",
            "payment_scenarios", "subject", "by_client", "holder",
        ),
    ),
    CommandContext: (
        Workspace.context,
        (
            "now", "merchant_id", "randomness", "policy", "decide", "recognise", "link_base", "fingerprints", "post",
            "call", "qr_image",
        ),
    ),
    DecisionRequest: (
        charge.decided,
        (
            "names", "operation", "now", "call", "records", "attempt", "wanted", "wanted_by", "payment_scenarios",
        ),
    ),
    KeptCard: (
        instrument.keep_card,
        (
            *("name", "brand", "type", "last4", "first6", "exp_month", "exp_year", "holder", "fingerprint", "checks"),
            "nick_name",
        ),
    ),
}  # fmt: skip
"""A class → where it is made by position, and the fields that are given there."""


def test_a_call_passes_no_more_functions_than_it_did() -> None:
    found = {what: functions.total() for what, functions in counted().items()}
    assert {what: number for what, number in found.items() if number > MOST[what]} == {}


@pytest.mark.parametrize("made", BY_POSITION, ids=lambda made: made.__name__)
def test_fields_given_by_position_stand_in_that_order(made: Any) -> None:
    maker, names = BY_POSITION[made]
    assert made.__struct_fields__[: len(names)] == names
    tree = ast.parse(textwrap.dedent(inspect.getsource(maker)))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    (call,) = [one for one in calls if getattr(one.func, "id", "") == made.__name__]
    assert (len(call.args), call.keywords) == (len(names), [])


def test_what_a_payment_must_have_stands_first() -> None:
    """Made by position or by name, required fields come before those with a default."""
    fields, defaults = Payment.__struct_fields__, Payment.__struct_defaults__
    assert (fields[0], fields[len(fields) - len(defaults)]) == ("payment_id", "metadata")
