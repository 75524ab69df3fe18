"""The clients of the verdict's tests: those with each mistake, and those with none."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from mock_server.testing import Sandbox
from mock_server.verdict.rules import RULES
from tests.verdict.clients import broken, broken_elsewhere, correct, correct_repeats, not_checked

Client = Callable[[Sandbox], None]

BROKEN = {rule.id: getattr(broken, rule.id.replace("-", "_")) for rule in RULES}
VARIANTS = [one for name, one in inspect.getmembers(broken_elsewhere, inspect.isfunction) if "__" in name]
NOT_CHECKED = [one for name, one in inspect.getmembers(not_checked, inspect.isfunction) if "__" in name]
CORRECT = [
    one
    for home in (correct, correct_repeats)
    for name, one in inspect.getmembers(home, inspect.isfunction)
    if one.__module__ == home.__name__ and not name.startswith("_")
]
