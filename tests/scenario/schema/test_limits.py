"""What editors are told of every key of a scenario: kinds, limits and alternatives, compared with `limits.txt`.

`python -m tests.scenario.schema.test_limits` writes the file anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mock_server.scenario.schema.top import json_schema

LIMITS: Final = Path(__file__).with_name("limits.txt")


def lines(schema: Any, place: str) -> Iterator[str]:
    """A line for each part of a schema that says more than what it is for."""
    own = {name: value for name, value in schema.items() if not isinstance(value, dict) and name != "description"}
    inner = {
        name: value for name, value in own.items() if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    said = [f"{name} {_short(value)}" for name, value in own.items() if name not in inner]
    yield f"{place}: {', '.join(said)}"
    for name, parts in inner.items():
        for number, part in enumerate(parts, start=1):
            yield from lines(part, f"{place} {name} {number}")
    for name, part in schema.items():
        if name in ("properties", "$defs", "patternProperties"):
            for key, value in part.items():
                yield from lines(value, f"{place}.{key}" if name != "$defs" else key)
        elif isinstance(part, dict):
            yield from lines(part, f"{place} {name}")


def _short(value: Any) -> str:
    """A value; of a long list, which other tables make, how many it has."""
    return f"one of {len(value)}" if isinstance(value, list) and len(value) > 8 else str(value)


def test_what_editors_are_told_of_every_key() -> None:
    assert list(lines(json_schema(), "scenario")) == LIMITS.read_text("utf-8").splitlines()


if __name__ == "__main__":
    LIMITS.write_text("".join(f"{line}\n" for line in lines(json_schema(), "scenario")), "utf-8")
