"""A valid scenario from a text, a file's bytes or a mapping, or all its mistakes at once; and what it extends."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, Final

from marshmallow import ValidationError
from msgspec import Struct, structs

from mock_server import jsontext
from mock_server.domain.card_brands import problem_of
from mock_server.scenario.conditions.on import calls_of, has
from mock_server.scenario.conditions.when import MOST_STEPS
from mock_server.scenario.loading import checks, rule_conflicts
from mock_server.scenario.loading.build import Builder, then_of
from mock_server.scenario.loading.reading import Document, read_json, read_value, read_yaml
from mock_server.scenario.loading.saving import digest_of
from mock_server.scenario.model.decision_state import Find
from mock_server.scenario.model.mistakes import Mistake, ScenarioErrors, guessing_within_bounds, nearest
from mock_server.scenario.model.scenario import Scenario, Then
from mock_server.scenario.schema.answers import ThenBlock
from mock_server.scenario.schema.block import Mark, Node, SchemaBlock, Way, load, mark_of, mistakes
from mock_server.scenario.schema.rule import NextBlock
from mock_server.scenario.schema.top import ScenarioBlock
from mock_server.scenario.story.requests import CREATE, REFERENCE, unknown_card

LONGEST = 10


def followed(scenario: Scenario, raw: Find, names: tuple[str, ...] = ()) -> Scenario:
    """The scenario with everything it extends. Raises ScenarioErrors for a missing one and for a circle.

    `raw` finds a scenario as it was written; `names` are suggested for an unknown one.
    """
    chain = [scenario]
    while (wanted := chain[-1].extends) is not None:
        if any(link.name == wanted for link in chain) or len(chain) > LONGEST:
            way = " → ".join([*(link.name for link in chain), wanted])
            raise _wrong(chain[0], f"extends is circular: {way}")
        found = raw(wanted)
        if found is None:
            raise _wrong(chain[-1], f"extends names an unknown scenario: {wanted}{nearest(wanted, names)}")
        chain.append(found)
    merged = chain[-1]
    for above in reversed(chain[:-1]):
        merged = _over(above, merged)
    if len(chain) > 1:
        _check_story(merged)
    return merged


def _check_story(merged: Scenario) -> None:
    """A story can use the cards and answers of what its scenario extends, which are known only after all is merged."""
    own = {row.card.name: number for number, row in merged.cards.items()}
    found = [(step.place, unknown_card(step.with_, own)) for step in merged.story]
    lines = ((rule, then.line) for rule in merged.rules for then in rule.then if then.line is not None)
    written = calls_of(name for rule, line in lines if line.respond for name in (*rule.on.names, *rule.on.patterns))
    passes = merged.settings.get("unknown_fields") == "ignore"
    leads = checks.in_story(map(structs.asdict, merged.story), written, passes=passes)
    found += [(merged.story[int(way[1])].place, message) for way, message in checks.lost(leads)]
    wrong = [Mistake(merged.file, place.line, place.column, message) for place, message in found if message]
    if wrong:
        raise ScenarioErrors(wrong)


def _wrong(scenario: Scenario, message: str) -> ScenarioErrors:
    place = scenario.extends_place
    line, column = (place.line, place.column) if place else (0, 0)
    return ScenarioErrors([Mistake(scenario.file, line, column, message)])


def _over(above: Scenario, base: Scenario) -> Scenario:
    """A scenario over the one that it extends: its parts come first; rules keep their places and get new numbers."""
    rules = tuple(structs.replace(rule, number=len(above.rules) + at) for at, rule in enumerate(base.rules, start=1))
    return structs.replace(
        above,
        stamp=f"{above.stamp}+{base.stamp}",
        cards={**{number: card for number, card in base.cards.items() if number not in above.cards}, **above.cards},
        rules=(*above.rules, *rules),
        steps=above.steps + base.steps,
        settings={**base.settings, **above.settings},
        extends=None,
        index={},
    )


INLINE: Final = "inline"


class LoadedScenario(Struct, frozen=True):
    """A valid scenario, what is surely not intended in it, and why a new text is refused that earlier versions took."""

    scenario: Scenario
    warnings: tuple[Mistake, ...] = ()
    refused: tuple[tuple[Mistake, ...], int] | None = None


def load_text(text: str, file: str, *, name: str | None = None) -> LoadedScenario:
    """The scenario of a YAML text. Raises ScenarioErrors, with `file` in the messages."""
    return _loaded(read_yaml(text, file), text, name or stem(file))


def load_json(text: str, file: str, *, name: str | None = None) -> LoadedScenario:
    """The scenario of a JSON text. Raises ScenarioErrors."""
    return _loaded(read_json(text, file), text, name or stem(file))


def load_bytes(raw: bytes, file: str) -> LoadedScenario:
    """The scenario of a file's bytes, JSON where the name says so. Raises ScenarioErrors."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = raw.count(b"\n", 0, wrong.start) + 1
        column = wrong.start - (raw.rfind(b"\n", 0, wrong.start) + 1) + 1
        raise ScenarioErrors([Mistake(file, line, column, "the text is not UTF-8 from here on")]) from None
    return (load_json if file.lower().endswith(".json") else load_text)(text, file)


