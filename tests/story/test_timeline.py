"""A payment's story as rows: in order, with near misses, attempts and clock moves; and the same in other forms."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.words import as_json, span
from tests.story.rows import from_json
from tests.wire import Wire

HOSTILE = "</text><script>alert(1)</script>\n;participant x as y%%"
SCENARIO = """
version: 1
name: rules
rules:
  - on: charge
    when: {payment.amount: 1}
    then: {decline: lost_card}
"""


def told(api: Wire, payment: str, form: str = "") -> Any:
    reply = api.get(f"/_sandbox/payments/{payment}/timeline{form}")
    assert reply.status == 200, reply.raw
    return reply


def life(api: Wire) -> str:
    """A payment with a near miss, a challenge, an attempt at a webhook that nobody takes, and a clock that moves."""
    api.call("PUT", "/_sandbox/scenarios/rules", raw=SCENARIO.encode(), headers={"Content-Type": "application/yaml"})
    api.post("/_sandbox/scenarios/rules/activate")
    api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/hook?token=hidden"})
    payment = str(api.pay("visa_3ds_required")["payment_id"])
    api.post("/_sandbox/clock/advance", {"by": "10s"})
    api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "declined"})
    return payment


def test_rows_hold_near_misses_attempts_and_clock_moves(api: Wire) -> None:
    rows = told(api, life(api))["data"]
    kinds = [row["kind"] for row in rows]
    assert kinds[:3] == ["created", "call", "event"]
    assert {"webhook", "clock", "by_hand"} <= set(kinds)
    assert kinds.index("webhook") > kinds.index("event")
    near = rows[1]["decisions"][0]["near_misses"]
    assert near and "amount" in near[0]["failed"]
    clock = next(row for row in rows if row["kind"] == "clock")
    assert (clock["from"][17:19], clock["to"][17:19]) == ("00", "10")
    sent = next(row for row in rows if row["kind"] == "webhook")
    assert (sent["event_type"], sent["number"], sent["status"]) == ("action_required", 1, None)
    assert [row["at"] for row in rows] == sorted(row["at"] for row in rows)


def test_rows_read_from_json_are_the_same_rows(api: Wire) -> None:
    payment = life(api)
    data = told(api, payment)["data"]
    rows = from_json(data)
    assert as_json(rows) == data
    text = told(api, payment, "?format=text").raw.decode()
    assert text.startswith(f"{as_text(rows)}\nNow: Payment failed: ")
    assert as_mermaid(rows).encode() == told(api, payment, "?format=mermaid").raw
    assert as_svg(rows).encode() == told(api, payment, "?format=svg").raw


def test_text_says_what_was_asked_what_came_of_it_and_why(api: Wire) -> None:
    text = told(api, life(api), "?format=text").raw.decode()
    assert "POST /payments -> 200 [requires_action]" in text
    assert "By hand: authenticate declined" in text
    assert re.search(r"because .*\n +not .*: .*amount", text)
    assert "The clock is advanced by 10 s" in text
    assert "hidden" not in text.replace("/hook?[hidden]", "")
    assert "\x1b[" not in text
    assert "\x1b[31m" in told(api, life(api), "?format=text&colour=1").raw.decode()


def test_a_failure_says_the_callers_words(api: Wire) -> None:
    text = told(api, str(api.pay("visa_insufficient_funds")["payment_id"]), "?format=text").raw.decode()
    assert "DC_08" in text


def test_nothing_in_a_form_can_be_read_as_its_grammar(api: Wire) -> None:
    payment = str(api.pay()["payment_id"])
    data = told(api, payment)["data"]
    call = next(row for row in data if row["kind"] == "call")
    call["decisions"] = [{"by": "x", "text": HOSTILE, "rule": None, "near_misses": []}]
    call["path"] = HOSTILE
    rows = from_json(data)
    root = ET.fromstring(as_svg(rows))
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    lines = as_mermaid(rows).splitlines()
    plain = as_mermaid(from_json(told(api, payment)["data"])).splitlines()
    assert len(lines) == len(plain)
    assert not [line for line in lines if "<" in line or line.strip().startswith("participant x")]


def test_an_unknown_form_is_refused(api: Wire) -> None:
    payment = str(api.pay()["payment_id"])
    assert api.get(f"/_sandbox/payments/{payment}/timeline?format=pdf").status == 400


SPANS = ((0, "no time"), (250, "250 ms"), (10_000, "10 s"), (5_400_000, "1 h 30 min"), (90_061_001, "1 d 1 h"))


@pytest.mark.parametrize(("ms", "said"), SPANS)
def test_spans_read_as_people_say_them(ms: int, said: str) -> None:
    assert span(ms) == said
