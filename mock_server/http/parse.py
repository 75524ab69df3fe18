"""The body becomes a value: JSON of the right type, or nothing (decisions "Words on the wire")."""

from __future__ import annotations

from mock_server import jsontext
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.context import Call

WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
"""The methods whose bodies are read; of others an operation says so (`takes_body`)."""
JSON_TYPE = "application/json"


def parse(call: Call) -> None:
    """Reads and parses the body.

    Refused as `body_too_large`, `content_type_wrong`, `json_malformed`, `multipart_malformed`.
    """
    operation = call.operation
    if call.environ["REQUEST_METHOD"] in WITH_BODY or operation.takes_body:
        call.raw = read_body(call)
        if operation.multipart:
            call.body = _form(call)
        elif call.raw:
            call.body = _json(call)


def _form(call: Call) -> object:
    """Read late: nothing else needs what reads forms."""
    from mock_server.http.multipart import form

    return form(call)


def read_body(call: Call) -> bytes:
    """The whole body, held to the operation's limit also where another server reads it."""
    limit = call.sandbox.body_limit(call.operation)
    length = call.environ.get("CONTENT_LENGTH")
    if length and length.isdigit() and int(length) > limit:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    raw: bytes = call.environ["wsgi.input"].read(int(length) if length and length.isdigit() else limit + 1)
    if len(raw) > limit:
        raise Refusal(Cause.BODY_TOO_LARGE, limit=limit)
    return raw


def _json(call: Call) -> object:
    given = call.environ.get("CONTENT_TYPE", "")
    if given != JSON_TYPE and not _is_json(given):
        if not call.raw.strip():
            return None
        raise Refusal(Cause.CONTENT_TYPE_WRONG, given=given or "none", expected=JSON_TYPE)
    if not call.raw.strip():
        return None
    try:
        return jsontext.parse(call.raw)
    except jsontext.JsonMistake as mistake:
        raise Refusal(Cause.JSON_MALFORMED, reason=mistake.reason, line=mistake.line, column=mistake.column) from None


def _is_json(given: str) -> bool:
    kind, _, parameters = given.partition(";")
    charset = parameters.strip().lower()
    return kind.strip().lower() == JSON_TYPE and (not charset or charset.replace('"', "") in _CHARSETS)


_CHARSETS = frozenset({"charset=utf-8", "charset=utf8"})
