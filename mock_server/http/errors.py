"""Errors of any origin, in the envelope of the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mock_server.contract.dialect import Dialect
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import cards, hiding
from mock_server.domain.errors import Cause, CauseGroup, FieldError, Refusal
from mock_server.domain.outcomes import Reason
from mock_server.domain.paging import Query
from mock_server.engine.kinds import PROFILES
from mock_server.http.redaction import KEPT_BYTES, cleaned_error, cleaned_text, holds_key, readable
from mock_server.http.running import Answer, Call
from mock_server.jsontext import dump

JSON = ("Content-Type", "application/json")
TEXT = ("Content-Type", "text/plain; charset=utf-8")
RETRY_LATER = ("Retry-After", "1")
PUBLIC_CLIENT = "clients of the public API send no profile_id: serve --dialect hyperswitch answers them"
"""For a workspace without any profile: its client has never sent one."""


def answer_refusal(dialect: Dialect, refusal: Refusal, more: str = "") -> Answer:
    """The answer for a refusal, with `more` sentences after the dialect's."""
    status, body = dialect.error(refusal, more)
    return Answer(status, cleaned_error(dump(body)), (JSON, *_headers(refusal)))


def answer_to(call: Call, dialect: Dialect, refusal: Refusal) -> Answer:
    """The answer for a refused call; a 404 also says if the workspace was evicted.

    What the dialect does not say is noted, for the journal and the header.
    """
    if told := dialect.explanation(refusal):
        call.notes.append(Reason("error", cleaned_text(told)))
    if dialect is INTERFACE and any(map(_no_profile, refusal.fields)) and not _has_profiles(call):
        call.notes.append(Reason("error", PUBLIC_CLIENT))
    if dialect.queries and call.method in ("GET", "HEAD") and (text := _of_query(dialect, refusal)):
        return Answer(400, cleaned_error(text.encode()), (TEXT,))
    answer = answer_refusal(dialect, refusal)
    if refusal.cause.group is not CauseGroup.MISSING or call.workspace is None:
        return answer
    gone = call.sandbox.evictions.find(call.workspace.space.name)
    return answer if gone is None else answer_refusal(dialect, refusal, gone.text)


def _of_query(dialect: Dialect, refusal: Refusal) -> str:
    """The plain text for a query that cannot be read; empty if the refusal is another."""
    keys, (_, body) = dialect.error_keys, dialect.error(refusal)
    error: Any = body[keys.envelope]
    return "" if keys.type in error else error[keys.message].replace(*(dialect.queries or ()), 1)


def said(refusal: Refusal, more: str = "") -> tuple[int, str]:
    """A refusal's status and sentence, for a page."""
    status, body = INTERFACE.error(refusal, more)
    error: Any = body[INTERFACE.error_keys.envelope]
    return status, error[INTERFACE.error_keys.message]


def _no_profile(wrong: FieldError) -> bool:
    return wrong.field == "profile_id" and wrong.cause is Cause.VALUE_MISSING


def _has_profiles(call: Call) -> bool:
    if call.workspace is None:
        return True
    return bool(call.workspace.space.transact(lambda tx: tx.find(PROFILES, Query(limit=1)).items))


def _headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Headers that HTTP requires for the status."""
    match refusal.cause:
        case Cause.RATE_LIMITED | Cause.RATE_LIMITED_FROZEN:
            return (("Retry-After", str(refusal.values["seconds"])),)
        case Cause.IDEMPOTENCY_IN_FLIGHT | Cause.ADVANCE_RUNNING | Cause.BUSY | Cause.NOT_SAVED:
            return (RETRY_LATER,)
        case Cause.METHOD_NOT_ALLOWED:
            return (("Allow", str(refusal.values["allowed"])),)
        case _:
            return ()


Found = tuple[tuple[str, str], ...]
MOST: Final = 8
"""Maximum number of places that are reported for one call (ours)."""
_SEARCHED: Final = 4_096
"""How many characters of a call's texts are searched; each text counts `_EACH` more (ours)."""
_EACH: Final = 16
_PLACES: Final = ("metadata", "description", "statement_descriptor_name", "merchant_order_reference_id", "return_url")
"""The fields of a body with free text."""
_HIDDEN: Final = hiding.HIDDEN.encode()
_RUN: Final = re.compile(r"\d(?:[ -]?\d){11,18}")
_NOTHING: Final[Found] = ()


def misplaced(call: Call, request: bytes, path: str, query: str) -> Found:
    """What is in the wrong place; `request`, `path` and `query` are the redacted ones."""
    hidden = request.count(_HIDDEN)
    is_usual = (not hidden or hidden <= _expected(call.body)) and len(call.raw) <= KEPT_BYTES
    if is_usual and hiding.HIDDEN not in path and hiding.HIDDEN not in query:
        return _NOTHING
    found: list[tuple[str, str]] = []
    left = _SEARCHED
    for where, text in _texts(call):
        if left <= 0 or len(found) == MOST:
            break
        if (one := _sort(where[:_SEARCHED], text[:left])) is not None:
            found.append(one)
        left -= len(text) + _EACH
    return tuple(found)


def _expected(body: object) -> int:
    """How many values of a body are redacted in their proper places."""
    data = body.get("payment_method_data") if isinstance(body, dict) else None
    card = data.get("card") if isinstance(data, dict) else None
    if not isinstance(card, dict):
        return 0
    return str(card.get("card_number")).isdigit() + str(card.get("card_cvc")).isdigit()


def _texts(call: Call) -> Iterator[tuple[str, str]]:
    """Every free text of a call, with its place."""
    yield "path", readable(call.path)
    for name, value in call.query_pairs:
        yield f"query.{name}", value
    body = call.body if isinstance(call.body, dict) else {}
    for name in _PLACES:
        yield from _within(name, body.get(name))


def _within(where: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _within(f"{where}.{name}", member)
    elif value is not None and not isinstance(value, bool | list):
        yield where, str(value)


def _sort(where: str, text: str) -> tuple[str, str] | None:
    name, plain = where.rpartition(".")[2], hiding.decoded(text)
    if any(cards.find(re.sub("[ -]", "", run[0])) for run in _RUN.finditer(plain)):
        return "card number", hiding.cleaned(where)
    is_code = hiding.is_code_name(name) and plain.isdigit() and len(plain) in (3, 4)
    if is_code or (hiding.names_code(plain) and hiding.names_code(hiding.without_numbers(plain))):
        return "security code", hiding.cleaned(where)
    return ("key", hiding.cleaned(where)) if holds_key(plain) else None
