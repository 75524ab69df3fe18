"""Files over HTTP: uploaded as real multipart forms, fetched byte for byte, deleted (facts §1.6)."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from mock_server.clock import SystemClock
from mock_server.domain.dispute import FILE_TYPES
from mock_server.front import serve
from mock_server.sandbox import build
from mock_server.settings import Settings
from tests.api.money_places import PDF, Part, attach, disputed, fine, refused, send, upload
from tests.wire import KEY, Reply, Wire, card_payment, wire

EVERY_BYTE = bytes(range(256)) * 4
MIB = 1 << 20


@pytest.mark.parametrize("kind", FILE_TYPES)
def test_a_file_comes_back_as_it_went(api: Wire, kind: str) -> None:
    file_id = fine(upload(api, disputed(api), ("proof", EVERY_BYTE, kind)))["file_id"]
    got = fine(api.get(f"/files/{file_id}"))
    assert got.raw == EVERY_BYTE
    assert got.headers["Content-Type"] == kind
    assert got.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "kind",
    [
        "text/html",
        "image/svg+xml",
        "application/javascript",
        "text/plain",
        "application/x-msdownload",
        "application/json",
    ],
)
def test_nothing_that_a_browser_would_run_is_kept(api: Wire, kind: str) -> None:
    reply = upload(api, disputed(api), ("canary", b"<script>alert(1)</script>", kind))
    assert refused(reply) == (400, "HE_03")
    assert kind in reply.error["reason"]


@pytest.mark.parametrize("kind", ["APPLICATION/PDF", "application/pdf; charset=binary"])
def test_a_content_type_may_be_written_otherwise(api: Wire, kind: str) -> None:
    file_id = fine(upload(api, disputed(api), ("a.pdf", b"x", kind)))["file_id"]
    assert api.get(f"/files/{file_id}").headers["Content-Type"] == "application/pdf"


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("receipt.pdf", "attachment; filename=receipt.pdf"),
        ("my receipt.pdf", 'attachment; filename="my receipt.pdf"'),
        ("../../etc/passwd", "attachment; filename=passwd"),
        ("C:/Users/jane/receipt.pdf", "attachment; filename=receipt.pdf"),
        ("квитанция.pdf", "attachment; filename*=UTF-8''%D0%BA%D0%B2%D0%B8%D1%82%D0%B0%D0%BD%D1%86%D0%B8%D1%8F.pdf"),
        ('a"b;c.pdf', r'attachment; filename="a\"b;c.pdf"'),
        ("quittung-süß.pdf", "attachment; filename*=UTF-8''quittung-s%C3%BC%C3%9F.pdf"),
        ("a\r\nSet-Cookie: x=1", None),
        ("x" * 400, "attachment; filename=" + "x" * 255),
    ],
)
def test_a_file_is_saved_under_its_own_name_and_nothing_else(api: Wire, name: str, saved: str | None) -> None:
    file_id = fine(upload(api, disputed(api), (name, b"x", "application/pdf")))["file_id"]
    headers = fine(api.get(f"/files/{file_id}")).headers
    assert "Set-Cookie" not in headers
    assert "\n" not in headers["Content-Disposition"]
    assert saved is None or headers["Content-Disposition"] == saved


def test_a_deleted_file_is_gone(api: Wire) -> None:
    file_id = fine(upload(api, disputed(api)))["file_id"]
    gone = api.delete(f"/files/{file_id}")
    assert (gone.status, gone.raw) == (200, b"")
    assert refused(api.get(f"/files/{file_id}")) == (404, "HE_04")
    assert refused(api.delete(f"/files/{file_id}")) == (404, "HE_04")


def test_another_merchant_sees_no_file(api: Wire) -> None:
    file_id = fine(upload(api, disputed(api)))["file_id"]
    assert refused(api.as_key("snd_somebody_else").get(f"/files/{file_id}")) == (404, "HE_04")


def _form(api: Wire, **parts: Part) -> Reply:
    return send(api, "POST", "/files", parts)


def _raw(api: Wire, raw: bytes, kind: str) -> Reply:
    return api.call("POST", "/files", raw=raw, headers={"Content-Type": kind})


BOUND = "multipart/form-data; boundary=b"
PURPOSE = {"purpose": "dispute_evidence", "dispute_id": "dp_1"}

REFUSALS: list[tuple[str, Callable[[Wire], Reply], int, str]] = [
    ("no body", lambda api: _raw(api, b"", BOUND), 400, "IR_33"),
    ("no file", lambda api: _form(api, **PURPOSE), 400, "IR_33"),
    ("a text for a file", lambda api: _form(api, file="text", **PURPOSE), 400, "IR_33"),
    ("no dispute", lambda api: _form(api, file=PDF, purpose="dispute_evidence"), 400, "IR_34"),
    ("an empty dispute", lambda api: _form(api, file=PDF, dispute_id="", purpose="dispute_evidence"), 400, "IR_34"),
    ("no purpose", lambda api: _form(api, file=PDF, dispute_id="dp_1"), 400, "IR_35"),
    ("another purpose", lambda api: _form(api, file=PDF, dispute_id="dp_1", purpose="fun"), 400, "IR_35"),
    ("no content type", lambda api: _form(api, file=("a.pdf", b"x", ""), **PURPOSE), 400, "IR_36"),
    ("unknown dispute", lambda api: _form(api, file=PDF, **PURPOSE), 404, "HE_04"),
    ("unknown part", lambda api: _form(api, file=PDF, porpose="x", **PURPOSE), 400, "IR_06"),
    ("JSON", lambda api: api.post("/files", {"file": "x"}), 400, "IR_06"),
    ("no boundary", lambda api: _raw(api, b"--b--", "multipart/form-data"), 400, "IR_06"),
    ("another boundary", lambda api: _raw(api, b"--c\r\n\r\n--c--", BOUND), 400, "IR_06"),
    ("no end", lambda api: _raw(api, b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx', BOUND), 400, "IR_06"),
    ("no name", lambda api: _raw(api, b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", BOUND), 400, "IR_06"),
    ("publishable key", lambda api: api.as_key("pk_snd_test_0123456789").get("/files/file_1"), 401, "IR_01"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in REFUSALS])
def test_an_upload_is_refused(api: Wire, ask: Callable[[Wire], Reply], status: int, code: str) -> None:
    assert refused(ask(api)) == (status, code)


def _part(name: str, content: str = "x") -> str:
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{content}\r\n'


@pytest.mark.parametrize(
    "raw",
    [_part("purpose") * 2 + "--b--\r\n", "".join(_part(f"p{n}") for n in range(17)) + "--b--\r\n"],
    ids=["one name twice", "many parts"],
)
def test_a_form_that_two_readers_could_take_differently_is_refused(api: Wire, raw: str) -> None:
    assert refused(_raw(api, raw.encode(), BOUND)) == (400, "IR_06")


def test_a_text_that_is_no_text_is_refused(api: Wire) -> None:
    raw = _part("dispute_id").encode().replace(b"\r\nx\r\n", b"\r\n\xff\r\n") + b"--b--\r\n"
    assert refused(_raw(api, raw, BOUND)) == (400, "IR_06")


# size


@pytest.mark.parametrize(("size", "status"), [(8 * MIB, 200), (8 * MIB + 1, 413)])
def test_eight_mebibytes_are_taken_and_no_more(size: int, status: int) -> None:
    api = wire()
    reply = upload(api, disputed(api), ("a.pdf", b"x" * size, "application/pdf"))
    assert reply.status == status
    assert status == 200 or reply.error["code"] == "IR_06"


def test_the_setting_says_how_large() -> None:
    api = wire(max_evidence_body=100)
    dispute_id = disputed(api)
    assert attach(api, dispute_id, file=("a.pdf", b"x" * 100, "application/pdf")).status == 200
    assert attach(api, dispute_id, file=("a.pdf", b"x" * 101, "application/pdf")).status == 413
    assert attach(api, dispute_id, file=("a.pdf", b"x" * 20_000, "application/pdf")).status == 413


# repeats


def test_the_same_form_is_the_same_whatever_stands_between_its_parts(api: Wire) -> None:
    """A client draws a new boundary for each try."""
    dispute_id = disputed(api)
    parts: dict[str, Part] = {"file": PDF, "dispute_id": dispute_id, "purpose": "dispute_evidence"}
    first = send(api, "POST", "/files", parts, **{"X-Idempotency-Key": "k"})
    again = send(api, "POST", "/files", parts, **{"X-Idempotency-Key": "k"})
    assert (again.raw, again.headers.get("X-Sandbox-Replayed")) == (fine(first).raw, "true")
    other = send(api, "POST", "/files", {**parts, "file": ("a.pdf", b"y", PDF[2])}, **{"X-Idempotency-Key": "k"})
    assert refused(other) == (422, "IR_06")


# over the wire


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    """A client of a served sandbox, as a merchant's program is one."""
    sandbox = build(Settings(rate_limit=0), clock=SystemClock())
    with (
        serve(sandbox, "127.0.0.1", 0) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers={"api-key": KEY}, timeout=None) as client,
    ):
        yield client


