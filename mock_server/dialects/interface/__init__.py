"""The dialect of the interface document: what this server speaks by default (interface §2 to §8)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import Dialect
from mock_server.dialects.interface.codes import CODES
from mock_server.dialects.interface.errors import ERRORS, TYPES
from mock_server.dialects.interface.words import (
    BODIES,
    ERROR_KEYS,
    LIST_KEYS,
    READINGS,
    WORDS,
)

INTERFACE: Final = Dialect(
    name="interface",
    errors={row.cause: row for row in ERRORS},
    codes={row.code: row for row in CODES},
    error_keys=ERROR_KEYS,
    list_keys=LIST_KEYS,
    words=WORDS,
    readings=READINGS,
    bodies=BODIES,
    types=TYPES,
)
