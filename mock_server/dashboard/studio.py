"""The editor of scenarios: checks a text, plays its story, saves it to a file, and completes its words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from mock_server.control.export import InProcess, NotTaken
from mock_server.control.scenarios import broken_scenario
from mock_server.dashboard.visit import ActionResult, Visit
from mock_server.domain.errors import Refusal
from mock_server.domain.nouns import noun
from mock_server.scenario.loading import uploaded
from mock_server.scenario.loading.saving import NotSaved
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.story.player import StepResult, extended, play

CHECK: Final = "studio.check"
RUN: Final = "studio.run"
SAVE: Final = "studio.save"
UNNAMED: Final = "unnamed"


def tried(visit: Visit, what: str, name: str, text: str, seen: str) -> ActionResult:
    """The mistakes of a text, its story's results, or the result of saving it; `seen` is its digest before the edit."""
    sent = {"text": text, "name": name, "seen": seen}
    text = text.replace("\r\n", "\n")
    if what == "file":
        return _saved(visit, text, sent)
    try:
        loaded = uploaded.read(visit.workspace.space, visit.sandbox.library, name or UNNAMED, text, "yaml")
    except ScenarioErrors as broken:
        return _mistaken(CHECK if what == "check" else RUN, broken_scenario(name or UNNAMED, broken), sent)
    warnings = [str(one) for one in loaded.warnings]
    if what == "check":
        return ActionResult(CHECK, "No mistakes.", True, "", {"warnings": warnings}, sent=sent)
    if not loaded.scenario.story:
        return ActionResult(RUN, "The scenario has no story. Add one under story.", False, "", sent=sent)
    try:
        steps = list(_played(visit, loaded.scenario))
    except NotTaken as wrong:
        return ActionResult(RUN, f"The story could not start: {wrong}", False, "", sent=sent)
    failed = sum(1 for step in steps if step.problems)
    says = f"{len(steps) - failed} passed{f', {failed} failed' if failed else ''}."
    if loaded.scenario.expect:
        says += " Its assertions (expect) were not checked; payment-sandbox scenarios play FILE checks them."
    return ActionResult(RUN, says, not failed, "", {"steps": steps}, sent=sent)


def _saved(visit: Visit, text: str, sent: Mapping[str, str]) -> ActionResult:
    """Writes a text to its file, and removes the workspace's own scenario of that name, which would take precedence."""
    name = sent["name"]
    try:
        file = visit.sandbox.scenarios.save(name, text, sent["seen"])
    except ScenarioErrors as broken:
        return _mistaken(SAVE, broken_scenario(name or UNNAMED, broken), sent)
    except NotSaved as wrong:
        now = {} if wrong.now is None else {"now": wrong.now, "seen": wrong.digest}
        return ActionResult(SAVE, f"Not saved: {wrong}.", False, "", now, sent=sent)
    visit.workspace.space.transact(lambda tx: uploaded.remove(tx, name))
    visit.workspace.steered.ring()
    return ActionResult(SAVE, f"Saved to {file} for all workspaces of this server.", True, "", sent=sent)


def _mistaken(operation: str, refusal: Refusal, sent: Mapping[str, str]) -> ActionResult:
    fields = tuple((one.field, one.message) for one in refusal.fields)
    says = f"{len(fields)} {noun(len(fields), 'mistake')}."
    return ActionResult(operation, says, False, "", None, fields, sent)


def _played(visit: Visit, scenario: Scenario) -> Iterator[StepResult]:
    """The results of the steps, up to the first that fails. Raises NotTaken."""
    client = InProcess(visit.sandbox.scratch())
    needed = extended(scenario, uploaded.as_written(visit.workspace.space, visit.sandbox.library))
    for one in (*needed, scenario):
        client.control("PUT", f"scenarios/{one.name}", one.text)
    client.control("POST", f"scenarios/{scenario.name}/activate", None)
    for step in play(scenario, client, needed):
        yield step
        if not step.holds:
            return


@cache
def vocabulary() -> str:
    """JSON for completion: the keys that each key can contain, with their meanings, and the values that it can have."""
    from mock_server.scenario.schema.top import json_schema

    schema = json_schema()
    keys: dict[str, dict[str, str]] = {"": _described(schema)}
    values: dict[str, list[str]] = {}
    for block in (schema, *schema["$defs"].values()):
        for name, rule in block.get("properties", {}).items():
            for inner in _inside(rule, schema["$defs"]):
                keys.setdefault(name, {}).update(_described(inner))
            if words := [str(word) for part in _parts(rule) for word in part.get("enum", ())]:
                values[name] = sorted({*values.get(name, ()), *words})
    return json.dumps({"keys": keys, "values": values}, separators=(",", ":"))


def _described(block: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(rule.get("description", "")) for name, rule in block.get("properties", {}).items()}


def _parts(rule: Any) -> Iterator[Mapping[str, Any]]:
    """A rule and its alternatives and items."""
    if isinstance(rule, Mapping):
        yield rule
        for word in ("anyOf", "oneOf", "allOf"):
            for part in rule.get(word, ()):
                yield from _parts(part)
        yield from _parts(rule.get("items"))


def _inside(rule: Any, named: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for part in _parts(rule):
        yield named[part["$ref"].rsplit("/", 1)[1]] if "$ref" in part else part
