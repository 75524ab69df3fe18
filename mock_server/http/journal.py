"""The journal: one line a call, redacted, with what was decided and why."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import Reason
from mock_server.http.context import Answer, Call
from mock_server.http.redaction import KEPT_BYTES, cleaned_answer, cleaned_query, cleaned_text, kept_request
from mock_server.http.running import line_moment

if TYPE_CHECKING:
    from mock_server.domain.payment import Payment
    from mock_server.scenario.conditions.paths import CallFacts
    from mock_server.store.protocol import Transaction

JOURNAL = "journal"
NO_STATUS = frozenset({LineFault.CONNECTION_RESET, LineFault.EMPTY_RESPONSE, LineFault.HANG})
"""Faults after which the client has no status line."""


class Line(Struct, frozen=True):
    """One call as it is kept: what came, what left, and why. Times: `at` in ms of the workspace, `took_ms` real.

    `began_us` is a real instant from no particular point on: it is good for order alone, also beside the attempts to
    deliver events, as the workspace's clock can stand still. Of long bodies the beginning is kept, and `cut` tells of
    them.
    """

    at: int
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
    cause: str | None
    replayed: bool
    idempotent: bool
    fault: str | None
    payment_id: str | None
    left: Standing | None
    events: tuple[int, ...]


Cut = tuple[int | None, int | None, str | None]
"""How long the request was, and the answer, where only a part is kept, and the digest of the whole answer."""
Standing = tuple[str, int, int, int, int]
"""How a payment stands: status, amount, what can be captured, what came in, and how many attempts there were."""


def standing(payment: Payment) -> Standing:
    """How a payment stands, in so many words."""
    return (
        payment.status,
        payment.amount,
        payment.amount_capturable,
        payment.captured_amount,
        payment.attempt_number,
    )


def write(call: Call, answer: Answer) -> None:
    """Keeps a call of a workspace; calls of no workspace are counted by the server alone.

    Of a page, which is opened without a key, the text is left out: it follows from the payment.
    """
    if call.workspace is None:
        return
    if not call.held:
        count(call, answer)
    environ = call.environ
    query = environ.get("QUERY_STRING", "")
    path = cleaned_text(environ["PATH_INFO"]) if call.args else environ["PATH_INFO"]
    is_clean = path is environ["PATH_INFO"]
    request, codes = kept_request(call) if call.raw else NOTHING_CAME
    rests = None if codes else call.at_rest(answer)
    told = NOTHING_TOLD if rests is not None else _told(call, answer, codes)
    call.written = call.workspace.write_journal(
        Line(
            at=call.now,
            request_id=call.request_id,
            operation=call.operation.name,
            method=environ["REQUEST_METHOD"],
            path=path,
            query=cleaned_query(query, codes) if query else "",
            status=answer.status,
            key=call.key.redacted if call.key else "",
            request=request,
            response=told.text,
            cut=None if rests is not None and len(call.raw) <= KEPT_BYTES else _cut(call, told),
            took_ms=(call.sandbox.clock.monotonic() - call.started_s) * 1000,
            began_us=round(call.started_s * 1_000_000),
            notes=tuple(call.notes),
            cause=call.refusal.cause if call.refusal else None,
            replayed=call.replayed,
            idempotent="HTTP_X_IDEMPOTENCY_KEY" in environ,
            fault=call.plan.fault if call.plan else None,
            payment_id=(call.made or call.args.get("payment_id")) if is_clean else payment_of(call),
            left=standing(call.left) if call.left is not None else None,
            events=tuple(call.events),
        ),
        rests,
    )
    if call.later is not None:
        call.later.then.append(lambda whole: put_response(call, whole))


def count(call: Call, answer: Answer) -> None:
    """Counts a call for what scenarios expect of calls."""
    is_of_the_api = call.key is not None and not call.operation.name.startswith("control.")
    if call.workspace is not None and is_of_the_api and not call.workspace.deciding.is_quiet:
        call.workspace.deciding.count(_facts(call, answer))


def add_note(call: Call, note: Reason) -> None:
    """Adds a reason to a line that is written already."""
    _amend(call, lambda line: {"notes": [*line["notes"], note]})


def put_response(call: Call, answer: Answer) -> None:
    """Puts the answer that came later into a line that is written already."""
    told = _told(call, answer, frozenset())
    news = {"response": told.text, "cut": _cut(call, told)}
    _amend(call, lambda line: news)


def _amend(call: Call, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    def amend(tx: Transaction) -> None:
        for entry in tx.entries(JOURNAL, call.written - 1, 1):
            tx.amend(JOURNAL, entry.sequence, {**entry.value, **change(entry.value)})

    call.home.space.transact(amend)


def _facts(call: Call, answer: Answer) -> CallFacts:
    """What expectations count of a call: also of one whose answer the line lost."""
    from mock_server.scenario.conditions.paths import CallFacts

    fault = call.plan.fault if call.plan else None
    moment = line_moment(call)
    return CallFacts(
        operation=call.operation.name,
        http=None if fault in NO_STATUS else answer.status,
        replayed=call.replayed,
        code=_code(call, answer),
        fault=fault,
        key=call.environ.get("HTTP_X_IDEMPOTENCY_KEY"),
        body=call.body,
        headers=moment.headers,
        query=moment.query,
        records=moment.records,
    )


def _code(call: Call, answer: Answer) -> str | None:
    """The error's code on the wire."""
    if answer.status < 400:
        return None
    keys = call.sandbox.dialect.error_keys
    try:
        found = msgspec.json.decode(answer.body)
    except msgspec.DecodeError:  # a scenario's own answer can be any text
        return None
    error = found.get(keys.envelope) if isinstance(found, dict) else None
    return error.get(keys.code) if isinstance(error, dict) else None


NOTHING_CAME: Final[tuple[bytes, frozenset[str]]] = (b"", frozenset())


class Told(NamedTuple):
    """What is kept of an answer; of a longer one its length and its digest too."""

    text: bytes = b""
    bytes: int | None = None
    sha256: str | None = None


NOTHING_TOLD: Final = Told()


def _told(call: Call, answer: Answer, codes: frozenset[str]) -> Told:
    """The answer's body without keys; a file's bytes are not kept a second time, and no page's text."""
    is_file = any(name == "Content-Disposition" for name, _ in answer.headers)
    if is_file or call.key is None or call.operation.holds_keys:
        return NOTHING_TOLD
    text, length = cleaned_answer(answer.body, codes), len(answer.body)
    return Told(text, length, sha256(answer.body).hexdigest()) if length > KEPT_BYTES else Told(text)


def _cut(call: Call, told: Told) -> Cut | None:
    length = len(call.raw) if len(call.raw) > KEPT_BYTES else None
    return None if length is None and told.bytes is None else (length, told.bytes, told.sha256)


def payment_of(call: Call) -> str | None:
    """The payment that a call made, or that its path names, whether there is one or not."""
    if call.made:
        return call.made
    payment_id = call.args.get("payment_id")
    return cleaned_text(payment_id) if payment_id else None
