"""An operation by its route in the public specification."""

from __future__ import annotations

import re

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS


def operation(route: str) -> Operation:
    plain = re.sub(r"\{\w+\}", "{}", route)
    return next(row for row in OPERATIONS if re.sub(r"<\w+>", "{}", row.route) == plain)