def load_mapping(value: Mapping[Any, Any], name: str = INLINE) -> LoadedScenario:
    """The scenario of a Python mapping; a key `True` means `on`. Raises ScenarioErrors."""
    document = read_value(value, name)
    text = json.dumps(document.root.plain(), ensure_ascii=False) if document.root else ""
    return _loaded(document, text, name)


def stem(file: str) -> str:
    """The name of a scenario without a name of its own."""
    return PurePath(file).stem or INLINE


@guessing_within_bounds()
def _loaded(document: Document, text: str, name: str) -> LoadedScenario:
    values, root = _validated(document, ScenarioBlock), document.root
    if root is not None:
        document.mistakes += _placed(checks.mistakes(values), root, document.file)
        if "name" not in values and not document.mistakes:
            try:
                ScenarioBlock.keys()["name"].deserialize(name)
            except ValidationError as wrong:
                for message in wrong.messages:
                    document.wrong(Mark(1, 1), f"the name, taken from the file name, {message}")
    if document.mistakes or root is None:
        raise ScenarioErrors(document.mistakes)
    digest = digest_of(text.encode("utf-8", "surrogatepass"))
    scenario = Builder(root, document.file, text, digest).scenario(values, name)
    if scenario.steps > MOST_STEPS:
        message = f"its patterns are programs of {scenario.steps:,} steps together; the maximum is {MOST_STEPS:,}"
        document.wrong(root.mark, message)
        raise ScenarioErrors(document.mistakes)
    return LoadedScenario(scenario, tuple(dict.fromkeys(_placed(_warnings(values), root, document.file))))


def _warnings(values: Mapping[str, Any]) -> Iterator[checks.Found]:
    """What is allowed but surely not intended."""
    for number in values.get("cards", ()):
        if problem := problem_of(number):
            yield ("cards", number), f"payments refuse the card number {number}, as it {problem}"
    yield from rule_conflicts.circles(values.get("rules", ()))
    for at, rule in enumerate(values.get("rules", ())):
        if rule.get("probability") == 0:
            yield ("rules", at, "probability"), "with a probability of 0 the rule answers no call"
        size = len(rule["then"])
        if (most := rule.get("times", size)) < size:
            yield ("rules", at, "times"), f"then has {size} answers, but the rule answers only {most}"
        known = (name for name in calls_of(rule["on"]) if name != CREATE and has("payment", name, answered=False))
        if any(one.path.text == "attempt" for one in rule.get("when", ())) and not any(known):
            yield ("rules", at, "when", "attempt"), "attempt is 1 without an earlier payment; times counts calls"
    names, ids = set[str](), list[Any]()
    for at, step in enumerate(values.get("story", ())):
        named = REFERENCE.fullmatch(f"${step.get('of')}")
        if named and named[1] in names and step["of"] not in ids:
            yield ("story", at, "of"), f"of is the ID {step['of']}; the answer of that step is ${step['of']}"
        names.add(step.get("as_", ""))
        ids += (step.get("with_") or {}).values()


def _validated(document: Document, block: type[SchemaBlock]) -> dict[str, Any]:
    """The values that could be read; adds the mistakes of the grammar to those of the form."""
    root = document.root
    if root is None:
        return {}
    if root.items is None:
        document.wrong(root.mark, f"{block.what} must be a mapping of keys")
        return {}
    plain: Any = root.plain()
    try:
        return load(block, plain)
    except ValidationError as found:
        document.mistakes += mistakes(found.messages, root, document.file)
        valid: Any = found.valid_data
        return dict(valid or {})


def _placed(found: Iterator[tuple[Way, str]], root: Node, file: str) -> list[Mistake]:
    marked = ((mark_of(root, way, key=True), message) for way, message in found)
    return [Mistake(file, mark.line, mark.column, message) for mark, message in marked]


def load_then(text: str) -> Then:
    """One answer from JSON text that was checked before."""
    return then_of(load(ThenBlock, json.loads(text)))


@guessing_within_bounds()
def load_next(value: object) -> tuple[tuple[str, ...], str, int]:
    """A requested entry for the one-shot queue, `{on, then, times}`, as `enqueue` takes it. Raises ScenarioErrors."""
    document = read_value(value, "next")
    values = _validated(document, NextBlock)
    if document.mistakes or document.root is None:
        raise ScenarioErrors(document.mistakes)
    plain: Any = document.root.plain()
    then = plain["then"][0] if isinstance(plain["then"], list) else plain["then"]
    return tuple(values.get("on", ("charge",))), jsontext.canonical(then), values.get("times", 1)
