"""Rules beside each other: those that never match, because others take their calls, and those that wait in a circle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, count, islice
from typing import Any, Final

from msgspec import Struct

from mock_server.contract.operations import CHARGE
from mock_server.scenario.conditions.on import calls_of, covered
from mock_server.scenario.conditions.when import Condition, implies
from mock_server.scenario.model.answers import ISSUER_KEYS, LEADING_TO_CHARGE
from mock_server.scenario.schema.answers import LINE_KEYS, WEBHOOK_KEYS
from mock_server.scenario.schema.block import Way
from mock_server.scenario.schema.long_work import in_turns

KEYS: Final = {"issuer": ISSUER_KEYS, "line": LINE_KEYS, "webhook": WEBHOOK_KEYS}
IDLE: Final = {"skip": 0, "times": None, "every": 1, "probability": 1, "during": None}
"""The values with which a limit leaves out no call."""
MOST_ASKED: Final = 8
"""Conditions of a rule of which all subsets are looked up; of more, only the smallest and the largest (ours)."""
MOST_COMPARED: Final = 500
"""Rules with which one is compared (ours), so that no file takes long."""
MOST_BROAD: Final = 20  # rules of which later ones are compared with all that are not of single values

Asked = tuple[str, str, str]
"""A condition as path, operator and value."""


class _Seen(Struct, frozen=True):
    """The parts of a rule that are compared."""

    number: int
    channels: frozenset[str]
    on: tuple[str, ...]
    asks: frozenset[Asked]
    when: tuple[Condition, ...]
    takes_all: bool


class UnreachableRules:
    """Finds rules that never match; `compared` counts the comparisons of two rules."""

    def __init__(self) -> None:
        self.compared = 0
        self._by: defaultdict[tuple[str, frozenset[Asked]], list[_Seen]] = defaultdict(list)
        self._broad: defaultdict[str, list[_Seen]] = defaultdict(list)

    def found(self, rules: Sequence[Mapping[str, Any] | None]) -> Iterator[tuple[int, int]]:
        """Each rule that can never match, with the rule that takes its calls first; both count from 0."""
        seen = [compared(at, rule) for at, rule in enumerate(rules) if rule is not None and {"on", "then"} <= set(rule)]
        for rule in in_turns(seen):
            takers = [(channel, self._taker(rule, channel)) for channel in KEYS if channel in rule.channels]
            numbers = [taker for _, taker in takers if taker is not None]
            if takers and len(numbers) == len(takers):
                yield rule.number, numbers[0]
            for channel, taker in takers:
                if rule.takes_all and taker is None:  # a rule that never matches takes no calls that its taker does not
                    self._by[channel, rule.asks].append(rule)
                    self._broad[channel] += [rule] if any(one.operator.name != "eq" for one in rule.when) else []

    def _taker(self, rule: _Seen, channel: str) -> int | None:
        """The first rule that takes every call of this one in a channel."""
        asks, heard = rule.asks, _listens_to(rule.on, channel)
        sizes = range(len(asks) + 1) if len(asks) <= MOST_ASKED else (0, 1, len(asks))
        subsets = (frozenset(some) for size in sizes for some in combinations(asks, size))
        same = chain.from_iterable(self._by.get((channel, some), ()) for some in subsets)
        known = self._broad[channel][:MOST_BROAD]
        broad = (other for other in known if all(any(implies(one, its) for one in rule.when) for its in other.when))
        compared = list(islice(chain(broad, same), MOST_COMPARED))
        self.compared += len(compared)
        return min((other.number for other in compared if heard <= _listens_to(other.on, channel)), default=None)


def compared(number: int, rule: Mapping[str, Any]) -> _Seen:
    """What is compared of a rule."""
    said = {key for answer in rule["then"] if answer for key in answer}
    channels = frozenset(name for name, keys in KEYS.items() if not said.isdisjoint(keys))
    has_no_end = rule.get("repeat") != "stop" and all(rule.get(name, idle) == idle for name, idle in IDLE.items())
    on, when = tuple(name for name in rule["on"] if name), rule.get("when", ())
    asks = frozenset((one.path.text, one.operator.name, repr(one.expected)) for one in when)
    return _Seen(number, channels, on, asks, when, has_no_end)


@lru_cache(maxsize=1024)
def _listens_to(on: tuple[str, ...], channel: str) -> frozenset[str]:
    """The names that a rule covers in a channel; a rule for the charge covers every call that leads to one."""
    found = frozenset[str]().union(*map(covered, on))
    return found.union(LEADING_TO_CHARGE) if channel == "issuer" and CHARGE in found else found


def circles(rules: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Way, str]]:
    """The rules by which events wait for each other, if all have the same conditions, or none."""
    seen = [one for one in map(compared, count(), rules) if one.takes_all and "repeat" not in rules[one.number]]
    after = [f"webhook.{rule['then'][-1].get('deliver', {}).get('following')}" for rule in rules]
    for asks in [*dict.fromkeys([frozenset(), *(one.asks for one in seen)])][:MOST_BROAD]:
        sure = [one for one in reversed(seen) if one.asks <= asks]
        waits = {call: one.number for one in sure for call in calls_of(one.on)}  # the first decides
        for start in sorted(waits):
            way = [start]
            while way[-1] in waits and (first := after[waits[way[-1]]]) not in way:
                way.append(first)
            if way[-1] in waits and first == start == min(way) != way[-1]:
                when = " if the conditions hold" if any("when" in rules[waits[one]] for one in way) else ""
                told = f"never sent{when}: {' waits for '.join((*way, start))}"
                yield ("rules", max(waits[one] for one in way)), told
