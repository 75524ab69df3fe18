"""A payment's story as files: each form is sent to be saved, holds no number, and replays what happened."""

from __future__ import annotations

import json
import shlex

import pytest
import yaml

from mock_server.dashboard.payments import FILES
from tests.dashboard.visitor import Visitor, said, text


@pytest.mark.parametrize("form", FILES)
def test_each_form_is_a_file(visitor: Visitor, form: str) -> None:
    made = visitor.api.pay("visa_insufficient_funds", customer={"id": "cus_1", "name": "<b>"})["payment_id"]
    reply = visitor.look(f"payments/{made}/export?as={form}")
    assert reply.headers["Content-Disposition"] == f'attachment; filename="{FILES[form]}"'
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert str(visitor.api.key) not in text(reply)


def test_the_scenario_says_that_it_was_played(visitor: Visitor) -> None:
    made = visitor.api.pay("visa_insufficient_funds")["payment_id"]
    assert said(visitor.read(f"payments/{made}/export?later=1"), "said").startswith("Verified: replayed")
    found = text(visitor.look(f"payments/{made}/export?as=scenario"))
    assert found.startswith("# verified")
    ended = {"status": "failed", "net_amount": 6540, "amount_capturable": 0}
    assert yaml.safe_load(found)["expect"] == [{"payments": ended, "at_least": 1}]


def test_the_commands_are_the_calls(visitor: Visitor) -> None:
    made = visitor.api.pay()["payment_id"]
    visitor.api.post("/refunds", {"payment_id": made, "amount": 100})
    lines = text(visitor.look(f"payments/{made}/export?as=curl")).splitlines()
    assert [shlex.split(line)[:4] for line in lines] == [
        ["curl", "-X", "POST", "http://localhost/payments"],
        ["curl", "-X", "POST", "http://localhost/refunds"],
    ]


def test_the_archive_holds_what_the_journal_holds(visitor: Visitor) -> None:
    made = visitor.api.pay("visa_insufficient_funds")["payment_id"]
    visitor.api.get(f"/payments/{made}")
    log = json.loads(text(visitor.look(f"payments/{made}/export?as=har")))["log"]
    assert log["version"] == "1.2"
    assert [(one["request"]["method"], one["response"]["status"]) for one in log["entries"]] == [
        ("POST", 200),
        ("GET", 200),
    ]
    assert json.loads(log["entries"][0]["request"]["postData"]["text"])["amount"] == 6540
    assert "4000000000009995" not in json.dumps(log)
    assert {one["value"] for one in log["entries"][0]["request"]["headers"] if one["name"] == "api-key"} == {
        "[redacted]"
    }


def test_what_is_not_there_is_not_exported(visitor: Visitor) -> None:
    assert visitor.look("payments/pay_nobody/export?as=har").status == 404
