"""The catalogue of causes, and that the source keeps to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import mock_server
from mock_server.domain.errors import Cause, CauseGroup, FieldError, Refusal
from mock_server.domain.transitions import ASKS

SOURCE = Path(mock_server.__file__).parent
GIVEN_APART = {"fields", "extras"}


def test_groups_stand_together_in_the_order_of_checks() -> None:
    order = list(CauseGroup)
    positions = [order.index(cause.group) for cause in Cause]
    assert positions == sorted(positions)
    assert set(positions) == set(range(len(order)))


@pytest.mark.parametrize("row", list(Cause))
def test_a_row_explains_itself(row: Cause) -> None:
    assert row.about.endswith(".")
    assert row.source == "ours" or row.source.startswith(("interface §", "facts §"))
    assert not GIVEN_APART & set(row.params)
    assert row == row.name.lower()


def test_a_refusal_carries_what_it_was_given() -> None:
    wrong = FieldError("amount", "must be a whole number")
    refusal = Refusal(Cause.VALUE_INVALID, fields=(wrong,), extras={"reason": "so"}, limit=3)
    assert (refusal.cause, refusal.fields) == (Cause.VALUE_INVALID, (wrong,))
    assert dict(refusal.values) == {"limit": 3}
    assert dict(refusal.extras) == {"reason": "so"}
    assert str(refusal) == "value_invalid; limit=3; amount: must be a whole number"
    assert str(Refusal(Cause.KEY_MISSING)) == "key_missing"


def test_wrong_fields_are_refused_under_the_cause_they_share() -> None:
    missing = FieldError("amount", "an integer", Cause.VALUE_MISSING)
    unknown = FieldError("amout", "did you mean amount?", Cause.UNKNOWN_FIELD)
    assert Refusal.of_fields([unknown]).cause is Cause.UNKNOWN_FIELD
    assert Refusal.of_fields([missing, missing]).cause is Cause.VALUE_MISSING
    assert Refusal.of_fields([missing, unknown]).cause is Cause.VALUE_INVALID
    assert Refusal.of_fields(iter([missing, unknown])).fields == (missing, unknown)


def test_a_claim_is_given_back_only_before_the_operation_began() -> None:
    assert Refusal(Cause.VALUE_MISSING).cause.gives_back
    assert not Refusal(Cause.STATUS_FORBIDS, action="cancel", status="failed").cause.gives_back


def refusals_in(source: str) -> Iterator[tuple[int, str, set[str]]]:
    """Find `Refusal(Cause.X, name=…)` in a module: line, name of the cause, names of the values."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.func.id != "Refusal":
            continue
        cause = node.args[0] if node.args else None
        names = [keyword.arg for keyword in node.keywords]
        if isinstance(cause, ast.Attribute) and cause.attr.isupper() and None not in names:
            yield node.lineno, cause.attr, {name for name in names if name} - GIVEN_APART


def test_the_source_hands_over_what_each_cause_asks_for() -> None:
    misfits = [
        f"{path.relative_to(SOURCE)}:{line}: {name} takes {Cause[name].params}, not {sorted(values)}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, name, values in refusals_in(path.read_text(encoding="utf-8"))
        if values != set(Cause[name].params)
    ]
    assert misfits == []


def test_what_a_status_forbids_is_refused_with_its_value_and_the_states() -> None:
    assert {row.refused_as.params for row in ASKS if row.refused_as is not None} == {("value", "states")}


def test_a_misfit_in_the_source_would_be_found() -> None:
    found = list(refusals_in("raise Refusal(Cause.STATUS_FORBIDS, acton='x', fields=())"))
    assert found == [(1, "STATUS_FORBIDS", {"acton"})]
