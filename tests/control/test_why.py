"""A payment's story, and why it stands where it stands."""

from __future__ import annotations

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
    assert why["due"] == [{"at": "2026-01-01T00:00:10.000Z", "what": "payment.settles"}]


def test_a_word_of_the_calls_own_is_a_reason(api: Wire) -> None:
    payment = api.pay(metadata={"sandbox_outcome": "failed:lost_card"})["payment_id"]
    assert api.get(f"/_sandbox/payments/{payment}/why")["decisions"][0]["by"] != "card"


def test_an_unknown_payment_has_no_story(api: Wire) -> None:
    for what in ("timeline", "why"):
        assert api.get(f"/_sandbox/payments/pay_nobody/{what}").error["code"] == "HE_02"
