"""Addresses of servers: whether a text is one, and its parts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from inspect import unwrap
from typing import Final
from urllib.parse import SplitResult, urlsplit

split: Final[Callable[[str], SplitResult]] = unwrap(urlsplit)
"""The parts of an address; `urlsplit` itself keeps the last ones, of any length, also those that were refused."""
_SCHEME: Final = re.compile(r"[A-Za-z][\w+.-]*:(?!\d)")  # but a host and its port


def with_scheme(text: str) -> str:
    """An address as a user writes it: http, if it has no scheme."""
    return text if _SCHEME.match(text) else f"http://{text}"


def is_address(text: str) -> bool:
    """Whether a text is an http or https address that a connection can be made to; a login in it would not be sent."""
    try:
        parts = split(text)
        # A host name has no empty label, and none of more than 63 characters.
        is_host = bool((parts.hostname or "").encode("idna")) and parts.port != 0 and "@" not in parts.netloc
        return parts.scheme in ("http", "https") and is_host and text.isprintable() and " " not in text
    except ValueError:  # its port is not a number, or its host is no name
        return False


@lru_cache(maxsize=16)
def is_host(text: str) -> bool:
    """Whether a text is one host, with a port or without: an address, or a name of letters, digits, `.`, `-`, `_`."""
    host = re.fullmatch(r"([\w.-]+|\[[0-9a-f.]*:[0-9a-f:.]*\])(?::(\d{0,5}))?", text, re.ASCII | re.IGNORECASE)
    return host is not None and int(host[2] or 0) <= 65_535


def reachable(host: str, port: int, scheme: str = "http") -> str:
    """The address of a server bound to this host, on this machine: the loopback one for all addresses."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"{scheme}://[{near}]:{port}" if ":" in near else f"{scheme}://{near}:{port}"


def path_of(address: str) -> str:
    """The path of an address, with its query."""
    parts = split(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
