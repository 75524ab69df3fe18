"""Scenarios of a test: files, texts or mappings that are uploaded to its workspace, turned on, and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any, Final, Self

from mock_server.scenario.loading.sources import ScenarioSource, files_in, in_order, source
from mock_server.settings.load import read_file
from mock_server.testing.control import ControlClient
from mock_server.testing.records import Wire
from mock_server.testing.webhooks import Webhooks

__tracebackhide__ = True
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")

Given = str | Path | Mapping[str, Any]
"""A scenario: its name, its file, its text, or a file's content as a mapping."""
Collected = None | str | Path | Mapping[str, Given] | Iterable[Given]
"""Several: a directory, a list, or texts and mappings by name."""


class ExpectationFailed(AssertionError):
    """An assertion of a scenario failed."""


class Scenario:
    """A scenario that is on; at the end of a `with` block its assertions are checked, and it is turned off."""

    def __init__(self, owner: Scenarios, name: str) -> None:
        self._owner = owner
        self.name = name

    def check(self) -> None:
        """Raises ExpectationFailed with all failed assertions of the scenario."""
        self._owner.check(self.name)

    def stop(self) -> None:
        """Turns it off."""
        self._owner.turn_off(self.name)

    @property
    def counters(self) -> dict[str, int]:
        """Its counters since it was turned on."""
        return dict(self._owner.shown(self.name)["counters"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is None:
                self._owner._webhooks.settle()
                self.check()
        finally:
            self.stop()


class Scenarios:
    """The scenarios of one workspace."""

    def __init__(self, control: ControlClient, webhooks: Webhooks) -> None:
        self._control = control
        self._webhooks = webhooks
        self._on: dict[str, Scenario] = {}
        self._put: dict[str, ScenarioSource] = {}
        self._gone: dict[str, bool] = {}
        """Those that were on when the workspace was replaced, and are not now; whether they had assertions."""

    def turn_on(self, given: Given) -> Scenario:
        """Turns a scenario on; unless it is a name, it is uploaded first, as `inline`, `inline_2` … if it has none.

        If one of the same name is on, its assertions are checked before: this one counts from 0.
        """
        is_name = isinstance(given, str) and _NAME.fullmatch(given) and not ("." in given and Path(given).is_file())
        name = str(given) if is_name else self.put(given)
        if is_name:
            self._check_replaced(name)
        self._control.post(f"/scenarios/{name}/activate")
        self._on[name] = Scenario(self, name)
        self._gone.pop(name, None)
        return self._on[name]

    def put(self, given: Given | ScenarioSource) -> str:
        """Uploads a scenario to the workspace; returns its name. Raises ControlRefused with all its mistakes.

        If one of the same name is on, its assertions are checked before.
        """
        source = given if isinstance(given, ScenarioSource) else source_of(given, unnamed=_unnamed(self._put))
        self._check_replaced(source.name)
        self._upload(source)
        self._put.pop(source.name, None)  # last again, as it can extend those between
        self._put[source.name] = source
        return source.name

    def _check_replaced(self, name: str) -> None:
        if name in self._on:
            self._webhooks.settle()
            self.check(name)

    def _upload(self, source: ScenarioSource) -> None:
        self._control.put(f"/scenarios/{source.name}", source.text, kind=source.kind)

    def turn_off(self, name: str) -> None:
        """Turns a scenario off, if it is on."""
        if self._gone.pop(name, None) is None:
            self._on.pop(name, None)
            self._control.post(f"/scenarios/{name}/deactivate")

    def _look_again(self, replace: Callable[[], object]) -> None:
        """Calls what replaces the workspace. Those that are not on afterwards fail their next check, if they assert."""
        before = self._gone | {name: bool(self.results(name)) for name in self._on}
        replace()
        active = self._control.get("/scenarios")["active"]
        self._on = {name: Scenario(self, name) for name in before if name in active}
        self._gone = {name: asserts for name, asserts in before.items() if name not in active}

    def shown(self, name: str) -> Wire:
        """A scenario as the control API returns it."""
        return self._control.get(f"/scenarios/{name}")

    def on(self) -> list[str]:
        """The names of those that this test turned on."""
        return list(self._on)

    def check(self, name: str) -> None:
        """Raises ExpectationFailed if an assertion of the scenario fails."""
        if name in self._gone:
            if self._gone[name]:
                what = "reset or restore ended it with its assertions unchecked: check it before, and stop() it"
                raise ExpectationFailed(f"scenario {name}: {what}")
            return
        results = self.results(name)
        if wrong := [one for one in results if not one["holds"]]:
            lines = [f"  {one['expect']}\n    {one['because']}  ({one['at']})" for one in wrong]
            head = f"scenario {name}: {len(wrong)} of {len(results)} assertions failed:"
            raise ExpectationFailed("\n".join([head, *lines]))

    def results(self, name: str) -> list[Wire]:
        """The assertions of a scenario, and whether each is true now."""
        return list(self._control.post(f"/scenarios/{name}/check")["expect"])


def collected(given: Collected) -> list[ScenarioSource]:
    """The scenarios of a suite, read: a directory's files, a list's, a mapping's; each after what it extends.

    Raises ValueError if two have the same name.
    """
    if given is None:
        return []
    if isinstance(given, Mapping):
        return in_order(source_of(one, str(name)) for name, one in given.items())
    if isinstance(given, str | Path):
        path = Path(given)
        given = files_in(path) if path.is_dir() else [path]
    listed: list[ScenarioSource] = []
    for one in given:
        listed.append(source_of(one, unnamed=_unnamed([known.name for known in listed])))
    return in_order(listed)


def _unnamed(taken: Collection[str]) -> str:
    """The name of a scenario without one, which replaces no other: `inline`, then `inline_2`."""
    names = (f"inline_{number}" if number > 1 else "inline" for number in count(1))
    return next(name for name in names if name not in taken)


def source_of(given: Given, name: str | None = None, unnamed: str = "inline") -> ScenarioSource:
    """A scenario's text and name: the name in the text, else `name`, else the file's stem, else `unnamed`."""
    if isinstance(given, Mapping):
        return source(json.dumps({"version": 1, **given}), unnamed, name)
    if isinstance(given, str) and re.search(r"\n|^\s*\{|:\s", given):
        return source(given, unnamed, name)
    if not given or not isinstance(given, str | PathLike):
        raise TypeError(f"a scenario is given by its name, file, text or as a mapping, not by {given!r}")
    path = Path(given)
    try:
        return source(read_file(path).decode(), path.stem, name, str(path))
    except UnicodeError:
        raise ValueError(f"{path} is not UTF-8 text") from None
