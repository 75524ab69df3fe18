"""What `on` can name: operations, charges, pages and events, and patterns of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from msgspec import Struct

from mock_server.contract.control_operations import EVERY
from mock_server.contract.operations import BY_NAME, CHARGE, NAMES
from mock_server.domain.events import EventType
from mock_server.domain.methods import NEXT_ACTIONS


class On(Struct, frozen=True):
    """What a rule applies to: exact names, and patterns in which `*` is any text."""

    names: frozenset[str]
    patterns: tuple[str, ...] = ()

    def covers(self, name: str) -> bool:
        return name in self.names or any(matches(pattern, name) for pattern in self.patterns)

    def __str__(self) -> str:
        return ", ".join((*sorted(self.names), *self.patterns))


@lru_cache(maxsize=256)
def on_of(words: tuple[str, ...]) -> On:
    """The names and patterns of a rule's `on`."""
    return On(frozenset(w for w in words if "*" not in w), tuple(w for w in words if "*" in w))


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern covers a name. `*` and `payments.*` cover no `charge`, webhook, page or checkout script."""
    family, dot, _ = name.partition(".")
    if not dot or (family in ("webhook", "page", "checkout") and not pattern.startswith(family + ".")):
        return False
    return _PATTERN.fullmatch(pattern) is not None and fnmatchcase(name, pattern)


_PATTERN: Final = re.compile(r"[\w.*]{1,200}", re.ASCII)
"""What a pattern can consist of; no name has anything else."""


EVENTS: Final = tuple(event.value for event in EventType)
"""What can follow `webhook.`."""
_VISITS: Final = ("checkout.script", "checkout.frame", *(f"page.{flow}" for flow in ("challenge", *NEXT_ACTIONS)))
LISTENED: Final = frozenset((CHARGE, *NAMES, *_VISITS, *(f"webhook.{event}" for event in EVENTS)))
"""Everything that `on` can name; pages and the checkout script are ours."""


RECORDED: Final = frozenset((*EVERY, *(name for name in LISTENED if name.startswith(("page.", "checkout.")))))
"""The names that calls have in a journal."""


def recorded(pattern: str) -> frozenset[str]:
    """The names of a journal's calls that a name or a pattern covers."""
    is_pattern = _PATTERN.fullmatch(pattern) is not None
    return frozenset(name for name in RECORDED if is_pattern and fnmatchcase(name, pattern))


def covered(on: str) -> frozenset[str]:
    """The names that one name or pattern of `on` covers."""
    return _covered(on) if _PATTERN.fullmatch(on) else frozenset()


@lru_cache(maxsize=1024)
def _covered(on: str) -> frozenset[str]:
    return frozenset((on,)) & LISTENED if "*" not in on else frozenset(name for name in LISTENED if matches(on, name))


def calls_of(on: Iterable[str | None]) -> frozenset[str]:
    """The calls that names and patterns of `on` cover."""
    return frozenset(name for pattern in on if pattern for name in covered(pattern))


RECORDS: Final = {f"{name}s": f"{name}_id" for name in ("payment", "refund", "dispute", "customer")}
"""The records that stories count and assertions are about, each with the name of its id."""
IDS: Final = {
    **{name: (f"{name}_id",) for name in ("refund", "dispute", "customer")},
    **dict.fromkeys(("payment", "card"), ("payment_id", "refund_id", "dispute_id")),
}
"""The ids by which a call names the records of a root."""


def has(root: str, name: str, *, answered: bool) -> bool:
    """Whether what `on` names can have such a root; ids in a call's path, body and, `answered`, answer name records."""
    from mock_server.scenario.conditions.fields import Wrong, led  # with the first condition

    kind, _, event = name.partition(".")
    if kind == "webhook":
        return root in ("event", "attempt", "payment", "card", EventType(event).about.removesuffix("s"))
    if root not in IDS or name not in BY_NAME:
        return root != "event" and (name != CHARGE or root not in ("refund", "dispute", "customer"))
    parts, calls = ("body", "answer")[: 1 + answered], frozenset((name,))
    ends = ((id_, led(part, calls, (id_,))) for id_ in IDS[root] for part in parts)
    return any(f"<{id_}>" in BY_NAME[name].path or not isinstance(end, Wrong) for id_, end in ends)
