"""What a call wishes for itself: by its header, or by the metadata of what it is about."""

from __future__ import annotations

import json
from typing import Final

from mock_server.domain.commands import JsonText
from mock_server.engine.context import CallContext

OUTCOME_KEY: Final = "sandbox_outcome"


def of(words: CallContext, metadata: JsonText) -> tuple[str | None, str]:
    """The wish, and where it stands (ours: decisions, Ways to choose an outcome)."""
    if words.wanted is None and OUTCOME_KEY in metadata:
        wanted = json.loads(metadata).get(OUTCOME_KEY)
        return (wanted if isinstance(wanted, str) else None), f"metadata.{OUTCOME_KEY}"
    return words.wanted, words.wanted_by
