"""Events of one payment are sent one after another. A queue is a fact: snapshots hold what was on its way."""

from __future__ import annotations

from typing import Any, Final

from mock_server.domain.events import DELIVER, Event
from mock_server.store.protocol import Due
from mock_server.store.transaction import Transaction

PREFIX: Final = "deliver.line."


def enter(tx: Transaction, entry: Due, event: Event) -> str | None:
    """Begins the event's queue and gives its name; None: another event is being sent, and this one waits behind it."""
    name = PREFIX + event.group
    queue = tx.fact(name)
    if queue is None:
        tx.set_fact(name, _begun(entry))
        return name
    tx.set_fact(name, {**queue, "behind": [*queue["behind"], _kept(entry)]})
    return None


def cut_in(tx: Transaction, entry: Due) -> str:
    """Begins a separate queue for the event, so that it does not wait."""
    name = PREFIX + entry.subject
    tx.set_fact(name, _begun(entry))
    return name


def leave(tx: Transaction, name: str) -> None:
    """Ends a queue: the events that waited are due again, in their order."""
    queue = tx.fact(name)
    if queue is not None:
        tx.set_fact(name, None)
        for kept in queue["behind"]:
            tx.schedule(*_due(kept))


def recover(tx: Transaction) -> None:
    """Makes everything due again that was being sent when the process ended or the snapshot was taken."""
    for name, queue in tx.facts(PREFIX).items():
        tx.schedule(*_due(queue["on_its_way"]))
        leave(tx, name)


def _begun(entry: Due) -> dict[str, Any]:
    return {"on_its_way": _kept(entry), "behind": []}


def _kept(entry: Due) -> list[Any]:
    return [entry.at, entry.subject, entry.argument]


def _due(kept: list[Any]) -> tuple[int, str, str, str]:
    at, subject, argument = kept
    return at, DELIVER, subject, argument
