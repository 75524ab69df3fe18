"""Misspells each key, path and name of a scenario once: the mistakes of a tester, made on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final, NamedTuple

Way = tuple[str | int, ...]

FREE: Final = ("metadata", "browser_info", "headers", "cards")
"""Keys whose inner keys are the caller's own."""
NAMES: Final = ("on", "calls", "webhooks", "type", "in_order", "do", "per", "unique_by")
"""Keys whose values are names or paths."""
REFERENCE: Final = re.compile(r"\$[a-z_]+(\.\w+)*")
KINDS: Final = ("dropped", "doubled", "swapped", "replaced")


def misspelled(word: str, kind: str = "swapped", draw: Random | None = None) -> str:
    """The word with one wrong letter; without a draw always the same one."""
    at = (draw or Random(word)).randrange(max(1, len(word) - 1))
    wrong = {
        "dropped": word[:at] + word[at + 1 :],
        "doubled": word[: at + 1] + word[at:],
        "swapped": word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
        "replaced": word[:at] + ("q" if word[at] != "q" else "x") + word[at + 1 :],
    }[kind]
    return wrong if wrong not in (word, "") else word + "q"


class Slip(NamedTuple):
    """One place where a mistake can be made: a key (`is_key`) or a text, and which of its words."""

    way: Way
    is_key: bool
    part: int

    def made_in(self, scenario: Any, kind: str, draw: Random) -> tuple[Any, str]:
        """The scenario with the mistake, and the wrong word."""
        text = self.way[-1] if self.is_key else _at(scenario, self.way)
        parts = re.split(r"([.$*]+)", str(text))
        parts[self.part] = misspelled(parts[self.part], kind, draw)
        return _with(scenario, self.way, "".join(parts), is_key=self.is_key), parts[self.part]


def slips(scenario: Any, way: Way = ()) -> Iterator[Slip]:
    """Every place where a word of the language can be misspelled."""
    if isinstance(scenario, dict):
        for key, value in scenario.items():
            here = (*way, key)
            yield from _parts(here, key, is_key=True)
            if key not in FREE:
                yield from slips(value, here)
    elif isinstance(scenario, list):
        for at, value in enumerate(scenario):
            yield from slips(value, (*way, at))
    elif isinstance(scenario, str) and (REFERENCE.fullmatch(scenario) or _names(way)):
        yield from _parts(way, scenario, is_key=False)


def _names(way: Way) -> bool:
    """Whether a text at this way is a name: of an operation, an event, a field."""
    named = next((step for step in reversed(way) if isinstance(step, str)), "")
    return named in NAMES and "with" not in way


def _parts(way: Way, text: str, *, is_key: bool) -> Iterator[Slip]:
    own = False
    for at, part in enumerate(re.split(r"([.$*]+)", text)):
        if at % 2 == 0 and part and not part.isdecimal() and not own:
            yield Slip(way, is_key, at)
        own = own or part in ("metadata", "browser_info", "header")


def _at(value: Any, way: Way) -> Any:
    for step in way:
        value = value[step]
    return value


def _with(value: Any, way: Way, put: str, *, is_key: bool) -> Any:
    """A copy with another key or text at a way."""
    if not way:
        return put
    first, rest = way[0], way[1:]
    if isinstance(value, list):
        return [_with(item, rest, put, is_key=is_key) if at == first else item for at, item in enumerate(value)]
    if is_key and not rest:
        return {put if key == first else key: item for key, item in value.items()}
    return {key: _with(item, rest, put, is_key=is_key) if key == first else item for key, item in value.items()}
