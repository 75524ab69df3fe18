"""The document as JSON text, the page that shows it, and the viewer that the page runs, over HTTP."""

from __future__ import annotations

import gzip
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from mock_server import jsontext
from mock_server.contract.dialect import Dialect
from mock_server.dialects import get
from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.asked import param, wish
from mock_server.http.assets import TYPES
from mock_server.http.express import unknown
from mock_server.http.running import HTML, Answer, Environ
from mock_server.sandbox import Sandbox

FILES: Final = Path(__file__).parent / "viewer"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing from other servers: the viewer's styles are in the page, its script is served here."""


def served(sandbox: Sandbox, environ: Environ, name: str) -> Answer:
    """One of the files. Refused as `route_unknown`, and `request_malformed` for an unknown dialect."""
    match name:
        case "openapi.json":
            return _zipped(environ, *texts_of(_wanted(sandbox, environ)), "application/json")
        case "page.html":
            # Its own calls tell where they come from: a page under /_sandbox/ can use a new key.
            policy = (("Content-Security-Policy", POLICY), ("Referrer-Policy", "same-origin"))
            return Answer(200, _file(name), (*policy, HTML))
        case "page.css" | "page.js":
            return Answer(200, _file(name), (("Content-Type", TYPES[Path(name).suffix]),))
        case "scalar.js":
            kept = ("Cache-Control", "public, max-age=86400")
            return _zipped(environ, _file("scalar.js.gz"), None, TYPES[".js"], kept)
        case _:
            raise unknown(environ)


def _zipped(environ: Environ, small: bytes, whole: bytes | None, kind: str, *more: tuple[str, str]) -> Answer:
    """A file as it is stored for clients that accept gzip, otherwise whole."""
    headers = (*more, ("Vary", "Accept-Encoding"), ("Content-Type", kind))
    if wish(environ.get("HTTP_ACCEPT_ENCODING", ""), "gzip")[0] > 0:
        return Answer(200, small, (*headers, ("Content-Encoding", "gzip")))
    return Answer(200, gzip.decompress(small) if whole is None else whole, headers)


@cache
def _file(name: str) -> bytes:
    return (FILES / name).read_bytes()


# the text

_MAKING: Final = Lock()
"""It takes a second or two: simultaneous calls wait for one document."""


def texts_of(dialect: Dialect) -> tuple[bytes, bytes]:
    """The document in a dialect, zipped and whole."""
    with _MAKING:
        return _made(dialect)


@cache
def _made(dialect: Dialect) -> tuple[bytes, bytes]:
    from mock_server.openapi.document import document

    text = jsontext.dump(document(dialect))
    return gzip.compress(text, mtime=0), text


def _wanted(sandbox: Sandbox, environ: Environ) -> Dialect:
    """The requested dialect, else that of the caller's workspace, else the server's."""
    name = param(environ, "dialect")
    if name is not None:
        try:
            return get(name)
        except KeyError as missing:
            raise Refusal(Cause.REQUEST_MALFORMED, reason=str(missing.args[0])) from None
    key = parse(environ.get("HTTP_API_KEY"))
    if isinstance(key, ApiKey) and key.kind is KeyKind.SECRET:
        with suppress(Refusal):  # the document is for everybody, also with an invalid key
            space_name = sandbox.keyring.space_of(key)
            if sandbox.store.space(space_name) is not None:
                return sandbox.workspace_in(space_name).dialect
    return sandbox.dialect
