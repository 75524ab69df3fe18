"""Mistakes that the grammar does not find: rules that never match, stories that cannot be played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, islice
from typing import Any, Final

from marshmallow import ValidationError
from msgspec import Struct

from mock_server.contract.operations import CHARGE, OPERATIONS
from mock_server.domain.card_brands import luhn
from mock_server.scenario.conditions.on import EVENTS, covered
from mock_server.scenario.conditions.when import OPERATORS, Condition, Pattern, show
from mock_server.scenario.loading import nowhere
from mock_server.scenario.loading.nowhere import texts
from mock_server.scenario.model.answers import LEADING_TO_CHARGE
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.answers import ISSUER_KEYS, LINE_KEYS, WEBHOOK_KEYS
from mock_server.scenario.schema.block import Way
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.rule import operand
from mock_server.scenario.story.requests import AGAIN, COUNTED, PARTS, REFERENCE, SEEN, card_number

Found = tuple[Way, str]
GIVEN_NAMES: Final = ("publishable_key",)
"""What `$name` can refer to before the first step."""
_PATHS: Final = {row.name: row.path for row in OPERATIONS}
_LOOKS: Final = frozenset(SEEN) - {"http", "connection", "replayed"}


def story_mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """Everything that keeps a story from being played, whatever the answers are."""
    own = {card["name"]: number for number, card in (values.get("cards") or {}).items() if card and "name" in card}
    named = list(GIVEN_NAMES)
    has_called = False
    for at, step in enumerate(values.get("story") or ()):
        if step is None:
            continue
        way: Way = ("story", at)
        is_call = step.get("do") in _PATHS
        yield from _references(step, way, named)
        yield from _done(step, way, has_called=has_called)
        # A card of a scenario that this one extends is checked once that is known.
        message = unknown_card(step.get("with_") or {}, own) if is_call and "extends" not in values else None
        if message:
            yield (*way, "with", "card"), message
        yield from _seen_in_step(step, way)
        if "as_" in step:
            named.append(step["as_"])
        has_called = has_called or is_call


def unknown_card(with_: Mapping[str, Any], own: Mapping[str, str]) -> str | None:
    """What is wrong with the card in a step's body; `own` are the scenario's cards, as numbers by name."""
    name = with_.get("card")
    if name is None or (isinstance(name, str) and name.startswith("$")):
        return None
    try:
        card_number(str(name), own)
    except ValueError as wrong:
        return str(wrong)
    return None


def _done(step: Mapping[str, Any], way: Way, *, has_called: bool) -> Iterator[Found]:
    do = step.get("do")
    if do == AGAIN and not has_called:
        yield (*way, "do"), "again has no API call before it"
    part = PARTS.search(_PATHS.get(str(do), ""))
    if part and "of" not in step:
        yield (*way, "do"), f"{do} needs of for its {part[1]}, such as $pay"


def _references(step: Mapping[str, Any], way: Way, named: list[str]) -> Iterator[Found]:
    for key in ("of", "with_", "headers", "see"):
        for below, text in texts(step.get(key)):
            found = REFERENCE.fullmatch(text)
            if found is None or found[1] not in named:
                hint = nearest(text[1:].split(".")[0], named)
                yield (
                    (*way, key.strip("_"), *below),
                    f"{text} is not the name of an earlier step{hint}; give a step a name with as:",
                )


def _seen_in_step(step: Mapping[str, Any], way: Way) -> Iterator[Found]:
    for key, expected in (step.get("see") or {}).items():
        here: Way = (*way, "see", key)
        if step.get("do") is None and key not in _LOOKS:
            yield here, f"{key} needs do; a step without do can only have {', '.join(sorted(_LOOKS))}"
        elif key == "http" or (key in COUNTED and isinstance(expected, str)):
            yield from _whole(key, expected, here)
        elif key == "webhooks":
            yield from _events(expected, here)
        elif isinstance(expected, Mapping):
            yield from _tests(expected, here)


def _whole(key: str, expected: Any, here: Way) -> Iterator[Found]:
    for one in expected if isinstance(expected, list) else [expected]:
        if isinstance(one, bool) or not isinstance(one, int | str) or (isinstance(one, str) and one[:1] != "$"):
            yield here, f"{key} is a whole number and can never be {show(one)}"


def _events(expected: Any, here: Way) -> Iterator[Found]:
    for at, name in enumerate(expected if isinstance(expected, list) else ()):
        if isinstance(name, str) and name not in EVENTS and not name.startswith("$"):
            yield (*here, at), f"{name} is not an event{nearest(name, EVENTS)}"


def _tests(expected: Mapping[str, Any], here: Way) -> Iterator[Found]:
    """A mapping with an operator has only operators, each with a value that it can take."""
    if not expected.keys() & OPERATORS.keys():
        return
    for name, value in expected.items():
        if name not in OPERATORS:
            yield (*here, name), f"{name} is not an operator{nearest(name, OPERATORS)}; allowed: {', '.join(OPERATORS)}"
            continue
        if any(texts(value)):
            continue
        try:
            operand(name, value)
        except ValidationError as wrong:
            yield from (((*here, name), f"{name} {message}") for message in wrong.messages)


KEYS: Final = {"issuer": ISSUER_KEYS, "line": LINE_KEYS, "webhook": WEBHOOK_KEYS}
LIMITS: Final = ("skip", "times", "every", "probability", "during")
MOST_ASKED: Final = 8
"""Conditions of a rule of which all subsets are looked up; of more, only the smallest and the largest (ours)."""
MOST_COMPARED: Final = 500
"""Rules with which one is compared (ours), so that no file takes long."""

Asked = tuple[str, str, str]
"""A condition as path, operator and value."""


class _Seen(Struct, frozen=True):
    """The parts of a rule that are compared."""

    number: int
    channels: frozenset[str]
    on: tuple[str, ...]
    asks: frozenset[Asked]
    takes_all: bool


class UnreachableRules:
    """Finds rules that never match; `compared` counts the comparisons of two rules."""

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
                if rule.takes_all and taker is None:  # a rule that never matches takes no calls that its taker does not
                    self._by[channel, rule.asks].append(rule)

    def _taker(self, rule: _Seen, channel: str) -> int | None:
        """The first rule that takes every call of this one in a channel."""
        asks, heard = rule.asks, _listens_to(rule.on, channel)
        sizes = range(len(asks) + 1) if len(asks) <= MOST_ASKED else (0, 1, len(asks))
        subsets = (frozenset(some) for size in sizes for some in combinations(asks, size))
        others = chain.from_iterable(self._by.get((channel, some), ()) for some in subsets)
        compared = list(islice(others, MOST_COMPARED))
        self.compared += len(compared)
        return min((other.number for other in compared if heard <= _listens_to(other.on, channel)), default=None)


def _seen(number: int, rule: Mapping[str, Any]) -> _Seen:
    answers = [answer for answer in rule["then"] if answer]
    said = {key for answer in answers for key in answer}
    channels = frozenset(name for name, keys in KEYS.items() if not said.isdisjoint(keys))
    takes_all = not any(rule.get(limit) for limit in LIMITS) and rule.get("repeat") != "stop"
    asks = frozenset(map(_asked, rule.get("when", ())))
    return _Seen(number, channels, tuple(name for name in rule["on"] if name), asks, takes_all)


def _asked(condition: Condition) -> Asked:
    expected = condition.expected
    text = expected.text if isinstance(expected, Pattern) else repr(expected)
    return condition.path.text, condition.operator.name, text


@lru_cache(maxsize=1024)
def _listens_to(on: tuple[str, ...], channel: str) -> frozenset[str]:
    """The names that a rule covers in a channel; a rule for the charge covers every call that leads to one."""
    found = frozenset[str]().union(*map(covered, on))
    return found | LEADING_TO_CHARGE if channel == "issuer" and CHARGE in found else found


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """The mistakes in those values that could be read."""
    for at, taker in UnreachableRules().found(values.get("rules") or ()):
        yield ("rules", at), f"rule {at + 1} can never match: rule {taker + 1} matches all its calls first"
    yield from story_mistakes(values)
    yield from nowhere.mistakes(values)
    names: set[str] = set()
    for number, card in (values.get("cards") or {}).items():
        if (name := card.get("name", "")) in names:
            yield ("cards", number, "name"), f"the name {name} is used by an earlier card"
        names.add(name)


def warnings(values: Mapping[str, Any]) -> Iterator[Found]:
    """What is allowed but surely not intended."""
    for number in values.get("cards") or {}:
        if not luhn(number):
            problem = f"the card number {number} has a wrong check digit (Luhn), so payments would refuse it"
            yield ("cards", number), problem
