"""A rule with one sign changed is noticed by the corpus: some client is judged otherwise."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict import rules
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.judging import judge
from tests.verdict.test_rules import BROKEN, CORRECT

SOURCE: Final = Path(rules.__file__).read_text("utf-8")
SWAPS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def mutants() -> Iterator[tuple[str, ast.Module]]:
    """The rules with one comparison turned round, one `and` made an `or`, or one `not` left out."""
    tree = ast.parse(SOURCE)
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            changed = copy.deepcopy(tree)
            there = list(ast.walk(changed))[number]
            if isinstance(there, ast.Compare):
                there.ops[0] = SWAPS[type(there.ops[0])]()
            elif isinstance(there, ast.BoolOp):
                there.op = ast.Or() if isinstance(there.op, ast.And) else ast.And()
            elif isinstance(there, ast.UnaryOp):
                there.op = ast.UAdd()
                there.operand = ast.Call(ast.Name("bool", ast.Load()), [there.operand], [])
            yield f"line {node.lineno}: {ast.unparse(node)}", ast.fix_missing_locations(changed)


@pytest.fixture(scope="module")
def evidences() -> list[dict[str, Any]]:
    """What each client of the corpus left."""
    found = []
    with SandboxServer({"advance_delivery_timeout": "100ms"}) as server:
        for client in (*BROKEN.values(), *CORRECT):
            sandbox = Sandbox(server=server, name=client.__name__, seed="tests").start()
            client(sandbox)
            found.append(gathered(lambda path, at=sandbox.control: at.get(f"/{path}")))
            sandbox.close()
    return found


def said(table: Any, evidences: list[dict[str, Any]]) -> list[Any]:
    """What is said of each client."""
    verdicts = [judge(read(evidence), rules=table) for evidence in evidences]
    return [[(one.rule.id, one.state, one.seen, one.occasions) for one in verdict.results] for verdict in verdicts]


def test_a_changed_rule_is_noticed(evidences: list[dict[str, Any]]) -> None:
    right = said(rules.RULES, evidences)
    survived = []
    for name, tree in mutants():
        module = ModuleType("mutant")
        module.__dict__["__name__"] = rules.__name__
        try:
            exec(compile(tree, "mutant", "exec"), module.__dict__)
            noticed = said(module.__dict__["RULES"], evidences) != right
        except Exception:  # it does not even run
            noticed = True
        if not noticed:
            survived.append(name)
    print("SURV", "\nSURV ".join(survived))
    assert survived == []
