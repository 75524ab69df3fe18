"""What a browser's call must carry, and a server's must not: the client_secret (facts §1.0)."""

from __future__ import annotations

from collections.abc import Callable

from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.http.context import Answer, Call

FIELD = "client_secret"


def client(call: Call, proceed: Callable[[Call], Answer]) -> Answer:
    """Refused as `client_secret_missing`, `secret_key_with_client_secret`."""
    if KeyKind.PUBLISHABLE in call.operation.keys:
        sent = _sent(call)
        if call.by_client and not sent:
            cause = Cause.CLIENT_SECRET_MISSING
            problem = "is required in a call with a publishable key"
            raise Refusal(cause, fields=(FieldError(FIELD, problem, cause),))
        if sent is not None and call.key is not None and call.key.kind is KeyKind.SECRET:
            raise Refusal(Cause.SECRET_KEY_WITH_CLIENT_SECRET)
    return proceed(call)


def _sent(call: Call) -> object:
    """The client_secret in the query of a GET, in the body of anything else; the field's type is its shape's say."""
    if call.method == "GET":
        return call.query.get(FIELD)
    return call.body.get(FIELD) if isinstance(call.body, dict) else None
