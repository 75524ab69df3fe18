"""The journal: one entry per call, redacted, with the decisions and their reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple

from msgspec import Struct

from mock_server.contract.answers.common import POLLS_BEGIN
from mock_server.contract.operation import Success
from mock_server.domain.errors import Cause
from mock_server.domain.faults import CONNECTION, LineFault
from mock_server.domain.ids import SECRET
from mock_server.domain.instants import Instant
from mock_server.domain.outcomes import Reason
from mock_server.domain.payment import LINK_IDS, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.kinds import DISPUTES, EVENTS, FILES, PAYMENTS, REFUNDS
from mock_server.http import redaction
from mock_server.http.running import JSON, KEY_HEADER, Answer, Call, attempt_of, context_of, records_of
from mock_server.jsontext import read_or
from mock_server.sandbox.workspace import LINES
from mock_server.scenario.conditions.paths import CallFacts
from mock_server.store.protocol import JOURNAL, RecordKind
from mock_server.store.transaction import Transaction

Change = Callable[[dict[str, Any]], dict[str, Any]]


class JournalEntry(Struct, frozen=True):
    """One recorded call: request, answer and reasons. Times: `at` in ms of the workspace, `took_ms` real.

    Keys, cookies and the like in headers are redacted; `idempotency` is that key's keyed digest and its beginning.
    `connection` is the number that the server gave it; with another WSGI server there is none. `left_first`: the
    client disconnected before its answer was complete. `took_place` is false if a fault came before the operation.
    `misplaced` names card data and keys in the wrong places.

    `began_us` is real time since an arbitrary point, only for order and pauses, also between calls and delivery
    attempts, because the workspace's clock can be frozen. Only the beginning of long bodies is stored; see `cut`.
    """

    at: Instant
    request_id: str
    operation: str
    method: str
    path: str
    query: str
    status: int
    key: str
    request: bytes
    response: bytes
    cut: Cut | None
    took_ms: float
    began_us: int
    notes: tuple[Reason, ...]
    cause: Cause | None
    replayed: bool
    idempotent: bool
    fault: LineFault | None
    payment_id: str | None
    left: Standing | None
    events: tuple[int, ...]
    headers: dict[str, str]
    idempotency: tuple[str, str] | None
    connection: int | None
    left_first: bool
    took_place: bool
    delay_ms: int
    retry_after: str | None
    misplaced: tuple[tuple[str, str], ...]


Cut = tuple[int | None, int | None, str | None]
"""If only a part is stored: the length of request and answer, and the digest of the whole answer."""
Standing = tuple[PaymentStatus, int, int, int, int]
"""The state of a payment: status, amount, capturable amount, received amount, number of attempts."""


def standing(payment: Payment) -> Standing:
    """The state of a payment, for the journal."""
    return (payment.status, payment.amount, payment.amount_capturable, payment.captured_amount, payment.attempt_number)


LINES[JOURNAL] = JournalEntry


def write(call: Call, answer: Answer) -> None:
    """Records a call of a workspace; of a page, opened without a key, no text: it follows from the payment."""
    environ, key, left, workspace = call.environ, call.key, call.resulting_payment, call.opened
    assert workspace is not None
    query, sent = environ.get("QUERY_STRING", ""), environ["PATH_INFO"]
    path = sent
    if call.args:
        path = redaction.cleaned_text(sent if sent.isascii() else redaction.readable(sent), redaction.KEPT_TEXT)
    request, codes = redaction.kept_request(call) if call.raw else NOTHING_CAME
    kept_query = redaction.cleaned_query(query, codes) if query else ""
    rests = None if codes or len(answer.body) > redaction.KEPT_BYTES else call.at_rest(answer)
    kept = NOTHING_KEPT if rests is not None else _kept_answer(call, answer, codes)
    entry = JournalEntry(  # by position: it is made for every call
        call.now,
        call.request_id,
        call.operation.name,
        environ["REQUEST_METHOD"],
        path,
        kept_query,
        answer.status,
        key.redacted if key else "",
        request,
        kept.text,
        None if rests is not None and len(call.raw) <= redaction.KEPT_BYTES else _cut(call, kept),
        (call.sandbox.clock.monotonic() - call.started_s) * 1000,
        round(call.started_s * 1_000_000),
        tuple(call.notes),
        call.refusal.cause if call.refusal else None,
        call.replayed,
        KEY_HEADER in environ,
        call.plan.fault if call.plan else None,
        payment_of(call),
        None if left is None else standing(left),
        tuple(call.events),
        redaction.kept_headers(environ),
        _key_marks(call) if KEY_HEADER in environ else None,
        environ.get(CONNECTION),
        False,
        call.took_place,
        round(call.plan.delay_s * 1000) if call.plan else 0,
        None if answer.headers == (JSON,) else {name.lower(): it for name, it in answer.headers}.get("retry-after"),
        call.sandbox.recorders.evidence(call, request, path, kept_query),
    )
    call.written = workspace.space.append(JOURNAL, entry, rests, lasts=call.operation.changes or call.has_changed)
    workspace.happened()


def write_marker(call: Call, answer: Answer) -> None:
    """Records that a call could not be recorded, with nothing that the caller wrote but a payment's id."""
    note = Reason(JOURNAL, f"this call could not be recorded; the log says more with {call.request_id}")
    entry = JournalEntry(
        at=call.now, request_id=call.request_id, operation=call.operation.name, method=call.method,
        path=call.operation.path, query="", status=answer.status, key=call.key.redacted if call.key else "",
        request=b"", response=b"", cut=None, took_ms=0.0, began_us=round(call.started_s * 1_000_000), notes=(note,),
        cause=call.refusal.cause if call.refusal else None, replayed=call.replayed, idempotent=False,
        fault=call.plan.fault if call.plan else None, payment_id=payment_of(call), left=None, events=tuple(call.events),
        headers={}, idempotency=None, connection=call.environ.get(CONNECTION), left_first=False,
        took_place=call.took_place, delay_ms=0, retry_after=None, misplaced=(),
    )  # fmt: skip
    call.written = call.workspace.space.append(JOURNAL, entry, lasts=call.operation.changes or call.has_changed)
    call.workspace.happened()


