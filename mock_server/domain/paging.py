"""What a list call can ask for: one page of one kind of record, newest first (interface §8.1, §8.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from msgspec import Struct, field

T = TypeVar("T")

DEFAULT_LIMIT = 10


class Query(Struct, frozen=True, kw_only=True):
    """A page of records: those where every filter holds one of its values, created within [gte, lte] (ms).

    `older_than` and `newer_than` are keys of records that stand before all of the page's, or behind them.
    `by_amount`: the largest first, or the smallest; those of one amount by their creation.
    """

    filters: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    created_gte: int | None = None
    created_lte: int | None = None
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    ascending: bool = False
    older_than: str | None = None
    newer_than: str | None = None
    by_amount: bool = False


class Page(Struct, Generic[T], frozen=True):
    """One page, with the count of everything that matched before limit and offset were applied."""

    items: tuple[T, ...]
    total: int
    offset: int

    @property
    def has_more(self) -> bool:
        """Whether items lie beyond this page (ours: offset + items < total)."""
        return self.offset + len(self.items) < self.total
