"""The journal: what is in a line, which lines are found, and long polls for them."""

from __future__ import annotations

import re
from concurrent.futures import Future
from threading import Thread

import pytest

from mock_server.scenario.conditions.on import RECORDED
from tests.control.journals import answered, is_done, parked
from tests.counts import times
from tests.wire import KEY, Reply, Wire, card_data, wire


def test_a_line_tells_what_came_what_left_and_why(api: Wire) -> None:
    made = api.pay("visa_insufficient_funds")
    line = api.get("/_sandbox/journal")["data"][0]
    assert (line["number"], line["operation"], line["method"], line["path"], line["status"]) == (
        1, "payments.create", "POST", "/payments", 200,
    )  # fmt: skip
    assert (line["payment_id"], line["cause"], line["replayed"]) == (made["payment_id"], None, False)
    assert line["because"][0]["by"] == "card"
    assert line["request"]["amount"] == 6540
    assert line["response"]["payment_id"] == made["payment_id"]
    assert line["key"] == "snd_…6789"


def test_a_refused_call_names_its_cause(api: Wire) -> None:
    api.post("/payments", {"amount": -1})
    api.call("POST", "/payments", raw=b"{")
    lines = api.get("/_sandbox/journal")["data"]
    assert [(line["status"], line["cause"]) for line in lines] == [(400, "value_invalid"), (400, "json_malformed")]
    assert lines[1]["request"] == "{"


def test_no_secret_is_in_it(api: Wire) -> None:
    api.post(
        "/payments", {"amount": 100, "currency": "EUR", "payment_method_data": {"card": card_data("4485040371536584")}}
    )
    raw = api.get("/_sandbox/journal").raw
    assert b"4485040371536584" not in raw
    assert KEY.encode() not in raw


@pytest.fixture(scope="module")
def filled() -> Wire:
    api = wire()
    api.get("/health")
    for number in range(3):
        api.pay(payment_id=f"pay_{number}")
        api.post(f"/payments/pay_{number}/capture")
    api.get("/payments/pay_none")
    return api


FILTERS = [
    ("", 8),
    ("operation=payments.create", 3),
    ("operation=payments.*", 7),
    ("operation=*", 8),
    ("operation=refunds.*", 0),
    ("payment_id=pay_1", 2),
    ("payment_id=pay_none", 1),
    ("status=200", 4),
    ("status=4xx", 4),
    ("status=404", 1),
    ("status=4xx&operation=payments.capture&payment_id=pay_2", 1),
    ("after=6", 2),
    ("after=100", 0),
]


@pytest.mark.parametrize(("query", "count"), FILTERS)
def test_lines_are_found_by_filters(filled: Wire, query: str, count: int) -> None:
    reply = filled.get(f"/_sandbox/journal?{query}")
    assert reply["total_count"] == len(reply["data"]) == count
    numbers = [line["number"] for line in reply["data"]]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_a_name_that_no_call_has_is_refused(filled: Wire, name: str) -> None:
    """An empty answer to a misspelled name would look as if there had been no such call."""
    for known in (name, f"{name.partition('.')[0]}.*"):
        assert filled.get(f"/_sandbox/journal?operation={known}").status == 200
    misspelled = {name[:at] + name[at + 1 :] for at in range(len(name))} - RECORDED
    for wrong in sorted(misspelled)[: times(2, soak=99)]:
        reply = filled.get(f"/_sandbox/journal?operation={wrong}")
        assert (reply.status, reply["error"]["fields"][0]["field"]) == (400, "operation"), wrong
        assert re.search(r"did you mean [\w.]+\?", reply["error"]["message"]), reply["error"]["message"]


def test_the_last_lines_are_shown_where_there_are_more(filled: Wire) -> None:
    reply = filled.get("/_sandbox/journal?limit=2")
    assert (reply["total_count"], [line["number"] for line in reply["data"]]) == (8, [7, 8])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=abc", "IR_04"),
        ("status=999", "IR_04"),
        ("wait=soon", "IR_04"),
        ("count=0", "IR_04"),
        ("wait=1h", "IR_04"),
        ("colour=red", "IR_06"),
    ],
)
def test_a_wrong_parameter_is_refused(api: Wire, query: str, code: str) -> None:
    assert api.get(f"/_sandbox/journal?{query}").error["code"] == code


def test_lines_that_fell_out_are_counted() -> None:
    api = wire(journal=3)
    for _ in range(5):
        api.get("/health")
    reply = api.get("/_sandbox/journal")
    assert (reply["total_count"], reply["dropped"], reply["data"][0]["number"]) == (3, 2, 3)


