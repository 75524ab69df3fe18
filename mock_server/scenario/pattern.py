"""Patterns of `matches`, in time that grows with the text's length and never faster.

The usual signs of regular expressions without look-around and back references, which is what makes some patterns
catastrophic. A pattern is searched for anywhere in the text unless it begins with `^` or ends with `$`. The text is
walked through once with the set of states the pattern can be in (Thompson's construction).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mock_server.domain.values import frozen
from mock_server.scenario.pattern_parts import Parser
from mock_server.scenario.pattern_states import PatternWrong, State

__all__ = ["LONGEST_TEXT", "Pattern", "PatternWrong", "compile_pattern"]

LONGEST_TEXT: Final = 2_000
"""Longer texts are searched up to here (ours; the values of metadata have at most 500 characters)."""
LONGEST_PATTERN: Final = 500


@frozen
class Pattern:
    """A pattern that was found sound."""

    text: str
    start: int
    states: tuple[State, ...]
    ignore_case: bool

    def search(self, text: str) -> bool:
        """Whether the pattern stands somewhere in the text."""
        text = text[:LONGEST_TEXT]
        if self.ignore_case:
            text = text.lower()
        current: set[int] = set()
        for at in range(len(text) + 1):
            current.add(self.start)
            current = self._closure(current, text, at)
            if -1 in current:
                return True
            if at < len(text):
                current = self._step(current, text[at])
        return False

    def _step(self, current: set[int], sign: str) -> set[int]:
        states = self.states
        return {states[number].next[0] for number in current if states[number].takes(sign)}

    def _closure(self, current: set[int], text: str, at: int) -> set[int]:
        """Every state that can be reached without reading a sign; -1 is the end."""
        found: set[int] = set()
        todo = list(current)
        while todo:
            number = todo.pop()
            if number in found:
                continue
            found.add(number)
            if number >= 0:
                state = self.states[number]
                if state.is_open(text, at):
                    todo.extend(state.next)
        return found


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """The pattern of a text. PatternWrong (a ValueError) says what is wrong with it."""
    if len(text) > LONGEST_PATTERN:
        raise PatternWrong(f"has {len(text)} signs; at most {LONGEST_PATTERN} are read")
    ignore_case = text.startswith("(?i)")
    parser = Parser(text[4:] if ignore_case else text, ignore_case)
    start = parser.whole()
    return Pattern(text, start, tuple(parser.states), ignore_case)
