"""What may be stored of a call: everything except card numbers, security codes and keys.

A body that the API accepted is redacted as text, because its schema allows card data only in the proper fields. Other
JSON is searched, name by name and value by value. In anything else, all digits are redacted: a form, XML or invalid
JSON can contain a number under any name and in any spelling.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, AnyStr, Final
from urllib.parse import unquote_plus

from mock_server import jsontext
from mock_server.domain import hiding
from mock_server.domain.api_keys import KEY_IN_TEXT, KEY_MARKS, without_keys
from mock_server.domain.hiding import HIDDEN as HIDDEN

if TYPE_CHECKING:
    from mock_server.http.context import Call

Find = Callable[[bytes], re.Match[bytes] | None]

KEPT_BYTES = 16_384
"""How many bytes of a body the journal stores (ours)."""
_OVER: Final = 256
"""How many bytes more are redacted before the cut, so that no half of a number remains."""

_CARD: Final = re.compile(rb'("card_(?:number|cvc)"\s*:\s*)("[^"]*")')
_IN_PLACE: Final = b'"%s"' % HIDDEN.encode()
_FIELDS: Final = re.compile(
    r"""(["'<]?[^"'<>=&\s]{0,64}(?:payment_token|password)[^"'<>=&\s]{0,64}["'>]?\s*[:=]?\s*)"""
    r"""("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'<>&,;{}\[\]]+)""",
    re.IGNORECASE,
)
_SECRETS: Final = re.compile(r"payment_token|password", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_MARKS_B = [mark.encode() for mark in KEY_MARKS]
_NAMES: Final = (rb'c(?:v(?!c"\s*:\s*"\[hidden\]")|sc|id|av|ardn)', rb"v(?:alid|erif)", rb"secur", rb'pan"', rb"\\u")
"""Prefixes of names that need a closer look, unless their value is already redacted."""
_FINDS_NAME: Final = tuple(re.compile(one).search for one in _NAMES)
_FINDS_SUSPECT: Final = (*_FINDS_NAME, *(re.compile(mark.lower()).search for mark in _MARKS_B))
"""For text in lower case. Several patterns with one first character each are several times faster than one pattern."""
_NONE: Final[frozenset[str]] = frozenset()


def kept_request(call: Call) -> tuple[bytes, frozenset[str]]:
    """A call's body as it may be stored, and the security codes in it, for places where only their value is known."""
    raw, body = call.raw, call.body
    if not raw or call.operation.holds_keys:
        return b"", _NONE
    if body is None or call.operation.multipart:
        return masked(raw), _NONE
    if call.refusal is None and len(raw) <= KEPT_BYTES:
        kept = cleaned_accepted(raw)
        if kept is not None:
            return kept, _elsewhere(call) if call.environ.get("QUERY_STRING") else _NONE
    codes = _elsewhere(call)
    shown = jsontext.dump(hiding.hidden(body, codes, known_names()))
    if call.refusal is not None:
        shown = _without_secrets(shown.decode("utf-8", "replace")).encode()
    return cut(_without_keys(shown)), codes


def _elsewhere(call: Call) -> frozenset[str]:
    """The security codes of a body that may also be in another place of the call."""
    raw, query = call.raw, call.environ.get("QUERY_STRING", "")
    codes = frozenset(hiding.codes_in(call.body))
    return codes if b"\\u" in raw or query else frozenset(code for code in codes if raw.count(code.encode()) > 1)


def cleaned_accepted(raw: bytes) -> bytes | None:
    """An accepted body as it may be stored; None if it contains something that needs a closer look."""
    parts = _CARD.split(raw)
    hidden = parts[2::3]
    parts[2::3] = [_IN_PLACE] * len(hidden)
    kept = b"".join(parts)
    if hiding.may_hold_number(kept) or _holds(kept, hidden) or _is_found(_FINDS_SUSPECT, kept.lower()):
        return None
    return kept


def masked(raw: bytes) -> bytes:
    """A body that is not JSON, without digits and keys."""
    text = raw[: KEPT_BYTES + _OVER].decode("utf-8", "replace")
    text = _without_secrets(without_keys(text))
    return cut(_DIGIT.sub("#", text).encode())


def _without_secrets(text: str) -> str:
    return _FIELDS.sub(_hide_value, text) if _SECRETS.search(text) else text


def cleaned_text(text: str) -> str:
    """Any text without card data and keys."""
    return hiding.cleaned(without_keys(text) if _holds(text, KEY_MARKS) else text)


def holds_key(text: str) -> bool:
    """Whether a text contains a key."""
    return _holds(text, KEY_MARKS) and KEY_IN_TEXT.search(text) is not None


def cleaned_query(query: str, codes: frozenset[str]) -> str:
    """A query as it may be stored: a secret value is redacted completely."""
    return "&".join(_pair(pair, codes) for pair in query.split("&"))


def _pair(pair: str, codes: frozenset[str]) -> str:
    name, equals, value = pair.partition("=")
    decoded, plain = unquote_plus(name), unquote_plus(value)
    if hiding.is_number_name(decoded) or hiding.is_code_name(decoded):
        plain_shown = str(hiding.by_name(plain))
    elif plain in codes and decoded not in known_names():
        plain_shown = HIDDEN
    else:
        plain_shown = cleaned_text(plain)
    shown = name if cleaned_text(decoded) == decoded else HIDDEN
    return f"{shown}{equals}{value if plain_shown == plain else HIDDEN}"


def cleaned_answer(body: bytes, codes: frozenset[str] = _NONE) -> bytes:
    """An answer as it may be stored: without issued keys, which are only returned once."""
    part = body[: KEPT_BYTES + _OVER]
    if codes or hiding.may_hold_number(part) or _is_found(_FINDS_NAME, part.lower()):
        part = _walked(body, codes) if len(body) <= KEPT_BYTES else _as_text(part)
    return cut(_without_keys(part))


def cleaned_error(body: bytes) -> bytes:
    """An error as it may be sent: without card numbers from the call."""
    if not hiding.may_hold_number(body):
        return body
    return hiding.without_numbers(body.decode("utf-8", "replace")).encode()


def _walked(body: bytes, codes: frozenset[str]) -> bytes:
    try:
        return jsontext.dump(hiding.hidden(jsontext.parse(body), codes, known_names()))
    except jsontext.JsonMistake:  # a page's text, or whatever a scenario answers with
        return _as_text(body)


def _as_text(part: bytes) -> bytes:
    return hiding.cleaned(part.decode("utf-8", "replace")).encode()


def _without_keys(text: bytes) -> bytes:
    return without_keys(text.decode("utf-8", "replace")).encode() if _holds(text, _MARKS_B) else text


def cut(body: bytes) -> bytes:
    """The part of a body that is stored; no character is cut in half."""
    return body if len(body) <= KEPT_BYTES else body[:KEPT_BYTES].decode("utf-8", "ignore").encode()


@cache
def known_names() -> frozenset[str]:
    """The names of all fields of the API."""
    from marshmallow import Schema

    found: set[str] = set()
    left = [Schema]
    while left:
        schema = left.pop()
        left += schema.__subclasses__()
        found.update(field.data_key or name for name, field in schema._declared_fields.items())
    return frozenset(found)


def _holds(text: AnyStr, marks: list[AnyStr] | tuple[AnyStr, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 — quicker than `any`, and asked of every body
        if mark in text:
            return True
    return False


def _is_found(finds: tuple[Find, ...], text: bytes) -> bool:
    for find in finds:  # noqa: SIM110 — as above
        if find(text):
            return True
    return False


def _hide_value(found: re.Match[str]) -> str:
    return f'{found[1]}"{HIDDEN}"'


# headers

MARK: Final = "[redacted]"
"""Replaces a key, a cookie and the like."""
MOST_HEADERS: Final = 40
LONGEST_HEADER: Final = 200
"""Maximum number of stored headers of a call, and of characters in one (ours)."""
_SECRET_NAMES: Final = re.compile(r"key|auth|cookie|token|secret|passw|signature|session|credential")
_CODE_LENGTHS: Final = (3, 4)
_BARE: Final = frozenset({"CONTENT_TYPE", "CONTENT_LENGTH"})

_header_names: dict[str, tuple[str, bool]] = {}
_clean_values: set[str] = set()
_REMEMBERED: Final = 1_024
"""Size of the caches of names and values, because clients send the same ones repeatedly."""


def kept_headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """The headers with their names in lower case, in the order in which they arrived."""
    kept: dict[str, str] = {}
    for key, value in environ.items():
        name, is_secret = _header_names.get(key) or _header(key)
        if name:
            kept[name] = MARK if is_secret else value if value in _clean_values else _cleaned_header(key, value)
    if len(kept) > MOST_HEADERS:
        return dict(list(kept.items())[:MOST_HEADERS])
    return kept


def _header(key: str) -> tuple[str, bool]:
    """The name of a header, empty for other variables; and whether its value is secret."""
    name = cleaned_text(key.removeprefix("HTTP_").replace("_", "-").lower())[:LONGEST_HEADER]
    found = (name, bool(_SECRET_NAMES.search(name))) if key.startswith("HTTP_") or key in _BARE else ("", False)
    if len(_header_names) < _REMEMBERED:
        _header_names[key] = found
    return found


def _cleaned_header(key: str, value: str) -> str:
    """A value without card data and keys; only values without any of them, and no numbers, are cached."""
    if key != "CONTENT_LENGTH" and value.isdigit() and len(value) in _CODE_LENGTHS:
        return MARK  # a security code, for all that is known
    if key == "CONTENT_LENGTH" and len(value) < hiding.SHORTEST and value.isdigit():
        return value
    kept = cleaned_text(value)
    if kept == value and not value.isdigit() and len(value) <= LONGEST_HEADER and len(_clean_values) < _REMEMBERED:
        _clean_values.add(value)
    return kept[:LONGEST_HEADER]
