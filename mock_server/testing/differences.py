"""Near misses: the calls that were nearly the one a test wanted, and what stood in the way."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from mock_server.testing.records import LoggedCall

SHOWN: Final = 10


def of_body(wanted: Any, there: Any, path: str = "body") -> list[str]:
    """Where a request's body differs from what it must hold, by dotted path; empty where it holds all of it."""
    if not isinstance(wanted, dict):
        return [] if type(wanted) is type(there) and wanted == there else [f"{path} was {there!r}, not {wanted!r}"]
    if not isinstance(there, dict):
        return [f"{path} was {there!r}, no object"]
    found = []
    for name, value in wanted.items():
        if name in there:
            found += of_body(value, there[name], f"{path}.{name}")
        else:
            found.append(f"{path}.{name} was not there")
    return found


def near(operation: str, filters: dict[str, Any], calls: list[LoggedCall]) -> Iterator[str]:
    """What came instead, and how it differs; then whether there is such an operation at all."""
    yield from _unknown(operation)
    if not calls:
        yield "  no calls came in at all"
        return
    same = [call for call in calls if fnmatchcase(call.operation, operation)]
    shown = (same or calls)[-SHOWN:]
    yield "near misses:" if same else "these calls came in:"
    for call in shown:
        why = _why_not(filters, call) if same else []
        yield f"  {line(call)}" + (f"  [{'; '.join(why)}]" if why else "")


def line(call: LoggedCall) -> str:
    """One call, short."""
    about = f" {call.payment_id}" if call.payment_id else ""
    replayed = " (replayed)" if call.replayed else ""
    return f"#{call.number} {call.operation} {call.method} {call.path} -> {call.status}{about}{replayed}"


def _why_not(filters: dict[str, Any], call: LoggedCall) -> list[str]:
    found = []
    if (wanted := filters.get("payment_id")) is not None and call.payment_id != wanted:
        found.append(f"payment_id was {call.payment_id}")
    if (status := filters.get("status")) is not None and not _is_status(call.status, str(status)):
        found.append(f"status was {call.status}")
    return found + (of_body(filters["body"], call.request) if filters.get("body") else [])


def _is_status(status: int, asked: str) -> bool:
    return str(status) == asked or (asked.endswith("xx") and str(status)[0] == asked[0])


def _unknown(operation: str) -> Iterator[str]:
    """A word about an operation that this version does not know; another server's may."""
    import difflib  # only mistakes need it

    from mock_server.contract.operations import OPERATIONS

    names = [row.name for row in OPERATIONS]
    if operation.startswith("page.") or any(fnmatchcase(name, operation) for name in names):
        return
    found = difflib.get_close_matches(operation, names, n=1)
    yield f"  no operation is called {operation}" + (f"; did you mean {found[0]}?" if found else "")
