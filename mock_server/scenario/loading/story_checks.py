"""What is sound step by step and still cannot be played: names that no earlier step has, cards that there are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from marshmallow import ValidationError

from mock_server.contract.operations import OPERATIONS
from mock_server.scenario.conditions.known_names import events
from mock_server.scenario.conditions.when import OPERATORS, show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.nodes import Way
from mock_server.scenario.schema.when import operand
from mock_server.scenario.story.requests import PARTS, REFERENCE, card_number
from mock_server.scenario.story.steps import AGAIN, COUNTED, SEEN

Found = tuple[Way, str]
GIVEN_NAMES: Final = ("publishable_key",)
"""What `$name` can mean before the first step."""
_PATHS: Final = {row.name: row.path for row in OPERATIONS}
_LOOKS: Final = frozenset(SEEN) - {"http", "connection", "replayed"}


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """Everything in a story that a player would stumble over, whatever it is answered."""
    own = {card["name"]: number for number, card in (values.get("cards") or {}).items() if card and "name" in card}
    named = list(GIVEN_NAMES)
    has_called = False
    for at, step in enumerate(values.get("story") or ()):
        if step is None:
            continue
        way: Way = ("story", at)
        yield from _references(step, way, named)
        yield from _done(step, way, has_called=has_called)
        if "extends" not in values:  # else the card may be there; that is looked at once it is followed
            yield from _card(step, way, own)
        yield from _seen(step, way)
        if "as_" in step:
            named.append(step["as_"])
        has_called = has_called or step.get("do") in _PATHS


def unknown_card(with_: Mapping[str, Any], own: Mapping[str, str]) -> str | None:
    """What is wrong with the card of a step, whose scenario has these of its own by name."""
    name = with_.get("card")
    if name is None or (isinstance(name, str) and name.startswith("$")):
        return None
    try:
        card_number(str(name), own)
    except ValueError as wrong:
        return str(wrong)
    return None


def _card(step: Mapping[str, Any], way: Way, own: Mapping[str, str]) -> Iterator[Found]:
    message = unknown_card(step.get("with_") or {}, own) if step.get("do") in _PATHS else None
    if message:
        yield (*way, "with", "card"), message


def _done(step: Mapping[str, Any], way: Way, *, has_called: bool) -> Iterator[Found]:
    do = step.get("do")
    if do == AGAIN and not has_called:
        yield (*way, "do"), "again has no call of the API before it"
    part = PARTS.search(_PATHS.get(str(do), ""))
    if part and "of" not in step:
        yield (*way, "do"), f"{do} needs of, for its {part[1]}, such as $pay"


def _references(step: Mapping[str, Any], way: Way, named: list[str]) -> Iterator[Found]:
    for key in ("of", "with_", "headers", "see"):
        for below, text in _texts(step.get(key)):
            found = REFERENCE.fullmatch(text)
            if found is None or found[1] not in named:
                hint = nearest(text[1:].split(".")[0], named)
                yield (*way, key.strip("_"), *below), f"{text} names no earlier step{hint}; as: gives one a name"


def _texts(value: Any) -> Iterator[tuple[Way, str]]:
    """Every text that begins with one `$`, and where it stands."""
    if isinstance(value, str):
        if value.startswith("$") and not value.startswith("$$"):
            yield (), value
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in pairs:
        for below, text in _texts(inner):
            yield (step, *below), text


def _seen(step: Mapping[str, Any], way: Way) -> Iterator[Found]:
    for key, expected in (step.get("see") or {}).items():
        here: Way = (*way, "see", key)
        if step.get("do") is None and key not in _LOOKS:
            yield here, f"{key} cannot be seen without do; a look alone sees {', '.join(sorted(_LOOKS))}"
        elif key == "http" or (key in COUNTED and isinstance(expected, str)):
            yield from _whole(key, expected, here)
        elif key == "webhooks":
            yield from _events(expected, here)
        elif isinstance(expected, Mapping):
            yield from _tests(expected, here)


def _whole(key: str, expected: Any, here: Way) -> Iterator[Found]:
    for one in expected if isinstance(expected, list) else [expected]:
        if isinstance(one, bool) or not isinstance(one, int | str) or (isinstance(one, str) and one[:1] != "$"):
            yield here, f"{key} is a whole number, and can never be {show(one)}"


def _events(expected: Any, here: Way) -> Iterator[Found]:
    for at, name in enumerate(expected if isinstance(expected, list) else ()):
        if isinstance(name, str) and name not in events() and not name.startswith("$"):
            yield (*here, at), f"{name} is no event{nearest(name, events())}"


def _tests(expected: Mapping[str, Any], here: Way) -> Iterator[Found]:
    """A mapping with an operator in it holds operators alone, each with what it can be held against."""
    if not expected.keys() & OPERATORS.keys():
        return
    for name, value in expected.items():
        if name not in OPERATORS:
            yield (*here, name), f"{name} is no operator{nearest(name, OPERATORS)}; allowed: {', '.join(OPERATORS)}"
            continue
        if any(_texts(value)):
            continue
        try:
            operand(name, value)
        except ValidationError as wrong:
            yield from (((*here, name), f"{name} {message}") for message in wrong.messages)
