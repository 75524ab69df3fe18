"""A setting that nobody reads says so; one that somebody reads does not say it any more."""

from __future__ import annotations

import ast
from typing import Final

from mock_server.settings import ROWS
from tests.architecture.sources import PACKAGE, modules

NOT_YET: Final = "Not used yet."


def names_read() -> set[str]:
    """Return the attributes of everything called settings, outside the settings' own package."""
    return {
        node.attr
        for module in modules()
        if not module.name.startswith(f"{PACKAGE}.settings")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and _is_settings(node.value)
    }


def _is_settings(node: ast.expr) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name == "settings"


def test_the_docs_say_which_settings_do_something() -> None:
    unread = {name for name, row in ROWS.items() if row.doc.endswith(NOT_YET)}
    assert unread == set(ROWS) - names_read()
