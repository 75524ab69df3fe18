"""Paths and keys that lead nowhere: such a condition is never true, and such an assertion can never fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mock_server.contract.control_operations import CONTROL_OPERATIONS, PREFIX
from mock_server.contract.operations import BY_NAME, CHARGE
from mock_server.dialects import DIALECTS, get
from mock_server.domain.causes import Cause
from mock_server.scenario.conditions.on import covered
from mock_server.scenario.conditions.when import OPERATORS, Condition, show
from mock_server.scenario.model.answers import LEADING_TO_CHARGE
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.block import Way
from mock_server.scenario.story.requests import AGAIN, PARTS, REFERENCE, SEEN, STEPS

Found = tuple[Way, str]
Calls = frozenset[str]
Step = Mapping[str, Any]
RECORDS: Final = {"payments": "payment", "refunds": "refund", "disputes": "dispute", "customers": "customer"}
EXACT: Final = ("eq", "ne", "in", "not_in", "gt", "gte", "lt", "lte")
"""Operators whose value is one that the field can have."""
WRITTEN: Final = ("respond", "error")
"""Answers that a scenario makes up: they can have any fields, and the call's body is not read."""
_CONTROL: Final = {PARTS.sub("<id>", row.path): row.name for row in CONTROL_OPERATIONS if row.method == "POST"}
_CALL_OF: Final = {name: _CONTROL[PREFIX + step.path] for name, step in STEPS.items()}
_UNKNOWN: Final = frozenset(get(name).errors[Cause.UNKNOWN_FIELD].code for name in DIALECTS)


class Lead(NamedTuple):
    """A path of a file: into a record, or into a body, query or answer of some calls; and the expected values."""

    way: Way
    place: str
    steps: tuple[str, ...]
    calls: Calls = frozenset()
    expected: tuple[object, ...] = ()


def mistakes(values: Mapping[str, Any]) -> Iterator[Found]:
    """Every path that leads nowhere, in rules, assertions and the story, and every value that its field cannot have."""
    rules = [rule or {} for rule in values.get("rules") or ()]
    answers = ((rule, answer) for rule in rules for answer in rule.get("then") or () if answer)
    written = calls_of(
        name for rule, answer in answers if any(key in answer for key in WRITTEN) for name in rule.get("on", ())
    )
    yield from lost(_in_rules(rules))
    yield from lost(_in_expect(values.get("expect") or (), written))
    if "extends" not in values:  # otherwise rules of the other scenario may answer
        passes = (values.get("settings") or {}).get("unknown_fields") == "ignore"
        yield from lost(in_story(values.get("story") or (), written, passes=passes))


def lost(leads: Iterable[Lead]) -> Iterator[Found]:
    """Those that lead nowhere, or whose condition can never be true."""
    from mock_server.scenario.conditions.fields import Wrong, can_be, led, words_at

    for lead in leads:
        ends = led(lead.place, lead.calls, lead.steps)
        if isinstance(ends, Wrong):
            owner = ".".join((lead.place, *lead.steps[: ends.at]))
            step = lead.steps[ends.at]
            known = (*ends.known, *SEEN) if owner == "answer" else ends.known
            yield lead.way, f"{owner} has no field {step}{nearest(step, known)}"
        else:
            never = (one for one in lead.expected if not can_be(ends, one))
            for one in never:
                hint = nearest(one, words_at(ends)) if isinstance(one, str) else ""
                yield lead.way, f"{lead.way[-1]} can never be {show(one)}{hint}"


def calls_of(on: Iterable[str | None]) -> Calls:
    """The calls that names and patterns of `on` cover; for the charge, those that lead to one."""
    found = frozenset(name for one in on if one for name in covered(one))
    return found - {CHARGE} | LEADING_TO_CHARGE if CHARGE in found else found


def _in_rules(rules: Iterable[Step]) -> Iterator[Lead]:
    for at, rule in enumerate(rules):
        for condition in rule.get("when") or ():
            yield from _condition(condition, ("rules", at, "when"), "", calls_of(rule.get("on", ())))


