"""CSV reports: asked for over HTTP, told of by a signed webhook, fetched by their link (facts §1.7)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

import csv
import hmac
import json
from collections.abc import Iterator
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_server.contract.answers import reports
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.limits import REPORT_ROWS
from mock_server.domain.paging import Query
from mock_server.domain.report import DELIVER_REPORT, ReportKind
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import disputes
from mock_server.engine.kinds import REPORTS
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Unanswered
from mock_server.webhooks.transport import Wire as Line
from tests.api.places import PLACES, Make, copied, workspace
from tests.api.saving import refused
from tests.clocks import ManualClock
from tests.sandbox.workspaces import carry_out
from tests.webhooks.shops import send_notices
from tests.wire import Reply, Wire, card_payment, wire

RECEIVER = "https://shop.example.com"
MONTH = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-31T23:59:59Z"}
ASK = {"timeRange": MONTH, "emails": ["owner@shop.example.com"], "returnUrl": f"{RECEIVER}/reports"}
HOUR_MS = 60 * 60 * 1000
Row = dict[str, str]


class Inbox:
    """A receiver of notices; None stands for no answer."""

    def __init__(self) -> None:
        self.statuses: list[int | None] = []
        self.got: list[tuple[str, bytes, dict[str, str]]] = []

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Line) -> Response:
        self.got.append((url, body, dict(headers)))
        status = self.statuses.pop(0) if self.statuses else 200
        if status is None:
            raise Unanswered("nobody there")
        return Response(status)

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body, _ in self.got]


@pytest.fixture
def inbox(api: Wire) -> Iterator[Inbox]:
    receiver = Inbox()
    undo = api.sandbox.post.routing.connect(RECEIVER, receiver)
    yield receiver
    undo()


def ask(api: Wire, kind: str = "payments", **fields: Any) -> Reply:
    return api.post(f"/analytics/v1/merchant/report/{kind}", {**ASK, **fields})


def link(api: Wire, inbox: Inbox, kind: str = "payments", **fields: Any) -> str:
    """The path of a report that was asked for now."""
    reply = ask(api, kind, **fields)
    assert (reply.status, reply.raw) == (200, b"null")
    assert send_notices(api) == 1
    parts = urlsplit(inbox.told[-1]["data"]["download_url"])
    return f"{parts.path}?{parts.query}"


def rows_of(api: Wire, inbox: Inbox, kind: str = "payments", **fields: Any) -> list[Row]:
    reply = api.as_key(None).get(link(api, inbox, kind, **fields))
    assert reply.status == 200, reply.raw
    return list(csv.DictReader(StringIO(reply.raw.decode())))


# the notice


@pytest.mark.parametrize(
    ("kind", "sort"), [("payments", "payment_report"), ("refunds", "refund_report"), ("dispute", "dispute_report")]
)
@pytest.mark.parametrize("level", ["", "merchant/"])
def test_a_report_is_told_of_by_a_signed_webhook(api: Wire, inbox: Inbox, kind: str, sort: str, level: str) -> None:
    payment = api.pay()
    assert api.post(f"/analytics/v1/{level}report/{kind}", ASK).raw == b"null"
    assert inbox.got == []
    send_notices(api)
    ((url, body, headers),) = inbox.got
    assert url == f"{RECEIVER}/reports"
    told = json.loads(body)
    link = told["data"].pop("download_url")
    assert told == {
        "event_type": "report_generation.completed", "status": "success", "org_id": f"org_{payment['merchant_id'].removeprefix('mer_')}",
        "merchant_id": payment["merchant_id"],
        "data": {"report_type": sort, "start_date_utc": "2026-01-01", "end_date_utc": "2026-01-31", "expires_in_hours": 48},
    }  # fmt: skip
    assert link.startswith("http://localhost/_sandbox/downloads/")
    key = _default_key(api, payment["merchant_id"])
    assert headers["X-Webhook-Signature-512"] == hmac.new(key.encode(), body, "sha512").hexdigest()


def _default_key(api: Wire, merchant: str) -> str:
    (default,) = api.get(f"/account/{merchant}/business_profile?profile_name=default")["data"]
    return str(default["payment_response_hash_key"])


def test_a_profiles_report_is_signed_with_its_key(api: Wire, inbox: Inbox) -> None:
    merchant = api.pay(profile_id="pro_a")["merchant_id"]
    own = api.post(f"/account/{merchant}/business_profile/pro_a", {"payment_response_hash_key": "own-key"})
    assert own.status == 200
    assert api.post("/analytics/v1/profile/report/payments", ASK, X_Profile_Id="pro_a").raw == b"null"
    send_notices(api)
    ((_, body, headers),) = inbox.got
    assert headers["X-Webhook-Signature-512"] == hmac.new(b"own-key", body, "sha512").hexdigest()


def test_the_organisation_is_that_of_the_account(inbox: Inbox, api: Wire) -> None:
    admin = api.as_key("admin")
    admin.post("/accounts", {"merchant_id": "mer_shop", "organization_id": "org_example"})
    client = api.as_key(admin.post("/api_keys/mer_shop", {"name": "k"})["api_key"])
    ask(client)
    send_notices(client)
    assert inbox.told[0]["org_id"] == "org_example"


def test_a_notice_that_is_not_taken_comes_again(api: Wire, inbox: Inbox, clock: ManualClock) -> None:
    inbox.statuses = [500, None, 200]
    ask(api)
    assert (send_notices(api), send_notices(api)) == (1, 0)
    clock.advance(60_000)
    assert send_notices(api) == 1
    clock.advance(5 * 60_000)
    assert send_notices(api) == 1
    clock.advance(24 * HOUR_MS)
    assert send_notices(api) == 0
    assert len({body for _, body, _ in inbox.got}) == 1


def test_without_an_address_nobody_is_told(api: Wire, inbox: Inbox) -> None:
    assert api.post("/analytics/v1/report/payments", {"timeRange": MONTH, "emails": ["a@b.co"]}).raw == b"null"
    assert send_notices(api) == 0


def test_the_servers_thread_sends_it_too(api: Wire, inbox: Inbox, clock: ManualClock) -> None:
    ask(api)
    api.sandbox.run_once(clock.now_ms())
    entries = workspace(api).space.transact(lambda tx: tx.all_due())
    assert [entry.what for entry in entries if entry.what == DELIVER_REPORT] == []
    api.sandbox.stop()


def test_more_rows_than_a_file_holds_are_refused_and_told_as_failed(api: Wire, inbox: Inbox) -> None:
    payment = api.pay()["payment_id"]
    ask(api)
    known = copied(api, payment, int(REPORT_ROWS))
    assert refused(ask(api)) == (400, "IR_16")
    assert ask(api, timeRange={"startTime": "2026-01-02", "endTime": "2026-01-03"}).status == 200
    assert ask(api, "refunds").status == 200
    send_notices(api)
    failed, *others = inbox.told
    assert (failed["event"], failed["data"]["code"]) == ("report_generation.failed", "IR_16")
    assert (failed["merchant_id"], "event_type" in failed) == (known.merchant_id, False)
    assert [told["status"] for told in others] == ["success", "success"]


# the file


def test_payments_add_up_to_the_cent(api: Wire, inbox: Inbox) -> None:
    made = [
        api.pay(amount=amount, currency=currency)
        for amount, currency in ((6540, "USD"), (1, "USD"), (999_999_999, "EUR"))
    ]
    declined = api.pay("visa_insufficient_funds")
    held = api.pay(capture_method="manual", amount=500)
    api.post(f"/payments/{held['payment_id']}/capture", {"amount_to_capture": 123})
    api.post("/refunds", {"payment_id": made[0]["payment_id"], "amount": 40})
    rows = rows_of(api, inbox)
    assert [row["payment_id"] for row in rows] == [payment["payment_id"] for payment in (*made, declined, held)]
    assert [int(row["amount_received"]) for row in rows] == [6540, 1, 999_999_999, 0, 123]
    assert [int(row["amount_refunded"]) for row in rows] == [40, 0, 0, 0, 0]
    assert [row["status"] for row in rows] == ["succeeded", "succeeded", "succeeded", "failed", "partially_captured"]
    assert (rows[3]["error_reason"], rows[3]["error_code"], rows[0]["error_code"]) == (
        "insufficient_funds",
        "DC_08",
        "",
    )
    assert (rows[0]["card_network"], rows[0]["card_last_4"], rows[0]["created_at"]) == (
        "Visa",
        "4242",
        "2026-01-01T00:00:00.000Z",
    )


def test_refunds_and_disputes_have_their_own_files(api: Wire, inbox: Inbox) -> None:
    payment = api.pay()["payment_id"]
    refund = api.post("/refunds", {"payment_id": payment, "amount": 40, "reason": 'said "no", then yes'})
    dispute = carry_out(workspace(api), disputes.open, api.pay()["payment_id"], "fraudulent", "dispute", 77)
    (row,) = rows_of(api, inbox, "refunds")
    assert (row["refund_id"], row["payment_id"], row["amount"], row["status"], row["reason"]) == (
        refund["refund_id"],
        payment,
        "40",
        "succeeded",
        'said "no", then yes',
    )
    (row,) = rows_of(api, inbox, "dispute")
    assert (row["dispute_id"], row["amount"], row["dispute_status"], row["is_already_refunded"]) == (
        dispute.dispute_id,
        "77",
        "dispute_opened",
        "false",
    )


def _rejected(api: Wire) -> str:
    return str(api.post(f"/payments/{PLACES[PaymentStatus.REQUIRES_MERCHANT_ACTION](api)}/reject")["payment_id"])


@pytest.mark.parametrize("made", [*PLACES.values(), _rejected])
def test_a_row_says_what_the_payment_says(api: Wire, inbox: Inbox, made: Make) -> None:
    shown = api.get(f"/payments/{made(api)}").json
    (row,) = (row for row in rows_of(api, inbox) if row["payment_id"] == shown["payment_id"])
    assert {name: row[name] for name in row if name in shown} == {
        name: str(shown[name]) if shown[name] is not None else "0" if name == "amount_received" else ""
        for name in row
        if name in shown
    }


@pytest.mark.parametrize("kind", list(ReportKind))
def test_an_empty_file_has_its_head(api: Wire, inbox: Inbox, kind: ReportKind) -> None:
    path = link(api, inbox, kind)
    reply = api.as_key(None).get(path)
    assert reply.raw.decode() == ",".join(reports.columns(kind, INTERFACE)) + "\r\n"
    assert reply.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert reply.headers["Content-Disposition"].startswith(f'attachment; filename="{kind.told_as}_rep_')


def test_the_time_is_that_of_the_request(api: Wire, inbox: Inbox, clock: ManualClock) -> None:
    ids = []
    for _ in range(3):
        ids.append(api.pay()["payment_id"])
        clock.advance(HOUR_MS)
    time = {"startTime": "2026-01-01T01:00:00Z", "endTime": "2026-01-01T01:00:00Z"}
    assert [row["payment_id"] for row in rows_of(api, inbox, timeRange=time)] == ids[1:2]
    assert [row["payment_id"] for row in rows_of(api, inbox, timeRange={"startTime": "2026-01-01T01:00:00Z"})] == ids[
        1:
    ]


def test_a_profile_has_its_own_file(api: Wire, inbox: Inbox) -> None:
    own = api.pay(profile_id="pro_a")["payment_id"]
    api.pay(profile_id="pro_b")
    api.post("/analytics/v1/profile/report/payments", ASK, X_Profile_Id="pro_a")
    send_notices(api)
    parts = urlsplit(inbox.told[-1]["data"]["download_url"])
    rows = list(csv.DictReader(StringIO(api.get(f"{parts.path}?{parts.query}").raw.decode())))
    assert [row["payment_id"] for row in rows] == [own]


def test_many_rows_are_streamed(api: Wire, inbox: Inbox) -> None:
    made = [api.post("/payments", card_payment()) for _ in range(450)]
    with api.app.test_client() as client:
        answer = client.get(link(api, inbox), buffered=False)
        pieces = list(answer.iter_encoded())
    assert len(pieces) == 3
    text = b"".join(pieces).decode()
    assert text.count("\r\n") == 451
    rows = csv.DictReader(StringIO(text))
    assert [(row["payment_id"], row["created_at"]) for row in rows] == [
        (one["payment_id"], one["created"]) for one in made
    ]


# the link


def test_a_link_holds_for_two_days_of_the_workspace(api: Wire, inbox: Inbox, clock: ManualClock) -> None:
    path = link(api, inbox)
    clock.advance(48 * HOUR_MS - 1)
    assert api.as_key(None).get(path).status == 200
    clock.advance(1)
    assert refused(api.as_key(None).get(path)) == (410, "IR_16")


def test_a_link_is_only_good_as_it_was_told(api: Wire, inbox: Inbox) -> None:
    path = link(api, inbox)
    for wrong in (f"{path}x", path.partition("?")[0], path.replace("/mer_", "/mer_x"), path.replace("/rep_", "/rep_x")):
        assert refused(api.as_key(None).get(wrong)) == (404, "HE_02")


def test_reports_whose_link_is_over_do_not_pile_up(api: Wire, inbox: Inbox, clock: ManualClock) -> None:
    for _ in range(10):
        ask(api)
        clock.advance(48 * HOUR_MS)
    assert workspace(api).space.transact(lambda tx: tx.count(REPORTS, Query())) <= 2


def test_the_base_of_the_link_can_be_set() -> None:
    api = wire(public_url="https://sandbox.example.com")
    receiver = Inbox()
    api.sandbox.post.routing.connect(RECEIVER, receiver)
    ask(api)
    send_notices(api)
    assert receiver.told[0]["data"]["download_url"].startswith("https://sandbox.example.com/_sandbox/downloads/")


# what is wrong


WRONG: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("nobody to tell", "payments", {"emails": []}, 400, "IR_04"),
    ("no emails", "payments", {"emails": None}, 400, "IR_04"),
    ("no email", "payments", {"emails": ["nobody"]}, 400, "IR_04"),
    ("plain http", "payments", {"returnUrl": "http://shop.example.com/reports"}, 400, "IR_04"),
    ("no URL", "payments", {"returnUrl": "shop"}, 400, "IR_04"),
    ("no time", "payments", {"timeRange": None}, 400, "IR_04"),
    ("no start", "payments", {"timeRange": {"endTime": "2026-01-01"}}, 400, "IR_04"),
    ("end before start", "payments", {"timeRange": {"startTime": "2026-01-02", "endTime": "2026-01-01"}}, 400, "IR_04"),
    ("unknown field", "payments", {"returnURL": "x"}, 400, "IR_06"),
    ("unknown sort", "disputes", {}, 400, "IR_04"),
    ("payouts", "payouts", {}, 400, "IR_04"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "fields", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in WRONG])
def test_what_is_refused(api: Wire, kind: str, fields: dict[str, Any], status: int, code: str) -> None:
    assert refused(ask(api, kind, **fields)) == (status, code)


@pytest.mark.parametrize(
    "url",
    ["http://localhost:1/x", "http://127.0.0.1/x", "http://10.0.0.8/x", "http://receiver:8080/x", "http://shop.test/x"],
)
def test_plain_http_reaches_a_machine_nearby(api: Wire, url: str) -> None:
    assert ask(api, returnUrl=url).status == 200


def test_a_profiles_report_says_which(api: Wire) -> None:
    assert refused(api.post("/analytics/v1/profile/report/payments", ASK)) == (400, "IR_04")
    assert refused(api.post("/analytics/v1/profile/report/payments", ASK, X_Profile_Id="pro_nobody")) == (404, "HE_02")


def test_a_repeat_under_a_key_asks_for_no_second_report(api: Wire) -> None:
    for _ in range(2):
        assert api.post("/analytics/v1/report/payments", ASK, X_Idempotency_Key="k").raw == b"null"
    assert workspace(api).space.transact(lambda tx: tx.count(REPORTS, Query())) == 1


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
def test_a_text_that_a_spreadsheet_would_run_is_text(api: Wire, inbox: Inbox, first: str) -> None:
    """Callers write these cells, and somebody else opens the file (decision 0011)."""
    text = f"{first}HYPERLINK(1)"
    assert reports._cell(text) == f"'{text}"
    paid = api.pay(merchant_order_reference_id=text.strip())["payment_id"]
    api.post("/refunds", {"payment_id": paid, "amount": 100, "reason": text})
    for kind, name in (("payments", "merchant_order_reference_id"), ("refunds", "reason")):
        cells = list(csv.DictReader(StringIO(api.as_key(None).get(link(api, inbox, kind)).raw.decode(), newline="")))
        assert cells
        assert not [row[name] for row in cells if row[name].startswith(reports.FORMULA)]
        assert text.strip() in cells[0][name]


def test_a_number_below_zero_stays_a_number() -> None:
    assert (reports._cell(-5), reports._cell(None), reports._cell("a-b")) == (-5, None, "a-b")
