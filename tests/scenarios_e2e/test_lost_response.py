"""The promise of the whole thing: the charge is made, the answer is lost, and the client is told whether it behaved."""

from __future__ import annotations

from typing import Any

from tests.running import RunningSandbox
from tests.scenarios_e2e.wire import control, pay, raw_call

RETRY = {"X-Idempotency-Key": "order-1"}


def checked(base: str) -> dict[str, Any]:
    found: dict[str, Any] = control(base, "POST", "scenarios/lost_response/check")
    return found


def newest(base: str) -> dict[str, Any]:
    found: dict[str, Any] = raw_call(base, "GET", "/payments/list?limit=1").json["data"][0]
    return found


def test_a_client_that_retries_with_its_key_charges_once() -> None:
    with RunningSandbox("--scenario", "lost_response") as sandbox:
        base = sandbox.base
        lost = pay(base, RETRY)
        assert (lost.raw, lost.end) == (b"", "reset")
        made = newest(base)
        retrieved = raw_call(base, "GET", f"/payments/{made['payment_id']}")
        assert (retrieved.status, retrieved.json["status"]) == (200, "succeeded")
        first, second = pay(base, RETRY), pay(base, RETRY)
        assert first.json["payment_id"] == made["payment_id"]
        assert b"X-Sandbox-Replayed: true" in first.raw
        assert first.body == second.body == retrieved.body
        assert raw_call(base, "GET", "/payments/list").json["total_count"] == 1


def test_a_client_that_retries_without_one_charges_twice_and_is_told() -> None:
    with RunningSandbox("--scenario", "lost_response") as sandbox:
        base = sandbox.base
        assert pay(base).end == "reset"
        assert pay(base).json["status"] == "succeeded"
        assert raw_call(base, "GET", "/payments/list").json["total_count"] == 2
        calls, charges = checked(base)["expect"]
        assert calls["holds"]
        assert not charges["holds"]
        assert charges["because"].startswith("found 2: pay_")
        assert charges["at"] == "scenarios/lost_response.yaml:22"


def test_the_journal_and_why_tell_of_the_lost_answer() -> None:
    with RunningSandbox("--scenario", "lost_response") as sandbox:
        pay(sandbox.base, RETRY)
        (line,) = control(sandbox.base, "GET", "journal?operation=payments.create")["data"]
        assert (line["fault"], line["status"]) == ("connection_reset", 200)
        why = control(sandbox.base, "GET", f"payments/{line['payment_id']}/why")
        assert [one["by"] for one in why["decisions"]] == ["scenario", "card"]
        assert why["decisions"][0]["rule"] == "scenarios/lost_response.yaml:5"
