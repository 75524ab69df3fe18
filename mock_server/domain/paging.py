"""Queries of lists: one page of one kind of record, newest first (interface §8.1, §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field, structs

T = TypeVar("T")

DEFAULT_LIMIT = 10
Filters = Mapping[str, tuple[object, ...]]
"""The values of which one must match, by the names of indexes."""


class Query(Struct, frozen=True, kw_only=True):
    """A page of records that match one value of every filter, and were created within [gte, lte] (ms).

    `older_than` and `newer_than` are keys of records before or after all of the page's. `by_amount`: sorted by amount,
    and for one amount by creation.
    """

    filters: Filters = field(default_factory=dict)
    created_gte: int | None = None
    created_lte: int | None = None
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    ascending: bool = False
    older_than: str | None = None
    newer_than: str | None = None
    by_amount: bool = False

    def within(self, name: str, value: str) -> Query:
        """The same, of records with this value only; a filter of this name must match too."""
        own = tuple(one for one in self.filters.get(name, (value,)) if one == value)
        return structs.replace(self, filters={**self.filters, name: own})


class Page(Struct, Generic[T], frozen=True):
    """One page, with the count of everything that matched before limit and offset were applied."""

    items: tuple[T, ...]
    total: int
    offset: int

    @property
    def has_more(self) -> bool:
        """Whether there are items after this page (ours: offset + items < total)."""
        return self.offset + len(self.items) < self.total
