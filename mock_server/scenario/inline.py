"""Scenarios from a text that is handed in, where no file can be mounted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mock_server.scenario.mistakes import Mistake, ScenarioErrors

if TYPE_CHECKING:
    from mock_server.scenario.model import Scenario

INLINE_FILE: Final = "PAYMENT_SANDBOX_SCENARIOS_INLINE"


def read_inline(text: str | None, mistakes: list[Mistake]) -> dict[str, Scenario]:
    """The scenarios of a text with `---` between them; their places count from the whole text's beginning."""
    found: dict[str, Scenario] = {}
    if not text:
        return found
    from mock_server.scenario.loading import load_text

    for number, part in enumerate(_documents(text), start=1):
        try:
            scenario = load_text(part, INLINE_FILE, name=f"inline{number}" if number > 1 else "inline").scenario
        except ScenarioErrors as wrong:
            mistakes += wrong.mistakes
            continue
        if scenario.name in found:
            mistakes.append(Mistake(INLINE_FILE, 1, 1, f"the name {scenario.name} stands twice"))
        found[scenario.name] = scenario
    return found


def _documents(text: str) -> list[str]:
    parts: list[str] = []
    lines: list[str] = []
    for at, line in enumerate(text.splitlines(keepends=True)):
        if line.rstrip() == "---":
            parts.append("".join(lines))
            lines = ["\n"] * (at + 1)
        else:
            lines.append(line)
    parts.append("".join(lines))
    return [part for part in parts if part.strip()]