def count(call: Call, answer: Answer) -> None:
    """Counts a call for the assertions of scenarios."""
    is_of_the_api = call.key is not None and not call.operation.name.startswith("control.")
    if call.opened is not None and is_of_the_api and not call.opened.deciding.is_quiet:
        call.opened.deciding.count(_facts(call, answer))


def add_note(call: Call, note: Reason) -> None:
    """Adds a reason to an existing entry."""
    _amend(call, lambda line: {"notes": [*line["notes"], note]})


def put_response(call: Call, answer: Answer) -> None:
    """Adds a later answer to an existing entry."""
    kept = _kept_answer(call, answer, frozenset())
    _amend(call, lambda line: {"response": kept.text, "cut": _cut(call, kept)})


def note_left_first(call: Call, stopped: bool = False) -> None:
    """Notes in an entry that the client disconnected before its answer was complete, or that the server stopped."""
    fault, note = LineFault.EMPTY_RESPONSE, Reason("line", "the sandbox stopped before the whole answer was sent")
    _amend(call, lambda line: {"fault": fault, "notes": [*line["notes"], note]} if stopped else {"left_first": True})


def _amend(call: Call, change: Change) -> None:
    def amend(tx: Transaction) -> None:
        for entry in tx.entries(JOURNAL, call.written - 1, 1):
            if entry.value["request_id"] == call.request_id:  # a reset begins a new journal
                tx.amend(JOURNAL, entry.sequence, {**entry.value, **change(entry.value)})

    call.workspace.space.transact(amend)


def _facts(call: Call, answer: Answer) -> CallFacts:
    """What assertions count of a call, even if its answer was lost."""
    fault = call.plan.fault if call.plan else None
    told = _json(answer)
    about = {"payment_id": call.object_id} if call.object_id else {}
    records = records_of(call.workspace, told, call.body, call.args, about)
    return CallFacts(
        operation=call.operation.name,
        http=None if fault is not None and not fault.has_status else answer.status,
        replayed=call.replayed,
        code=_code(call, told) if answer.status >= 400 else None,
        fault=fault,
        key=call.environ.get(KEY_HEADER),
        call=context_of(call),
        records=records,
        attempt=attempt_of(records.get("payment")),
    )


