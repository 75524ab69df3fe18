"""Workspaces by name: taken, shown, put in another one's place, and refused where they are none."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mock_server.domain.instants import DAY_MS, HOUR_MS
from mock_server.sandbox import kept_answers, scenarios, snapshots, soundness
from mock_server.store.memory import Store
from tests.api.places import PLACES, workspace
from tests.clocks import ManualClock
from tests.control import reading_all
from tests.counts import times
from tests.wire import KEY, Wire, card_payment, wire

FIXTURES = Path(__file__).parent / "snapshots"
OTHER = "snd_other_0123456789"


def filled(api: Wire) -> Wire:
    """A workspace with a payment in every status, idempotent answers and things to come."""
    for make in PLACES.values():
        make(api)
    api.pay("visa_pending_succeeds", customer_id="cus_1")
    body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop"}
    api.post("/payments", body, X_Idempotency_Key="kept")
    api.put("/_sandbox/webhooks/target", {"url": "http://localhost:9/hook", "secret": "k"})
    return api


def taken(api: Wire, name: str = "base", query: str = "") -> bytes:
    reply = api.call("PUT", f"/_sandbox/snapshots/{name}{query}")
    assert reply.status == 200, reply.raw
    return api.get(f"/_sandbox/snapshots/{name}").raw


@pytest.mark.parametrize("query", ["", "?journal=1"])
@pytest.mark.parametrize("frozen", [True, False])
def test_taken_restored_and_taken_again_it_is_the_same_bytes(api: Wire, query: str, frozen: bool) -> None:
    if frozen:
        api.post("/_sandbox/clock/freeze", {"at": "2026-03-01"})
    before = taken(filled(api), "before", query)
    other = api.as_key(OTHER)
    other.pay()
    assert other.post("/_sandbox/snapshots/before/restore")["restored"] == "before"
    assert taken(other, "after", query) == before
    assert other.post("/_sandbox/snapshots/after/restore").status == 200
    assert taken(other, "again", query) == before


@pytest.mark.parametrize(
    ("module", "step"),
    [(soundness, "check_dump"), (soundness, "check_workspace"), (kept_answers, "check")],
    ids=["dump", "workspace", "answer"],
)
def test_memory_that_runs_out_is_no_fault_of_the_document(
    api: Wire, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str
) -> None:
    before = taken(filled(api))

    def no_memory(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(module, step, no_memory)
        failed = api.post("/_sandbox/snapshots/base/restore")
    assert (failed.status, failed.error["code"]) == (500, "HE_00")
    assert json.loads(taken(api, "again"))["workspace"]["records"] == json.loads(before)["workspace"]["records"]
    assert api.post("/_sandbox/snapshots/base/restore").status == 200


def test_a_document_says_its_format_and_who_made_it(api: Wire) -> None:
    document = json.loads(taken(filled(api)))
    assert list(document) == ["format", "made_by", "workspace"]
    assert (document["format"], document["made_by"]) == (2, snapshots.MADE_BY)
    assert "journal" not in document["workspace"]
    assert len(json.loads(taken(api, query="?journal=1"))["workspace"]["journal"]["lines"]) > 10
    assert KEY.removeprefix("snd_").encode() not in taken(api, query="?journal=1")


def test_a_restored_workspace_goes_on_where_it_was(api: Wire, clock: ManualClock) -> None:
    """Ids, secrets and answers go on; the clock goes on from the snapshot's instant."""
    body = {"amount": 1, "currency": "EUR", "profile_id": "pro_shop"}
    filled(api)
    taken(api)
    continued = [api.pay().json for _ in range(2)]
    clock.advance(DAY_MS)
    other = api.as_key(OTHER)
    other.post("/_sandbox/snapshots/base/restore")
    assert other.get("/_sandbox/clock")["now"] == "2026-01-01T00:00:00.000Z"
    assert [other.pay().json for _ in range(2)] == continued
    assert other.get("/_sandbox/webhooks/target")["secret"] == "k"
    replayed = other.post("/payments", body, X_Idempotency_Key="kept")
    assert replayed.headers["X-Sandbox-Replayed"] == "true"
    clock.advance(10_000)
    settled = other.get("/payments/list?customer_id=cus_1")["data"][0]
    assert settled["status"] == "succeeded"


@pytest.mark.parametrize("frozen", [True, False])
def test_its_clock_stands_if_it_stood(api: Wire, clock: ManualClock, frozen: bool) -> None:
    if frozen:
        api.post("/_sandbox/clock/freeze")
    taken(api)
    clock.advance(HOUR_MS)
    api.post("/_sandbox/snapshots/base/restore")
    assert api.get("/_sandbox/clock").json["frozen"] is frozen
    clock.advance(1)
    assert api.get("/_sandbox/clock")["now"] == f"2026-01-01T00:00:00.00{0 if frozen else 1}Z"


