"""The rate limit: a window of one minute of the workspace's clock, three headers on every answer (interface §8.4)."""

from __future__ import annotations

import pytest

from mock_server.sandbox import clockwork
from tests.clocks import ManualClock
from tests.wire import Wire, wire

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"


def test_the_headers_count_down_and_name_the_windows_end(clock: ManualClock) -> None:
    api = wire(clock=clock, rate_limit=3)
    for remaining in (2, 1, 0):
        reply = api.get("/health")
        assert (reply.headers[LIMIT], reply.headers[REMAINING]) == ("3", str(remaining))
        assert int(reply.headers[RESET]) == clock.now_ms() // 60_000 * 60 + 60


def test_one_too_many_is_refused_until_the_window_ends(clock: ManualClock) -> None:
    api = wire(clock=clock, rate_limit=1)
    api.get("/health")
    clock.advance(59_000)
    reply = api.get("/health")
    assert (reply.status, reply.error["type"], reply.error["code"]) == (429, "rate_limit", "RL_01")
    assert reply.headers["Retry-After"] == "1" and "1 s" in reply.error["message"].replace("second", "s")
    clock.advance(1_000)
    assert api.get("/health").status == 200


def test_merchants_do_not_share_a_window(clock: ManualClock) -> None:
    api = wire(clock=clock, rate_limit=1)
    assert api.get("/health").status == 200
    assert api.as_key("snd_another_merchant").get("/health").status == 200


@pytest.mark.parametrize(("path", "key"), [("/nowhere", "snd_test_0123456789"), ("/health", None), ("/health", "bad")])
def test_calls_of_no_workspace_carry_the_servers_figures(path: str, key: str | None) -> None:
    api = wire(rate_limit=5).as_key(key)
    first, second = api.get(path), api.get(path)
    assert int(first.headers[REMAINING]) - int(second.headers[REMAINING]) == 1
    assert first.headers[RESET]


def test_nought_refuses_nothing() -> None:
    api = wire(rate_limit=0)
    assert {api.get("/health").status for _ in range(20)} == {200}


@pytest.mark.parametrize(("limit", "refused"), [(4_800, False), (1, True)])
def test_under_a_frozen_clock_only_a_limit_set_on_purpose_refuses(
    clock: ManualClock, limit: int, refused: bool
) -> None:
    api = wire(clock=clock, rate_limit=limit)
    api.get("/health")
    workspace = api.sandbox.workspaces()[0]
    workspace.space.transact(lambda tx: tx.set_fact(clockwork.FACT, workspace.clock.frozen(workspace.now()).as_fact()))
    replies = [api.get("/health") for _ in range(5)]
    assert (replies[-1].status == 429) is refused
    if refused:
        assert "frozen" in replies[-1].error["message"]


def test_the_resets_instant_is_real_time_whatever_the_workspaces_clock_says(clock: ManualClock) -> None:
    api = wire(clock=clock, rate_limit=10)
    api.get("/health")
    workspace = api.sandbox.workspaces()[0]
    ahead = clockwork.Clockwork(offset_ms=86_400_000 + 10_000)
    workspace.space.transact(lambda tx: tx.set_fact(clockwork.FACT, ahead.as_fact()))
    reset = int(api.get("/health").headers[RESET])
    assert 0 < reset - clock.now_ms() // 1000 <= 60


def test_control_and_pages_do_not_count(api: Wire) -> None:
    before = int(api.get("/health").headers[REMAINING])
    api.get("/_sandbox/livez")
    assert int(api.get("/health").headers[REMAINING]) == before - 1