def _in_expect(items: Iterable[Step | None], written: Calls) -> Iterator[Lead]:
    for at, item in enumerate(items):
        subject = next((key for key in ("calls", "webhooks", *RECORDS) if item and item.get(key)), None)
        if item is None or subject is None:
            continue
        place = RECORDS.get(subject, subject)
        for condition in item[subject].get("where") or ():
            if condition.path.text != "code" or not written:
                calls = calls_of(item[subject].get("on", ("*",)))
                yield from _condition(condition, ("expect", at, subject), place, calls)
        if subject in RECORDS and "unique_by" in item:
            yield Lead(("expect", at, "unique_by"), place, tuple(item["unique_by"].split(".")))


def _condition(condition: Condition, way: Way, place: str, calls: Calls) -> Iterator[Lead]:
    path = condition.path
    if path.root.deep and path.root.name != "header":
        is_exact = condition.operator.name in EXACT and not path.root.text
        expected = condition.expected if isinstance(condition.expected, tuple) else (condition.expected,)
        yield Lead((*way, path.text), path.root.name or place, path.steps, calls, expected if is_exact else ())


def in_story(steps: Iterable[Step | None], written: Calls, *, passes: bool) -> Iterator[Lead]:
    """Its paths into answers and bodies, except of calls that a rule answers; with `passes`, none into bodies."""
    named: dict[str, Calls] = {}
    last: Calls = frozenset()
    for at, step in enumerate(steps):
        if step is None:
            continue
        do = str(step.get("do"))
        calls = last if do == AGAIN else frozenset((_CALL_OF.get(do, do),))
        last = calls if do in BY_NAME else last
        yield from _references(step, ("story", at), named)
        if do != "None" and not calls & written:
            yield from _seen(step.get("see") or {}, ("story", at, "see"), calls)
            yield from () if passes or do == AGAIN else _sent(step, ("story", at, "with"), calls)
            named |= {step["as_"]: calls} if step.get("as_") else {}


def _references(step: Step, way: Way, named: Mapping[str, Calls]) -> Iterator[Lead]:
    for key in ("of", "with_", "headers", "see"):
        for below, text in texts(step.get(key)):
            found = REFERENCE.fullmatch(text)
            if found and found[2] and found[1] in named:
                yield Lead((*way, key.strip("_"), *below), "answer", _split(found[2][1:]), named[found[1]])


def _seen(see: Step, way: Way, calls: Calls) -> Iterator[Lead]:
    return (Lead((*way, key), "answer", _split(key), calls, _values(see[key])) for key in see if key not in SEEN)


def _sent(step: Step, way: Way, calls: Calls) -> Iterator[Lead]:
    """The keys of a body, unless the step expects that they are refused."""
    if not any(code in str((step.get("see") or {}).get("error.code")) for code in _UNKNOWN):
        place = "query" if all(name in BY_NAME and BY_NAME[name].method == "GET" for name in calls) else "body"
        ways = (way for way in _ways(step.get("with_") or {}) if way[0] != "card")
        yield from (Lead((*way, *inner), place, tuple(map(str, inner)), calls) for inner in ways)


def _values(seen: Any) -> tuple[object, ...]:
    """The values one of which a step sees; references, nothing and operators are none."""
    if isinstance(seen, Mapping) and seen.keys() & OPERATORS.keys():
        return tuple(value for name in EXACT if name in seen for value in _values(seen[name]))
    values = seen if isinstance(seen, list) else [seen]
    return tuple(one for one in values if one is not None and not str(one).startswith("$"))


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split("."))


def _ways(value: Any) -> Iterator[Way]:
    """The way to every key in a value."""
    for key, inner in (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield (key,)
        yield from ((key, *below) for below in _ways(inner))


def texts(value: Any) -> Iterator[tuple[Way, str]]:
    """Every text that begins with one `$`, with its place."""
    if isinstance(value, str):
        if value.startswith("$") and not value.startswith("$$"):
            yield (), value
        return
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in pairs:
        for below, text in texts(inner):
            yield (step, *below), text
