"""What calls are compared with: names that there are, bodies as JSON has them; and how the nearest calls differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from mock_server.guesses import hint
from mock_server.testing.records import LoggedCall

__tracebackhide__ = True
SHOWN: Final = 10
"""How many calls, events or exceptions are shown; of near misses the last ones."""
LONGEST: Final = 300
"""How much of an exception's text is shown."""


def as_json(body: object) -> Any:
    """A body as a client sends it. TypeError for what JSON has not, which could never be equal to a request's."""
    try:
        plain = json.dumps(body, default=lambda one: dict(one) if isinstance(one, Mapping) else one, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise TypeError(f"body has a value that JSON has not: {body!r}") from None
    return json.loads(plain)


def unlike(body: dict[str, Any], call: LoggedCall) -> list[str]:
    """The differences of a call's body; AssertionError if only what is hidden could differ: it cannot be judged."""
    found = body_differences(body, call.request)
    if found and all(one.endswith(UNSEEN) for one in found):
        raise AssertionError(f"{call_line(call)}: {'; '.join(found)}, so it cannot be compared")
    return found


UNSEEN: Final = "is hidden or cut in the journal"


def body_differences(wanted: Any, there: Any, path: str = "body") -> list[str]:
    """The differences of a request's body from what it must have, by dotted path."""
    if isinstance(there, str) and wanted != there and _is_hidden(there):
        return [f"{path} {UNSEEN}"]
    if isinstance(wanted, list) and isinstance(there, list):
        if len(wanted) != len(there):
            return [f"the length of {path} was {len(there)}, not {len(wanted)}"]
        items = enumerate(zip(wanted, there, strict=True))
        return [one for at, (value, item) in items for one in body_differences(value, item, f"{path}[{at}]")]
    if not isinstance(wanted, dict):
        is_alike = type(wanted) is type(there) or (type(wanted) is float and type(there) is int)
        return [] if is_alike and wanted == there else [f"{path} was {there!r}, not {wanted!r}"]
    if not isinstance(there, dict):
        return [f"{path} was {there!r}, not an object"]
    found = []
    for name, value in wanted.items():
        if name in there:
            found += body_differences(value, there[name], f"{path}.{name}")
        elif any(map(_is_hidden, there)):
            found.append(f"a name in {path} {UNSEEN}")
        else:
            found.append(f"{path}.{name} was missing")
    return found


def _is_hidden(text: str) -> bool:
    if "[" not in text:  # as in each of its marks
        return False
    from mock_server.domain.hiding import HIDDEN

    return HIDDEN in text or "[cut, " in text


def few(lines: list[str], count: int = 0) -> list[str]:
    """The first of them, and how many more there are, of `count` if these are not all."""
    more = max(count, len(lines)) - SHOWN
    return [*lines[:SHOWN], f"{more} more"] if more > 0 else lines


def near_misses(operation: str, filters: dict[str, Any], calls: list[LoggedCall]) -> Iterator[str]:
    """The calls that were received instead, with their differences."""
    if not calls:
        yield "  no calls were received"
        return
    same = [call for call in calls if fnmatchcase(call.operation, operation)]
    yield "near misses:" if same else "these calls were received:"
    for call in (same or calls)[-SHOWN:]:
        why = _differences(filters, call) if same else []
        yield f"  {call_line(call)}" + (f"  [{'; '.join(why)}]" if why else "")


def call_line(call: LoggedCall) -> str:
    """One call, short."""
    about = f" {call.payment_id}" if call.payment_id else ""
    replayed = " (replayed)" if call.replayed else ""
    return f"#{call.number} {call.operation} {call.method} {call.path} -> {call.status}{about}{replayed}"


def _differences(filters: dict[str, Any], call: LoggedCall) -> list[str]:
    found = []
    if (wanted := filters.get("payment_id")) is not None and call.payment_id != wanted:
        found.append(f"payment_id was {call.payment_id}")
    status = filters.get("status")
    if status is not None and not fnmatchcase(str(call.status), str(status).replace("x", "?")):
        found.append(f"status was {call.status}")
    return found + (body_differences(filters["body"], call.request) if filters.get("body") else [])


def check_names(operation: str, body: object) -> None:
    """AssertionError if this version has no such operation, or none of them such a field in its body."""
    from mock_server.scenario.conditions.on import RECORDED, recorded

    if not isinstance(operation, str):
        raise AssertionError(f"operation must be a name or a pattern such as payments.*, not {operation!r}")
    if not (calls := recorded(operation)):
        raise AssertionError(f"there is no operation {operation}{hint(operation, RECORDED)}")
    if not isinstance(body, dict):
        raise AssertionError(f"body must be a mapping of the request's fields, not {body!r}")
    if body:
        from mock_server.scenario.conditions.fields import Wrong, led
        from mock_server.scenario.loading.checks import Lead, lost, ways

        # A pattern covers calls whose bodies can have any field: these do not make a field known.
        calls = frozenset(one for one in calls if isinstance(led("body", frozenset((one,)), ("",)), Wrong)) or calls
        for _, what in lost(Lead(way, "body", tuple(map(str, way)), calls) for way in ways(body)):
            raise AssertionError(f"{operation}: {what}")
