"""A long run with full logs: no call does the housekeeping of thousands, for which all clients would wait."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, Final

from benchmarks.calls import passed
from tests.counts import times
from tests.wire import KEY, Reply, Wire, called, card_payment, wire

BOUND: Final = 200
"""Of each log, so that it is soon full."""
FIRST: Final = 1_600
"""Rounds after which all logs are full, and each kind of record has more than enough for its indexes."""
MOST: Final = 1_500
"""Calls of functions; a usual call has some hundreds."""


def test_no_call_of_a_long_run_does_much_more_than_the_others() -> None:
    api = wire(journal=BOUND, inbox=BOUND, idempotency=BOUND)
    work, large = Work(api), Counter[str]()
    for number in range(FIRST + times(400, soak=20_000)):
        work.counts = number > FIRST
        for name, calls in work.round(number):
            large[name] += calls > MOST
    assert +large == {}


class Work:
    """What a shop does over and over. To count what is called takes longer than to call it."""

    counts = True

    def __init__(self, api: Wire) -> None:
        self._app = api.app
        self._headers = {"api-key": KEY, "Content-Type": "application/json"}

    def round(self, number: int) -> list[tuple[str, int]]:
        """The calls for one order, each with the number of functions that were called for it."""
        order = {**card_payment(), "confirm": True, "capture_method": ("automatic", "manual")[number % 2]}
        done = [self._do("create", "POST", "/payments", order, f"create-{number}")]
        payment_id = self._answer["payment_id"]
        if number % 2:
            done.append(self._do("capture", "POST", f"/payments/{payment_id}/capture", {}, f"capture-{number}"))
        if not number % 3:
            refund = {"payment_id": payment_id, "amount": 100}
            done.append(self._do("refund", "POST", "/refunds", refund, f"refund-{number}"))
        if not number % 5:
            done.append(self._do("retrieve", "GET", f"/payments/{payment_id}"))
        if not number % 7:
            done.append(self._do("list", "GET", "/payments/list?limit=5&status=succeeded"))
        return done

    def _do(self, name: str, method: str, path: str, body: Any = None, key: str | None = None) -> tuple[str, int]:
        headers = {**self._headers, **({"X-Idempotency-Key": key} if key else {})}
        data = b"" if body is None else json.dumps(body).encode()
        answers: list[Reply] = []

        def call() -> None:
            answers.append(called(self._app, method, path, data, headers))

        found = 0
        if self.counts:
            found = passed(call).total()
        else:
            call()
        assert answers[0].status == 200, answers[0].raw
        self._answer = answers[0].json
        return name, found
