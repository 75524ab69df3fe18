"""A value that one thread makes on first use, while others wait; after a failure the next use tries again.

From Python 3.12 on, two threads can make two values with `functools.cached_property`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 — used as a decorator, as property is
    """A property that is made once and then kept in the object's own dictionary."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self._lock = RLock()
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> once[T]: ...
    @overload
    def __get__(self, owner: object, kind: type[Any] | None = None) -> T: ...
    def __get__(self, owner: object | None, kind: type[Any] | None = None) -> once[T] | T:
        if owner is None:
            return self
        values = vars(owner)
        with self._lock:
            if self._name not in values:
                values[self._name] = self._make(owner)
        made: T = values[self._name]
        return made
