"""What a workspace's report is made of: calls, what was done by hand, and events, asked for once and put in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mock_server.testing.records import Wire

if TYPE_CHECKING:
    from mock_server.testing.control import Control

MOST: Final = 60
"""So many calls and events are shown, the last ones."""
SLACK_US: Final = 500
"""What is lost where the time that an attempt took is rounded."""
LATER: Final = 1 << 62
Place = tuple[str, int, int, int]
"""Where a step stands: the workspace's instant, the real one, what comes first of several, a number."""
_CALL, _EVENT, _ATTEMPT = 0, 1, 2


@dataclass(frozen=True)
class Gathered:
    """The lines of the journal, and the events with their deliveries, as the control API tells them."""

    calls: list[Wire]
    hands: list[Wire]
    events: list[Wire]
    hidden: dict[str, int]
    """How many earlier calls and events there are."""

    @cached_property
    def lines(self) -> list[Wire]:
        """Calls and what was done by hand, in the order in which they began."""
        return sorted([*self.calls, *self.hands], key=place_of_line)

    @cached_property
    def _told_by(self) -> dict[int, Wire]:
        return {number: line for line in self.lines for number in line["events"]}

    def place_of_event(self, event: Wire) -> Place:
        """After the call that told it; what fell due by itself comes before the next call and its own deliveries."""
        line = self._told_by.get(event["number"])
        if line is not None:
            return event["created"], line["began_us"], _EVENT, event["number"]
        next_call = next((one["began_us"] for one in self.lines if one["at"] >= event["created"]), LATER)
        first = min((one["began_us"] for one in event["deliveries"]), default=LATER)
        return event["created"], min(next_call, first) - 1, _EVENT, event["number"]

    def received_during(self, attempt: Wire) -> list[Wire]:
        """The calls that were made while somebody received this."""
        return self._during.get(attempt["began_us"], [])

    @cached_property
    def _during(self) -> dict[int, list[Wire]]:
        """By the instant at which an attempt began: the calls made before it was answered, each at the last such."""
        attempts = sorted((one for _, one in self.deliveries()), key=lambda one: int(one["began_us"]))
        found: dict[int, list[Wire]] = {}
        for call in self.calls:
            last = next((one for one in reversed(attempts) if _covers(one, call)), None)
            if last is not None:
                found.setdefault(last["began_us"], []).append(call)
        return found

    def deliveries(self) -> Iterator[tuple[Wire, Wire]]:
        """Each event with each attempt to deliver it."""
        return ((event, attempt) for event in self.events for attempt in event["deliveries"])


def gather(control: Control) -> Gathered:
    """Asks for everything."""
    journal = control.get("/journal", {"limit": MOST})
    by_hand = control.get("/journal", {"limit": MOST, "operation": "control.*"})
    inbox = control.get("/webhooks", {"limit": MOST})
    hidden = {name: page["total_count"] - len(page["data"]) for name, page in (("calls", journal), ("events", inbox))}
    return Gathered(journal["data"], by_hand["data"], inbox["data"], hidden)


def _covers(attempt: Wire, call: Wire) -> bool:
    took_us = attempt["took_ms"] * 1000 + SLACK_US
    return bool(attempt["began_us"] <= call["began_us"] <= attempt["began_us"] + took_us)


def place_of_line(line: Wire) -> Place:
    """Where a call stands."""
    return line["at"], line["began_us"], _CALL, line["number"]


def place_of_attempt(event: Wire, attempt: Wire) -> Place:
    """Where a delivery stands."""
    return attempt["made_at"], attempt["began_us"], _ATTEMPT, event["number"]
