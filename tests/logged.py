"""What the program logs at debug while something is tested."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """All lines of all loggers, from now to the end of the block."""
    kept = io.StringIO()
    root, handler = logging.getLogger(), logging.StreamHandler(kept)
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield kept
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
