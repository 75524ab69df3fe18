"""What answers look like where they differ: names, fields that are left out or added, lists (facts §2, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.answers.fields import Field
from mock_server.contract.dialect import ListKeys

RECORD_NAMES: Final[Mapping[str, Mapping[str, str]]] = {}
RECORD_FIELDS: Final[Mapping[str, Mapping[str, Field | None]]] = {}
LISTS: Final[Mapping[str, ListKeys]] = {}
TEXTS: Final = {"health.check": "health is good"}