def test_names_are_of_the_server(api: Wire) -> None:
    taken(api, "one")
    taken(api.as_key(OTHER), "two")
    assert [row["name"] for row in api.as_key(None).get("/_sandbox/snapshots")["data"]] == ["one", "two"]
    assert api.delete("/_sandbox/snapshots/one").status == 200
    assert api.get("/_sandbox/snapshots/one").error["code"] == "HE_02"
    assert api.delete("/_sandbox/snapshots/one").status == 404
    assert api.post("/_sandbox/snapshots/one/restore").status == 404
    api.as_key(None).post("/_sandbox/reset")
    assert api.get("/_sandbox/snapshots")["total_count"] == 1


def test_given_records_that_were_being_made_are_made_where_it_is_restored(api: Wire) -> None:
    """A scenario gives thousands of records, and another call takes a snapshot after the first ones."""
    given = {"payments": {"count": 2_500}}
    api.put("/_sandbox/scenarios/many", {"version": 1, "name": "many", "given": given})

    def made(done: int, many: int) -> None:
        if done == 2_000:
            taken(api, "after-2000")

    scenarios.turn_on(workspace(api), "many", made)
    whole = api.get("/payments/list")["total_count"]
    other = api.as_key(OTHER)
    other.post("/_sandbox/snapshots/after-2000/restore")
    assert other.get("/payments/list")["total_count"] == whole


def test_a_document_can_be_carried_to_another_server(api: Wire) -> None:
    document = taken(filled(api))
    there = wire(clock=ManualClock(), seed="another")
    nobody = there.as_key(None)
    assert nobody.call("PUT", "/_sandbox/snapshots/carried", raw=document).status == 200
    there.post("/_sandbox/snapshots/carried/restore")
    assert taken(there, "again") == document


def test_without_a_key_there_is_no_workspace_to_take(api: Wire) -> None:
    assert api.as_key(None).call("PUT", "/_sandbox/snapshots/x").status == 401
    assert api.as_key(None).post("/_sandbox/snapshots/x/restore").status == 401


@pytest.mark.parametrize("name", ["a b", "x" * 65, "é", "...", "a:b"])
def test_a_name_has_its_form(api: Wire, name: str) -> None:
    reply = api.call("PUT", f"/_sandbox/snapshots/{name}")
    assert (reply.status, reply.error["code"]) == (400, "IR_04")
    with_body = api.call("PUT", f"/_sandbox/snapshots/{name}", raw=b"[" * 100)  # it is not read
    assert with_body.error["fields"] == reply.error["fields"], with_body.raw
    space = workspace(api).space  # nor is there a dump, which would be refused
    space.transact(lambda tx: tx.set_fact("clock", {"offset_ms": 0, "frozen_at": 5, "advancing": True}))
    assert api.call("PUT", f"/_sandbox/snapshots/{name}").error["fields"] == reply.error["fields"]


def test_a_workspace_whose_clock_is_being_advanced_is_not_taken(api: Wire) -> None:
    from tests.api.places import workspace

    space = workspace(api).space
    space.transact(lambda tx: tx.set_fact("clock", {"offset_ms": 0, "frozen_at": 5, "advancing": True}))
    assert api.call("PUT", "/_sandbox/snapshots/x").status == 409


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.stem)
def test_every_past_format_loads(api: Wire, path: Path) -> None:
    assert api.call("PUT", "/_sandbox/snapshots/past", raw=path.read_bytes()).status == 200
    workspace = api.post("/_sandbox/snapshots/past/restore")["workspace"]
    assert workspace["payments"] == 14
    statuses = {payment["status"] for payment in api.get("/payments/list?limit=100")["data"]}
    assert len(statuses) >= 12
    assert api.get("/_sandbox/webhooks?limit=1000")["total_count"] > 10
    assert api.pay()["status"] == "succeeded"


def test_scenarios_of_the_first_format_count_per_workspace(api: Wire) -> None:
    text = "rules: [{on: charge, per: world, then: [{decline: lost_card}, {outcome: succeeded}]}]"
    past = json.loads((FIXTURES / "format-1.json").read_text("utf-8"))
    past["world"]["facts"]["scenarios.text.kept"] = {"text": text, "form": "yaml", "revision": 0}
    assert api.put("/_sandbox/snapshots/past", past).status == 200
    assert api.post("/_sandbox/snapshots/past/restore").status == 200
    assert b"per: workspace" in api.get("/_sandbox/scenarios/kept").raw


BROKEN: list[tuple[str, Any]] = [
    ("array", []),
    ("no workspace", {"format": 2}),
    ("workspace is text", {"format": 2, "workspace": "x"}),
    ("no time", {"format": 2, "workspace": {}}),
    ("no records", {"format": 2, "workspace": {"now": 1, "frozen": False}}),
    ("no format", {"workspace": {"now": 1, "frozen": False}}),
]


@pytest.mark.parametrize(("what", "document"), BROKEN)
def test_what_is_no_snapshot_is_refused(api: Wire, what: str, document: Any) -> None:
    first = api.put("/_sandbox/snapshots/broken", document)
    reply = first if first.status != 200 else api.post("/_sandbox/snapshots/broken/restore")
    assert (reply.status, reply.error["code"]) in [(422, "IR_06"), (400, "IR_06")], what
    assert api.pay().status == 200


