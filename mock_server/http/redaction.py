"""What may be kept of a request: everything but card numbers, their codes, and keys.

The text is cleaned before it is kept, whether it was JSON or not: by the names of fields, and by what looks like a
card number wherever it stands.
"""

from __future__ import annotations

import re

from mock_server.domain.card_brands import luhn

HIDDEN = "[hidden]"
KEPT_BYTES = 16_384
"""How much of one body the journal keeps (ours)."""

_FIELDS = re.compile(
    r"""("[^"]{0,64}(?:card_number|cardnumber|cvc|cvv|security_code|"pan|payment_token|password)[^"]{0,64}"\s*:\s*)"""
    r"""("(?:[^"\\]|\\.)*"?|[-+0-9.eE]+)""",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?<![0-9])[0-9](?:(?:[ \-+./]|%20|%2B|\\u0020)?[0-9]){11,18}(?![0-9])")
_KEYS = re.compile(r"\b(?:snd|prd|pk_snd|pk_prd)_[A-Za-z0-9_-]{4,}")
_DIGITS = re.compile(r"%20|%2B|\\u0020|[^0-9]")


def cleaned(raw: bytes) -> bytes:
    """A request's body as it may be kept."""
    text = raw[:KEPT_BYTES].decode("utf-8", "replace")
    return cleaned_text(_FIELDS.sub(_hide_value, text)).encode()


def cleaned_text(text: str) -> str:
    """Any text without card numbers and keys."""
    if _KEYS.search(text):
        text = _KEYS.sub(_hide_key, text)
    return _NUMBERS.sub(_hide_number, text)


def _hide_value(found: re.Match[str]) -> str:
    return f'{found[1]}"{HIDDEN}"'


def _hide_number(found: re.Match[str]) -> str:
    digits = _DIGITS.sub("", found[0])
    return HIDDEN if luhn(digits) else found[0]


def _hide_key(found: re.Match[str]) -> str:
    return f"{found[0].split('_')[0]}_{HIDDEN}"
