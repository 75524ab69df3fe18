"""What may be kept of a text of any form, and what may be shown of one that is kept as it was sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from mock_server.domain import hiding
from mock_server.domain.api_keys import without_keys, without_live_keys
from mock_server.domain.cards import CARDS

MARK: Final = "[redacted]"
"""Replaces a key, a cookie and the like in headers."""
SECRET_NAMES: Final = re.compile(r"key|auth|cookie|token|secret|passw|signature|session|credential")
"""In the name of a header, in small letters: its value is secret."""
_FIELDS: Final = re.compile(
    r"""((?:payment_token|password|hash_key|webhook_url(?=[\]%=])|custom_http_headers(?!":{"[^"]*":"\[hidden))[^"'<>=&\s]{0,64}[\\"'>]{0,8}\s*+[:=]?\s*+\\*+)"""
    r"""("(?:[^"\\]|\\.?)*+"?|'[^']*'?|[{\[](?s:.*+)|[^\s"'<>&,;{}\[\]]+)""",
    re.IGNORECASE,
)
_SECRETS: Final = re.compile(r"payment_token|password|hash_key|webhook_url|custom_http_headers", re.IGNORECASE)
_URL: Final = re.compile(r":(?:\\*/){2}[^\s\"'<>]+")
_JSON_TEXTS: Final = re.compile(r'"(?!\w*prd_)[A-Za-z_]*"|("(?:[^"\\]|\\.)*")')  # plain words, or what needs a look
_OF_TESTS: Final = frozenset((*(card.number for card in CARDS), "123", "1234"))
"""Test cards' numbers, and the security codes of our own examples."""
_OWN: Final = re.compile(r"([w0-9a-f](?<=\b.)(?:(?<=w)_[0-9a-f]{20}|(?<!w)[0-9a-f]{63}(?:[0-9a-f]{64})?)\b)")
"""A workspace's name, a digest, a signature: some pass for card numbers by chance. A set is first, for speed."""


def shown(text: str) -> str:
    """A text for people: without card data and live keys, except test cards, workspaces' names and digests."""
    parts = _OWN.split(text)
    parts[::2] = [without_live_keys(hiding.cleaned(part, _OF_TESTS)) for part in parts[::2]]
    return "".join(parts)


def shown_json(text: bytes) -> bytes:
    """A JSON text for people: numbers that are no texts are amounts, and stay."""
    plain, seen, parts, end = text.decode(), lru_cache(1_024)(shown), list[str](), 0  # names come again and again
    for found in _JSON_TEXTS.finditer(plain):  # `sub` would keep a piece of every text
        if found[1] and (said := seen(found[1])) != found[1]:
            parts += plain[end : found.start()], said
            end = found.end()
    return "".join((*parts, plain[end:])).encode() if parts else text


def shown_value(value: object) -> Any:
    """A JSON value for people: its texts as `shown` has them, and nothing under the name of a number or a code."""
    if isinstance(value, Mapping):
        return {
            shown(name): hiding.by_name(one)
            if hiding.is_number_name(name) or hiding.is_code_name(name)
            else shown_value(one)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [shown_value(one) for one in value]
    return shown(value) if isinstance(value, str) else value


def without_secrets(text: str) -> str:
    """A text without the values of tokens and passwords that it names."""
    return _FIELDS.sub(lambda found: f'{found[1]}"{hiding.HIDDEN}"', text) if _SECRETS.search(text) else text


def masked(text: str) -> str:
    """A text without digits, keys and secrets: it can contain a number under any name and in any spelling."""
    return re.sub(r"\d", "#", _URL.sub(lambda found: hiding.bare_url(found[0]), without_secrets(without_keys(text))))


def masked_headers(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Headers without card data, keys and secrets."""
    return [
        (hiding.cleaned(name), MARK if SECRET_NAMES.search(name.lower()) else hiding.cleaned(without_keys(value)))
        for name, value in pairs
    ]
