"""The journal of a workspace, and assertions about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Final

from mock_server.guesses import hint
from mock_server.testing.control import ControlClient
from mock_server.testing.records import LoggedCall, logged_call

MOST: Final = 1_000
"""The number of lines that are read, the last ones."""
SHOWN: Final = 10
"""The number of near misses that are shown, the last ones."""


class Journal:
    """The received calls, redacted, with the reasons of decisions."""

    def __init__(self, control: ControlClient, monotonic: Callable[[], float]) -> None:
        self._control = control
        self._monotonic = monotonic

    def calls(
        self,
        operation: str | None = None,
        *,
        payment_id: str | None = None,
        status: int | str | None = None,
        body: dict[str, Any] | None = None,
    ) -> list[LoggedCall]:
        """The calls that match: an operation or several (`payments.*`), a status or a class of them (`4xx`).

        The request's body must have everything in `body`, and can have more. AssertionError if there is no such
        operation: nothing can be said of its calls.
        """
        __tracebackhide__ = True
        if operation is not None:
            _check_operation(operation)
        asked = {"operation": operation, "payment_id": payment_id, "status": status, "limit": MOST}
        found = [logged_call(line) for line in self._control.get("/journal", asked)["data"]]
        return [call for call in found if not body_differences(body, call.request)] if body else found

    def wait_for(self, /, operation: str, *, times: int = 1, timeout: float = 5.0, **filters: Any) -> list[LoggedCall]:
        """Waits for this number of matching calls, at most `timeout` seconds of real time."""
        __tracebackhide__ = True
        until = self._monotonic() + timeout
        last = self.last  # read first, so that a call in between is not missed
        while len(found := self.calls(operation, **filters)) < times:
            left = until - self._monotonic()
            if left <= 0:
                raise self._wrong(operation, found, times, filters, f"within {timeout:g} s")
            self._control.get("/journal", {"after": last, "count": 1}, wait_s=left)
            last = self.last
        return found

    def assert_called(self, /, operation: str, times: int | None = None, **filters: Any) -> list[LoggedCall]:
        """Returns the calls; AssertionError unless there are this many, or any without a number."""
        __tracebackhide__ = True
        found = self.calls(operation, **filters)
        if (times is None and found) or len(found) == times:
            return found
        raise self._wrong(operation, found, 1 if times is None else times, filters)

    def assert_not_called(self, /, operation: str, **filters: Any) -> None:
        """AssertionError if there is such a call."""
        __tracebackhide__ = True
        found = self.calls(operation, **filters)
        if found:
            raise self._wrong(operation, found, 0, filters)

    @property
    def last(self) -> int:
        """The number of the last call; 0 without one."""
        lines = self._control.get("/journal", {"limit": 1})["data"]
        return lines[-1]["number"] if lines else 0

    def clear(self) -> int:
        """Empties the journal; returns how many lines it had."""
        gone: int = self._control.delete("/journal")["forgotten"]
        return gone

    def _wrong(
        self, operation: str, found: list[LoggedCall], wanted: int, filters: dict[str, Any], when: str = ""
    ) -> AssertionError:
        came = f"{f'called {_times(len(found))}' if found else 'never called'} {when}".rstrip()
        said = ", ".join(f"{name}={value!r}" for name, value in filters.items())
        asked = f"{operation} ({said})" if said else operation
        lines: Iterable[str] = (f"  {call_line(call)}" for call in found)
        if len(found) < wanted:
            lines = near_misses(operation, filters, self.calls())
        return AssertionError("\n".join([f"{asked} was {came}; expected: {_times(wanted)}", *lines]))


def _times(count: int) -> str:
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"


def body_differences(wanted: Any, there: Any, path: str = "body") -> list[str]:
    """The differences of a request's body from what it must have, by dotted path."""
    if not isinstance(wanted, dict):
        return [] if type(wanted) is type(there) and wanted == there else [f"{path} was {there!r}, not {wanted!r}"]
    if not isinstance(there, dict):
        return [f"{path} was {there!r}, not an object"]
    found = []
    for name, value in wanted.items():
        if name in there:
            found += body_differences(value, there[name], f"{path}.{name}")
        else:
            found.append(f"{path}.{name} was missing")
    return found


def near_misses(operation: str, filters: dict[str, Any], calls: list[LoggedCall]) -> Iterator[str]:
    """The calls that were received instead, with their differences."""
    if not calls:
        yield "  no calls were received"
        return
    same = [call for call in calls if fnmatchcase(call.operation, operation)]
    shown = (same or calls)[-SHOWN:]
    yield "near misses:" if same else "these calls were received:"
    for call in shown:
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


def _check_operation(operation: str) -> None:
    """AssertionError if this version has no such operation."""
    __tracebackhide__ = True
    from mock_server.contract.control_operations import EVERY

    if not operation.startswith(("page.", "checkout.")) and not any(fnmatchcase(name, operation) for name in EVERY):
        raise AssertionError(f"there is no operation {operation}{hint(operation, EVERY)}")
