"""Every answer shows one state of the workspace, whatever is changed while it is made."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count, islice
from typing import Any, Final

import pytest

from mock_server.domain.paging import Query
from mock_server.engine.kinds import EVENTS
from mock_server.store.space import Space
from tests.api.money_places import paid, refund
from tests.api.places import workspace as workspace_of
from tests.api.saving import CUSTOMER
from tests.causes.raising import ADMIN
from tests.control.full_workspace import full, merchant_of
from tests.control.reading_all import Bare, Look, looks
from tests.counts import SOAK, times
from tests.webhooks.shops import mall
from tests.wire import Reply

READING: Final = ("transact", "get", "scan", "keys")
"""The steps in which a workspace is read; each has its own lock, so that something may be changed before it."""
POINTS: Final = times(2, soak=40)
"""Before how many steps of one call something is changed, the last ones; more have been seen to find no more."""

IN_PARTS: Final = ("/_sandbox/verdicts",)
"""A verdict reads all calls in parts, and a call's line is written after its events: it is of what came until now."""


class Between:
    """Counts the steps of a call, and makes a change before one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, space: Space, change: Callable[[], object]) -> None:
        self.steps, self.at, self._is_changing = 0, 0, False
        for name in READING:
            monkeypatch.setattr(Space, name, self._counted(getattr(Space, name), space, change))

    def _counted(self, step: Callable[..., Any], of: Space, change: Callable[[], object]) -> Callable[..., Any]:
        def counted(space: Space, *given: Any, **more: Any) -> Any:
            if space is of and not self._is_changing:
                self.steps += 1
                if self.steps == self.at:
                    self._is_changing = True
                    change()
                    self._is_changing = False
            return step(space, *given, **more)

        return counted


def shown(reply: Reply) -> tuple[bytes, bytes]:
    """The answer without tokens that are drawn anew for each, and what a page says that it has seen."""
    text = re.sub(rb"token_[A-Za-z0-9]+", b"", reply.raw)
    seen = re.search(rb'data-seen="([^"]*)"', text)
    return text, seen[1] if seen else b""


@pytest.mark.timeout(1800 if SOAK else 300)
def test_no_answer_mixes_two_states(monkeypatch: pytest.MonkeyPatch) -> None:
    shops = mall(target=False)
    api = merchant_of(shops.api.as_key(ADMIN))
    full(api)
    assert api.post("/_sandbox/scenarios/kept/deactivate").status == api.delete("/_sandbox/next").status == 200
    shops.deliver()
    one, numbers, workspace = paid(api), count(), workspace_of(api)
    refund(api, one, amount=1)
    event = next(islice(workspace.space.scan(EVENTS, Query()), 1)).event_id

    def change() -> None:
        """The newest records change: the payment with its refunds, a customer, a delivery of the event."""
        refund(api, one, amount=1)
        api.post(f"/customers/{CUSTOMER}", {"name": f"Jane {next(numbers)}"})
        api.post(f"/_sandbox/webhooks/{event}/resend")

    every = [one for one in looks(workspace, str(api.key)) if one.path not in IN_PARTS]
    between, client = Between(monkeypatch, workspace.space, change), Bare(api)
    torn, changed = [], 0

    def look(one: Look, at: int = 0) -> tuple[bytes, bytes]:
        between.steps, between.at = 0, at
        return shown(client.call(*one))

    for one_look in every:
        before = look(one_look)
        for at in range(max(2, between.steps - POINTS + 1), between.steps + 1):
            during, after = look(one_look, at), look(one_look)
            # A page reads in several steps: it is refreshed if it says that it has seen less than there is by now.
            if during not in (before, after) and not (during[1] and during[1] != after[1]):
                torn.append(f"{one_look}: before step {at}")
            changed += during != after or during != before
            before = after
    assert not torn
    assert changed > len(every) / 4, "too little was changed to find anything"
