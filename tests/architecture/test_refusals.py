"""Each refusal says all that its cause's texts can name: what is missing would be found by whoever gets the error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from mock_server.domain.errors import Cause
from tests.architecture.sources import Module, modules

ALWAYS: Final = frozenset({"fields", "extras"})


def incomplete(module: Module) -> Iterator[str]:
    """The refusals with other values than their cause has, if both are written out."""
    for call in module.calls():
        if not (isinstance(call.func, ast.Name) and call.func.id == "Refusal" and call.args):
            continue
        cause, given = call.args[0], {word.arg for word in call.keywords} - ALWAYS
        if not isinstance(cause, ast.Attribute) or cause.attr not in Cause.__members__ or None in given:
            continue
        if (wanted := set(Cause[cause.attr].params)) != given:
            yield f"{module.name}:{call.lineno} {cause.attr} has {sorted(map(str, given))}, not {sorted(wanted)}"


def test_each_refusal_has_the_values_of_its_cause() -> None:
    assert [mistake for module in modules() for mistake in incomplete(module)] == []


def test_the_rule_sees_what_breaks_it() -> None:
    wrong = "raise Refusal(Cause.STATUS_FORBIDS, status=status, fields=())\nraise Refusal(Cause.KEY_MISSING, kind=1)\n"
    assert len(list(incomplete(Module("m", wrong)))) == 2
    right = "raise Refusal(Cause.STATUS_FORBIDS, action='void', **found)\nraise Refusal(cause, fields=wrong)\n"
    assert list(incomplete(Module("m", right))) == []
