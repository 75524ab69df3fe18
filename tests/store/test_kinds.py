"""Every kind of record can be kept: its types are there at run time, and names rest in no bytes without a reason."""

from __future__ import annotations

from typing import Any, Final, get_args, get_type_hints

import pytest
from msgspec import Struct

from mock_server.domain.commands import MandateInput, MultiUse
from mock_server.domain.outcomes import DisputePlan, Outcome, Settles
from mock_server.domain.records import Record
from mock_server.engine import kinds
from mock_server.store.protocol import RecordKind
from mock_server.store.records import codec_of

KINDS: Final = [one for one in vars(kinds).values() if isinstance(one, RecordKind)]
NAMES_TOO: Final = {DisputePlan, Outcome, Settles, MandateInput, MultiUse}
"""Parts that are JSON elsewhere, hold others of their own kind, or are part of a command as well."""


def parts(hint: Any) -> set[type[Struct]]:
    """The classes that a type holds, at any depth."""
    found = {hint} if isinstance(hint, type) and issubclass(hint, Struct) else set()
    for inner in get_args(hint):
        found |= parts(inner)
    for kind in found - NAMES_TOO:
        for name in kind.__struct_fields__:
            found = found | parts(get_type_hints(kind)[name])
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_a_codec_and_rests_without_names(kind: RecordKind[Any]) -> None:
    codec_of(kind.type)
    assert {part for part in parts(kind.type) if not issubclass(part, Record)} <= NAMES_TOO
