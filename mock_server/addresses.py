"""Addresses of other servers: whether a text is one, and a connection to what it names."""

from __future__ import annotations

from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlsplit


def is_address(text: str) -> bool:
    """Whether a text is an http or https address that a connection can be made to."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its port is no number
        return False


def connection_to(address: str, timeout_s: float) -> HTTPConnection:
    """A connection that is opened with its first call, and waits at most so long for each answer."""
    parts = urlsplit(address)
    made = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    return made(parts.hostname or "", parts.port, timeout=timeout_s)


def path_of(address: str) -> str:
    """What of an address is asked for: its path, and its query where it has one."""
    parts = urlsplit(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
