"""The headers of a delivery, its signature among them (facts §6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mock_server import __version__, jsontext
from mock_server.domain.events import OWN_HEADERS, SIGNATURE_HEADER, signature
from mock_server.domain.merchant import masked

HEADER: Final = SIGNATURE_HEADER
USER_AGENT: Final = f"payment-sandbox/{__version__}"
"""Our own name, not that of the public API (ours)."""
WRONG: Final = "wrong"
MISSING: Final = "missing"

Headers = tuple[tuple[str, str], ...]


def headers(body: bytes, secret: str, custom: Mapping[str, str], flaw: str | None = None) -> Headers:
    """The headers of a body; a `flaw` makes the signature `wrong` or leaves it `missing`."""
    own = tuple((name, value) for name, value in custom.items() if name.lower() not in OWN_HEADERS)
    made = (("Content-Type", "application/json"), ("User-Agent", USER_AGENT), *own)
    if flaw == MISSING:
        return made
    # A wrong signature is a real one under another key, as a forger's would be.
    return (*made, (HEADER, signature(f"not {secret}" if flaw == WRONG else secret, body)))


def shown(sent: Headers, custom: Mapping[str, str]) -> Headers:
    """The headers of a delivery as they are stored and shown: without the values of custom ones."""
    return tuple((name, masked(value) if name in custom else value) for name, value in sent) if custom else sent


def header_text(headers: Iterable[tuple[str, str]]) -> str:
    """Headers as they are stored."""
    return jsontext.dump([list(pair) for pair in headers]).decode()
