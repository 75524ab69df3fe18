"""Whether the databases that tests open are closed again: from Python 3.13 on, forgetting one is a warning.

It would be given whenever Python finds the connection, so in whichever test runs then.
"""

from __future__ import annotations

import sqlite3
from typing import Any, Final

OPENED: Final[list[sqlite3.Connection]] = []
"""The connections of this process since the last look."""


def watch() -> None:
    """Note each connection to SQLite from now on. A hook for audits would be called for all else that Python does."""
    library: Any = sqlite3
    connect = library.connect

    def noted(*given: Any, **named: Any) -> Any:
        made = connect(*given, **named)
        OPENED.append(made)
        return made

    library.connect = noted


def left_open() -> int:
    """Close what is still open of them, and say how many that were."""
    left = sum(map(_is_open, OPENED))
    for connection in OPENED:
        connection.close()
    OPENED.clear()
    return left


def _is_open(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
