"""First attempts of a payment's events are sent one after another. A queue is a fact: snapshots hold what was sent."""

from __future__ import annotations

from typing import Any, Final

from mock_server.domain.events import DELIVER, AttemptKind
from mock_server.domain.report import DELIVER_REPORT
from mock_server.engine.kinds import EVENTS
from mock_server.store.protocol import NEVER, Due
from mock_server.store.transaction import Transaction

PREFIX: Final = "deliver.line."
SORTS: Final = (DELIVER, DELIVER_REPORT)
"""The scheduled events that send something: an event, or the notice of a report."""


def enter(tx: Transaction, entry: Due) -> str | None:
    """Begins a queue and gives its name; None: another one of the group is being sent, and this one waits behind it.

    First attempts wait for each other, and so do manual ones. An automatic retry never waits, and nothing waits for it.
    """
    event = None if entry.argument.startswith(AttemptKind.AUTOMATIC) else tx.get(EVENTS, entry.subject)
    name = f"{PREFIX}{entry.subject if event is None else event.group} {entry.argument}".rstrip()
    queue = tx.fact(name)
    if queue is None:
        tx.set_fact(name, {"on_its_way": _kept(entry), "behind": []})
        return name
    tx.set_fact(name, {**queue, "behind": [*queue["behind"], _kept(entry)]})
    return None


def members(tx: Transaction, group: str) -> list[str]:
    """The events of a group that are queued for their first attempt; the first one is on its way."""
    queue = tx.fact(PREFIX + group)
    return [] if queue is None else [kept[1] for kept in (queue["on_its_way"], *queue["behind"])]


def leave(tx: Transaction, name: str) -> None:
    """Ends a queue: what waited is due again where it was before, so what came later does not overtake it."""
    queue = tx.fact(name)
    if queue is not None:
        tx.set_fact(name, None)
        for kept in queue["behind"]:
            _put_back(tx, *kept)


def recover(tx: Transaction) -> None:
    """Makes everything due again that was being sent when the process ended or the snapshot was taken."""
    for name, queue in tx.facts(PREFIX).items():
        _put_back(tx, *queue["on_its_way"])
        leave(tx, name)


def earliest(facts: dict[str, Any]) -> int:
    """The earliest time at which something was due that is on its way; `NEVER` if nothing is. Needs no lock."""
    found = (queue["on_its_way"][0] for name, queue in facts.copy().items() if name.startswith(PREFIX))
    return min(found, default=NEVER)


def _kept(entry: Due) -> list[Any]:
    return [entry.at, entry.subject, entry.argument, entry.sequence, entry.what]


def _put_back(
    tx: Transaction, at: int, subject: str, argument: str, sequence: int | None = None, what: str = DELIVER
) -> None:
    if sequence is None:  # of an earlier version
        tx.schedule(at, what, subject, argument)
    else:
        tx.put_back(Due(at, sequence, what, subject, argument))
