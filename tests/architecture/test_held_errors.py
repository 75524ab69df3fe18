"""No function raises an error that it holds: the error's traceback holds the function, and so all of a call.

Only the garbage collector frees such a cycle, which looks at all objects of the process, and may not run for long.
"""

from __future__ import annotations

import ast
from typing import Final

from tests.architecture.sources import Module, modules

FREED: Final = {
    "mock_server.cli.invoke": "the process ends with it",
    "mock_server.cli.tail.together": "the command ends with it",
    "mock_server.webhooks.transport_http.increment": "`send` lets go of its traceback",
}


def held(module: Module) -> list[str]:
    """The functions that raise an error by a local name that no `except` deletes."""
    return [
        f"{module.name}.{function.name}"
        for function in module.nodes
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for one in ast.walk(function)
        if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Name)
        if one.exc.id[:1].islower() and one.exc.id not in _caught(function)
    ]


def _caught(function: ast.AST) -> set[str | None]:
    return {one.name for one in ast.walk(function) if isinstance(one, ast.ExceptHandler)}


def test_no_function_raises_what_it_holds() -> None:
    assert {name for module in modules() for name in held(module)} == set(FREED)


def test_the_rule_sees_what_breaks_it() -> None:
    wrong = "def permit(why):\n    if why is not None:\n        raise why\n"
    right = "def permit(why):\n    try:\n        raise Wrong(why)\n    except Wrong as wrong:\n        raise wrong\n"
    assert [held(Module("x", text)) for text in (wrong, right)] == [["x.permit"], []]
