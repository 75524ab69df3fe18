"""Rules that can never match, because an earlier rule takes every call of theirs.

Such an earlier rule asks for some of the same conditions and for no other. So it is looked up by these, and a file of
thousands of rules is looked through in a time that grows with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice
from typing import Any, Final

from msgspec import Struct

from mock_server.contract.operations import CHARGE
from mock_server.scenario.conditions.known_names import covered
from mock_server.scenario.conditions.patterns import Pattern
from mock_server.scenario.conditions.when import Condition
from mock_server.scenario.model.allowed_outcomes import ALLOWED
from mock_server.scenario.schema.answers import ISSUER_KEYS, LINE_KEYS, WEBHOOK_KEYS
from mock_server.scenario.schema.long_work import in_turns

KEYS: Final = {"issuer": ISSUER_KEYS, "line": LINE_KEYS, "webhook": WEBHOOK_KEYS}
LEADING_TO_CHARGE: Final = frozenset(name for row in ALLOWED if row.needs_charge for name in row.names)
LIMITS: Final = ("skip", "times", "every", "probability", "during")
MOST_ASKED: Final = 8
"""Conditions of a rule of which all subsets are looked up; of more, only the smallest and the largest (ours)."""
MOST_COMPARED: Final = 500
"""Rules that one is held against (ours): a file made to be slow is not looked through to its end."""

Asked = tuple[str, str, str]
"""A condition as it can be looked up: path, operator, value."""


class _Seen(Struct, frozen=True):
    """A rule, as far as it matters here."""

    number: int
    channels: frozenset[str]
    on: tuple[str, ...]
    asks: frozenset[Asked]
    takes_all: bool


class UnreachableRules:
    """Finds takers; `compared` counts how often two rules were held against each other."""

    def __init__(self) -> None:
        self.compared = 0
        self._by: defaultdict[tuple[str, frozenset[Asked]], list[_Seen]] = defaultdict(list)

    def found(self, rules: Sequence[Mapping[str, Any] | None]) -> Iterator[tuple[int, int]]:
        """Each rule that can never match, with the rule that takes its calls first; both count from 0."""
        seen = [_seen(at, rule) for at, rule in enumerate(rules) if rule is not None and {"on", "then"} <= set(rule)]
        for rule in in_turns(seen):
            takers = [(channel, self._taker(rule, channel)) for channel in KEYS if channel in rule.channels]
            numbers = [taker for _, taker in takers if taker is not None]
            if takers and len(numbers) == len(takers):
                yield rule.number, numbers[0]
            for channel, taker in takers:
                if rule.takes_all and taker is None:  # what is taken itself takes nothing that its taker does not take
                    self._by[channel, rule.asks].append(rule)

    def _taker(self, rule: _Seen, channel: str) -> int | None:
        """The first rule that takes every call of this one in a channel."""
        others = chain.from_iterable(self._by.get((channel, some), ()) for some in _subsets(rule.asks))
        heard = _listens_to(rule.on, channel)
        taking = [other.number for other in islice(others, MOST_COMPARED) if self._hears(other, channel, heard)]
        return min(taking, default=None)

    def _hears(self, other: _Seen, channel: str, heard: frozenset[str]) -> bool:
        self.compared += 1
        return heard <= _listens_to(other.on, channel)


def _subsets(asks: frozenset[Asked]) -> Iterator[frozenset[Asked]]:
    sizes = range(len(asks) + 1) if len(asks) <= MOST_ASKED else (0, 1, len(asks))
    return (frozenset(some) for size in sizes for some in combinations(asks, size))


def _seen(number: int, rule: Mapping[str, Any]) -> _Seen:
    answers = [answer for answer in rule["then"] if answer]
    channels = frozenset(
        name for name, keys in KEYS.items() if any(key in answer for answer in answers for key in keys)
    )
    takes_all = not any(rule.get(limit) for limit in LIMITS) and rule.get("repeat") != "stop"
    asks = frozenset(map(_asked, rule.get("when", ())))
    return _Seen(number, channels, tuple(name for name in rule["on"] if name), asks, takes_all)


def _asked(condition: Condition) -> Asked:
    expected = condition.expected
    text = expected.text if isinstance(expected, Pattern) else repr(expected)
    return condition.path.text, condition.operator.name, text


@lru_cache(maxsize=1024)
def _listens_to(on: tuple[str, ...], channel: str) -> frozenset[str]:
    """The names a rule reaches in a channel; whoever listens to the charge hears every call that leads there."""
    found = frozenset[str]().union(*map(covered, on))
    return found | LEADING_TO_CHARGE if channel == "issuer" and CHARGE in found else found
