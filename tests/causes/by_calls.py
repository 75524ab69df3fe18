"""Every cause that calls can raise, and whether an answer says it."""

from __future__ import annotations

import re
from typing import Any

from mock_server.dialects.interface.errors import ERRORS
from mock_server.domain.errors import Cause
from tests.causes.raising import Rows
from tests.causes.requests import REQUESTS
from tests.causes.rules import RULES
from tests.causes.states import STATES
from tests.causes.values import VALUES

BY_CALLS: Rows = (*REQUESTS, *VALUES, *STATES, *RULES)
SAID = {row.cause: row for row in ERRORS}


def reads_as(cause: Cause, status: int, error: dict[str, Any]) -> None:
    """Whether an answer has the status, type and code of a cause's row, and the text of no other."""
    row = SAID[cause]
    assert (status, error["type"], error["code"]) == (row.status, row.type, row.code), error
    assert pattern(row.message) == said_by(error["message"]), error["message"]


def said_by(message: str) -> str | None:
    """The pattern that a text was made by; where one begins like another, the longer one."""
    fitting = [one for row in ERRORS if re.fullmatch(one := pattern(row.message), message, re.DOTALL)]
    return max(fitting, key=len, default=None)


def pattern(template: str) -> str:
    """A text with anything in the place of its values."""
    return ".*".join(map(re.escape, re.split(r"\{\w+\}", template)))
