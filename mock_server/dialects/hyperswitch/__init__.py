"""The dialect of the public Hyperswitch API (v1): what its clients meet when only their address changes (facts).

Only what differs from the interface's dialect stands here. The project is not affiliated with that API's makers.
"""

from __future__ import annotations

from typing import Final

from msgspec import structs

from mock_server.dialects.hyperswitch.answers import LISTS, RECORD_FIELDS, RECORD_NAMES, SHAPES, TEXTS
from mock_server.dialects.hyperswitch.errors import ERROR_KEYS, ERRORS, FIRST, MISTAKES
from mock_server.dialects.hyperswitch.words import BODIES, READINGS, WORDS
from mock_server.dialects.interface import INTERFACE

HYPERSWITCH: Final = structs.replace(
    INTERFACE,
    name="hyperswitch",
    errors={**INTERFACE.errors, **{row.cause: row for row in ERRORS}},
    error_keys=ERROR_KEYS,
    words=WORDS,
    readings=READINGS,
    record_names=RECORD_NAMES,
    record_fields=RECORD_FIELDS,
    lists=LISTS,
    texts=TEXTS,
    shapes=SHAPES,
    authorizes=frozenset(("payments.create",)),
    mistakes=MISTAKES,
    first=FIRST,
    rules={"id_prefixes": {"api_key_record": "snd_"}},
    bodies={**INTERFACE.bodies, **BODIES},
)
