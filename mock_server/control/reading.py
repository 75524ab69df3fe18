"""What the store keeps of calls, decisions and events, as the control API shows it."""

from __future__ import annotations

from typing import Any

from mock_server.contract.answers.writing import write
from mock_server.contract.dialect import Dialect
from mock_server.control.answers.story import JOURNAL_LINE
from mock_server.dialects.interface import INTERFACE
from mock_server.sandbox.answered import whole
from mock_server.store.protocol import Entry


def line_of(entry: Entry, dialect: Dialect) -> dict[str, Any]:
    """What a line of the journal shows, by the names of its rows."""
    return {**whole(entry, dialect), "number": entry.sequence}


def line_shown(entry: Entry, dialect: Dialect) -> dict[str, Any]:
    """One line of the journal; a body that is JSON stands as JSON."""
    return write(JOURNAL_LINE, line_of(entry, dialect), INTERFACE)
