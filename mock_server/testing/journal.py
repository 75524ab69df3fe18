"""The journal of a workspace, and what a test holds against it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server.testing import differences
from mock_server.testing.control import Control
from mock_server.testing.records import LoggedCall, logged_call

MOST: Final = 1_000
"""So many lines are looked at, the last ones."""


class Journal:
    """Calls as they came in, redacted, with the reasons of what was decided."""

    def __init__(self, control: Control, monotonic: Callable[[], float]) -> None:
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
        """The calls that match: an operation or several (`payments.*`), a status or a hundred of them (`4xx`).

        `body` names what the request's body must hold; what it holds besides does not matter.
        """
        asked = {"operation": operation, "payment_id": payment_id, "status": status, "limit": MOST}
        found = [logged_call(line) for line in self._control.get("/journal", asked)["data"]]
        return [call for call in found if not differences.of_body(body, call.request)] if body else found

    def wait_for(self, /, operation: str, *, times: int = 1, timeout: float = 5.0, **filters: Any) -> list[LoggedCall]:
        """Waits until so many such calls have come in, at most `timeout` seconds of real time."""
        __tracebackhide__ = True
        until = self._monotonic() + timeout
        last = self.last  # before looking, or a call in between would be waited for in vain
        while len(found := self.calls(operation, **filters)) < times:
            left = until - self._monotonic()
            if left <= 0:
                raise AssertionError(self._too_few(operation, f"within {timeout:g} s", len(found), times, filters))
            self._control.get("/journal", {"after": last, "count": 1}, wait_s=left)
            last = self.last
        return found

    def assert_called(self, /, operation: str, times: int | None = None, **filters: Any) -> list[LoggedCall]:
        """Gives the calls; AssertionError unless there are so many, or any where no number is given."""
        __tracebackhide__ = True
        found = self.calls(operation, **filters)
        if (times is None and found) or len(found) == times:
            return found
        wanted = 1 if times is None else times
        if len(found) > wanted:
            raise AssertionError(self._too_many(operation, found, wanted, filters))
        raise AssertionError(self._too_few(operation, "", len(found), wanted, filters))

    def assert_not_called(self, /, operation: str, **filters: Any) -> None:
        """AssertionError where there is such a call."""
        __tracebackhide__ = True
        found = self.calls(operation, **filters)
        if found:
            raise AssertionError(self._too_many(operation, found, 0, filters))

    @property
    def last(self) -> int:
        """The number of the last call; 0 where there is none."""
        lines = self._control.get("/journal", {"limit": 1})["data"]
        return lines[-1]["number"] if lines else 0

    def clear(self) -> int:
        """Empties the journal; gives how many lines it had."""
        gone: int = self._control.delete("/journal")["forgotten"]
        return gone

    def _too_few(self, operation: str, when: str, count: int, wanted: int, filters: dict[str, Any]) -> str:
        head = (
            f"{_asked(operation, filters)} was called {_times(count)}{f' {when}' if when else ''}, not {_times(wanted)}"
        )
        return "\n".join([head, *differences.near(operation, filters, self.calls())])

    def _too_many(self, operation: str, found: list[LoggedCall], wanted: int, filters: dict[str, Any]) -> str:
        head = f"{_asked(operation, filters)} was called {_times(len(found))}, not {_times(wanted)}"
        return "\n".join([head, *(f"  {differences.line(call)}" for call in found)])


def _asked(operation: str, filters: dict[str, Any]) -> str:
    said = ", ".join(f"{name}={value!r}" for name, value in filters.items())
    return f"{operation} ({said})" if said else operation


def _times(count: int) -> str:
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"
