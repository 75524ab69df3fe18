"""Card data and keys in the wrong places: kind and place. The journal stores this, and never the text.

Only certain findings are reported: a number of our own table of cards, a security code in a field of its name, and a
key that is the call's own, in a secret's field, or as long as real ones. Others could be order numbers or files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mock_server.domain import cards, hiding, masking
from mock_server.http.redaction import KEPT_BYTES, holds_key, readable
from mock_server.http.running import Call
from mock_server.jsontext import leaves

Found = tuple[tuple[str, str], ...]
MOST: Final = 8
"""Maximum number of places that are reported for one call (ours)."""
_SEARCHED: Final = KEPT_BYTES
"""How many characters of a call's texts are searched, as many as of its body are kept; each counts `_EACH` more."""
_EACH: Final = 16
OWN: Final = re.compile(r"(payment_method_data|recurring_details|card(_cvc)?)\b(?!.*(holder_name|nick_name|billing))")
"""Where a body has card data and tokens."""
_HIDDEN: Final = hiding.HIDDEN.encode()
_RUN: Final = re.compile(r"\d(?:[ -]?\d){11,18}")
_LONG: Final = re.compile(r"[A-Za-z0-9]{20}")  # every real key has this


def misplaced(call: Call, request: bytes, path: str, query: str) -> Found:
    """What is in the wrong place; `request`, `path` and `query` are the redacted ones."""
    hidden = request.count(_HIDDEN)
    is_usual = (not hidden or hidden <= _expected(call.body)) and len(call.raw) <= KEPT_BYTES
    if is_usual and hiding.HIDDEN not in path and hiding.HIDDEN not in query:
        return ()
    found: list[tuple[str, str]] = []
    left = _SEARCHED
    for where, text in _texts(call):
        if left <= 0 or len(found) == MOST:
            break
        if (one := _sort(where[:_SEARCHED], text[:left], call.key.rest if call.key else "\0")) is not None:
            found.append(one)
        left -= len(where) + len(text) + _EACH
    return tuple(found)


def _expected(body: object) -> int:
    """How many values of a body are redacted in their proper places."""
    data = body.get("payment_method_data") if isinstance(body, dict) else None
    card = data.get("card") if isinstance(data, dict) else None
    if not isinstance(card, dict):
        return 0
    return str(card.get("card_number")).isdigit() + str(card.get("card_cvc")).isdigit()


def _texts(call: Call) -> Iterator[tuple[str, str]]:
    yield "path", readable(call.path)
    for name, value in call.query_pairs:
        yield f"query.{name}", value
    body = call.body if isinstance(call.body, dict) else {"body": call.body}
    for name in sorted(body, key=lambda name: isinstance(body[name], list)):  # those may be long
        yield from ((where, str(value)) for where, value in leaves(body[name], name) if not OWN.match(where))


def _sort(where: str, text: str, own: str) -> tuple[str, str] | None:
    name, plain = where.rpartition(".")[2], hiding.decoded(text)
    if any(cards.find(re.sub("[ -]", "", run[0])) for run in _RUN.finditer(f"{where}\n{plain}")):
        return "card number", hiding.cleaned(where)
    if hiding.is_code_name(name) and plain.isdigit() and len(plain) in (3, 4):
        return "security code", hiding.cleaned(where)
    is_key = holds_key(plain) and (own in plain or masking.SECRET_NAMES.search(name.lower()) or _LONG.search(plain))
    return ("key", hiding.cleaned(where)) if is_key else None
