"""What a restart finds: everything as it was, what was in hand ended, what fell due meanwhile applied in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from mock_server.app import create_app
from mock_server.domain.cards import CARDS
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.instants import SECOND_MS
from mock_server.sandbox import build, timekeeping
from mock_server.sandbox.scenarios import turn_on
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.lasting.starts import KEY, Starts
from tests.running import until
from tests.sandbox.workspaces import key, pay, told
from tests.wire import Reply, Wire, card_payment

PENDING: Final = next(card.number for card in CARDS if card.name == "visa_pending_succeeds")
YAML: Final = {"Content-Type": "application/yaml"}
HISTORY: Final = "version: 1\nname: history\nsummary: Many payments.\ngiven: {payments: {count: 4500, over: 10d}}\n"


class TheEnd(BaseException):
    """The process ends here."""


in_a_file = pytest.mark.parametrize("starts", ["file"], indirect=True)


@pytest.fixture(params=["file", "database"])
def starts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Starts]:
    in_file = request.param == "file"
    made = Starts(str(tmp_path / "state.sqlite") if in_file else request.getfixturevalue("cluster").database())
    yield made
    made.end()


def calls(wire: Callable[[], Wire]) -> list[tuple[int, bytes]]:
    """Some of everything; what each call is answered."""
    first = wire().post("/payments", {**card_payment("success"), "confirm": True}, X_Idempotency_Key="one")
    payment_id = first["payment_id"]
    return [
        (reply.status, reply.raw)
        for reply in (
            first,
            wire().post("/payments", {**card_payment("success"), "confirm": True}, X_Idempotency_Key="one"),
            wire().pay("visa_insufficient_funds"),
            wire().post("/customers", {"customer_id": "cus_1", "name": "A Person"}),
            wire().post("/refunds", {"payment_id": payment_id, "amount": 100}),
            wire().post("/_sandbox/clock/freeze", {}),
            wire().post("/_sandbox/next", {"on": "payments.confirm", "then": {"decline": "expired_card"}}),
            wire().pay("success", customer_id="cus_1"),
            wire().post("/_sandbox/clock/advance", {"by": "3d"}),
            wire().get(f"/payments/{payment_id}"),
            wire().get("/payments/list"),
            wire().get("/_sandbox/webhooks"),
            wire().get("/_sandbox/clock"),
            wire().get("/_sandbox/workspaces"),
        )
    ]


def test_the_same_calls_give_the_same_bytes(starts: Starts) -> None:
    memory = build(Settings(seed="tests", rate_limit=0), clock=ManualClock())
    plain = Wire(create_app(memory), memory, KEY)
    expected = calls(lambda: plain)
    assert calls(starts.wire) == expected, "with a restart before each call"
    for _, said in expected:
        assert b'"error":{' not in said


def test_the_first_start_gives_the_same_headers_too(starts: Starts) -> None:
    memory = build(Settings(seed="tests", rate_limit=0), clock=ManualClock())
    plain, lasting = Wire(create_app(memory), memory, KEY), starts.wire()
    assert plain.pay().headers == lasting.pay().headers
    again = starts.wire()
    ids = {wire.get("/payments/list").headers["X-Request-Id"] for wire in (plain, lasting, again)}
    assert len(ids) == 2, "a later start gives other ids to its calls"


def test_what_fell_due_meanwhile_is_applied_at_its_own_instants(starts: Starts) -> None:
    workspace = starts.again().workspace(key())
    began = starts.clock.now_ms()
    for _ in range(2):
        pay(workspace, PENDING)
        starts.clock.advance(SECOND_MS)
    starts.end()
    starts.clock.advance(3_600 * SECOND_MS)
    again = starts.again().workspace(key())
    again.catch_up()
    settled = [(at - began, what) for at, what, _ in told(again)][2:]
    assert settled == [(10 * SECOND_MS, "payment_succeeded"), (11 * SECOND_MS, "payment_succeeded")]


def test_what_falls_due_in_a_workspace_that_rests_needs_no_call(starts: Starts) -> None:
    pay(starts.again().workspace(key()), PENDING)
    sandbox = starts.again()
    now = starts.clock.now_ms()
    assert sandbox.workspaces() == []
    assert now < sandbox.run_once(now) <= now + 10 * SECOND_MS
    sandbox.run_once(now + 10 * SECOND_MS)
    starts.clock.advance(10 * SECOND_MS)
    until(lambda: sandbox.lasting and sandbox.lasting.saver.trouble is None)  # a lease is renewed in real time
    sandbox.run_once(now + 10 * SECOND_MS)
    (workspace,) = sandbox.workspaces()
    assert [what for _, what, _ in told(workspace)] == ["payment_processing", "payment_succeeded"]


@pytest.mark.parametrize("stood", [True, False])
def test_an_advance_that_was_cut_off_can_be_followed_by_another(starts: Starts, stood: bool) -> None:
    class Ends:
        """Deliveries before which the process ends."""

        def settle(self, workspace: object, timeout_s: float) -> None:
            starts.end()
            raise TheEnd

        def run_due(self, workspace: object, until: int, timeout_s: float) -> int:
            return 0

    workspace = starts.again().workspace(key())
    if stood:
        timekeeping.freeze(workspace)
    now = workspace.now()
    with pytest.raises((TheEnd, Refusal)):  # a replica that has ended writes nothing more
        timekeeping.advance(workspace, lambda at: at + SECOND_MS, Ends())
    again = starts.again().workspace(key())
    assert (again.clock.advancing, again.clock.frozen_at is not None) == (False, stood)
    assert timekeeping.advance(again, lambda at: at + SECOND_MS).now == now + SECOND_MS


@in_a_file
def test_an_advance_during_which_the_disk_failed_can_be_followed_by_another(starts: Starts) -> None:
    sandbox = starts.again()
    workspace, path = sandbox.workspace(key()), Path(str(starts.settings.data))
    assert sandbox.lasting is not None
    saver = sandbox.lasting.saver
    assert saver.save()

    class Fails:
        """Deliveries during which the file goes."""

        def settle(self, workspace: object, timeout_s: float) -> None:
            path.rename(path.with_suffix(".moved"))
            assert not saver.save()

        def run_due(self, workspace: object, until: int, timeout_s: float) -> int:
            return 0

    pay(workspace, PENDING)
    now = workspace.now()
    with pytest.raises(Refusal) as refused:
        timekeeping.advance(workspace, lambda at: at + 60 * SECOND_MS, Fails())
    assert refused.value.cause is Cause.NOT_SAVED
    path.with_suffix(".moved").rename(path)
    starts.clock.advance(SECOND_MS)
    assert saver.save()
    assert timekeeping.advance(workspace, lambda at: at + SECOND_MS).now >= now + SECOND_MS


def test_given_records_that_were_half_made_are_finished(starts: Starts) -> None:
    def ends(done: int, many: int) -> None:
        starts.end()
        raise TheEnd

    wire = starts.wire()
    assert wire.call("PUT", "/_sandbox/scenarios/history", raw=HISTORY.encode(), headers=YAML).status == 200
    with pytest.raises(TheEnd):
        turn_on(wire.sandbox.workspace(key()), "history", progress=ends)
    for _ in range(2):
        assert listed(starts.wire(), "")["total_count"] == 4_500
    memory = build(Settings(seed="tests", rate_limit=0), clock=ManualClock())
    whole = Wire(create_app(memory), memory, KEY)
    whole.call("PUT", "/_sandbox/scenarios/history", raw=HISTORY.encode(), headers=YAML)
    whole.post("/_sandbox/scenarios/history/activate")
    assert listed(starts.wire(), "?limit=100").raw == whole.get("/payments/list?limit=100").raw


def listed(wire: Wire, query: str) -> Reply:
    """A list; where the machine was so busy that the lease ran out meanwhile, once there is a new one."""
    replies: list[Reply] = []

    def answered() -> bool:
        replies.append(wire.get(f"/payments/list{query}"))
        return replies[-1].status != 503

    until(answered)
    return replies[-1]


def test_the_bound_on_workspaces_is_one_on_memory(tmp_path: Path) -> None:
    starts = Starts(str(tmp_path / "state.sqlite"), workspaces=2)
    sandbox = starts.again()
    wires = [Wire(create_app(sandbox), sandbox, f"snd_number_{number}_0123456789") for number in range(5)]
    lasting = sandbox.lasting
    assert lasting is not None
    paid = [(wire.pay()["payment_id"], lasting.saver.save())[0] for wire in wires]
    for _ in range(2):
        for wire, payment_id in zip(wires, paid, strict=True):
            lasting.saver.save()
            assert wire.get(f"/payments/{payment_id}").status == 200
            assert wire.pay().status == 200
    assert len(lasting.here()) <= 3
    assert [wire.get("/payments/list")["total_count"] for wire in wires] == [3] * 5
    rest = {name for name in lasting.resting if name}
    listed = wires[0].as_key(None).get("/_sandbox/workspaces")["data"]
    front = wires[0].as_key(None).get("/_sandbox/ui").raw.decode()
    assert {name for name in lasting.resting if name} == rest != set(), "nothing is read for a list of all"
    assert len([*filter(None, map(lasting.space, lasting.names()))]) == 5
    shown = wires[0].as_key(None).get("/_sandbox/workspaces")["data"]
    by_name = [sorted(rows, key=lambda row: str(row["name"])) for rows in (listed, shown)]
    assert by_name[0] == by_name[1], "and it says the same"
    assert [row["payments"] for row in listed] == [3] * 5
    assert front.count('data-testid="workspace"') == 5
    starts.end()


def test_a_reset_and_a_snapshot_outlive_the_process(starts: Starts) -> None:
    paid = starts.wire().pay()["payment_id"]
    assert starts.wire().put("/_sandbox/snapshots/before").status == 200
    assert starts.wire().post("/_sandbox/reset", {}).status == 200
    assert starts.wire().get(f"/payments/{paid}").status == 404
    assert starts.wire().post("/_sandbox/snapshots/before/restore").status == 200
    assert starts.wire().get(f"/payments/{paid}").status == 200
    assert starts.wire().as_key(None).post("/_sandbox/reset", {}).status == 200
    assert starts.wire().get(f"/payments/{paid}").status == 404


@in_a_file
def test_a_server_that_cannot_save_says_so_as_the_document_promises(starts: Starts) -> None:
    wire = starts.wire()
    assert wire.get("/_sandbox/readyz").status == 200
    Path(str(starts.settings.data)).unlink()
    wire.pay()
    assert wire.sandbox.lasting is not None
    assert not wire.sandbox.lasting.saver.save()
    ready = wire.get("/_sandbox/readyz")  # held against the document, as each answer is
    assert (ready.status, ready["status"], ready.headers["Retry-After"]) == (503, "not_saving", "1")
    assert "no longer exists" in ready["data"]


@in_a_file
def test_rows_of_what_was_reset_are_cleared_away(starts: Starts) -> None:
    wire = starts.wire()
    wire.pay()
    assert wire.sandbox.lasting is not None
    assert wire.sandbox.lasting.saver.save()
    wire.post("/_sandbox/reset", {})
    lasting = starts.again().lasting
    assert lasting is not None
    assert lasting.saver.garbage
    while lasting.saver.clear():
        pass
    assert lasting.saver.garbage == []
    lasting = starts.again().lasting
    assert lasting is not None
    assert lasting.saver.garbage == []


def test_calls_that_change_nothing_leave_the_journal_with_the_process(starts: Starts) -> None:
    wire = starts.wire()
    wire.pay()
    wire.get("/payments/list")
    wire.pay()
    wire.get("/payments/list")
    said = starts.wire().get("/_sandbox/journal")
    assert [line["operation"] for line in said["data"]] == ["payments.create", "payments.create"]
    assert said["dropped"] == 1
