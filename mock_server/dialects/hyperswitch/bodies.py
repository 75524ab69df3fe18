"""What operations take where it differs, and the rules that the engine works by (facts §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.bodies import BodyRules

BODIES: Final[Mapping[str, BodyRules]] = {}
RULES: Final[Mapping[str, object]] = {}
