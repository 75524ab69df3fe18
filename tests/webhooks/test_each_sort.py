"""What is sent, events and reports' notices alike: retried, timed out, advanced, kept in snapshots in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Final

import pytest

from mock_server.domain.instants import SECOND_MS
from mock_server.webhooks import delivery_queue
from mock_server.webhooks.delivery_log import DELAYS
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Wire
from tests.webhooks.busy import Busy
from tests.webhooks.shops import Delivered, Mall

RECEIVER: Final = "https://shop.example.com"
REPORT: Final = {"timeRange": {"startTime": "2026-01-01T00:00:00Z"}, "emails": ["a@b.cc"], "returnUrl": f"{RECEIVER}/r"}


class Notices:
    """A receiver of reports' notices, with the manners of the shop for events."""

    def __init__(self, shop: Mall) -> None:
        self._shop = shop.shop

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        delivered = Delivered(url, body, dict(headers), self._shop.now())
        self._shop.got.append(delivered)
        wire.sent()
        answer = self._shop.always
        status = answer(delivered) if callable(answer) else answer
        assert isinstance(status, int)
        return Response(status)


def ask(shop: Mall) -> object:
    return shop.api.post("/analytics/v1/report/payments", REPORT)


SORTS: Final[dict[str, Callable[[Mall], object]]] = {"deliver": lambda shop: shop.api.pay(), "deliver_report": ask}
each_sort = pytest.mark.parametrize("sort", SORTS)


@pytest.fixture(autouse=True)
def _listening(request: pytest.FixtureRequest) -> Iterator[None]:
    name = next((one for one in ("busy", "hasty") if one in request.fixturenames), "shopping")
    found = request.getfixturevalue(name)
    shop = found if name == "shopping" else found.mall
    undo = shop.api.sandbox.post.routing.connect(RECEIVER, Notices(shop))
    yield
    undo()


def test_there_is_an_example_of_each_sort() -> None:
    assert set(SORTS) == set(delivery_queue.SORTS)


@each_sort
@pytest.mark.parametrize("steps", [1, 25])
@pytest.mark.parametrize("frozen", [False, True])
def test_the_whole_series_within_an_advance(shopping: Mall, sort: str, steps: int, frozen: bool) -> None:
    if frozen:
        shopping.api.post("/_sandbox/clock/freeze")
    shopping.shop.always = 500
    SORTS[sort](shopping)
    fired: list[Any] = []
    for _ in range(steps):
        fired += shopping.advance(f"{25 // steps}h")["fired"]
    assert [got.at for got in shopping.shop.got] == [0, *accumulate(DELAYS)]
    assert [one["what"] for one in fired] == [sort] * (1 + len(DELAYS))
    assert shopping.api.get("/_sandbox/clock")["next_due"] is None


@each_sort
def test_a_retry_is_made_by_itself(shopping: Mall, sort: str) -> None:
    shopping.shop.always = 500
    SORTS[sort](shopping)
    shopping.deliver()
    shopping.shop.always = 200
    for delay in (DELAYS[0] - 1, 1, DELAYS[1]):
        shopping.clock.advance(delay)
        shopping.deliver()
    assert [got.at for got in shopping.shop.got] == [0, DELAYS[0]]


@each_sort
def test_one_that_hangs_is_cut_and_made_again(busy: Busy, sort: str) -> None:
    SORTS[sort](busy.mall)
    busy.look()
    busy.door.wait_for(1)
    busy.later(32 * SECOND_MS)
    busy.door.is_open.set()
    busy.later(DELAYS[0])
    busy.door.wait_for(2)


@each_sort
def test_an_advance_waits_for_one_that_hangs_only_for_its_time(hasty: Busy, sort: str) -> None:
    SORTS[sort](hasty.mall)
    hasty.look()
    hasty.door.wait_for(1)
    assert [one["what"] for one in hasty.mall.advance("90s")["fired"]] == [sort]
    assert len(hasty.door.came) == 2


@each_sort
def test_one_on_its_way_is_in_a_snapshot(busy: Busy, sort: str) -> None:
    SORTS[sort](busy.mall)
    busy.look()
    busy.door.wait_for(1)
    assert busy.mall.api.put("/_sandbox/snapshots/flying").status == 200
    busy.door.is_open.set()
    busy.until(lambda: not busy.mall.workspace.space.transact(lambda tx: tx.facts(delivery_queue.PREFIX)))
    assert busy.mall.api.post("/_sandbox/snapshots/flying/restore").status == 200
    busy.until(lambda: len(busy.door.came) == 2)
    first, again = busy.door.came
    assert first.body == again.body


@each_sort
def test_one_that_was_put_on_its_way_by_an_earlier_version_is_sent(shopping: Mall, sort: str) -> None:
    """Which kept no place in the order, and the number of a notice's retries alone."""
    shopping.shop.always = 500
    SORTS[sort](shopping)
    shopping.deliver()
    path = "/_sandbox/snapshots/earlier"
    assert shopping.api.put(path).status == 200
    snapshot = shopping.api.get(path).json
    due = snapshot["workspace"]["due"]["entries"]
    (entry,) = [one for one in due if one[2] == sort]
    if sort == "deliver":
        due.remove(entry)
        line = {"on_its_way": [entry[0], entry[3], entry[4]], "behind": []}
        snapshot["workspace"]["facts"][f"{delivery_queue.PREFIX}{entry[3]}"] = line
    else:
        entry[4] = entry[4].rpartition(":")[2]
    assert shopping.api.put(path, snapshot).status == 200
    assert shopping.api.post(f"{path}/restore").status == 200
    shopping.advance("1h")
    assert [got.at for got in shopping.shop.got][1:3] == list(accumulate(DELAYS))[:2]
