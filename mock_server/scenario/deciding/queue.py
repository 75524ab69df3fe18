"""The one-shot queue of a workspace: "the next charge fails with …" (decisions "Ways to choose an outcome").

An entry is kept as plain JSON in one fact of the workspace; it was checked when it came in, by `loading/load.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from msgspec import Struct, structs

from mock_server.domain.outcomes import DecisionRequest, Reason
from mock_server.scenario.conditions.on import On
from mock_server.scenario.deciding.activation import QUEUE
from mock_server.scenario.model.scenario import Channel, Then
from mock_server.scenario.model.state import Memory

NUMBERS: Final = "scenarios.next.number"


class Queued(Struct, frozen=True):
    """One entry: on which calls, what is answered (as the rule's `then`, plain), and how many times still."""

    number: int
    on: tuple[str, ...]
    then: str
    left: int

    def check(self) -> None:
        """Raises ScenarioErrors where what it answers is no outcome."""
        on_of(self.on)
        _then(self.then)

    def listens(self, names: tuple[str, ...]) -> bool:
        """Whether a call of these names takes the entry."""
        on = on_of(self.on)
        return any(on.covers(name) for name in names)


@lru_cache(maxsize=256)
def on_of(words: tuple[str, ...]) -> On:
    """Names and patterns kept apart."""
    return On(frozenset(w for w in words if "*" not in w), tuple(w for w in words if "*" in w))


def queued(memory: Memory) -> tuple[Queued, ...]:
    """What is queued, first in first out."""
    kept = memory.fact(QUEUE)
    return tuple(Queued(row["number"], tuple(row["on"]), row["then"], row["left"]) for row in kept) if kept else ()


def enqueue(memory: Memory, on: tuple[str, ...], then: str, times: int = 1) -> Queued:
    """Puts an entry at the end; `then` is the JSON text of an outcome that was found sound."""
    made = Queued(memory.add(NUMBERS), on, then, times)
    _keep(memory, (*queued(memory), made))
    return made


def clear(memory: Memory) -> int:
    """Empties the queue and gives how many entries went."""
    gone = len(queued(memory))
    memory.set_fact(QUEUE, None)
    return gone


def take(channel: Channel, moment: DecisionRequest, memory: Memory) -> tuple[Then, Reason] | None:
    """Takes the first entry that listens to the call and has a word in the channel."""
    rows = queued(memory)
    for at, row in enumerate(rows):
        then = _then(row.then)
        if row.listens(moment.names) and then.part(channel) is not None:
            used = structs.replace(row, left=row.left - 1)
            _keep(memory, (*rows[:at], *([used] if used.left else []), *rows[at + 1 :]))
            return then, _because(row, moment)
    return None


def _because(row: Queued, moment: DecisionRequest) -> Reason:
    on = ", ".join(row.on)
    text = f"one-shot queue, entry {row.number} (on {on}, {row.left} left before this call)"
    inputs: dict[str, object] = {"operation": moment.operation, "queue entry": row.number}
    return Reason("queue", text, f"queue entry {row.number}", inputs)


@lru_cache(maxsize=256)
def _then(text: str) -> Then:
    from mock_server.scenario.loading.load import load_then  # late: only a queue that holds something reads it

    return load_then(text)


def _keep(memory: Memory, rows: tuple[Queued, ...]) -> None:
    kept: list[dict[str, Any]] = [
        {"number": row.number, "on": list(row.on), "then": row.then, "left": row.left} for row in rows
    ]
    memory.set_fact(QUEUE, kept or None)
