"""Scenarios of a test: files, texts or mappings that are uploaded to its workspace, turned on, and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from mock_server.testing.control import ControlClient
from mock_server.testing.records import Wire
from mock_server.testing.webhooks import Webhooks

_NAME: Final = re.compile(r"^name:\s*[\"']?([^\"'#\s]+)", re.MULTILINE)
FILES: Final = (".yaml", ".yml", ".json")

Given = str | Path | Mapping[str, Any]
"""A scenario: its name, its file, its text, or a file's content as a mapping."""
Collected = None | str | Path | Mapping[str, Given] | Iterable[Given]
"""Several: a directory, a list, or texts and mappings by name."""


class ExpectationFailed(AssertionError):
    """An assertion of a scenario failed."""


class ScenarioSource(NamedTuple):
    """A scenario's text, as it is uploaded to a workspace."""

    name: str
    text: str
    kind: str


class Scenario:
    """A scenario that is on; at the end of a `with` block its assertions are checked, and it is turned off."""

    def __init__(self, owner: Scenarios, name: str) -> None:
        self._owner = owner
        self.name = name

    def check(self) -> None:
        """Raises ExpectationFailed with all failed assertions of the scenario."""
        __tracebackhide__ = True
        self._owner.check(self.name)

    def stop(self) -> None:
        """Turns it off."""
        self._owner.turn_off(self.name)

    @property
    def counters(self) -> dict[str, int]:
        """Its counters since it was turned on."""
        found: dict[str, int] = self._owner.shown(self.name)["counters"]
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        __tracebackhide__ = True
        try:
            if kind is None and self.name in self._owner.on():
                self._owner.settle()
                self.check()
        finally:
            self.stop()


class Scenarios:
    """The scenarios of one workspace."""

    def __init__(self, control: ControlClient, webhooks: Webhooks) -> None:
        self._control = control
        self._webhooks = webhooks
        self._on: dict[str, Scenario] = {}

    def turn_on(self, given: Given) -> Scenario:
        """Turns a scenario on; unless it is a name, the scenario is uploaded first."""
        is_name = isinstance(given, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", given)
        name = str(given) if is_name else self.put(source_of(given))
        self._control.post(f"/scenarios/{name}/activate")
        self._on[name] = Scenario(self, name)
        return self._on[name]

    def put(self, source: ScenarioSource) -> str:
        """Uploads a scenario to the workspace; returns its name. Raises ControlRefused with all its mistakes."""
        self._control.put(f"/scenarios/{source.name}", source.text, kind=source.kind)
        return source.name

    def turn_off(self, name: str) -> None:
        """Turns a scenario off, if it is on."""
        self._on.pop(name, None)
        self._control.post(f"/scenarios/{name}/deactivate")

    def look_again(self) -> None:
        """Forgets those that are not on in a workspace that replaced another."""
        active = self._control.get("/scenarios")["active"]
        self._on = {name: one for name, one in self._on.items() if name in active}

    def shown(self, name: str) -> Wire:
        """A scenario as the control API returns it."""
        found: Wire = self._control.get(f"/scenarios/{name}")
        return found

    def on(self) -> list[str]:
        """The names of those that this test turned on."""
        return list(self._on)

    def settle(self) -> None:
        """Waits until no event is being delivered."""
        self._webhooks.settle()

    def check(self, name: str) -> None:
        """Raises ExpectationFailed if an assertion of the scenario fails."""
        __tracebackhide__ = True
        results = self.results(name)
        wrong = [one for one in results if not one["holds"]]
        if wrong:
            lines = [f"  {one['expect']}\n    {one['because']}  ({one['at']})" for one in wrong]
            head = f"scenario {name}: {len(wrong)} of {len(results)} assertions failed:"
            raise ExpectationFailed("\n".join([head, *lines]))

    def results(self, name: str) -> list[Wire]:
        """The assertions of a scenario, and whether each is true now."""
        found: list[Wire] = self._control.post(f"/scenarios/{name}/check")["expect"]
        return found

    def check_all(self) -> None:
        """The same for every scenario that is on."""
        __tracebackhide__ = True
        for name in self.on():
            self.check(name)


def collected(given: Collected) -> list[ScenarioSource]:
    """The scenarios of a suite, read: a directory's files, a list's, a mapping's."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [source_of(one, str(name)) for name, one in given.items()]
    if isinstance(given, str | Path):
        path = Path(given)
        found = sorted(p for p in path.iterdir() if p.suffix in FILES) if path.is_dir() else [path]
        return [source_of(one) for one in found]
    return [source_of(one) for one in given]


def source_of(given: Given, name: str | None = None) -> ScenarioSource:
    """A scenario's text and name: the name in the text, else `name`, else the file's stem."""
    if isinstance(given, Mapping):
        called = str(given.get("name") or name or "inline")
        return ScenarioSource(called, json.dumps({"version": 1, **given}), "application/json")
    if isinstance(given, Path) or "\n" not in given:
        path = Path(given)
        text, stem = path.read_text("utf-8"), path.stem
        kind = "application/json" if path.suffix == ".json" else "application/yaml"
    else:
        text, stem, kind = given, "inline", "application/yaml"
    found = _NAME.search(text)
    return ScenarioSource(found[1] if found else name or stem, text, kind)
