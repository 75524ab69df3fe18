"""What can differ in a body by dialect.

A row of a body has the interface's rules. A dialect names only what differs, by the operation and the field's path.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct, field, structs


class Unknown(StrEnum):
    """How unknown keys are treated."""

    REFUSED = "refused"
    REFUSED_AT_THE_TOP = "refused_at_the_top"
    """Those of nested objects are ignored."""
    PASSED_OVER = "passed_over"


class BodyRules(Struct, frozen=True, kw_only=True):
    """What differs in one operation's body (or query). Fields by their path: `amount`, `payment_method_data.card`.

    `required` and `optional` replace what the rows say; `parsed` are required too, and refused as those of the rows.
    `refused` are unknown in this dialect, `defaults` replace fields of the top level that are absent or null. `loose`:
    texts are checked by the loose form of their rule, if any.
    `words` are lists by the name that a `Choice` has for its own, in the order in which an error lists them.
    """

    required: frozenset[str] = frozenset()
    parsed: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    defaults: Mapping[str, object] = field(default_factory=dict)
    unknown: Unknown = Unknown.REFUSED
    loose: bool = False
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def inside(self, name: str) -> BodyRules:
        """What differs in the object under a field."""
        start = f"{name}."
        required, optional, refused = (
            frozenset(path.removeprefix(start) for path in paths if path.startswith(start))
            for paths in (self.required, self.optional, self.refused)
        )
        unknown = Unknown.REFUSED if self.unknown is Unknown.REFUSED else Unknown.PASSED_OVER
        return structs.replace(
            self,
            parsed=frozenset(),
            required=required,
            optional=optional,
            refused=refused,
            unknown=unknown,
            defaults={},
        )


AS_WRITTEN: Final = BodyRules()
"""Nothing differs."""
