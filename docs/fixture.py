"""The reference of the fixture: every public attribute and method of the sandbox in tests, from its docstrings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from mock_server.testing import plugin, records
from mock_server.testing.client import Cards, Client
from mock_server.testing.control import Answer, ControlClient, Triggers, WorkspaceClock
from mock_server.testing.factory import SandboxFactory
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import SETS, outcomes
from mock_server.testing.parts import CheckoutPage, SandboxParts
from mock_server.testing.sandbox import Sandbox
from mock_server.testing.scenarios import Scenario, Scenarios
from mock_server.testing.webhooks import Webhooks

PARTS: Final[tuple[tuple[str, type], ...]] = (
    ("`payment_sandbox.client`", Client),
    ("`payment_sandbox.cards`", Cards),
    ("`payment_sandbox.clock`", WorkspaceClock),
    ("`payment_sandbox.trigger`", Triggers),
    ("`payment_sandbox.webhooks`", Webhooks),
    ("`payment_sandbox.journal`", Journal),
    ("`payment_sandbox.scenarios`", Scenarios),
    ("`payment_sandbox.scenario(…)`", Scenario),
    ("`payment_sandbox.control`", ControlClient),
    ("`payment_sandbox.checkout(page)`", CheckoutPage),
    ("`payment_sandbox_factory`", SandboxFactory),
    ("`Answer`, of a call", Answer),
    ("`Event`, of the inbox", records.Event),
    ("`LoggedCall`, of the journal", records.LoggedCall),
    ("`ClockAdvanced`", records.ClockAdvanced),
    ("`Card`", records.Card),
)
"""The objects that tests get, and their classes."""
ABOUT_SETS: Final = (
    "The marker takes a set or one of its outcomes. A fault that ends in `_not_done` is one of a call that was not\n"
    "performed; after one in `_kept`, the charge is made, though the client may not learn it. A challenge waits until\n"
    "a browser opens its page, or until `trigger.authenticate`; an abandoned one, for the clock."
)
_MODULES: Final = re.compile(r"\b(?:[a-z_]+\.)+(?=[A-Z])")


def text() -> str:
    """The page's generated part: a table for each object."""
    marks = "".join(f"| `{mark.partition(': ')[0]}` | {mark.partition(': ')[2]} |\n" for mark in plugin.MARKS)
    own = _table([*_rows(SandboxParts), *_rows(Sandbox)])
    parts = (f"## {title}\n\n{_sentences(cls)}\n\n{_table(list(_rows(cls)))}" for title, cls in PARTS)
    head = f"## Markers\n\n| marker | what it does |\n|---|---|\n{marks}"
    sets = "".join(f"| `{name}` | {_members(name)} |\n" for name in SETS)
    head += f"\n## Sets of `payment_outcomes`\n\n{ABOUT_SETS}\n\n| set | its outcomes |\n|---|---|\n{sets}"
    return "\n".join((head, f"## `payment_sandbox`\n\n{own}", *parts))


def _members(name: str) -> str:
    return ", ".join(f"`{one.name}`" for one in outcomes([name]))


def _table(rows: list[str]) -> str:
    return "".join(("| name | what it is or does |\n|---|---|\n", *rows)) if rows else ""


def _rows(cls: type) -> Iterator[str]:
    names = [field.name for field in fields(cls)] if is_dataclass(cls) else []
    if shown := ", ".join(f"`{name}`" for name in names if not name.startswith("_")):
        yield f"| {shown} | fields |\n"
    yield from _attributes(cls)
    for name, member in vars(cls).items():
        documented = member.func if isinstance(member, cached_property) else member
        if name.startswith("_") or not (inspect.isfunction(documented) or isinstance(documented, property)):
            continue
        called = _signature(member) if inspect.isfunction(member) else ""
        yield f"| `{name}{called}` | {_sentences(documented)} |\n"


def _attributes(cls: type) -> Iterator[str]:
    """What `__init__` sets and documents by a text below it."""
    made = vars(cls).get("__init__")
    written = [] if is_dataclass(cls) or made is None else ast.parse(textwrap.dedent(inspect.getsource(made))).body
    for lines in (one.body for one in written if isinstance(one, ast.FunctionDef)):
        for line, below in pairwise(lines):
            target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
            name = getattr(target, "attr", "_")
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and not name.startswith("_"):
                yield f"| `{name}` | {' '.join(str(below.value.value).split())} |\n"


def _signature(function: Callable[..., Any]) -> str:
    shown: list[str] = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not any(one.startswith("*") for one in shown):
            shown.append("*")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        stars = str(parameter).partition(parameter.name)[0]  # of *args and **kwargs
        shown.append(f"{stars}{parameter.name}{default}")
    return f"({', '.join(shown)})"


def _sentences(documented: object) -> str:
    return _MODULES.sub("", " ".join((inspect.getdoc(documented) or "").split())).replace("|", "\\|")
