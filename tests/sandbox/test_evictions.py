"""Workspaces that was replaced by others: who comes back is told so, in the words of the call."""

from __future__ import annotations

import logging
from itertools import product
from typing import Final

import pytest

from mock_server.sandbox import evictions
from tests.clocks import ManualClock
from tests.counts import SOAK, times
from tests.dashboard.visitor import Visitor, text
from tests.wire import Wire, wire

AT: Final = "2026-01-01T00:00:07.000Z"
WHY: Final = f"This workspace was evicted at {AT}, with all its data, to make room for a new one"


@pytest.fixture
def gone() -> tuple[Wire, str]:
    """A merchant whose workspace with a payment made room, and that payment's id."""
    clock = ManualClock()
    api = wire(clock=clock, workspaces=2)
    payment = api.pay("visa_3ds_required")
    clock.advance(7_000)
    for number in range(2):
        api.as_key(f"snd_newcomer_{number}").pay()
    return api, str(payment["payment_id"])


def test_what_is_not_there_says_when_and_why(gone: tuple[Wire, str]) -> None:
    api, payment = gone
    for path in (f"/payments/{payment}", "/customers/cus_x", "/disputes/dsp_x", f"/_sandbox/payments/{payment}/why"):
        reply = api.get(path)
        assert (reply.status, reply.error["code"]) == (404, "HE_04" if "disputes" in path else "HE_02")
        assert WHY in reply.error["message"]
    for number in range(2):
        kept = api.call("POST", f"/payments/{payment}/capture", {}, headers={"X-Idempotency-Key": "again"})
        assert WHY in kept.error["message"]
        assert ("X-Sandbox-Replayed" in kept.headers) is bool(number)


def test_creates_and_lists_work_in_a_new_one(gone: tuple[Wire, str]) -> None:
    api, _ = gone
    assert api.post("/payments/list", {})["total_count"] == 0
    made = api.pay()["payment_id"]
    assert api.get(f"/payments/{made}").status == 200
    assert WHY in api.get("/payments/another").error["message"]
    assert WHY not in api.as_key("snd_newcomer_1").get("/payments/another").error["message"]


def test_its_publishable_key_stays_known(gone: tuple[Wire, str]) -> None:
    api, payment = gone
    reply = api.as_key(f"pk_{api.key}").get(f"/payments/{payment}?client_secret=x")
    assert reply.status == 404
    assert WHY in reply.error["message"]


def test_its_customers_pages_say_so() -> None:
    clock = ManualClock()
    api = wire(clock=clock, workspaces=1)
    link = str(api.pay("visa_3ds_required")["next_action"]["redirect_to_url"])
    clock.advance(7_000)
    api.as_key("snd_newcomer_0").pay()
    assert WHY in api.as_key(None).get(link.removeprefix("http://localhost")).raw.decode()


@pytest.mark.parametrize("everything", [False, True])
def test_a_reset_forgets_it(gone: tuple[Wire, str], everything: bool) -> None:
    api, payment = gone
    (api.as_key(None) if everything else api).post("/_sandbox/reset")
    assert "evicted" not in api.get(f"/payments/{payment}").error["message"]
    reply = api.as_key(f"pk_{api.key}").get(f"/payments/{payment}?client_secret=x")
    assert reply.status == 404, "the secret key was used since then"


def test_a_reset_of_everything_forgets_publishable_keys_too(gone: tuple[Wire, str]) -> None:
    api, payment = gone
    api.as_key(None).post("/_sandbox/reset")
    assert api.as_key(f"pk_{api.key}").get(f"/payments/{payment}?client_secret=x").status == 401


def test_the_log_and_the_dashboard_tell_of_it(caplog: pytest.LogCaptureFixture) -> None:
    api = wire(workspaces=1)
    api.pay()
    (first,) = api.sandbox.workspaces()
    with caplog.at_level(logging.WARNING, "mock_server.sandbox"):
        for number in range(3):
            api.as_key(f"snd_newcomer_{number}").pay()
    (line,) = caplog.messages
    assert line.startswith(f"workspace {first.merchant_id} was evicted for mer_")
    visitor = Visitor(api.as_key("snd_newcomer_2"))
    front = text(visitor.look("/_sandbox/ui"))
    assert first.merchant_id in front
    assert front.count("was replaced by") == 3
    old = visitor.look(f"/_sandbox/ui/{first.space.name}/payments")
    assert old.status == 404
    assert "was evicted at" in text(old)


def test_one_that_was_evicted_twice_or_came_back_is_gone_once_or_not_at_all() -> None:
    clock, wrong, doubled = ManualClock(), list[tuple[int, ...]](), list[tuple[int, ...]]()
    api = wire(clock=clock, workspaces=2)
    for keys in product((0,), *[range(3)] * times(5, soak=7)):
        if not SOAK and "12" not in "".join(map(str, dict.fromkeys((*keys, 1, 2)))):
            continue  # the same with 1 and 2 exchanged
        api.as_key(None).post("/_sandbox/reset")
        used = list[int]()
        for key in keys:
            clock.advance(1_000)
            api.as_key(f"snd_one_of_three_{key}").pay()
            used = [*(one for one in used if one != key), key]
        if api.as_key(None).get("/_sandbox/verdicts")["not_in_memory"] != len(used[:-2]):
            wrong.append(keys)
        shown = [one.number for one in api.sandbox.evictions.last(10)]
        if len(shown) != len(set(shown)):
            doubled.append(keys)
    assert (len(wrong), len(doubled), wrong, doubled) == (0, 0, [], [])


def test_the_last_ones_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evictions, "MOST", 3)
    api = wire(workspaces=1)
    for number in range(7):
        api.as_key(f"snd_newcomer_{number}").pay()
    lost = [api.as_key(f"snd_newcomer_{number}").get("/payments/x") for number in range(3)]
    told = ["evicted" in reply.error["message"] for reply in lost]
    facts = api.sandbox.server.transact(lambda tx: len(tx.facts("evicted")))
    assert told == [False] * 3
    assert facts == 3 * 3


def test_names_are_kept_as_digests_alone(gone: tuple[Wire, str]) -> None:
    api, _ = gone
    kept = api.sandbox.server.transact(lambda tx: repr(tx.facts("evicted")))
    assert "w_" not in kept
    assert str(api.key) not in kept
