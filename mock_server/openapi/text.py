"""The document as JSON text, made once for each dialect."""

from __future__ import annotations

import gzip
from functools import cache
from threading import Lock
from typing import Final

from mock_server import jsontext
from mock_server.contract.dialect import Dialect
from mock_server.dialects import get

_MAKING: Final = Lock()
"""It takes a second or two: those who ask together wait for one document, and do not all make it."""


def of(dialect: Dialect) -> bytes:
    """The document in a dialect."""
    with _MAKING:
        return _of(dialect.name)


def zipped(dialect: Dialect) -> bytes:
    """The same for whoever takes gzip: a tenth of it."""
    with _MAKING:
        return _zipped(dialect.name)


@cache
def _of(dialect: str) -> bytes:
    from mock_server.openapi.document import document

    return jsontext.dump(document(get(dialect)))


@cache
def _zipped(dialect: str) -> bytes:
    return gzip.compress(_of(dialect), mtime=0)