def _json(answer: Answer) -> Mapping[str, Any]:
    """The answer, if it is an object; a scenario's own answer can be any text."""
    found = read_or({}, answer.body)
    return found if isinstance(found, dict) else {}


def _code(call: Call, told: Mapping[str, Any]) -> str | None:
    keys = call.dialect.error_keys
    error = told.get(keys.envelope)
    return error.get(keys.code) if isinstance(error, dict) else None


NOTHING_CAME: Final[tuple[bytes, frozenset[str]]] = (b"", frozenset())


class KeptAnswer(NamedTuple):
    """What is stored of an answer; of a longer one also its length and digest."""

    text: bytes = b""
    bytes: int | None = None
    sha256: str | None = None


NOTHING_KEPT: Final = KeptAnswer()


def _kept_answer(call: Call, answer: Answer, codes: frozenset[str]) -> KeptAnswer:
    """The answer's body without keys; the bytes of files and the text of pages are not stored."""
    is_file = any(name == "Content-Disposition" for name, _ in answer.headers)
    if is_file or call.key is None or call.operation.holds_keys:
        return NOTHING_KEPT
    text, length = redaction.cleaned_answer(answer.body, codes), len(answer.body)
    return (
        KeptAnswer(text, length, sha256(answer.body).hexdigest()) if length > redaction.KEPT_BYTES else KeptAnswer(text)
    )


def _key_marks(call: Call) -> tuple[str, str]:
    """The keyed digest and the beginning of the idempotency key, to recognise calls with the same key."""
    key: str = call.environ[KEY_HEADER]
    digest = call.workspace.requests.digest(b"key\n" + key.encode("utf-8", "surrogateescape"))
    return digest[:12].hex(), redaction.cleaned_text(key)[:8]


def _cut(call: Call, kept: KeptAnswer) -> Cut | None:
    length = len(call.raw) if len(call.raw) > redaction.KEPT_BYTES else None
    return None if length is None and kept.bytes is None else (length, kept.bytes, kept.sha256)


def payment_of(call: Call) -> str | None:
    """The payment that a call created, or that it or what it names is about, even if it does not exist."""
    if call.object_id:
        return call.object_id
    row, said = call.operation, call.body if isinstance(call.body, Mapping) else call.query
    filters = row.success is Success.PAGE or (row.needs is not None and not row.changes)
    sent = call.args if filters else {**said, **call.args}
    payment_id = sent.get("payment_id")
    if payment_id and isinstance(payment_id, str):
        is_kept = call.opened and call.opened.find_payment(payment_id)
        return payment_id if is_kept else redaction.cleaned_text(payment_id, redaction.KEPT_TEXT)
    if call.opened is None or sent.keys().isdisjoint(_LEADS):
        return None
    return call.opened.space.transact(lambda tx: _led_to(tx, sent))


_AROUND: Final = re.compile(f"^({POLLS_BEGIN}|{LINK_IDS})|{SECRET}.*")
"""What stands around a payment's id in the texts that hold it."""
_LEADS: Final[Mapping[str, RecordKind[Any]]] = {
    "refund_id": REFUNDS, "dispute_id": DISPUTES, "event_id": EVENTS, "file_id": FILES,
    "client_secret": PAYMENTS, "poll_id": PAYMENTS, "payment_link_id": PAYMENTS,
}  # fmt: skip
"""What else leads to a payment, by its name in a call."""


def _led_to(tx: Transaction, sent: Mapping[str, object]) -> str | None:
    for name, kind in _LEADS.items():
        key = str(sent.get(name, ""))
        found = tx.get(kind, _AROUND.sub("", key) if kind is PAYMENTS else key)
        found = tx.get(DISPUTES, found.dispute_id) if found and kind is FILES else found
        if found and found.payment_id:
            return str(found.payment_id)
    return None
