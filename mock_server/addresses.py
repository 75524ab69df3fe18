"""Addresses of other servers: whether a text is one, and its parts."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

_SCHEME: Final = re.compile(r"[A-Za-z][\w+.-]*:(?!\d)")  # but a host and its port


def with_scheme(text: str) -> str:
    """An address as a user writes it: http, if it has no scheme."""
    return text if _SCHEME.match(text) else f"http://{text}"


def is_address(text: str) -> bool:
    """Whether a text is an http or https address that a connection can be made to."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its port is not a number
        return False


def path_of(address: str) -> str:
    """The path of an address, with its query."""
    parts = urlsplit(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
