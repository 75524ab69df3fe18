"""What a report shows of a call: the command that makes it again, without anything that opens a door."""

from __future__ import annotations

import re
import shlex
from typing import Final

LONGEST: Final = 1_500
"""So many characters of a value are shown (ours); who wants all makes the call."""

_KEY: Final = re.compile(r"\b(?:pk_)?(?:snd|prd|dev|integ)_[A-Za-z0-9_-]+|\bepk_[A-Za-z0-9_-]+")
_CLIENT_SECRET: Final = re.compile(r"(_secret_)[A-Za-z0-9]+")
_HASH_KEY: Final = re.compile(r'("payment_response_hash_key": ?")[^"]+')
_PASSED_OVER: Final = frozenset({"host", "content-length", "connection", "accept-encoding"})


def redact(text: str) -> str:
    """The text without keys, client secrets and signing secrets."""
    text = _KEY.sub("…", text)
    text = _CLIENT_SECRET.sub(r"\1…", text)
    return _HASH_KEY.sub(r"\1…", text)


def shortened(text: str) -> str:
    """The text, or its beginning and how long it is."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def as_curl(method: str, url: str, headers: tuple[tuple[str, str], ...], body: bytes) -> str:
    """The call as a command; the key is `$API_KEY`, a control token `$CONTROL_TOKEN`."""
    words = ["curl -si"]
    if method != "GET":
        words.append(f"-X {method}")
    words.append(shlex.quote(redact(url)))
    words += [f"-H {_header(name, value)}" for name, value in headers if name.lower() not in _PASSED_OVER]
    if body:
        words.append(f"--data-binary {shlex.quote(shortened(redact(body.decode('utf-8', 'replace'))))}")
    return " ".join(words)


def _header(name: str, value: str) -> str:
    if name.lower() == "api-key" and value:
        return f'"{name}: $API_KEY"'
    if name.lower() == "x-sandbox-token":
        return f'"{name}: $CONTROL_TOKEN"'
    return shlex.quote(f"{name}: {shortened(value)}")
