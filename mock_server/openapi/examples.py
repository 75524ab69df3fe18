"""Real calls and answers of this sandbox, by operation, cause and event; `make docs` records them anew."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from mock_server.contract.notation import Json
from mock_server.domain.causes import Cause

FILE: Final = Path(__file__).with_name("examples.json")


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """Everything that was recorded: `operations`, `errors` and `webhooks`, each by name."""
    found: dict[str, dict[str, Any]] = msgspec.json.decode(FILE.read_bytes())
    return found


def of_operation(operation: str, part: str) -> Json:
    """The `request` or the `answer` of an operation as a media type shows it; nothing where none was recorded."""
    row = recorded()["operations"].get(operation, {})
    return {"examples": {"recorded": {"value": row[part]}}} if part in row else {}


def of_event(event: str) -> Json:
    """The body of a webhook."""
    body = recorded()["webhooks"].get(event)
    return {} if body is None else {"examples": {"recorded": {"value": body}}}


def of_cause(cause: Cause) -> Json:
    """A reference to the refusal of a cause, by its name."""
    if cause.value not in recorded()["errors"]:
        return {}
    return {cause.value: {"$ref": f"#/components/examples/{cause.value}"}}


def refusals() -> Json:
    """What those references lead to."""
    return {name: {"value": body} for name, body in recorded()["errors"].items()}
