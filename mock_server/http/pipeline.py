"""The stages of a call in their order, and what stands around them: whatever happens inside becomes an answer.

Order: decisions "Order of checks". Size, path and method are checked before, by the server and the router.
"""

from __future__ import annotations

from typing import Final

from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.http import journal
from mock_server.http.authenticate import authenticate
from mock_server.http.context import Answer, Call, Endpoint
from mock_server.http.errors import answer_to
from mock_server.http.idempotency import ENVIRON, idempotency
from mock_server.http.line import is_left_alone, line
from mock_server.http.observe import explained, measure, refusal_of
from mock_server.http.parse import parse

SECRET: Final = "client_secret"


def walk(endpoint: Endpoint) -> Endpoint:
    """The endpoint behind all stages: who calls, how often, with what body, over which line, once, and with leave."""

    def permitted(call: Call) -> Answer:
        if KeyKind.PUBLISHABLE in call.operation.keys:
            _check_secret(call)
        return endpoint(call)

    def once(call: Call) -> Answer:
        return idempotency(call, permitted) if ENVIRON in call.environ else permitted(call)

    def walked(call: Call) -> Answer:
        try:
            authenticate(call)
            _count(call)
            parse(call)
            answer = once(call) if is_left_alone(call) else line(call, once)
        except Exception as error:
            call.refusal = refusal_of(call, error)
            answer = answer_to(call, call.sandbox.dialect, call.refusal)
        journal.write(call, answer)
        measure(call, answer)
        return explained(call, answer)

    return walked


def _count(call: Call) -> None:
    """Counts the call, as so many may be made in a minute of the workspace (interface §8.4; the number is ours).

    Refused as `rate_limited` or `rate_limited_frozen`.
    """
    usage = call.usage = call.home.count_call(call.now)
    if usage.over:
        cause = Cause.RATE_LIMITED_FROZEN if usage.frozen else Cause.RATE_LIMITED
        raise Refusal(cause, limit=usage.limit, seconds=usage.seconds_left)


def _check_secret(call: Call) -> None:
    """What a browser's call must carry, and a server's must not (facts §1.0).

    Refused as `client_secret_missing`, `secret_key_with_client_secret`.
    """
    sent = _sent_secret(call)
    if call.by_client and not sent:
        cause = Cause.CLIENT_SECRET_MISSING
        problem = "is required in a call with a publishable key"
        raise Refusal(cause, fields=(FieldError(SECRET, problem, cause),))
    if sent is not None and call.key is not None and call.key.kind is KeyKind.SECRET:
        raise Refusal(Cause.SECRET_KEY_WITH_CLIENT_SECRET)


def _sent_secret(call: Call) -> object:
    """The client_secret in the query of a GET, in the body of anything else; the field's type is its shape's say."""
    if call.environ["REQUEST_METHOD"] == "GET":
        return call.query.get(SECRET)
    return call.body.get(SECRET) if isinstance(call.body, dict) else None
