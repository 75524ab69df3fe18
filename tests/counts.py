"""How often what repeats is repeated: a few times in every run, more often under `make soak`."""

from __future__ import annotations

import os
from typing import Final

SOAK: Final = "PAYMENT_SANDBOX_SOAK" in os.environ


def times(few: int, *, soak: int) -> int:
    """The count for this run."""
    return soak if SOAK else few
