"""A workspace's own scenarios: texts uploaded by the control API, kept as facts, so that snapshots include them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from contextvars import copy_context
from threading import Lock
from typing import TYPE_CHECKING, Final

from msgspec import structs

from mock_server.scenario.model.decision_state import Find, Memory, Readable
from mock_server.scenario.model.mistakes import IS_KEPT, Mistake, ScenarioErrors
from mock_server.scenario.schema.long_work import long_work

if TYPE_CHECKING:
    from mock_server.scenario.loading.library import Library
    from mock_server.scenario.loading.load import LoadedScenario
    from mock_server.scenario.model.scenario import Scenario

TEXTS: Final = "scenarios.text."
NAME: Final = re.compile(r"^[ \t{]*[\"']?name[\"']?[ \t]*:", re.MULTILINE)
"""The line of a text with its name."""

MOST_TEXT: Final = 1 << 20
"""Characters of all texts that are kept as read scenarios, which take about fifty times as much memory."""


class Ready:
    """A cache by (name, text, form, revision); the least recently used one is dropped first, the last one never."""

    def __init__(self, read: Callable[[str, str, str, int], LoadedScenario], most: int = MOST_TEXT) -> None:
        self._read = read
        self._most = most
        self._held: OrderedDict[tuple[str, str, str, int], LoadedScenario] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def __call__(self, name: str, text: str, form: str, revision: int) -> LoadedScenario:
        key = (name, text, form, revision)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        found = self._read(name, text, form, revision)
        with self._lock:
            if key not in self._held:
                self._held[key] = found
                self._weight += len(text)
            while self._weight > self._most and len(self._held) > 1:
                gone, _ = self._held.popitem(last=False)
                self._weight -= len(gone[1])
        return found


def read(memory: Readable | None, library: Library, name: str, text: str, form: str = "yaml") -> LoadedScenario:
    """Reads and checks a text that is uploaded under a name; `form` is `yaml` or `json`. Raises ScenarioErrors.

    This can take long, so it is done before the transaction that stores the text. A name in the text must be the one
    it is uploaded as. Without a memory it can only extend the server's scenarios.
    """
    with long_work(len(text)):
        loaded = loaded_once(name, text, form, 0)
    if loaded.refused is not None:
        raise ScenarioErrors(*loaded.refused)
    if loaded.scenario.name != name:
        message = f"the text has the name {loaded.scenario.name}, but it is uploaded as {name}; use one for both"
        said = NAME.search(text)
        raise ScenarioErrors([Mistake(name, text.count("\n", 0, said.start()) + 1 if said else 1, 1, message)])
    from mock_server.scenario.loading.load import followed

    followed(loaded.scenario, as_written(memory, library), library.names())
    return loaded


def keep(memory: Memory, name: str, text: str, form: str = "yaml") -> None:
    """Adds or replaces a scenario of this workspace; `read` has checked its text."""
    before = memory.fact(TEXTS + name)
    revision = before["revision"] + 1 if before else 0
    memory.set_fact(TEXTS + name, {"text": text, "form": form, "revision": revision})


def remove(memory: Memory, name: str) -> bool:
    """Removes a scenario of this workspace; False if it had none with this name."""
    there = memory.fact(TEXTS + name) is not None
    memory.set_fact(TEXTS + name, None)
    return there


def names(memory: Memory) -> tuple[str, ...]:
    """The names of this workspace's own scenarios."""
    return tuple(sorted(key.removeprefix(TEXTS) for key in memory.facts(TEXTS)))


def within_reach(own: tuple[str, ...], library: Library) -> tuple[str, ...]:
    """Every name that a workspace with these scenarios of its own can use."""
    return tuple(sorted({*own, *library.names()}))


def finder(memory: Readable, library: Library) -> Find:
    """How a workspace finds scenarios: its own first, then the server's."""
    raw = as_written(memory, library)

    def find(name: str) -> Scenario | None:
        if memory.fact(TEXTS + name) is None:
            return library.find(name)
        own = raw(name)
        if own is None or own.extends is None:
            return own
        from mock_server.scenario.loading.load import followed

        try:
            return followed(own, raw)
        except ScenarioErrors:  # what it extended is gone meanwhile
            return own

    return find


def as_written(memory: Readable | None, library: Library) -> Find:
    """How a workspace finds scenarios without what they extend."""

    def raw(name: str) -> Scenario | None:
        fact = None if memory is None else memory.fact(TEXTS + name)
        if fact is None:
            return library.raw(name)
        return loaded_once(name, fact["text"], fact["form"], fact["revision"]).scenario

    return raw


@Ready
def loaded_once(name: str, text: str, form: str, revision: int) -> LoadedScenario:
    """A text, read once for all calls; each revision has its own counters. Raises ScenarioErrors."""
    if revision:
        first = loaded_once(name, text, form, 0)
        stamped = structs.replace(first.scenario, stamp=f"{first.scenario.stamp}.{revision}", index={})
        return structs.replace(first, scenario=stamped)
    from mock_server.scenario.loading.load import load_json, load_text

    load, context = load_json if form == "json" else load_text, copy_context()
    found = list[tuple[tuple[Mistake, ...], int]]()
    for is_kept in (False, True):
        context.run(IS_KEPT.set, is_kept)
        try:
            return structs.replace(context.run(load, text, name, name=name), refused=found[0] if found else None)
        except ScenarioErrors as wrong:
            found.append((wrong.mistakes, wrong.hidden))
    raise ScenarioErrors(*found[0])  # anew, because the traceback of the first error holds everything that was read
