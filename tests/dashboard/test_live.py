"""A page hears at once that its workspace has changed, and no thread waits for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from mock_server.dashboard import live
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.faults import Parked
from mock_server.http.running import Answer
from mock_server.sandbox import Sandbox, Workspace
from tests.dashboard.visitor import Visitor
from tests.wire import Wire


@pytest.fixture
def workspace(api: Wire) -> Workspace:
    return workspace_of(api)


def workspace_of(api: Wire) -> Workspace:
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    return api.sandbox.workspace(key)


def evict(sandbox: Sandbox, place: str) -> None:
    sandbox.store.close(place)
    sandbox.forget(place)


def is_told(waits: Parked) -> bool:
    assert isinstance(waits.ready, Future)
    return waits.ready.done()


def test_a_page_waits_parked_until_something_happens(api: Wire, workspace: Workspace) -> None:
    api.pay()
    seen = live.mark_of(workspace)
    waits = live.changed(workspace, seen)
    assert isinstance(waits, Parked)
    api.pay()
    told = waits.ready.result(0)
    assert b"event: changed\n" in told.body
    again = live.changed(workspace, told.body.split(b"\nid: ")[1].split(b"\n")[0].decode())
    assert isinstance(again, Answer), "what came after that is told with the next question"


def test_what_happened_before_the_page_listened_is_told_at_once(api: Wire, workspace: Workspace) -> None:
    seen = live.mark_of(workspace)
    api.pay()
    found = live.changed(workspace, seen)
    assert isinstance(found, Answer)
    assert b"event: changed\n" in found.body


def test_what_goes_on_in_real_time_is_over_with_its_time(workspace: Workspace) -> None:
    waits = live.changed(workspace, live.mark_of(workspace))
    assert isinstance(waits, Parked)
    assert waits.timeout_s == live.WAIT_S
    assert b"event: quiet\n" in waits.late().body


def test_a_new_workspace_in_its_place_is_told(api: Wire, workspace: Workspace) -> None:
    seen = live.mark_of(workspace)
    waits = live.changed(workspace, seen)
    assert isinstance(waits, Parked)
    api.post("/_sandbox/reset")
    assert b"event: renewed\n" in waits.ready.result(0).body
    fresh = live.changed(workspace_of(api), seen)
    assert isinstance(fresh, Answer) and b"event: renewed\n" in fresh.body


def test_who_leaves_is_forgotten(workspace: Workspace) -> None:
    waits = live.changed(workspace, live.mark_of(workspace))
    assert isinstance(waits, Parked)
    waits.ready.cancel()
    again = live.changed(workspace, live.mark_of(workspace))
    assert isinstance(again, Parked)
    again.ready.cancel()


def test_the_page_says_what_it_has_seen(api: Wire, visitor: Visitor, workspace: Workspace) -> None:
    api.pay()
    assert f'data-seen="{live.mark_of(workspace)}"' in visitor.read("payments")


SCENARIO = b"rules: [{on: charge, then: {decline: lost_card}}]"
STEERS: list[tuple[str, str, object]] = [
    ("PUT", "/scenarios/rainy", SCENARIO),
    ("POST", "/scenarios/rainy/activate", None),
    ("POST", "/scenarios/rainy/deactivate", None),
    ("DELETE", "/scenarios/rainy", None),
    ("POST", "/next", {"on": "charge", "then": {"decline": "lost_card"}}),
    ("DELETE", "/next", None),
    ("PUT", "/webhooks/target", {"url": "http://127.0.0.1:9/"}),
    ("PUT", "/snapshots/kept_live", None),
    ("DELETE", "/snapshots/kept_live", None),
    ("DELETE", "/journal", None),
]


def steer(api: Wire, method: str, path: str, body: object) -> None:
    kind = {"Content-Type": "application/yaml"} if body is SCENARIO else {}
    raw = SCENARIO if body is SCENARIO else None
    reply = api.call(method, f"/_sandbox{path}", None if raw else body, raw=raw, headers=kind)
    assert reply.status == 200, reply.raw


def test_what_no_log_tells_of_is_told_too(api: Wire, workspace: Workspace) -> None:
    """Each of these changes a page, and so each of them is an event by itself."""
    for method, path, body in STEERS:
        waits = live.changed(workspace, live.mark_of(workspace))
        assert isinstance(waits, Parked)
        steer(api, method, path, body)
        assert b"event: changed\n" in waits.ready.result(0).body, (method, path)
        assert isinstance(live.changed(workspace, live.mark_of(workspace)), Parked)


def test_a_button_is_heard_by_whoever_else_looks(visitor: Visitor, workspace: Workspace) -> None:
    waits = live.changed(workspace, live.mark_of(workspace))
    assert isinstance(waits, Parked)
    visitor.press("scenarios", "control.activate_scenario", arg__name="flaky_1_percent")
    assert is_told(waits)


def test_looking_and_what_is_refused_change_nothing(api: Wire, visitor: Visitor, workspace: Workspace) -> None:
    waits, front = live.changed(workspace, live.mark_of(workspace)), live.activity(api.sandbox.activity, number(api))
    assert isinstance(waits, Parked) and isinstance(front, Parked)
    for page in ("payments", "scenarios", "queue", "snapshots", "/_sandbox/ui"):
        visitor.read(page)
    api.get("/_sandbox/scenarios")
    api.post("/_sandbox/scenarios/nobody/activate")
    assert not is_told(waits) and not is_told(front)


def test_one_workspaces_scenarios_are_nothing_to_another(server: Wire, api: Wire, workspace: Workspace) -> None:
    waits = live.changed(workspace, live.mark_of(workspace))
    assert isinstance(waits, Parked)
    other = server.as_key("snd_another_workspace")
    other.pay()
    other.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    assert not is_told(waits)


def number(api: Wire) -> str:
    return str(api.sandbox.activity.number)


@pytest.mark.parametrize(
    "act",
    [
        lambda api: api.pay(),
        lambda api: api.as_key("snd_a_workspace_that_is_new").get("/health"),
        lambda api: api.post("/_sandbox/clock/advance", {"by": "1h"}),
        lambda api: api.post("/_sandbox/reset"),
        lambda api: api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}}),
        lambda api: evict(api.sandbox, Visitor(api).place),
    ],
    ids=["a call", "a new workspace", "time", "a reset", "steering", "an eviction"],
)
def test_the_front_page_hears_of_every_workspace(api: Wire, act: Callable[[Wire], object]) -> None:
    waits = live.activity(api.sandbox.activity, number(api))
    assert isinstance(waits, Parked)
    act(api)
    assert b"event: changed\n" in waits.ready.result(0).body


def test_the_front_page_says_what_it_has_seen(api: Wire, visitor: Visitor) -> None:
    api.pay()
    assert f'data-seen="{number(api)}"' in visitor.read("/_sandbox/ui")
    told = visitor.look(f"/_sandbox/ui/live?seen={int(number(api)) - 1}")
    assert f"id: {number(api)}\nevent: changed\n".encode() in told.raw


def test_a_listener_that_fails_is_no_matter_of_the_caller(api: Wire) -> None:
    def broken() -> None:
        raise RuntimeError

    undo = api.sandbox.activity.on_ring(broken)
    assert api.pay().status == 200
    undo()


@pytest.mark.parametrize("mark", ["", "x", "1-2", "1-2-3-4-5-x", "-1-0-0-0-0", "1-2-3-4-5-99999999999999999999"])
def test_who_has_a_mark_that_is_none_is_told_at_once(workspace: Workspace, mark: str) -> None:
    found = live.changed(workspace, mark)
    assert isinstance(found, Answer)
    assert f"\nid: {live.mark_of(workspace)}\n".encode() in found.body