def test_a_large_file_goes_over_a_socket_and_back(client: httpx.Client) -> None:
    payment = client.post("/payments", json=card_payment(confirm=True)).json()["payment_id"]
    dispute_id = client.post(f"/_sandbox/payments/{payment}/dispute", json={}).json()["dispute_id"]
    content = EVERY_BYTE * 5000
    sent = client.put(
        "/disputes/evidence",
        files={"file": ("scan.png", content, "image/png")},
        data={"dispute_id": dispute_id, "evidence_type": "receipt"},
    )
    got = client.get(f"/files/{sent.json()['file_id']}")
    assert got.content == content
    assert got.headers["content-length"] == str(len(content))
    gone = client.request("DELETE", "/disputes/evidence", json={"dispute_id": dispute_id, "evidence_type": "receipt"})
    assert (gone.status_code, gone.content) == (200, b"")
    assert client.get(f"/disputes/evidence/{dispute_id}").json() == []


def test_the_journal_does_not_keep_a_file_twice(api: Wire) -> None:
    marked = b"%PDF canary " * 1000
    file_id = fine(upload(api, disputed(api), ("a.pdf", marked, "application/pdf")))["file_id"]
    fine(api.get(f"/files/{file_id}"))
    assert api.get("/_sandbox/journal?operation=files.retrieve").raw.count(b"canary") == 0
