"""What a rule's `on` listens to."""

from __future__ import annotations

from msgspec import Struct


class On(Struct, frozen=True):
    """What a rule listens to: exact names, and patterns whose `*` stands for anything."""

    names: frozenset[str]
    patterns: tuple[str, ...] = ()

    def covers(self, name: str) -> bool:
        """Whether a name is listened to; `*` and `payments.*` do not reach `webhook.…` or `charge`."""
        return name in self.names or any(matches(pattern, name) for pattern in self.patterns)

    def __str__(self) -> str:
        return ", ".join((*sorted(self.names), *self.patterns))


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern covers a name; webhooks and pages are only reached by patterns that begin with their word."""
    if "." not in name:
        return False
    family = name.split(".", 1)[0]
    if family in ("webhook", "page") and not pattern.startswith(family + "."):
        return False
    return _fits(pattern.split("*"), name)


def _fits(parts: list[str], name: str) -> bool:
    first, *rest = parts
    if not rest:
        return name == first
    *middle, last = rest
    if not name.startswith(first) or len(name) < len(first) + len(last):
        return False
    at = len(first)
    end = len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return name.endswith(last) and at <= end
