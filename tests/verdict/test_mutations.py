"""A rule with one sign changed is noticed by the corpus: some client is judged otherwise."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from mock_server.verdict import manners, money, rules
from mock_server.verdict.evidence import Evidence, read
from mock_server.verdict.rules import ClientRule, State, judge
from tests.verdict.clients_by_kind import BROKEN, CORRECT, NOT_CHECKED, VARIANTS
from tests.verdict.conftest import Left

HOMES: Final = (money, manners)
LATE_MS: Final = 100
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


def mutants(home: ModuleType) -> Iterator[tuple[str, ast.Module]]:
    """A module with one comparison turned round, one `and` made an `or`, or one `not` left out, until the next."""
    tree = ast.parse(Path(str(home.__file__)).read_text("utf-8"))
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp):
            name, before = f"line {node.lineno}: {ast.unparse(node)}", vars(node).copy()
            if turned(node):
                yield name, tree
            vars(node).update(before)


def turned(node: ast.Compare | ast.BoolOp | ast.UnaryOp) -> bool:
    """Whether it was turned round."""
    if isinstance(node, ast.Compare):
        node.ops = [SWAPS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node.op, ast.Not):
        node.op = ast.UAdd()
        truth = ast.Call(ast.Name("bool", ast.Load()), [node.operand], [])
        node.operand = ast.fix_missing_locations(ast.copy_location(truth, node))
    else:
        return False
    return True


@pytest.fixture(scope="module")
def evidences(left: Left) -> list[dict[str, Any]]:
    """What each client of the corpus left."""
    found = [left(client) for client in (*BROKEN.values(), *CORRECT, *VARIANTS, *NOT_CHECKED)]
    hurried = found[list(BROKEN).index("retried-too-soon")]
    twice = found[list(BROKEN).index("webhook-acted-twice")]
    return [*found, *acted(twice), beside(hurried, 0.5), beside(hurried, -5), beside(hurried, 5)]


def acted(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    """A receiver that did two different things, that did one thing under one key, and that did one thing once."""
    found = []
    for changes in ({"operation": "payments.update_metadata"}, {"idempotency": ["a", "a"]}, {}):
        changed = copy.deepcopy(evidence)
        lines = changed["journal"]["data"]
        calls = [line for line in lines if line["operation"] == "refunds.create"]
        calls[1].update(changes)
        if "idempotency" in changes:
            calls[0].update(changes)
        if not changes:
            lines.remove(calls[1])
        for event in changed["webhooks"]["data"]:  # so long that both deliveries hold every call
            for one in event["deliveries"]:
                one["began_us"], one["took_ms"] = lines[0]["began_us"], 60_000
        found.append(changed)
    return found


def beside(evidence: dict[str, Any], seconds: float) -> dict[str, Any]:
    """A client that did not wait, and a call of another thread so long after its first one; that lasts a second."""
    changed = copy.deepcopy(evidence)
    one, two = changed["journal"]["data"]
    one["took_ms"], two["began_us"] = 100, one["began_us"] + 1_000_000
    other = {**one, "number": 9, "path": "/health", "retry_after": None, "took_ms": 1_000}
    changed["journal"]["data"].append({**other, "began_us": one["began_us"] + round(seconds * 1_000_000)})
    return changed


def test_a_call_of_another_thread_excuses_who_does_not_wait(evidences: list[dict[str, Any]]) -> None:
    states = [
        next(one.state for one in judge(read(evidence)).results if one.rule.id == "retried-too-soon")
        for evidence in evidences[-3:]
    ]
    assert states == [State.NOT_JUDGED, State.FOUND, State.FOUND]


def said(table: Sequence[ClientRule], evidence: Evidence) -> list[Any]:
    """What is said of a client."""
    return [(one.rule.id, one.state, one.seen, one.occasions) for one in judge(evidence, rules=table).results]


def changed(home: ModuleType, tree: ast.Module) -> list[ClientRule]:
    """The rules of a module, with the functions of its mutant."""
    mutant: dict[str, Any] = {"__name__": home.__name__}
    exec(compile(tree, "mutant", "exec"), mutant)
    mutant["LATE_MS"] = LATE_MS
    own = [rule for rule in rules.RULES if rule.find.__module__ == home.__name__]
    return [rule._replace(find=mutant[rule.find.__name__]) for rule in own]


@pytest.mark.parametrize("home", HOMES, ids=lambda one: one.__name__.rpartition(".")[2])
def test_a_changed_rule_is_noticed(
    home: ModuleType, evidences: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manners, "LATE_MS", LATE_MS)
    own = [rule for rule in rules.RULES if rule.find.__module__ == home.__name__]
    clients = [(client, said(own, client)) for client in map(read, evidences)]
    survived = []
    for name, tree in mutants(home):
        try:
            table = changed(home, tree)
            is_noticed = any(said(table, client) != right for client, right in clients)
        except Exception:  # it does not even run
            is_noticed = True
        survived += [] if is_noticed else [name]
    assert survived == []
