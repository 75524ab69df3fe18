"""How far JSON may go here, and the refusal of what goes further (ours)."""

from __future__ import annotations

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1
"""The largest integer that JavaScript, too, reads exactly."""


class JsonMistake(ValueError):
    """A text that is not the JSON this server takes: why, and where (line and column count from 1)."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.reason = reason
        self.line = line
        self.column = column
