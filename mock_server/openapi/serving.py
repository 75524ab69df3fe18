"""The document as JSON text, the page that shows it, and the viewer that the page runs, over HTTP."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from flask import Response, request
from werkzeug.exceptions import NotFound

from mock_server import jsontext
from mock_server.contract.dialect import Dialect
from mock_server.dialects import get
from mock_server.sandbox import Sandbox

FILES: Final = Path(__file__).parent / "viewer"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing from anywhere else: the viewer's styles stand in the page, its script is this server's."""
_SCRIPT: Final = "text/javascript; charset=utf-8"
_STYLE: Final = "text/css; charset=utf-8"


def served(name: str, sandbox: Sandbox) -> Response:
    """One of the files. Raises NotFound."""
    match name:
        case "openapi.json":
            return _zipped(_zipped_text(sandbox.dialect), text_of(sandbox.dialect), "application/json")
        case "page.html":
            policy = {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
            return Response(_file("page.html"), content_type="text/html; charset=utf-8", headers=policy)
        case "page.css":
            return Response(_file(name), content_type=_STYLE)
        case "scalar.js":
            script = _file("scalar.js.gz")
            return _zipped(script, None, _SCRIPT, {"Cache-Control": "public, max-age=86400"})
        case _:
            raise NotFound


def _zipped(small: bytes, whole: bytes | None, kind: str, more: dict[str, str] | None = None) -> Response:
    """A file as it is kept for whoever takes gzip, else as it is."""
    headers = {**(more or {}), "Vary": "Accept-Encoding"}
    if request.accept_encodings.quality("gzip") > 0:
        return Response(small, content_type=kind, headers={**headers, "Content-Encoding": "gzip"})
    return Response(gzip.decompress(small) if whole is None else whole, content_type=kind, headers=headers)


@cache
def _file(name: str) -> bytes:
    return (FILES / name).read_bytes()


# the text

_MAKING: Final = Lock()
"""It takes a second or two: those who ask together wait for one document, and do not all make it."""


def text_of(dialect: Dialect) -> bytes:
    """The document in a dialect."""
    with _MAKING:
        return _text(dialect.name)


def _zipped_text(dialect: Dialect) -> bytes:
    """The same for whoever takes gzip: a tenth of it."""
    with _MAKING:
        return _small(dialect.name)


@cache
def _text(dialect: str) -> bytes:
    from mock_server.openapi.document import document

    return jsontext.dump(document(get(dialect)))


@cache
def _small(dialect: str) -> bytes:
    return gzip.compress(_text(dialect), mtime=0)
