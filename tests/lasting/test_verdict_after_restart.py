"""A restart forgets what a client read; the verdict then says that it does not know, and accuses nobody of it."""

from __future__ import annotations

from pathlib import Path

from mock_server.domain.instants import HOUR_MS
from mock_server.verdict.evidence import gathered, of_workspace, read
from mock_server.verdict.rules import FORGOTTEN, State, judge
from tests.lasting.starts import Starts
from tests.sandbox.workspaces import key
from tests.wire import Wire, card_payment


def states(wire: Wire) -> dict[str, tuple[State, str]]:
    """Each rule's state and reason, by what is in memory; the control API tells the same."""
    shown = gathered(lambda path: wire.get(f"/_sandbox/{path}").json)
    told = judge(of_workspace(wire.sandbox.workspace(key(wire.key or ""))))
    assert judge(read(shown)) == told
    return {one.rule.id: (one.state, one.reason) for one in told.results}


def settles(starts: Starts, wire: Wire) -> str:
    """Makes a payment that is pending, and lets it settle."""
    payment_id = wire.post("/payments", {**card_payment("visa_pending_succeeds"), "confirm": True})["payment_id"]
    starts.clock.advance(HOUR_MS)
    wire.pay()  # a later call shows when it settled
    return str(payment_id)


def test_what_was_read_before_a_restart_is_not_known(tmp_path: Path) -> None:
    starts = Starts(str(tmp_path / "state.sqlite"))
    wire = starts.wire()
    assert wire.get(f"/payments/{settles(starts, wire)}")["status"] == "succeeded"
    assert states(wire)["pending-never-looked"] == (State.WELL, "")
    again = starts.wire()
    assert again.get("/_sandbox/journal")["gaps_until"] > 0
    assert states(again)["pending-never-looked"] == (State.NOT_JUDGED, FORGOTTEN)
    starts.end()


def test_a_mistake_after_a_restart_is_found(tmp_path: Path) -> None:
    starts = Starts(str(tmp_path / "state.sqlite"))
    settles(starts, starts.wire())
    again = starts.wire()
    settles(starts, again)
    assert states(again)["pending-never-looked"] == (State.FOUND, "")
    starts.end()
