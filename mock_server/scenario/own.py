"""A world's own scenarios: texts that came in by the control API, kept as facts, so that snapshots hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import structs

from mock_server.scenario.aside import aside
from mock_server.scenario.mistakes import Mistake, ScenarioErrors
from mock_server.scenario.ready import Ready
from mock_server.scenario.state import Facts, Find, Readable

if TYPE_CHECKING:
    from mock_server.scenario.library import Library
    from mock_server.scenario.loading import Loaded
    from mock_server.scenario.model import Scenario

TEXTS: Final = "scenarios.text."
NAME: Final = re.compile(r"^[ \t{]*[\"']?name[\"']?[ \t]*:", re.MULTILINE)
"""Where a text says its name."""


class AllFacts(Facts, Protocol):
    """Facts that can be listed."""

    def facts(self, prefix: str) -> Mapping[str, Any]: ...


def read(memory: Readable, library: Library, name: str, text: str, form: str = "yaml") -> Loaded:
    """Reads and checks a text that shall be put under a name; `form` is `yaml` or `json`. Raises ScenarioErrors.

    This takes its time, so it is done before the transaction that keeps the text. A name in the text must be the one
    it is put under.
    """
    with aside(len(text)):
        loaded = _tried(name, text, form)
    if loaded.scenario.name != name:
        message = f"the text says it is {loaded.scenario.name}, and it is put under {name}"
        said = NAME.search(text)
        raise ScenarioErrors([Mistake(name, text.count("\n", 0, said.start()) + 1 if said else 1, 1, message)])
    from mock_server.scenario.extending import followed

    followed(loaded.scenario, _raw(memory, library), library.names())
    return loaded


def _tried(name: str, text: str, form: str) -> Loaded:
    try:
        return _loaded(name, text, form, 0)
    except ScenarioErrors as wrong:  # the way that an error came holds all that was read, until it is forgotten
        mistakes = wrong.mistakes, wrong.hidden
    raise ScenarioErrors(*mistakes)


def keep(memory: Facts, name: str, text: str, form: str = "yaml") -> None:
    """Adds or replaces a scenario of this world, whose text `read` found sound."""
    kept = memory.fact(TEXTS + name)
    revision = kept["revision"] + 1 if kept else 0
    memory.set_fact(TEXTS + name, {"text": text, "form": form, "revision": revision})


def remove(memory: Facts, name: str) -> bool:
    """Takes a scenario of this world away; False if it had none of that name."""
    there = memory.fact(TEXTS + name) is not None
    memory.set_fact(TEXTS + name, None)
    return there


def own_names(memory: AllFacts) -> tuple[str, ...]:
    """The names of this world's own scenarios."""
    return tuple(sorted(key.removeprefix(TEXTS) for key in memory.facts(TEXTS)))


def within_reach(own: tuple[str, ...], library: Library) -> tuple[str, ...]:
    """Every name that a world with these scenarios of its own can say."""
    return tuple(sorted({*own, *library.names()}))


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


def check(name: str, text: str, form: str) -> None:
    """Raises ScenarioErrors where the text is none of this form."""
    _loaded(name, text, form, 0)


@Ready
def _loaded(name: str, text: str, form: str, revision: int) -> Loaded:
    """A text as it was read once: a world looks its scenarios up on every call.

    Each revision has a stamp of its own, so that what it counts begins anew.
    """
    if revision:
        first = _loaded(name, text, form, 0)
        stamped = structs.replace(first.scenario, stamp=f"{first.scenario.stamp}.{revision}", index={})
        return structs.replace(first, scenario=stamped)
    from mock_server.scenario.loading import load_json, load_text

    return (load_json if form == "json" else load_text)(text, name, name=name)


def read_so_far() -> int:
    """How many texts were read since the process began."""
    return _loaded.read_so_far
