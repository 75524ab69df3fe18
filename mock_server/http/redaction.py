"""What may be kept of a call: everything but card numbers, their codes, and keys.

A body that the API took is cleaned as text, for its schema leaves card data only where it belongs. Any other JSON is
walked through, name by name and value by value. Of what is no JSON no digit is kept: a form, XML, or JSON that is
broken can hold a number under any name and in any spelling.
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
"""How much of one body the journal keeps (ours)."""
_OVER: Final = 256
"""So much more is cleaned before it is cut, so that no half of a number is left."""

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
"""How names begin that must be looked at closely, unless what they name is hidden already."""
_FINDS_NAME: Final = tuple(re.compile(one).search for one in _NAMES)
_FINDS_SUSPECT: Final = (*_FINDS_NAME, *(re.compile(mark.lower()).search for mark in _MARKS_B))
"""In small letters. Many patterns that begin with one sign each are several times as quick as one of them all."""
_NONE: Final[frozenset[str]] = frozenset()


def kept_request(call: Call) -> tuple[bytes, frozenset[str]]:
    """A call's body as it may be kept; with the security codes that stand in it also where only their value tells."""
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
    """The security codes of a body that may stand in another place of the call too."""
    raw, query = call.raw, call.environ.get("QUERY_STRING", "")
    codes = frozenset(hiding.codes_in(call.body))
    return codes if b"\\u" in raw or query else frozenset(code for code in codes if raw.count(code.encode()) > 1)


def cleaned_accepted(raw: bytes) -> bytes | None:
    """A body that the API took, as it may be kept; None where it holds something that must be looked at closely."""
    parts = _CARD.split(raw)
    hidden = parts[2::3]
    parts[2::3] = [_IN_PLACE] * len(hidden)
    kept = b"".join(parts)
    if hiding.may_hold_number(kept) or _holds(kept, hidden) or _is_found(_FINDS_SUSPECT, kept.lower()):
        return None
    return kept


def masked(raw: bytes) -> bytes:
    """A body that is no JSON, without its digits and keys."""
    text = raw[: KEPT_BYTES + _OVER].decode("utf-8", "replace")
    text = _without_secrets(without_keys(text))
    return cut(_DIGIT.sub("#", text).encode())


def _without_secrets(text: str) -> str:
    return _FIELDS.sub(_hide_value, text) if _SECRETS.search(text) else text


def cleaned_text(text: str) -> str:
    """Any text without card data and keys."""
    return hiding.cleaned(without_keys(text))


def holds_key(text: str) -> bool:
    """Whether a key stands in a text."""
    return _holds(text, KEY_MARKS) and KEY_IN_TEXT.search(text) is not None


def cleaned_query(query: str, codes: frozenset[str]) -> str:
    """A query as it may be kept: a value that must be hidden is hidden whole."""
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
    """An answer as it may be kept: a key that was handed out is told once, to who asked for it."""
    part = body[: KEPT_BYTES + _OVER]
    if codes or hiding.may_hold_number(part) or _is_found(_FINDS_NAME, part.lower()):
        part = _walked(body, codes) if len(body) <= KEPT_BYTES else _as_text(part)
    return cut(_without_keys(part))


def cleaned_error(body: bytes) -> bytes:
    """An error as it leaves: what it repeats of the call is no card number."""
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
    """As much of a body as is kept, no sign of it in halves."""
    return body if len(body) <= KEPT_BYTES else body[:KEPT_BYTES].decode("utf-8", "ignore").encode()


@cache
def known_names() -> frozenset[str]:
    """Every name that a field of the API has."""
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
"""What stands in the place of a key, a cookie and the like."""
MOST_HEADERS: Final = 40
LONGEST_HEADER: Final = 200
"""So many headers of a call are kept, and so many characters of one (ours)."""
_SECRET_NAMES: Final = re.compile(r"key|auth|cookie|token|secret|passw|signature|session|credential")
_CODE_LENGTHS: Final = (3, 4)
_BARE: Final = frozenset({"CONTENT_TYPE", "CONTENT_LENGTH"})

_header_names: dict[str, tuple[str, bool]] = {}
_clean_values: set[str] = set()
_REMEMBERED: Final = 1_024
"""So many names and values are remembered, for clients send the same ones again and again."""


def kept_headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """The headers by their names in small letters, in the order in which they came."""
    kept: dict[str, str] = {}
    for key, value in environ.items():
        name, is_secret = _header_names.get(key) or _header(key)
        if name:
            kept[name] = MARK if is_secret else value if value in _clean_values else _cleaned_header(key, value)
    if len(kept) > MOST_HEADERS:
        return dict(list(kept.items())[:MOST_HEADERS])
    return kept


def _header(key: str) -> tuple[str, bool]:
    """A header's name, none for what is no header; and whether its value is a secret."""
    name = cleaned_text(key.removeprefix("HTTP_").replace("_", "-").lower())[:LONGEST_HEADER]
    found = (name, bool(_SECRET_NAMES.search(name))) if key.startswith("HTTP_") or key in _BARE else ("", False)
    if len(_header_names) < _REMEMBERED:
        _header_names[key] = found
    return found


def _cleaned_header(key: str, value: str) -> str:
    """A value without card data and keys; only what has none of them is remembered, and no number."""
    if key != "CONTENT_LENGTH" and value.isdigit() and len(value) in _CODE_LENGTHS:
        return MARK  # a security code, for all that is known
    if key == "CONTENT_LENGTH" and len(value) < hiding.SHORTEST and value.isdigit():
        return value
    kept = cleaned_text(value)
    if kept == value and not value.isdigit() and len(value) <= LONGEST_HEADER and len(_clean_values) < _REMEMBERED:
        _clean_values.add(value)
    return kept[:LONGEST_HEADER]
