"""A setting that nobody reads says so; one that somebody reads does not say it any more."""

from __future__ import annotations

import ast
from typing import Final

from mock_server.settings import ROWS
from tests.architecture.sources import PACKAGE, Module, modules

NOT_YET: Final = "Not used yet."


def names_read(module: Module) -> set[str]:
    """Return the attributes of everything called settings, and what is asked for as `setting("name")`."""
    asked = {
        call.args[0].value
        for call in module.calls()
        if _name(call.func).endswith("setting") and call.args and isinstance(call.args[0], ast.Constant)
    }
    return {str(name) for name in asked} | {
        node.attr
        for node in module.nodes
        if isinstance(node, ast.Attribute) and _name(node.value).lstrip("_") == "settings"
    }


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def test_the_docs_say_which_settings_do_something() -> None:
    elsewhere = [module for module in modules() if not module.name.startswith(f"{PACKAGE}.settings")]
    read = set().union(*map(names_read, elsewhere))
    unread = {name for name, row in ROWS.items() if row.doc.endswith(NOT_YET)}
    assert unread == set(ROWS) - read


def test_the_rule_sees_who_reads() -> None:
    source = 'settings.port\nsandbox.settings.host\nworld.setting("seed")\nother.rate_limit\nsettings'
    assert names_read(Module("mock_server.x", source)) == {"port", "host", "seed"}
