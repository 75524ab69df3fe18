"""How causes and wrong fields read: one error at a time, with the texts that clients compare (facts §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.dialect import ErrorRow
from mock_server.dialects.interface.words import ERROR_KEYS as INTERFACES

ERRORS: Final[tuple[ErrorRow, ...]] = ()
ERROR_KEYS: Final = INTERFACES._replace(fields=None)
MISTAKES: Final[Mapping[str, ErrorRow]] = {}
FIRST: Final[tuple[str, ...]] = ()
