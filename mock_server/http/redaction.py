"""What may be stored of a call: everything except card numbers, security codes and keys.

A body that the API accepted is redacted as text, because its schema allows card data only in the proper fields. Other
JSON is searched, name by name and value by value. In anything else, all digits are redacted: a form, XML or invalid
JSON can contain a number under any name and in any spelling.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_plus

from mock_server import jsontext
from mock_server.domain import hiding, masking
from mock_server.domain.api_keys import KEY_IN_TEXT, KEY_MARKS, without_keys
from mock_server.domain.hiding import HIDDEN as HIDDEN
from mock_server.domain.hiding import holds
from mock_server.domain.masking import MARK, SECRET_NAMES

if TYPE_CHECKING:
    from mock_server.http.running import Call

KEPT_BYTES = 16_384
"""How many bytes of a body the journal stores (ours)."""
KEPT_TEXT = 4_096
"""How many characters of a path or a query it stores (ours)."""

_CARD: Final = re.compile(rb'("card_(?:number|cvc)"\s*:\s*)("[^"]*")')
_IN_PLACE: Final = b'"%s"' % HIDDEN.encode()
_KEYS: Final = hiding.by_rarest_sign(*KEY_MARKS)
_SURE: Final = hiding.by_rarest_sign(*map(str.lower, KEY_MARKS), *(f'"{name}"' for name in sorted(hiding.ACCOUNTS)))
_SUSPECT: Final = (*_SURE, *hiding.NAMES)
_NONE: Final[frozenset[str]] = frozenset()


def kept_request(call: Call) -> tuple[bytes, frozenset[str]]:
    """A call's body as it may be stored, and the security codes in it, for places where only their value is known."""
    raw, body = call.raw, call.body
    if not raw or call.operation.holds_keys:
        return b"", _NONE
    if body is None or call.operation.multipart:
        return masked(raw), _NONE
    if call.refusal is None and len(raw) <= KEPT_BYTES:
        kept = cleaned_accepted(jsontext.dump(body) if b"\\" in raw else raw)
        if kept is not None:
            return kept, _elsewhere(call) if call.environ.get("QUERY_STRING") else _NONE
    codes = _elsewhere(call)
    value, is_whole = hiding.hidden_start(body, codes, known_names(), KEPT_BYTES)
    shown = jsontext.dump(value)
    if call.refusal is not None:
        shown = masking.without_secrets(shown.decode("utf-8", "replace")).encode()
    return cut(_without_keys(shown), 0 if is_whole else len(raw)), codes


def _elsewhere(call: Call) -> frozenset[str]:
    """The security codes of a body that may also be in another place of the call."""
    raw, codes = call.raw, hiding.codes_in(call.body)
    if len(raw) > KEPT_BYTES or b"\\u" in raw or call.environ.get("QUERY_STRING"):
        return codes
    return frozenset(code for code in codes if raw.count(code.encode()) > 1)


def cleaned_accepted(raw: bytes) -> bytes | None:
    """An accepted body as it may be stored; None if it contains something that needs a closer look."""
    parts = _CARD.split(raw)
    hidden = parts[2::3]
    parts[2::3] = [_IN_PLACE] * len(hidden)
    rest = b"".join(parts[::3])
    letters = rest.lower().decode("latin-1")  # looking for bytes in bytes takes a third longer
    is_suspect = holds(letters, _SUSPECT) and (holds(letters, _SURE) or hiding.may_hold_code(rest))
    return None if is_suspect or hiding.needs_look(rest) or any(map(rest.count, hidden)) else b"".join(parts)


def masked(raw: bytes) -> bytes:
    """A body that is not JSON, without digits and keys."""
    return cut(masking.masked(raw[: KEPT_BYTES + hiding.MARGIN].decode("utf-8", "replace")).encode(), len(raw))


def cleaned_text(text: str, most: int = sys.maxsize) -> str:
    """Any text without card data and keys; of one of more than `most` characters the beginning and how much follows."""
    if len(text) > most:
        shown = cleaned_text(text[: most + hiding.MARGIN])
        return hiding.start_of(shown, most, len(text)) + hiding.cut_mark(len(text) - most)
    return hiding.cleaned(without_keys(text) if holds(text, _KEYS) else text)


def readable(path: str) -> str:
    """A path from WSGI's form, in which each byte is a character."""
    return path.encode("latin-1", "replace").decode("utf-8", "replace")


def holds_key(text: str) -> bool:
    """Whether a text contains a key."""
    return holds(text, _KEYS) and KEY_IN_TEXT.search(text) is not None


