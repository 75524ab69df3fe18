"""The stages of a control call, in the interface's words: without rate limit, journal and idempotency."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Final

from mock_server.contract.control_operations import BY_NAME
from mock_server.contract.operation import Needs, Operation
from mock_server.contract.operations import HEALTH
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import masking
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.faults import Parked
from mock_server.http.asked import is_own_origin, is_token, read
from mock_server.http.authenticate import check_names, check_words, key_of, note_label
from mock_server.http.binding import Endpoints, View
from mock_server.http.errors import answer_refusal, answer_to
from mock_server.http.observe import own_headers, refusal_of
from mock_server.http.pipeline import parse, read_body
from mock_server.http.recording import enter, record
from mock_server.http.running import JSON, NO_STORE, Answer, Call, Endpoint, records_of
from mock_server.settings import Settings

# Who can use the control API: programs from anywhere, browsers only from this server's own pages.
#
# A page of another site must not control a sandbox on its visitor's machine. The host's name was checked before, for
# all calls under `/_sandbox` (`http/browsers.py`).

TOKEN_HEADER: Final = "X-Sandbox-Token"


def guard(environ: Mapping[str, Any], settings: Settings, *, opens: bool = False, probe: bool = False) -> None:
    """Refused as `control_origin_forbidden`, `control_token_wrong`; with `opens`, any page may link to it.

    A health check (`probe`) needs no token, because what watches containers can send none.
    """
    asked = read(environ, settings)
    is_foreign = asked.origin is not None and not is_own_origin(asked, settings)
    if is_foreign or (asked.site in ("cross-site", "same-site") and not (opens and asked.navigates)):
        raise Refusal(Cause.CONTROL_ORIGIN_FORBIDDEN, origin=asked.origin or asked.site)
    if not probe and not is_token(environ.get("HTTP_X_SANDBOX_TOKEN", ""), settings):
        raise Refusal(Cause.CONTROL_TOKEN_WRONG)


News = Callable[[], Any]
"""Returns what there is to tell once there is something new, until then nothing that is true."""
Listen = Callable[[Callable[[], None]], list[Callable[[], None]]]
"""Registers a function for when there may be news; returns functions that undo it."""
LOOKED_AT: Final = frozenset(
    f"control.{name}" for name in ("journal", "timeline", "why", "search", "verdicts", "workspaces")
)
"""Answers for people: others return what was sent, for tests. An export masks before it is verified."""


def staged(row: Operation, endpoint: Endpoint) -> Endpoint:
    """The endpoint with all stages before it."""

    def answered(call: Call) -> Answer:
        answer = _answered(row, call, endpoint)
        record(call, "figures", answer.status)
        return with_headers(call, answer)

    return answered


ENDPOINTS: Final = Endpoints(BY_NAME, staged)


def view(operation: str) -> Callable[[View], View]:
    """Registers a view: it gets the call, and by name the parts of the path and the values of the body or query."""

    def register(view: View) -> View:
        ENDPOINTS.view(operation)(lambda call, sent=None, **parts: view(call, **parts, **(sent or {})))
        return view

    return register


def shows(operation: str, shown: Callable[..., Answer]) -> None:
    """Registers the view of a call that is one answer."""
    view(operation)(shown)


def with_headers(call: Call, answer: Answer) -> Answer:
    """The answer with the headers of every control answer; what people look at is masked."""
    if call.operation.name in LOOKED_AT:
        is_json = answer.headers[:1] == (JSON,)
        body = masking.shown_json(answer.body) if is_json else masking.shown(answer.body.decode()).encode()
        answer = Answer(answer.status, body, answer.headers)
    return answer.with_headers(NO_STORE, *own_headers(call))


def _answered(row: Operation, call: Call, endpoint: Endpoint) -> Answer:
    try:
        guard(call.environ, call.sandbox.settings, probe=row.path in HEALTH)
        _open(row, call)
        if call.query and not (row.query or row.path in HEALTH or row.name == "control.records"):
            wrong = [FieldError(name, "is not a known field", Cause.UNKNOWN_PARAMETER) for name in call.query]
            raise Refusal.of_fields(wrong)
        if row.raw:
            call.raw = read_body(call)
        elif row.reads_body(call.environ["REQUEST_METHOD"]):
            parse(call)
        return kept(row, call, endpoint(call))
    except Exception as error:
        return answer_to(call, INTERFACE, refusal_of(call, error))


def _open(row: Operation, call: Call) -> None:
    """Finds the key's workspace. Refused as `key_missing` and its like, `key_kind_not_allowed`."""
    call.now = call.sandbox.clock.now_ms()
    check_names(call.environ)
    check_words(call)
    given = call.environ.get("HTTP_API_KEY")
    if row.needs is Needs.NOTHING or (row.needs is Needs.MAYBE and not given):
        return
    key = key_of(given)
    if key.kind is not KeyKind.SECRET:
        raise Refusal(Cause.KEY_KIND_NOT_ALLOWED, kind=key.kind, allowed=(KeyKind.SECRET,))
    call.key = key
    if row.needs is Needs.WORKSPACE:
        call.opened = call.sandbox.workspace(key)
        call.now = call.opened.catch_up()
        note_label(call, call.opened)


def kept(row: Operation, call: Call, answer: Answer) -> Answer:
    """The answer; a change of a payment is added to the journal, and the dashboard is notified of any other change."""
    if row.method == "GET" or call.opened is None:
        return answer
    if row.method == "POST":
        payment: Any = records_of(call.opened, call.args).get("payment")
        if payment is not None:
            call.object_id, call.resulting_payment = payment.payment_id, payment
            enter(call, answer)
    if not call.written and answer.status < 400:
        call.opened.steered.ring()
        call.opened.happened()
    return answer


def when_enough(
    call: Call, log: str, count: Callable[[], int], page: Callable[[], Answer], *, enough: int, wait_ms: int
) -> Answer:
    """The page when there are `enough` lines, at once or after a new line of the log, or when the time is over.

    The thread that writes a line only calls `count`, which must be quick. A reset ends the wait with `workspace_gone`.
    """
    if count() >= enough or wait_ms <= 0:
        return page()
    space = call.workspace.space

    def said(_: object) -> Answer:
        gone = space.closed and answer_refusal(INTERFACE, Refusal(Cause.WORKSPACE_GONE))
        return with_headers(call, gone or page())

    call.parked = park(
        lambda: space.closed or count() >= enough, lambda wake: [space.on_append(log, wake)], wait_ms / 1000, said
    )
    return Answer(200, b"")


def park(news: News, listen: Listen, wait_s: float, said: Callable[[Any], Answer]) -> Parked:
    """A parked answer: what is `said` of the `news`, for which each `wake` asks, or of None when the time is over."""
    ready: Future[Any] = Future()

    def wake() -> None:
        if not ready.done() and (found := news()):
            # Another thread can have set it, or the time is just over.
            with suppress(InvalidStateError):
                ready.set_result(found)

    leave = listen(wake)

    def end(_: object) -> None:
        while leave:  # they hold `ready`
            leave.pop()()

    ready.add_done_callback(end)
    wake()  # for lines that came since the first call of `news`
    return Parked(ready, wait_s, lambda: said(None), said)