@pytest.mark.parametrize("format", [0, 3, 99, "1", None, True, [1]])
def test_an_unknown_format_is_refused_by_the_version_that_wrote_it(api: Wire, format: Any) -> None:
    document = {"format": format, "made_by": "payment-sandbox 99.1", "workspace": {}}
    reply = api.put("/_sandbox/snapshots/later", document)
    assert (reply.status, reply.error["code"]) == (422, "IR_06")
    assert "99.1" in reply.error["message"]


def test_a_broken_text_is_refused_with_its_place(api: Wire) -> None:
    raw = b'{"format": 2,\n "workspace": {"now": 1, "now": 2}}'
    reply = api.call("PUT", "/_sandbox/snapshots/broken", raw=raw)
    assert reply.status == 400
    assert "line 2" in reply.error["message"]


# large ones


def test_a_snapshot_that_the_server_gave_can_come_back_however_small_other_bodies_must_be() -> None:
    api = wire(clock=ManualClock(), max_control_body=1_000)
    text = taken(filled(api))
    assert len(text) > 50_000
    assert api.call("PUT", "/_sandbox/snapshots/back", raw=text).status == 200
    assert api.post("/_sandbox/snapshots/back/restore").status == 200


def test_one_that_could_not_come_back_is_not_given() -> None:
    api = wire(clock=ManualClock(), max_snapshot=50_000)
    reply = filled(api).call("PUT", "/_sandbox/snapshots/large")
    assert (reply.status, reply.error["code"]) == (413, "IR_06")
    assert "max_snapshot" in reply.error["message"]
    assert api.get("/_sandbox/snapshots/large").status == 404
    assert api.call("PUT", "/_sandbox/snapshots/large", raw=b" " * 50_001).status == 413


def test_others_get_their_turn_at_every_record_of_a_restore(api: Wire) -> None:
    """Each is read, loaded and looked at; between any two of these steps the restore may rest."""
    text = taken(filled(api))
    rows = sum(len(kind["rows"]) for kind in json.loads(text)["workspace"]["records"].values())
    turns: list[int] = []
    restoring = snapshots.Restoring(text, 0, lambda: turns.append(1))
    assert len(turns) >= rows
    soundness.check_dump(restoring.dump)
    so_far = len(turns)
    Store().replace("w", restoring.first, restoring.dump)
    assert len(turns) - so_far >= 2 * rows


TIMES = (
    "1970-01-01T00:00:00Z", "1979-12-31", "2038-01-19T03:14:08Z", "2106-02-07T06:28:16Z", "6429-10-18",
    "8990-01-01", "8999-12-31T23:59:59.999Z",
)  # fmt: skip
"""The first and the last of a workspace's clock, and where numbers of some bits end."""
LONG: dict[str, Any] = {
    "given": {
        "customers": [{"customer_id": "cus_given"}],
        "payments": {"count": 30, "over": "3650d", "refunds": 0.5, "disputes": 0.5, "status": {"succeeded": 1}},
    },
    "rules": [
        {"on": "charge", "times": 1, "then": {"settles": {"after": "3650d"}}},
        {"on": "charge", "then": {"dispute": {"after": "3650d", "respond_within": "3650d"}}},
        {"on": "refunds.create", "then": {"settles": {"after": "3650d"}}},
    ],
}


def test_a_clock_that_ran_on_from_the_last_time_can_be_restored() -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    for path, body in (("freeze", {"at": "9000-01-01T00:00:00Z"}), ("resume", None)):
        assert api.post(f"/_sandbox/clock/{path}", body).status == 200
    clock.advance(60_000)
    assert api.put("/_sandbox/snapshots/late").status == 200
    assert api.post("/_sandbox/snapshots/late/restore").status == 200


@pytest.mark.parametrize("at", TIMES[:: times(6, soak=1)])
def test_a_workspace_of_any_time_can_be_restored(at: str) -> None:
    api = wire(clock=ManualClock())
    assert api.post("/_sandbox/clock/freeze", {"at": at}).status == 200
    assert api.put("/_sandbox/scenarios/long", {"version": 1, "name": "long", **LONG}).status == 200
    api.post("/_sandbox/scenarios/long/activate")
    card = {**card_payment(), "confirm": True, "session_expiry": 7_890_000}
    card["payment_method_data"]["card"] |= {"card_exp_year": "9999"}
    for number in range(2):
        assert api.post("/payments", card, X_Idempotency_Key=f"{number}").status == 200
    api.post("/refunds", {"payment_id": api.get("/payments/list?status=succeeded")["data"][0]["payment_id"]})
    before = taken(api)
    restored = api.post("/_sandbox/snapshots/base/restore")
    assert restored.status == 200, restored.raw
    assert taken(api) == before
    assert reading_all.broken(api, KEY) == []
