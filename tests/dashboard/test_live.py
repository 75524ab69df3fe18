"""A page hears at once that its world has changed, and no thread waits for it."""

from __future__ import annotations

import pytest

from mock_server.dashboard import live, marks
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.faults import Parked
from mock_server.http.context import Answer
from mock_server.store.protocol import Space
from mock_server.story.backwards import last_of
from tests.dashboard.visitor import Visitor
from tests.wire import Wire


@pytest.fixture
def space(api: Wire) -> Space:
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    return api.sandbox.world(key).space


def test_a_page_waits_parked_until_something_happens(api: Wire, space: Space) -> None:
    api.pay()
    seen = marks.mark_of(space)
    waits = live.changed(space, seen)
    assert isinstance(waits, Parked)
    api.pay()
    told = waits.ready.result(0)
    assert b"event: changed\n" in told.body
    again = live.changed(space, told.body.split(b"\nid: ")[1].split(b"\n")[0].decode())
    assert isinstance(again, Answer), "what came after that is told with the next question"


def test_what_happened_before_the_page_listened_is_told_at_once(api: Wire, space: Space) -> None:
    seen = marks.mark_of(space)
    api.pay()
    found = live.changed(space, seen)
    assert isinstance(found, Answer)
    assert b"event: changed\n" in found.body


def test_what_goes_on_in_real_time_is_over_with_its_time(space: Space) -> None:
    waits = live.changed(space, marks.mark_of(space))
    assert isinstance(waits, Parked)
    assert waits.timeout_s == live.WAIT_S
    assert b"event: quiet\n" in waits.late().body


def test_a_new_world_in_its_place_is_told(api: Wire, space: Space) -> None:
    seen = marks.mark_of(space)
    waits = live.changed(space, seen)
    assert isinstance(waits, Parked)
    api.post("/_sandbox/reset")
    assert b"event: renewed\n" in waits.ready.result(0).body
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    fresh = live.changed(api.sandbox.world(key).space, seen)
    assert isinstance(fresh, Answer) and b"event: renewed\n" in fresh.body


def test_who_leaves_is_forgotten(space: Space) -> None:
    waits = live.changed(space, marks.mark_of(space))
    assert isinstance(waits, Parked)
    waits.ready.cancel()
    again = live.changed(space, marks.mark_of(space))
    assert isinstance(again, Parked)
    again.ready.cancel()


def test_the_page_says_what_it_has_seen(api: Wire, visitor: Visitor, space: Space) -> None:
    api.pay()
    assert f'data-seen="{marks.mark_of(space)}"' in visitor.read("payments")


@pytest.mark.parametrize("lines", [0, 1, 2, 3, 7, 8, 9, 100])
def test_the_last_line_is_found(space: Space, lines: int) -> None:
    for _ in range(lines):
        space.append("made_up", {})
    assert [last_of(space, "made_up", known) for known in range(lines + 1)] == [lines] * (lines + 1)


@pytest.mark.parametrize("mark", ["", "x", "1-2", "1-2-3-x", "-1-0-0-0", "1-2-3-99999999999999999999"])
def test_a_mark_that_is_none_is_none(space: Space, mark: str) -> None:
    assert marks.read(space, mark) is None
