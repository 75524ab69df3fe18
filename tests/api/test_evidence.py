"""Evidence against disputes: said, shown in real files, judged (facts §1.3, §2.5, §3.7, §7.2)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from mock_server.domain.dispute import EVIDENCE_FILES, EVIDENCE_TEXTS
from mock_server.domain.statuses import DisputeStatus as S
from mock_server.scenario.deciding.queue_and_scenarios import enqueue
from tests.api.money_places import (
    PDF,
    STAGES,
    Part,
    advance,
    attach,
    dispute,
    disputed,
    fine,
    paid,
    refused,
    send,
    told,
    upload,
)
from tests.api.places import workspace
from tests.clocks import ManualClock
from tests.wire import Reply, Wire

SECOND_MS = 1000


def submit(api: Wire, dispute_id: str, **evidence: str) -> Reply:
    return api.post("/disputes/evidence", {"dispute_id": dispute_id, **evidence})


def take_back(api: Wire, dispute_id: str, evidence_type: str = "receipt") -> Reply:
    return api.delete("/disputes/evidence", {"dispute_id": dispute_id, "evidence_type": evidence_type})


def shown(api: Wire, dispute_id: str) -> list[str]:
    """The kinds of evidence that are attached."""
    return [one["evidence_type"] for one in fine(api.get(f"/disputes/evidence/{dispute_id}")).json]


# said


def test_evidence_challenges_a_dispute(api: Wire) -> None:
    payment = paid(api)
    dispute_id = fine(dispute(api, payment))["dispute_id"]
    challenged = fine(submit(api, dispute_id, customer_name="Jane Doe", service_date="2026-01-01"))
    assert challenged["dispute_status"] == "dispute_challenged"
    assert api.get(f"/disputes/{dispute_id}").raw == challenged.raw
    assert told(api, payment)[-1] == "dispute_challenged"


@pytest.mark.parametrize("name", EVIDENCE_TEXTS)
def test_every_text_is_known(api: Wire, name: str) -> None:
    assert fine(submit(api, disputed(api), **{name: "something"}))["dispute_status"] == "dispute_challenged"


@pytest.mark.parametrize(
    ("words", "status"), [("winning_evidence", "won"), ("losing_evidence", "lost"), (" losing_evidence\n", "lost")]
)
@pytest.mark.parametrize("before", [S.OPENED, S.CHALLENGED])
def test_two_words_decide_at_once(api: Wire, words: str, status: str, before: S) -> None:
    dispute_id = disputed(api, status=before)
    ended = fine(submit(api, dispute_id, uncategorized_text=words))
    assert ended["dispute_status"] == f"dispute_{status}"
    assert words.strip() in ended.headers["X-Sandbox-Because"]
    assert refused(submit(api, dispute_id, uncategorized_text=words)) == (400, "HE_03")


@pytest.mark.parametrize("name", ["product_description", "customer_name"])
def test_they_decide_in_one_field_alone(api: Wire, name: str) -> None:
    assert fine(submit(api, disputed(api), **{name: "winning_evidence"}))["dispute_status"] == "dispute_challenged"


def test_a_challenge_and_its_end_are_both_told(api: Wire) -> None:
    payment = paid(api)
    submit(api, fine(dispute(api, payment))["dispute_id"], uncategorized_text="winning_evidence")
    assert told(api, payment)[-3:] == ["dispute_opened", "dispute_challenged", "dispute_won"]


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("status", list(S))
def test_evidence_is_taken_where_the_facts_say(api: Wire, stage: str, status: S) -> None:
    dispute_id = disputed(api, stage, status)
    reply = submit(api, dispute_id, uncategorized_text="listen")
    if stage != "dispute_reversal" and status in (S.OPENED, S.CHALLENGED):
        assert fine(reply)["dispute_status"] == "dispute_challenged"
    else:
        assert refused(reply) == (400, "HE_03")
        assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == status


@pytest.mark.parametrize("wish", ["won", "lost", "cancelled", "expired"])
def test_a_header_chooses_how_the_bank_decides(api: Wire, wish: str) -> None:
    body = {"dispute_id": disputed(api), "customer_name": "Jane"}
    reply = fine(api.post("/disputes/evidence", body, X_Sandbox_Outcome=wish))
    assert reply["dispute_status"] == f"dispute_{wish}"


@pytest.mark.parametrize("word", ["won", "lost", "cancelled", "expired"])
def test_the_bank_decides_by_the_clock(api: Wire, clock: ManualClock, word: str) -> None:
    then = json.dumps({"settles": {"after": "30s", "as": word}})
    workspace(api).space.transact(lambda tx: enqueue(tx, ("disputes.submit_evidence",), then))
    dispute_id = disputed(api)
    assert fine(submit(api, dispute_id, customer_name="Jane"))["dispute_status"] == "dispute_challenged"
    clock.advance(30 * SECOND_MS - 1)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_challenged"
    clock.advance(1)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == f"dispute_{word}"


def test_the_bank_decides_after_so_many_looks(api: Wire) -> None:
    then = json.dumps({"settles": {"after_polls": 2, "as": "lost"}})
    workspace(api).space.transact(lambda tx: enqueue(tx, ("disputes.submit_evidence",), then))
    dispute_id = disputed(api)
    fine(submit(api, dispute_id))
    seen = [api.get(f"/disputes/{dispute_id}")["dispute_status"] for _ in range(3)]
    assert seen == ["dispute_challenged", "dispute_lost", "dispute_lost"]


def test_what_was_decided_by_hand_stays(api: Wire, clock: ManualClock) -> None:
    then = json.dumps({"settles": {"after": "30s", "as": "lost"}})
    workspace(api).space.transact(lambda tx: enqueue(tx, ("disputes.submit_evidence",), then))
    dispute_id = disputed(api)
    fine(submit(api, dispute_id))
    fine(advance(api, dispute_id, "won"))
    clock.advance(60 * SECOND_MS)
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_won"


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "IR_04", "dispute_id"),
        ({"dispute_id": 1}, "IR_04", "dispute_id"),
        ({"dispute_id": "dp_1", "customer_name": 1}, "IR_04", "customer_name"),
        ({"dispute_id": "dp_1", "product_description": "x" * 5001}, "IR_04", "product_description"),
        ({"dispute_id": "dp_1", "receit": "file_1"}, "IR_06", "receit"),
    ],
)
def test_wrong_evidence_is_named(api: Wire, body: dict[str, object], code: str, field: str) -> None:
    reply = api.post("/disputes/evidence", body)
    assert refused(reply) == (400, code)
    assert reply.error["fields"][0]["field"] == field


# shown


def test_files_are_attached_shown_and_taken_back(api: Wire) -> None:
    dispute_id = disputed(api)
    file_id = fine(attach(api, dispute_id))["file_id"]
    assert file_id.startswith("file_")
    assert api.get(f"/disputes/evidence/{dispute_id}").json == [
        {
            "evidence_type": "receipt",
            "file_metadata_response": {
                "file_id": file_id,
                "file_name": "receipt.pdf",
                "file_size": len(PDF[1]),
                "file_type": "application/pdf",
                "available": True,
            },
        }
    ]
    gone = take_back(api, dispute_id)
    assert (gone.status, gone.raw) == (200, b"")
    assert shown(api, dispute_id) == []
    assert api.get(f"/files/{file_id}").raw == PDF[1]


def test_attaching_does_not_challenge(api: Wire) -> None:
    dispute_id = disputed(api)
    fine(attach(api, dispute_id))
    assert api.get(f"/disputes/{dispute_id}")["dispute_status"] == "dispute_opened"


def test_every_kind_of_file_is_known_and_shown_in_one_order(api: Wire) -> None:
    dispute_id = disputed(api)
    for evidence_type in reversed(EVIDENCE_FILES):
        fine(attach(api, dispute_id, evidence_type))
    assert shown(api, dispute_id) == list(EVIDENCE_FILES)


def test_a_second_file_takes_the_place_of_the_first(api: Wire) -> None:
    dispute_id = disputed(api)
    first = fine(attach(api, dispute_id))["file_id"]
    second = fine(attach(api, dispute_id))["file_id"]
    (one,) = api.get(f"/disputes/evidence/{dispute_id}").json
    assert one["file_metadata_response"]["file_id"] == second != first


def test_an_uploaded_file_is_shown_by_its_id(api: Wire) -> None:
    dispute_id = disputed(api)
    file_id = fine(upload(api, dispute_id))["file_id"]
    assert shown(api, dispute_id) == []
    fine(submit(api, dispute_id, refund_policy=file_id))
    assert shown(api, dispute_id) == ["refund_policy"]


def test_later_evidence_is_added_to_earlier(api: Wire) -> None:
    dispute_id = disputed(api)
    fine(attach(api, dispute_id, "receipt"))
    fine(submit(api, dispute_id, customer_signature=fine(upload(api, dispute_id))["file_id"]))
    fine(submit(api, dispute_id, refund_policy=fine(upload(api, dispute_id))["file_id"]))
    assert shown(api, dispute_id) == ["customer_signature", "receipt", "refund_policy"]


def test_a_deleted_file_is_still_known_and_not_available(api: Wire) -> None:
    dispute_id = disputed(api)
    file_id = fine(attach(api, dispute_id))["file_id"]
    fine(api.delete(f"/files/{file_id}"))
    (one,) = api.get(f"/disputes/evidence/{dispute_id}").json
    assert (one["file_metadata_response"]["available"], one["file_metadata_response"]["file_id"]) == (False, file_id)


def _others_file(api: Wire) -> Reply:
    file_id = fine(upload(api, disputed(api)))["file_id"]
    return submit(api, disputed(api), receipt=file_id)


def _deleted_file(api: Wire) -> Reply:
    dispute_id = disputed(api)
    file_id = fine(upload(api, dispute_id))["file_id"]
    fine(api.delete(f"/files/{file_id}"))
    return submit(api, dispute_id, receipt=file_id)


def _without(api: Wire, *names: str) -> Reply:
    parts: dict[str, Part] = {"file": PDF, "dispute_id": disputed(api), "evidence_type": "receipt"}
    return send(api, "PUT", "/disputes/evidence", {name: part for name, part in parts.items() if name not in names})


REFUSALS: list[tuple[str, Callable[[Wire], Reply], int, str]] = [
    ("unknown dispute, submitted", lambda api: submit(api, "dp_nobody"), 404, "HE_04"),
    ("unknown dispute, attached", lambda api: attach(api, "dp_nobody"), 404, "HE_04"),
    ("unknown dispute, taken back", lambda api: take_back(api, "dp_nobody"), 404, "HE_04"),
    ("unknown file", lambda api: submit(api, disputed(api), receipt="file_nobody"), 404, "HE_04"),
    ("another dispute's file", _others_file, 404, "HE_04"),
    ("deleted file", _deleted_file, 404, "HE_04"),
    ("nothing to take back", lambda api: take_back(api, disputed(api)), 404, "HE_04"),
    ("unknown kind, attached", lambda api: attach(api, disputed(api), "selfie"), 400, "IR_04"),
    ("unknown kind, taken back", lambda api: take_back(api, disputed(api), "selfie"), 400, "IR_04"),
    ("taken back without a body", lambda api: api.delete("/disputes/evidence"), 400, "IR_04"),
    ("no file", lambda api: _without(api, "file"), 400, "IR_33"),
    ("no dispute", lambda api: _without(api, "dispute_id"), 400, "IR_34"),
    ("no kind", lambda api: _without(api, "evidence_type"), 400, "IR_04"),
    ("no content type", lambda api: attach(api, disputed(api), file=("a.pdf", b"x", "")), 400, "IR_36"),
    ("no evidence", lambda api: attach(api, disputed(api), file=("a.html", b"<p>", "text/html")), 400, "HE_03"),
    ("an empty file", lambda api: attach(api, disputed(api), file=("a.pdf", b"", "application/pdf")), 400, "HE_03"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_evidence_is_refused(api: Wire, ask: Callable[[Wire], Reply], status: int, code: str) -> None:
    assert refused(ask(api)) == (status, code)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("status", list(S))
def test_files_come_and_go_where_the_facts_say(api: Wire, stage: str, status: S) -> None:
    dispute_id = disputed(api, stage)
    if stage == "dispute":
        fine(attach(api, dispute_id))
    if status is not S.OPENED:
        fine(advance(api, dispute_id, status.removeprefix("dispute_")))
    allowed = stage == "dispute" and status is S.OPENED
    for reply in (attach(api, dispute_id), take_back(api, dispute_id)):
        if allowed:
            fine(reply)
        else:
            assert refused(reply) == (400, "HE_03")
