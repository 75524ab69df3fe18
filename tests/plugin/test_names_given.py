"""A name or an id that is none is refused wherever the fixture takes one, and what is said names it.

An id that a program did not find is often empty or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, signature
from typing import Any, Final

import pytest

from mock_server.testing import ControlRefused, Sandbox, SandboxServer
from mock_server.testing.control import Triggers, WorkspaceClock
from mock_server.testing.scenarios import Scenarios
from mock_server.testing.webhooks import Webhooks
from tests.counts import times

ROOMS: Final = {"": Sandbox, "trigger": Triggers, "webhooks": Webhooks, "scenarios": Scenarios, "clock": WorkspaceClock}
NAMES: Final = {
    "payment",
    "refund",
    "dispute",
    "told",
    "event_id",
    "object_id",
    "name",
    "given",
    "on",
    "then",
    "at",
    "to",
}
"""The arguments that are a name, an id, an instant or what has one; in `webhooks`, `to` is an app."""
WRONG: Final = ("", 5, None, True, 1.5, b"x", object())
NUMBERS: Final = (int, bool, float)
"""They are names too, as they are written."""
USUAL: Final = {"type": "payment_succeeded", "to": "won", "object_id": "pay_1", "dispute": "dp_1", "on": "charge"}
REFUSED: Final = (AssertionError, ControlRefused, TypeError, ValueError)


def arguments() -> Iterator[tuple[str, str, str]]:
    for room, cls in ROOMS.items():
        for name, method in vars(cls).items():
            if not name.startswith("_") and callable(method) and name != "deliver":
                yield from ((room, name, one) for one in signature(method).parameters if one in NAMES)


@pytest.mark.parametrize(("room", "name", "argument"), [*arguments()])
def test_what_is_no_name_is_refused_and_named(inside: SandboxServer, room: str, name: str, argument: str) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.client.pay()
        method = getattr(getattr(sandbox, room) if room else sandbox, name)
        parameters = signature(method).parameters
        usual = {one: USUAL[one] for one, it in parameters.items() if it.default is Parameter.empty and one in USUAL}
        for value in WRONG[: times(3, soak=7)]:
            is_optional = value is None and parameters[argument].default is None
            if is_optional or (argument == "name" and type(value) in NUMBERS):
                continue
            given: dict[str, Any] = {**usual, argument: value}
            first = [
                given.pop(one) for one, it in parameters.items() if it.kind is Parameter.POSITIONAL_ONLY if one in given
            ]
            with pytest.raises(REFUSED) as refused:
                method(*first, **given)
            said = str(refused.value).splitlines()[0]
            names = (argument, repr(value), f"{argument}_id", "event_id", "refund_id", "/None/", "is empty", "JSON")
            assert any(word in said for word in names), (value, said)
