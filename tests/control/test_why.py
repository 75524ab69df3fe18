"""A payment's story, and why it stands where it stands."""

from __future__ import annotations

from typing import Any

from tests.wire import Wire


def test_the_timeline_tells_everything_in_order(api: Wire) -> None:
    api.post("/_sandbox/clock/freeze")
    payment = api.pay("visa_3ds_required", capture_method="manual")["payment_id"]
    api.post("/_sandbox/clock/advance", {"by": "10s"})
    api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "approved"})
    api.post("/_sandbox/clock/advance", {"by": "10s"})
    api.post(f"/payments/{payment}/capture", {"amount_to_capture": 7000})
    api.post(f"/payments/{payment}/capture", {"amount_to_capture": 6540})
    api.pay()
    reply = api.get(f"/_sandbox/payments/{payment}/timeline")
    told = [
        (item["at"][17:19], item["kind"], item.get("operation") or item.get("event_type")) for item in reply["data"]
    ]
    assert told == [
        ("00", "created", None),
        ("00", "call", "payments.create"),
        ("00", "event", "action_required"),
        ("00", "clock", "control.clock_advance"),
        ("10", "by_hand", "control.authenticate"),
        ("10", "event", "payment_authorized"),
        ("10", "clock", "control.clock_advance"),
        ("20", "call", "payments.capture"),
        ("20", "call", "payments.capture"),
        ("20", "capture", None),
        ("20", "event", "payment_succeeded"),
    ]
    assert (reply["status"], reply["total_count"]) == ("succeeded", 11)
    assert [item["cause"] for item in reply["data"] if item["kind"] == "call"] == [None, "amount_over_capturable", None]


def test_why_names_what_decided(api: Wire) -> None:
    payment = api.pay("visa_insufficient_funds")["payment_id"]
    why = api.get(f"/_sandbox/payments/{payment}/why").json
    assert why["status"] == "failed"
    assert why["failure"]["decline"] == "insufficient_funds"
    assert why["failure"]["error_code"] == "DC_08"
    assert [(one["by"], one["operation"]) for one in why["decisions"]] == [("card", "payments.create")]
    assert "visa_insufficient_funds" in why["decisions"][0]["text"]
    assert (why["waits_for"], why["due"]) == (None, [])


def test_why_tells_what_an_open_payment_waits_for(api: Wire) -> None:
    payment = api.pay("visa_pending_fails")["payment_id"]
    why = api.get(f"/_sandbox/payments/{payment}/why").json
    assert why["waits_for"] == {"kind": "issuer", "ends": "failed", "after_polls": None, "then": None}
    assert why["due"] == [{"at": "2026-01-01T00:00:10.000Z", "what": "payment.settles", "subject": payment}]


def test_a_word_of_the_calls_own_is_a_reason(api: Wire) -> None:
    payment = api.pay(metadata={"sandbox_outcome": "failed:lost_card"})["payment_id"]
    assert api.get(f"/_sandbox/payments/{payment}/why")["decisions"][0]["by"] != "card"


FAULTS = """
version: 1
name: faults
rules:
  - on: payments.create
    when: {body.amount: 1}
    then: {fault: connection_reset}
  - on: payments.create
    when: {body.amount: 2}
    then: [{error: HE_00}, {decline: lost_card}]
  - on: payments.retrieve
    then: {error: HE_00}
    skip: 1
"""
SELDOM = """
version: 1
name: faults
chaos: {connection_reset: 0.0001%}
"""


def faulty(api: Wire, scenario: str) -> Wire:
    api.call("PUT", "/_sandbox/scenarios/faults", raw=scenario.encode(), headers={"Content-Type": "application/yaml"})
    assert api.post("/_sandbox/scenarios/faults/activate").status == 200
    return api


def nearly(api: Wire, payment: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """What decided about a payment, each with the rule and the failure of what nearly did."""
    decisions: list[dict[str, Any]] = api.get(f"/_sandbox/payments/{payment}/why")["decisions"]
    return [(one["by"], [(miss["rule"], miss["failed"]) for miss in one["near_misses"]]) for one in decisions]


def test_why_tells_which_rule_of_the_line_nearly_matched(api: Wire) -> None:
    paid = faulty(api, FAULTS).pay(amount=3)
    assert nearly(api, paid["payment_id"]) == [
        ("card", [("faults:8", "body.amount is 3, not 2")]),
        ("line", [("faults:5", "body.amount is 3, not 1"), ("faults:8", "body.amount is 3, not 2")]),
    ]
    assert paid.headers["X-Sandbox-Because"] == "card visa_success: succeeded"  # which tells what decided


def test_a_rule_whose_turn_is_the_issuers_says_so(api: Wire) -> None:
    faulty(api, FAULTS).pay(amount=2)
    paid = api.pay(amount=2)
    assert paid["error_message"], paid.raw
    assert nearly(api, paid["payment_id"])[-1][1][-1] == ("faults:8", "answer 2 does not apply here")


def test_chance_that_let_a_call_pass_says_what_it_drew(api: Wire) -> None:
    paid = faulty(api, SELDOM).pay()
    ((_, _), (by, ((place, failed),))) = nearly(api, paid["payment_id"])
    assert (by, place, failed.startswith("chaos drew 0.")) == ("line", "faults:4", True)


def test_the_journal_tells_it_of_refused_calls_too(api: Wire) -> None:
    reply = faulty(api, FAULTS).get("/payments/pay_nobody")
    (line,) = api.get("/_sandbox/journal")["data"]
    (told,) = line["because"]
    failed = "matching call 1, but the first 1 are skipped"
    assert (line["status"], told["by"], told["near_misses"][0]["failed"]) == (404, "line", failed)
    assert "X-Sandbox-Because" not in reply.headers


def test_what_no_rule_of_the_line_listens_to_has_no_such_note(api: Wire) -> None:
    faulty(api, FAULTS).get("/customers/list")
    assert api.get("/_sandbox/journal")["data"][0]["because"] == []


def test_an_unknown_payment_has_no_story(api: Wire) -> None:
    for what in ("timeline", "why"):
        assert api.get(f"/_sandbox/payments/pay_nobody/{what}").error["code"] == "HE_02"
