"""A value that one thread makes on first use, while others wait; after a failure the next use tries again.

From Python 3.12 on, two threads can make two values with `functools.cached_property`.
"""

from __future__ import annotations

from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    once = cached_property
else:

    class once(cached_property):  # noqa: N801 — used as a decorator, as property is
        """A property that is made once and then kept in the object's own dictionary."""

        def __init__(self, make):
            super().__init__(make)
            self._making = RLock()

        def __get__(self, owner, kind=None):
            with self._making:
                return super().__get__(owner, kind)