def test_a_long_journal_is_read_whole(api: Wire) -> None:
    for _ in range(1201):
        api.get("/health")
    assert api.get("/_sandbox/journal")["total_count"] == 1201


def test_it_can_be_emptied(api: Wire) -> None:
    api.get("/health")
    assert api.delete("/_sandbox/journal").json == {"forgotten": 1}
    api.get("/health")
    assert [line["number"] for line in api.get("/_sandbox/journal")["data"]] == [2]


# long polls


def test_a_poll_is_answered_at_once_where_there_is_enough(api: Wire) -> None:
    api.get("/health")
    assert api.get("/_sandbox/journal?wait=10m&count=1")["total_count"] == 1


def test_a_poll_is_answered_by_the_line_that_makes_it_enough(api: Wire) -> None:
    poll = parked(api, "/_sandbox/journal?wait=10m&count=2&operation=payments.*")
    assert poll.timeout_s == 600
    api.get("/health")
    api.pay()
    assert not is_done(poll)
    api.pay()
    assert is_done(poll)
    reply = answered(poll)
    assert (reply.status, reply["total_count"], reply.headers["Content-Type"]) == (200, 2, "application/json")
    assert reply.headers["X-Request-Id"]


def test_a_poll_whose_time_is_over_tells_what_there_is(api: Wire) -> None:
    poll = parked(api, "/_sandbox/journal?wait=1s&count=2")
    api.get("/health")
    assert isinstance(poll.ready, Future)
    assert poll.ready.cancel()
    late = poll.late()
    assert (late.status, Reply(late.status, late.body, {})["total_count"]) == (200, 1)
    api.get("/health")  # whom nobody waits for any more


def test_a_reset_ends_a_poll(api: Wire) -> None:
    poll = parked(api, "/_sandbox/journal?wait=10m")
    api.post("/_sandbox/reset")
    assert is_done(poll)
    assert (answered(poll).status, answered(poll).error["code"]) == (410, "IR_16")


def test_a_poll_leaves_nothing_behind(api: Wire) -> None:
    from tests.api.places import workspace

    listeners = workspace(api).space._waiting.listeners
    polls = [parked(api, "/_sandbox/journal?wait=10m") for _ in range(3)]
    assert len(listeners["journal"]) == 3
    assert isinstance(polls[0].ready, Future)
    polls[0].ready.cancel()
    api.get("/health")
    assert "journal" not in listeners


def test_many_writers_answer_a_poll_once(api: Wire) -> None:
    polls = [parked(api, f"/_sandbox/journal?wait=10m&count={count}") for count in (1, 20, 40)]
    threads = [Thread(target=lambda: [api.get("/health") for _ in range(10)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(is_done(poll) for poll in polls)
    for poll, least in zip(polls, (1, 20, 40), strict=True):
        numbers = [line["number"] for line in answered(poll)["data"]]
        assert len(numbers) >= least
        assert numbers == sorted(set(numbers))


def test_a_poll_is_waited_for_under_any_server(api: Wire) -> None:
    """The test client waits in its own thread until another one brings the line."""
    found: list[Reply] = []
    waits = Thread(target=lambda: found.append(api.get("/_sandbox/journal?wait=10s&operation=health.check")))
    waits.start()
    while not found:
        api.get("/health")
        waits.join(0.01)
    assert found[0]["total_count"] >= 1


def test_nothing_comes_within(api: Wire) -> None:
    assert api.get("/_sandbox/journal?wait=20ms&operation=refunds.create")["total_count"] == 0


def test_what_was_done_by_hand_is_told_to_who_asks_for_it(api: Wire) -> None:
    made = api.pay("visa_pending_succeeds")
    api.post(f"/_sandbox/payments/{made['payment_id']}/settle", {"as": "succeeded"})
    assert [line["operation"] for line in api.get("/_sandbox/journal")["data"]] == ["payments.create"]
    (by_hand,) = api.get("/_sandbox/journal?operation=control.*")["data"]
    assert (by_hand["operation"], by_hand["request"], by_hand["events"]) == ("control.settle", {"as": "succeeded"}, [2])


def test_lines_name_the_events_that_they_told(api: Wire) -> None:
    for _ in range(3):
        api.pay()
    lines = api.get("/_sandbox/journal")["data"]
    assert [line["events"] for line in lines] == [[1], [2], [3]]
