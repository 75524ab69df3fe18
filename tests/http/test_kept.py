"""What a server keeps stays within its bounds, and says what fell out or finds no room."""

from __future__ import annotations

import hashlib
import logging

import pytest

from benchmarks.kept import METADATA, PAYMENTS, Server, filled, listing
from mock_server.http.redaction import KEPT_BYTES
from tests.api.money_places import PDF, disputed, upload
from tests.counts import times
from tests.wire import Wire, card_payment, wire


def lines(api: Wire) -> list[dict[str, object]]:
    found: list[dict[str, object]] = api.get("/_sandbox/journal?limit=1000")["data"]
    return found


def test_a_long_answer_is_kept_in_part_with_its_length_and_digest() -> None:
    api = wire()
    for _ in range(10):
        api.post("/payments", {**card_payment(), "metadata": METADATA})
    whole = api.get("/payments/list?limit=100").raw
    line = lines(api)[-1]
    assert (line["request_bytes"], line["response_bytes"]) == (None, len(whole))
    assert line["response_sha256"] == hashlib.sha256(whole).hexdigest()
    assert line["response"] == f"{whole[:KEPT_BYTES].decode()}[cut, {len(whole) - KEPT_BYTES} bytes]"


def test_an_answer_that_is_kept_whole_says_nothing_of_it() -> None:
    api = wire()
    api.pay()
    assert not {"request_bytes", "response_bytes", "response_sha256"} & lines(api)[-1].keys()


def test_a_full_journal_lets_its_oldest_lines_go(caplog: pytest.LogCaptureFixture) -> None:
    api = wire(journal_bytes=200_000)
    with caplog.at_level(logging.INFO, "mock_server.sandbox"):
        for _ in range(40):
            api.post("/payments", {**card_payment(), "metadata": METADATA})
    found = api.get("/_sandbox/journal?limit=1000")
    assert 5 <= found["total_count"] < 20
    assert found["dropped"] == 40 - found["total_count"]
    assert [record.message for record in caplog.records if "journal_bytes" in record.message]


def test_a_full_inbox_lets_its_oldest_events_go() -> None:
    api = wire(inbox_bytes=200_000)
    for _ in range(40):
        api.pay(metadata=METADATA)
    found = api.get("/_sandbox/webhooks?limit=1000")
    assert 5 <= found["total_count"] < 25
    assert found["dropped"] + found["total_count"] == 40


def test_an_answer_that_fell_out_is_made_again() -> None:
    api = wire(idempotency_bytes=100_000)
    for number in range(30):
        body = {**card_payment(), "metadata": METADATA}
        assert api.post("/payments", body, X_Idempotency_Key=f"key {number}").status == 200
    again = api.post("/payments", body, X_Idempotency_Key="key 29")
    assert again.headers["X-Sandbox-Replayed"] == "true"
    anew = api.post("/payments", body, X_Idempotency_Key="key 0")
    assert "X-Sandbox-Replayed" not in anew.headers


def test_evidence_finds_no_room() -> None:
    api = wire(evidence_bytes=70_000)
    dispute = disputed(api)
    file = (PDF[0], b"%PDF" + b"x" * 60_000, PDF[2])
    assert upload(api, dispute, file).status == 200
    refused = upload(api, dispute, file)
    assert (refused.status, refused.error["code"]) == (400, "HE_03")
    assert "evidence_bytes" in refused.error["message"]


def test_a_scenario_finds_no_room_and_its_own_place_is_free() -> None:
    api = wire(scenarios_bytes=70_000)
    text = "summary: a scenario\nrules: []\n# " + "x" * 40_000

    def put(name: str) -> int:
        headers = {"Content-Type": "application/yaml"}
        return api.call(
            "PUT", f"/_sandbox/scenarios/{name}", raw=f"name: {name}\n{text}".encode(), headers=headers
        ).status

    assert [put("one"), put("two"), put("one")] == [200, 413, 200]
    api.delete("/_sandbox/scenarios/one")
    assert put("two") == 200


def test_what_is_kept_is_measured() -> None:
    api = wire()
    api.pay()
    text = api.get("/_sandbox/metrics").raw.decode()
    assert 'payment_sandbox_kept_bytes{what="journal"}' in text


def test_large_payments_and_long_lists_fit_into_memory() -> None:
    server = Server()
    try:
        assert filled(server, PAYMENTS, times(60, soak=700)) < 300
        first, *_, last = listing(server, times(1, soak=300))
        assert last < first * 1.1 + 10
    finally:
        server.stop()
