"""What records and commands add to `msgspec.Struct`: fields that no text shows, and bytes that others keep too."""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

BESIDE = "kept beside the record"
"""Marks a record's field of bytes that others keep too, as `Annotated[bytes, BESIDE]`: they are shared, not copied."""


class Discreet(Struct, frozen=True):
    """A value that leaves the fields named in `HIDDEN` out of its `repr`, and so out of every log and error."""

    HIDDEN: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name not in self.HIDDEN)
        return f"{type(self).__name__}({', '.join(shown)})"


class Record(Discreet, frozen=True, array_like=True):
    """What the store keeps, and the parts of it: at rest it is the list of its fields, without their names.

    A class that stands as JSON somewhere else too, or holds others of its own, is a plain Struct.
    """
