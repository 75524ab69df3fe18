"""A world's own scenarios: texts that came in by the control API, kept as facts, so that snapshots hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from mock_server.scenario.mistakes import Mistake, ScenarioErrors
from mock_server.scenario.ready import Ready
from mock_server.scenario.state import Facts, Find, Readable

if TYPE_CHECKING:
    from mock_server.scenario.library import Library
    from mock_server.scenario.loading import Loaded
    from mock_server.scenario.model import Scenario

TEXTS: Final = "scenarios.text."


class AllFacts(Facts, Protocol):
    """Facts that can be listed."""

    def facts(self, prefix: str) -> Mapping[str, Any]: ...


def put(memory: Facts, library: Library, name: str, text: str, form: str = "yaml") -> Loaded:
    """Adds or replaces a scenario of this world; `form` is `yaml` or `json`. Raises ScenarioErrors.

    A name in the text must be the one it is put under.
    """
    loaded = _loaded(name, text, form, 0)
    if loaded.scenario.name != name:
        message = f"the text says it is {loaded.scenario.name}, and it is put under {name}"
        raise ScenarioErrors([Mistake(name, 1, 1, message)])
    from mock_server.scenario.extending import followed

    followed(loaded.scenario, _raw(memory, library), library.names())
    kept = memory.fact(TEXTS + name)
    revision = kept["revision"] + 1 if kept else 0
    memory.set_fact(TEXTS + name, {"text": text, "form": form, "revision": revision})
    return loaded


def remove(memory: Facts, name: str) -> bool:
    """Takes a scenario of this world away; False if it had none of that name."""
    there = memory.fact(TEXTS + name) is not None
    memory.set_fact(TEXTS + name, None)
    return there


def own_names(memory: AllFacts) -> tuple[str, ...]:
    """The names of this world's own scenarios."""
    return tuple(sorted(key.removeprefix(TEXTS) for key in memory.facts(TEXTS)))


def finder(memory: Readable, library: Library) -> Find:
    """How a world finds scenarios: its own first, then the server's."""
    raw = _raw(memory, library)

    def find(name: str) -> Scenario | None:
        if memory.fact(TEXTS + name) is None:
            return library.find(name)
        own = raw(name)
        if own is None or own.extends is None:
            return own
        from mock_server.scenario.extending import followed

        try:
            return followed(own, raw)
        except ScenarioErrors:  # what it extended is gone meanwhile
            return own

    return find


def _raw(memory: Readable, library: Library) -> Find:
    def raw(name: str) -> Scenario | None:
        kept = memory.fact(TEXTS + name)
        if kept is None:
            return library.raw(name)
        return _loaded(name, kept["text"], kept["form"], kept["revision"]).scenario

    return raw


@Ready
def _loaded(name: str, text: str, form: str, revision: int) -> Loaded:
    """Reading a text takes a millisecond, and a world looks its scenarios up on every call."""
    from dataclasses import replace

    from mock_server.scenario.loading import load_json, load_text

    loaded = (load_json if form == "json" else load_text)(text, name, name=name)
    if not revision:
        return loaded
    scenario = replace(loaded.scenario, stamp=f"{loaded.scenario.stamp}.{revision}", index={})
    return replace(loaded, scenario=scenario)
