"""What may be kept of a request: everything but card numbers, their codes, and keys.

The text is cleaned before it is kept, whether it was JSON or not: by the names of fields, and by what looks like a
card number wherever it stands.
"""

from __future__ import annotations

import re
from typing import AnyStr

from mock_server.domain.api_keys import KEY_FORMS
from mock_server.domain.card_brands import luhn

HIDDEN = "[hidden]"
KEPT_BYTES = 16_384
"""How much of one body the journal keeps (ours)."""

_CARD = re.compile(rb'("(?:card_number|card_cvc)"\s*:\s*)"[^"]*"')
_FIELDS = re.compile(
    r"""("[^"]{0,64}(?:card_number|cardnumber|cvc|cvv|security_code|"pan|payment_token|password)[^"]{0,64}"\s*:\s*)"""
    r"""("(?:[^"\\]|\\.)*"?|[-+0-9.eE]+)""",
    re.IGNORECASE,
)
_LIKE_NUMBERS = re.compile(r"[0-9][0-9 \-+./%\\uB]{10}")
_LIKE_NUMBERS_B = re.compile(_LIKE_NUMBERS.pattern.encode())
_NUMBERS = re.compile(r"(?<![0-9])[0-9](?:(?:[ \-+./]|%20|%2B|\\u0020)?[0-9]){11,18}(?![0-9])")
_PREFIXES = [form.prefix for form in KEY_FORMS]
_KEYS = re.compile(rf"\b(?:{'|'.join(_PREFIXES)})[A-Za-z0-9_-]{{4,}}")
_MARKS = [one for one in _PREFIXES if not any(other in one for other in _PREFIXES if other != one)]
"""One of these stands in every key: a publishable key's prefix ends in that of its twin."""
_MARKS_B = [mark.encode() for mark in _MARKS]
_DIGITS = re.compile(r"%20|%2B|\\u0020|[^0-9]")


def cleaned_accepted(raw: bytes) -> bytes:
    """A body that the API took, as it may be kept: its schema leaves card data only where it belongs."""
    kept = _CARD.sub(_hide_card, raw[:KEPT_BYTES])
    if not _holds(kept, _MARKS_B) and not _LIKE_NUMBERS_B.search(kept) and len(raw) <= KEPT_BYTES:
        return kept
    return cleaned_text(kept.decode("utf-8", "replace")).encode()


def cleaned(raw: bytes) -> bytes:
    """Any body as it may be kept, JSON or not: whatever a field is called, whatever looks like a number."""
    text = raw[:KEPT_BYTES].decode("utf-8", "replace")
    return cleaned_text(_FIELDS.sub(_hide_value, text)).encode()


def cleaned_text(text: str) -> str:
    """Any text without card numbers and keys."""
    if _holds(text, _MARKS):
        text = _KEYS.sub(_hide_key, text)
    # The full pattern is slow and seldom needed, so a plain one looks first.
    return _NUMBERS.sub(_hide_number, text) if _LIKE_NUMBERS.search(text) else text


def cleaned_answer(body: bytes) -> bytes:
    """An answer as it may be kept: a key that was handed out is told once, to who asked for it."""
    return _KEYS.sub(_hide_key, body.decode("utf-8", "replace")).encode() if _holds(body, _MARKS_B) else body


def _holds(text: AnyStr, marks: list[AnyStr]) -> bool:
    for mark in marks:  # noqa: SIM110 — quicker than `any`, and asked of every body
        if mark in text:
            return True
    return False


def _hide_card(found: re.Match[bytes]) -> bytes:
    return found[1] + b'"[hidden]"'


def _hide_value(found: re.Match[str]) -> str:
    return f'{found[1]}"{HIDDEN}"'


def _hide_number(found: re.Match[str]) -> str:
    digits = _DIGITS.sub("", found[0])
    return HIDDEN if luhn(digits) else found[0]


def _hide_key(found: re.Match[str]) -> str:
    return f"{found[0].split('_')[0]}_{HIDDEN}"
