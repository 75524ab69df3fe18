"""Real calls and answers of this sandbox, by operation, cause and event; `make docs` records them again."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from mock_server.contract.dialect import Dialect
from mock_server.contract.notation import Json
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause

FILE: Final = Path(__file__).with_name("examples.json")


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Everything that was recorded: `operations`, `errors` and `webhooks`, each by name."""
    return msgspec.json.decode(FILE.read_bytes(), type=dict[str, dict[str, Any]])


def _answers(group: str, dialect: Dialect) -> dict[str, Any]:
    """The recorded answers, which are valid only in the dialect in which they were recorded."""
    return recorded()[group] if dialect is INTERFACE else {}


def of_operation(operation: str, part: str, dialect: Dialect) -> Json:
    """The `request` or the `answer` of an operation, as part of a media type; empty if none was recorded."""
    rows = recorded()["operations"] if part == "request" else _answers("operations", dialect)
    row = rows.get(operation, {})
    return {"examples": {"recorded": {"value": row[part]}}} if part in row else {}


def of_event(event: str, dialect: Dialect) -> Json:
    """The body of a webhook."""
    body = _answers("webhooks", dialect).get(event)
    return {} if body is None else {"examples": {"recorded": {"value": body}}}


def of_cause(cause: Cause, dialect: Dialect) -> Json:
    """A reference to the refusal of a cause, by its name."""
    if cause.value not in _answers("errors", dialect):
        return {}
    return {cause.value: {"$ref": f"#/components/examples/{cause.value}"}}


def refusals() -> Json:
    """The refusals by name; those of the control API are the same in every dialect."""
    return {name: {"value": body} for name, body in recorded()["errors"].items()}
