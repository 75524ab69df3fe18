"""Mistakes that the grammar does not find: stories that cannot be played, dead ends, and conflicts of rules.

A dead end is a path or a key that leads nowhere: such a condition is never true, such an assertion can never fail.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from marshmallow import ValidationError

from mock_server.contract.control_operations import EVERY
from mock_server.contract.operation import PARTS
from mock_server.contract.operations import BY_NAME, CHARGE, OPERATIONS
from mock_server.contract.requests.shapes import Many
from mock_server.dialects import DIALECTS, get
from mock_server.domain.errors import Cause, Refusal
from mock_server.scenario.conditions.on import EVENTS, RECORDS, calls_of, has
from mock_server.scenario.conditions.when import NEVER, OPERATORS, Condition, Operator, opposed, show
from mock_server.scenario.loading.rule_conflicts import UnreachableRules
from mock_server.scenario.model.answers import LEADING_TO_CHARGE
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.block import Way
from mock_server.scenario.schema.rule import operand
from mock_server.scenario.schema.top import SUBJECTS
from mock_server.scenario.story.requests import AGAIN, CALL_OF, REFERENCE, SEEN, STEPS, unknown_card, unused

if TYPE_CHECKING:
    from mock_server.scenario.conditions.fields import Ends

Found = tuple[Way, str]
GIVEN_NAMES: Final = ("publishable_key",)
"""What `$name` can refer to before the first step."""
_PATHS: Final = {**{row.name: row.path for row in OPERATIONS}, **{row.name: row.path for row in STEPS.values()}}
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
        is_call = step.get("do") in BY_NAME
        yield from _references(step, way, named)
        yield from _done(step, way, has_called=has_called)
        yield from (((*way, key), f"{key} {message}") for key, message in unused(step))
        # A card of a scenario that this one extends is checked once that is known.
        if is_call and "extends" not in values and (message := unknown_card(step.get("with_") or {}, own)):
            yield (*way, "with", "card"), message
        yield from _seen_in_step(step, way)
        if {"http", "connection", "error"}.isdisjoint(key.split(".")[0] for key in step.get("see") or ()):
            yield from _refused(step, (*way, "with"))
        if "as_" in step:
            named.append(step["as_"])
            if not (found := REFERENCE.fullmatch(f"${step['as_']}")) or found[2]:
                yield (*way, "as"), f"as is a name of letters, digits and _, without $: {show(step['as_'])}"
        has_called = has_called or is_call


def _done(step: Mapping[str, Any], way: Way, *, has_called: bool) -> Iterator[Found]:
    do = step.get("do")
    if do == AGAIN and not has_called:
        yield (*way, "do"), "again has no API call before it"
    parts, of = PARTS.findall(_PATHS.get(str(do), "")), step.get("of", "")
    if parts and (not of or (parts[1:] and of[0] != "$")):
        yield (*way, "of" if of else "do"), f"{do} needs of for its {' and '.join(parts)}, such as $pay"


def _references(step: Mapping[str, Any], way: Way, named: list[str]) -> Iterator[Found]:
    for below, text in _texts_of_step(step):
        reference = REFERENCE.fullmatch(text)
        if reference is None or reference[1] not in named:
            hint = nearest(text[1:].split(".")[0], named)
            yield (*way, *below), f"{text} is not the name of an earlier step{hint}; give a step a name with as:"


def _refused(step: Mapping[str, Any], way: Way) -> Iterator[Found]:
    """Why a step is always refused that does not expect it: wrong values of one by hand, or the form of the body."""
    do = str(step.get("do"))
    row = EVERY.get(CALL_OF.get(do, do))
    taken = row.takes[0] if row and (do != "clock.advance" or "by" in step) else None
    if row and (row.multipart or isinstance(taken and taken.of(get("interface")), Many)):
        yield (*way[:-1], "do"), f"{do} cannot be a step: it takes a form or a list, and a step sends an object"
    elif taken is not None and do in STEPS:
        usual = {"by": f"{step['by']}ms"} if do == "clock.advance" else STEPS[do].body
        body = {**usual, **(step.get("with_") or {})}
        later = {way[0] for way, _ in _texts(body)}
        try:
            taken.of(get("interface")).load({name: body[name] for name in body.keys() - later}, 0)
        except Refusal as wrong:
            yield from ((way, f"{one.field} {one.message}") for one in wrong.fields if one.field not in later)


def _seen_in_step(step: Mapping[str, Any], way: Way) -> Iterator[Found]:
    for key, expected in (step.get("see") or {}).items():
        here: Way = (*way, "see", key)
        if step.get("do") is None and key not in _LOOKS:
            yield here, f"{key} needs do; a step without do can only have {', '.join(sorted(_LOOKS))}"
        elif key == "http" or (key in RECORDS and ("do" not in step or isinstance(expected, str | float | int))):
            yield from _whole(key, expected, here)
        elif key == "webhooks":
            yield from _events(expected, here)
        elif isinstance(expected, Mapping):
            yield from _tests(expected, here)


def _whole(key: str, expected: Any, here: Way) -> Iterator[Found]:
    least, most, what = (100, 599, "a status from 100 to 599") if key == "http" else (0, inf, "a whole number")
    for value in expected if key == "http" and isinstance(expected, list) and expected else [expected]:
        if str(value)[:1] != "$" and not (type(value) is int and least <= value <= most):
            yield here, f"{key} is {what} and can never be {show(value)}"


def _events(expected: Any, here: Way) -> Iterator[Found]:
    for at, name in enumerate(expected if isinstance(expected, list) else ()):
        if isinstance(name, str) and name not in EVENTS and not name.startswith("$"):
            yield (*here, at), f"{name} is not an event{nearest(name, EVENTS)}"


def _tests(expected: Mapping[str, Any], here: Way) -> Iterator[Found]:
    """A mapping with an operator has only operators, each with a value that it can take."""
    if not expected.keys() & OPERATORS.keys():
        return
    tests: list[Test] = []
    for name, value in expected.items():
        if name not in OPERATORS:
            yield (*here, name), f"{name} is not an operator{nearest(name, OPERATORS)}; allowed: {', '.join(OPERATORS)}"
        elif not any(_texts(value)):
            try:
                tests.append((OPERATORS[name], operand(name, value)))
            except ValidationError as wrong:
                yield from (((*here, name), f"{name} {message}") for message in wrong.messages)
    if opposed(tests):
        yield here, f"{here[-1]} {NEVER}"


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """The mistakes in those values that could be read."""
    for at, taker in UnreachableRules().found(values.get("rules") or ()):
        yield ("rules", at), f"rule {at + 1} can never match: rule {taker + 1} matches all its calls first"
    yield from story_mistakes(values)
    yield from _dead_ends(values)
    names: set[str] = set()
    for number, card in (values.get("cards") or {}).items():
        if (name := card.get("name", "")) in names:
            yield ("cards", number, "name"), f"the name {name} is used by an earlier card"
        names.add(name)


Calls = frozenset[str]
Step = Mapping[str, Any]
Test = tuple[Operator, Any]
_UNKNOWN: Final = frozenset(get(name).errors[Cause.UNKNOWN_FIELD].code for name in DIALECTS)


class Lead(NamedTuple):
    """A path of a file: into a record, or into a body, query or answer of some calls; and the tests of its value."""

    way: Way
    root: str
    steps: tuple[str, ...]
    calls: Calls = frozenset()
    tests: tuple[Test, ...] = ()


def _dead_ends(values: Mapping[str, Any]) -> Iterator[Found]:
    """Every path that leads nowhere, in rules, assertions and the story, and every value that its field cannot have."""
    rules = [rule or {} for rule in values.get("rules") or ()]
    made_up = (rule for rule in rules if any("respond" in (answer or ()) for answer in rule.get("then") or ()))
    written = calls_of(name for rule in made_up for name in rule.get("on", ()))  # their answers can have any fields
    asked = chain(_in_rules(rules), _in_expect(values.get("expect") or (), written))
    own_cards = "cards" in values or "extends" in values
    known = (lead for lead in asked if not (own_cards and (lead.root, *lead.steps)[-2:] == ("card", "name")))
    yield from lost(known, {step["as_"] for step in values.get("story") or () if step and "as_" in step})
    if "extends" not in values:  # otherwise rules of the other scenario may answer
        passes = (values.get("settings") or {}).get("unknown_fields") == "ignore"
        yield from lost(in_story(values.get("story") or (), written, passes=passes))


def lost(leads: Iterable[Lead], named: Container[str] = ()) -> Iterator[Found]:
    """Those that lead nowhere, or whose condition can never be true; `named` steps are for the story alone."""
    from mock_server.scenario.conditions.fields import Wrong, led

    for lead in leads:
        if lead.calls and not any(has(lead.root, name, answered=lead.way[0] == "expect") for name in lead.calls):
            yield lead.way, f"{lead.way[-1]} is never there: what on names has no {lead.root}"
            continue
        charges = LEADING_TO_CHARGE if CHARGE in lead.calls else ()
        ends = led(lead.root, lead.calls.difference((CHARGE,)).union(charges), lead.steps)
        if isinstance(ends, Wrong):
            owner = ".".join((lead.root, *lead.steps[: ends.at]))
            step = lead.steps[ends.at]
            known = (*ends.known, *SEEN) if owner == "answer" else ends.known
            yield lead.way, f"{owner} has no field {step}{nearest(step, known)}"
        else:
            yield from _never_true(lead, ends, named)


def _never_true(lead: Lead, ends: Ends, named: Container[str]) -> Iterator[Found]:
    """The tests of a field that none of its values passes."""
    from mock_server.scenario.conditions.fields import can_hold, words_at

    field = lead.way[-1]
    for operator, value in lead.tests:
        reference = REFERENCE.fullmatch(value) if isinstance(value, str) else None
        if reference and reference[1] in named:
            yield lead.way, f"{field} cannot be {value}: only the steps of a story refer to its answers"
        elif lead.root not in ("body", "query") and not can_hold(ends, operator, value):
            hint = nearest(value, words_at(ends))
            other = int(value) if isinstance(value, str) and value.isdecimal() else show(value)
            if not hint and isinstance(value, str | int | float) and can_hold(ends, operator, other):
                hint = f"; write {show(other)}"
            if isinstance(value, str) and value[4:5] == "-" and value[:4].isdigit():
                hint = "; instants are text, as in answers: 2026-01-31T12:00:00.000Z; or use starts_with"
            how = "" if operator.name == "eq" else f"{operator.name} "
            yield lead.way, f"{field} can never be {how}{show(value)}{hint}"


def _in_rules(rules: Iterable[Step]) -> Iterator[Lead]:
    for at, rule in enumerate(rules):
        for condition in rule.get("when") or ():
            yield from _condition(condition, ("rules", at, "when"), "", calls_of(rule.get("on", ())))


def _in_expect(items: Iterable[Step | None], written: Calls) -> Iterator[Lead]:
    for at, item in enumerate(items):
        subject = next((key for key in SUBJECTS if item and item.get(key)), None)
        if item is None or subject is None:
            continue
        root = RECORDS.get(subject, subject).removesuffix("_id")
        where, calls = item[subject].get("where") or (), calls_of(item[subject].get("on", ("*",)))
        if subject == "webhooks":
            told = (e for e in EVENTS if all(one.failure(e) is None for one in where if one.path.text == "type"))
            calls = frozenset(told) or frozenset(EVENTS)
        for condition in where:
            if condition.path.text != "code" or not written:
                yield from _condition(condition, ("expect", at, subject), root, calls)
        if subject in RECORDS and "unique_by" in item:
            yield Lead(("expect", at, "unique_by"), root, tuple(item["unique_by"].split(".")))


def _condition(condition: Condition, way: Way, root: str, calls: Calls) -> Iterator[Lead]:
    path, tests = condition.path, tuple(_tests_of(condition.operator.name, condition.expected))
    yield Lead((*way, path.text), path.root.name or root, path.steps, calls, tests)


def _tests_of(name: str, expected: Any) -> tuple[Test, ...]:
    """An operator with each of its values, where some value of the field must pass it."""
    values = expected if isinstance(expected, list | tuple) and expected else (expected,)
    operator = OPERATORS["eq" if name in ("eq", "ne", "in", "not_in") else name]
    return tuple((operator, value) for value in values if name != "exists")


def in_story(steps: Iterable[Step | None], written: Calls, *, passes: bool) -> Iterator[Lead]:
    """Its paths into bodies and answers, except those that rules write; with `passes`, none into bodies."""
    named: dict[str, Calls] = {}
    last: Calls = frozenset()
    for at, step in enumerate(steps):
        if step is None:
            continue
        do = str(step.get("do"))
        calls = last if do == AGAIN else frozenset((CALL_OF.get(do, do),))
        last = calls if do in BY_NAME else last
        yield from _leads_of_references(step, ("story", at), named)
        yield from () if passes or do == AGAIN or do not in BY_NAME else _sent(step, ("story", at, "with"), calls)
        if do != "None" and not calls & written:
            yield from _leads_seen(step.get("see") or {}, ("story", at, "see"), calls)
            named |= {step["as_"]: calls} if step.get("as_") else {}


def _leads_of_references(step: Step, way: Way, named: Mapping[str, Calls]) -> Iterator[Lead]:
    for below, text in _texts_of_step(step):
        reference = REFERENCE.fullmatch(text)
        if reference and reference[2] and reference[1] in named:
            yield Lead((*way, *below), "answer", tuple(reference[2][1:].split(".")), named[reference[1]])


def _leads_seen(see: Step, way: Way, calls: Calls) -> Iterator[Lead]:
    for key in see.keys() - SEEN:
        yield Lead((*way, key), "answer", tuple(key.split(".")), calls, tuple(_seen_tests(see[key])))


def _sent(step: Step, way: Way, calls: Calls) -> Iterator[Lead]:
    """The keys of a body, unless the step expects that they are refused."""
    if not any(code in str((step.get("see") or {}).get("error.code")) for code in _UNKNOWN):
        row = BY_NAME.get(min(calls))
        root = "query" if row and (row.method == "GET" or not row.body) else "body"
        inside = (inner for inner in ways(step.get("with_") or {}) if inner[0] != "card")
        yield from (Lead((*way, *inner), root, tuple(map(str, inner)), calls) for inner in inside)


def _seen_tests(seen: Any) -> Iterator[Test]:
    """The tests of what a step sees, without references and mistakes."""
    is_test = isinstance(seen, Mapping) and seen.keys() & OPERATORS.keys()
    for name, value in seen.items() if is_test else (("eq", seen),):
        if name in OPERATORS and value is not None and not any(_texts(value)):
            with suppress(ValidationError):
                yield from _tests_of(name, operand(name, value) if is_test else value)


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    """The parts of a mapping or a list, by key or position."""
    return value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()


def ways(value: Any) -> Iterator[Way]:
    """The way to every key in a value."""
    for key, inner in _parts(value):
        yield (key,)
        yield from ((key, *below) for below in ways(inner))


def _texts(value: Any) -> Iterator[tuple[Way, str]]:
    """Every text that begins with one `$`, with its place."""
    if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
        yield (), value
    for key, inner in _parts(value):
        yield from (((key, *below), text) for below, text in _texts(inner))


def _texts_of_step(step: Step) -> Iterator[tuple[Way, str]]:
    return _texts({key.strip("_"): step.get(key) for key in ("of", "with_", "key", "headers", "see")})
