"""What records and commands add to `msgspec.Struct`: fields that no text shows, and bytes that are shared."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

BESIDE = "kept beside the record"
"""Marks a field of bytes that other records have too, as `Annotated[bytes, BESIDE]`: they are shared, not copied."""


class Discreet(Struct, frozen=True):
    """A value that leaves the fields named in `HIDDEN` out of its `repr`, and so out of every log and error."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name not in self.HIDDEN)
        return f"{type(self).__name__}({', '.join(shown)})"


class Record(Discreet, frozen=True, array_like=True):
    """A record of the store, or a part of one: it is stored as the list of its fields, without their names.

    A class that is also JSON elsewhere, or contains others of its kind, is a plain Struct.
    """
