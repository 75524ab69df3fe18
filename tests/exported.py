"""An exported test, as a project of its own would run it."""

from __future__ import annotations

import re
from typing import Any

from mock_server.testing.sandbox import Sandbox


def run_exported(source: str, sandbox: Sandbox, dialect: str) -> None:
    """Runs the test of a file in the dialect that its marker names, else in that of all sandboxes of the project."""
    found: dict[str, Any] = {}
    exec(source, found)
    (test,) = (found[name] for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE))
    marked = {name: value for mark in getattr(test, "pytestmark", ()) for name, value in mark.kwargs.items()}
    sandbox.control.put("/dialect", {"dialect": dialect, **marked})
    test(sandbox)
