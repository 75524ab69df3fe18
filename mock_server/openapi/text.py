"""The document as JSON text, made once for each dialect."""

from __future__ import annotations

import gzip
from functools import cache

from mock_server import jsontext
from mock_server.dialects import Dialect, get


def of(dialect: Dialect) -> bytes:
    """The document in a dialect."""
    return _of(dialect.name)


def zipped(dialect: Dialect) -> bytes:
    """The same for whoever takes gzip: a tenth of it."""
    return _zipped(dialect.name)


@cache
def _of(dialect: str) -> bytes:
    from mock_server.openapi.document import document

    return jsontext.dump(document(get(dialect)))


@cache
def _zipped(dialect: str) -> bytes:
    return gzip.compress(_of(dialect), mtime=0)