def cleaned_query(query: str, codes: frozenset[str]) -> str:
    """A query as it may be stored: a secret value is redacted completely."""
    shown = "&".join(_pair(pair, codes) for pair in query[: KEPT_TEXT + hiding.MARGIN].split("&"))
    if len(query) > KEPT_TEXT:
        return hiding.start_of(shown, KEPT_TEXT, len(query)) + hiding.cut_mark(len(query) - KEPT_TEXT)
    return shown


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
    part = body[: KEPT_BYTES + hiding.MARGIN]
    if codes or hiding.needs_look(part) or hiding.may_hold_code(part):
        part = _walked(body, codes) if len(body) <= KEPT_BYTES else _as_text(part, codes, len(body))
    return cut(_without_keys(part), len(body))


def cleaned_error(body: bytes) -> bytes:
    """An error as it may be sent: without card numbers and keys from the call."""
    shown = _without_keys(body)
    if not hiding.may_hold_number(shown):
        return shown
    return hiding.without_numbers(shown.decode("utf-8", "replace")).encode()


def _walked(body: bytes, codes: frozenset[str]) -> bytes:
    try:
        return jsontext.dump(hiding.hidden(jsontext.parse(body), codes, known_names()))
    except jsontext.JsonMistake:  # a page's text, or whatever a scenario answers with
        return _as_text(body, codes, len(body))


def _as_text(part: bytes, codes: frozenset[str], size: int) -> bytes:
    return hiding.start_of(hiding.cleaned(part.decode("utf-8", "replace"), (), codes), KEPT_BYTES, size).encode()


def _without_keys(text: bytes) -> bytes:
    return without_keys(text.decode("utf-8", "replace")).encode() if holds(text.decode("latin-1"), _KEYS) else text


def cut(body: bytes, whole: int) -> bytes:
    """The part of a redacted body that is stored, of so many bytes as it came; no character is cut in half."""
    if len(body) <= KEPT_BYTES and whole <= KEPT_BYTES:
        return body
    part = body[:KEPT_BYTES].decode("utf-8", "ignore").encode()
    return part + hiding.cut_mark(max(whole, len(body)) - len(part)).encode()


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


# headers

MOST_HEADERS: Final = 40
LONGEST_HEADER: Final = 200
"""Maximum number of stored headers of a call, and of characters in one (ours)."""
_MOST_VARIABLES: Final = 2 * MOST_HEADERS

_REMEMBERED: Final = 1_024
"""Size of the caches of names and values, because clients send the same ones repeatedly."""


class _HeaderNames(dict[str, tuple[str, bool]]):
    """The name of a header, empty for other variables; and whether its value is secret."""

    def __missing__(self, key: str) -> tuple[str, bool]:
        name = cleaned_text(key.removeprefix("HTTP_").replace("_", "-").lower(), LONGEST_HEADER)
        found = (name, bool(SECRET_NAMES.search(name))) if key.startswith(("HTTP_", "CONTENT_")) else ("", False)
        if len(self) < _REMEMBERED and len(key) <= LONGEST_HEADER and HIDDEN not in name:
            self[key] = found
        return found


_header_names: Final = _HeaderNames()
_clean_values: Final[set[str]] = set()


def kept_headers(environ: Mapping[str, Any]) -> dict[str, str]:
    """The headers with their names in lower case, in the order in which they arrived."""
    if len(environ) > _MOST_VARIABLES:
        environ = dict(islice(environ.items(), _MOST_VARIABLES))
    kept: dict[str, str] = {}
    for key, value in environ.items():
        name, is_secret = _header_names[key]
        if not name:
            continue
        is_length = key == "CONTENT_LENGTH" and len(value) < hiding.SHORTEST and value.isdigit()
        is_kept = is_length or value in _clean_values
        kept[name] = MARK if is_secret else value if is_kept else _cleaned_header(key, value)
    return dict(list(kept.items())[:MOST_HEADERS]) if len(kept) > MOST_HEADERS else kept


def _cleaned_header(key: str, value: str) -> str:
    """A value without card data and keys; only values without any of them, and no numbers, are cached."""
    if key != "CONTENT_LENGTH" and value.isdigit() and len(value) in (3, 4):
        return MARK  # a security code, for all that is known
    kept = cleaned_text(value, LONGEST_HEADER)
    if kept == value and not value.isdigit() and len(_clean_values) < _REMEMBERED:
        _clean_values.add(value)
    return kept
