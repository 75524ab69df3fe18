"""A control call's walk: who calls, whose workspace, the body; whatever happens becomes an answer.

There is no rate limit, no journal and no idempotency here, and every word is the interface's own
(decisions "Control API", "Dialects").
"""

from __future__ import annotations

from mock_server.contract.operation import Needs, Operation
from mock_server.control.guard import guard
from mock_server.control.triggered import kept, ring
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.authenticate import key_of
from mock_server.http.context import Answer, Call, Endpoint
from mock_server.http.errors import answer_to
from mock_server.http.observe import BECAUSE, because_text, measure, refusal_of
from mock_server.http.pipeline import parse, read_body


def walk(row: Operation, endpoint: Endpoint) -> Endpoint:
    """The endpoint behind all stages."""

    def walked(call: Call) -> Answer:
        answer = _answered(row, call, endpoint)
        measure(call, answer)
        return with_headers(call, answer)

    return walked


def with_headers(call: Call, answer: Answer) -> Answer:
    """What every control answer carries."""
    headers = [("X-Request-Id", call.request_id), ("Cache-Control", "no-store")]
    if call.notes and not call.sandbox.settings.plain_headers:
        headers.append((BECAUSE, because_text(call.notes)))
    return answer.with_headers(*headers)


def _answered(row: Operation, call: Call, endpoint: Endpoint) -> Answer:
    try:
        guard(call.environ, call.sandbox.settings, opens=row.opens)
        _open(row, call)
        if row.raw:
            call.raw = read_body(call)
            return ring(row, call, endpoint(call))
        parse(call)
        return ring(row, call, kept(row, call, endpoint(call)))
    except Exception as error:
        return answer_to(call, INTERFACE, refusal_of(call, error))


def _open(row: Operation, call: Call) -> None:
    """Finds the key's workspace. Refused as `key_missing` and its like, `key_kind_not_allowed`."""
    call.now = call.sandbox.clock.now_ms()
    given = call.environ.get("HTTP_API_KEY")
    if row.needs is Needs.NOTHING or (row.needs is Needs.MAYBE and not given):
        return
    call.key = secret(key_of(given))
    if row.needs is Needs.WORKSPACE:
        call.workspace = call.sandbox.workspace(call.key)
        call.now = call.workspace.catch_up()


def secret(key: ApiKey) -> ApiKey:
    """The key, if it is a server's. Refused as `key_kind_not_allowed`."""
    if key.kind is not KeyKind.SECRET:
        raise Refusal(Cause.KEY_KIND_NOT_ALLOWED, kind=key.kind, allowed=(KeyKind.SECRET,))
    return key
