"""Dialects: the words that go over the wire, one module each; the engine never says them (ours)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE

DIALECTS: Final = {dialect.name: dialect for dialect in (INTERFACE, HYPERSWITCH)}


def get(name: str) -> Dialect:
    """Give the dialect of this name; KeyError names those there are."""
    try:
        return DIALECTS[name]
    except KeyError:
        raise KeyError(f"no dialect {name!r}; there are: {', '.join(sorted(DIALECTS))}") from None
