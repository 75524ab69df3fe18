"""The page of a workspace that is gone names what made it go, whatever that was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.dashboard.visitor import Visitor, text
from tests.wire import Wire, wire

WAYS: Final[dict[str, Callable[[Wire], object]]] = {
    "ended": lambda api: api.call("DELETE", "/_sandbox/workspace"),
    "reset with all others": lambda api: api.as_key(None).post("/_sandbox/reset"),
    "evicted": lambda api: api.as_key("snd_another_key").pay(),
}


@pytest.mark.parametrize("said", WAYS)
def test_the_page_names_the_cause(said: str) -> None:
    api = wire(workspaces=1)
    api.pay()
    visitor = Visitor(api)
    assert visitor.look("payments").status == 200
    WAYS[said](api)
    gone = visitor.look("payments")
    assert gone.status == 404
    assert said in text(gone)
