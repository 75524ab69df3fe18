"""Which fields of a payment's answer are filled, for each way to pay, each status and each test card, in both dialects.

What was seen stands in `filled_fields.json`: what every payment fills, and what each kind of payment fills beside it. A
field that begins or ceases to be filled is seen there in review; `RECORD_FILLED_FIELDS=yes` writes the file anew.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mock_server.dialects import DIALECTS, get
from mock_server.domain.cards import CARDS
from mock_server.domain.methods import METHODS
from tests.api.paying import PAYER, pay
from tests.api.places import PLACES
from tests.wire import Reply, Wire, wire

RECORDED: Final = Path(__file__).with_name("filled_fields.json")


def payments(api: Wire) -> Iterator[tuple[str, Reply]]:
    """How it was paid, and the answer."""
    for method in METHODS:
        yield f"{method.category} {method.type}", pay(api, method)
    for status, reach in PLACES.items():
        yield f"brought to {status}", api.get(f"/payments/{reach(api)}")
    for card in CARDS:
        for capture in ("automatic", "manual"):
            yield f"{card.name}, {capture}", api.pay(card.name, capture_method=capture, **PAYER)


def filled(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all values that are not null."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from filled(item, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for item in value:
            yield from filled(item, f"{path}[]")
    elif value is not None:
        yield path


def seen(api: Wire) -> dict[str, Any]:
    """What every payment fills, and beside it what others fill, with the payments that do."""
    answers = ((how, reply["payment_id"]) for how, reply in payments(api) if reply.status == 200)
    found = {how: {*filled(api.get(f"/payments/{one}").json)} for how, one in answers}
    each = set.intersection(*found.values())
    groups = defaultdict(list)
    for how, fields in found.items():
        groups[tuple(sorted(fields - each))].append(how)
    return {
        "every": sorted(each),
        "beside": [{"payments": how, "fields": list(fields)} for fields, how in groups.items()],
    }


def test_the_same_fields_are_filled() -> None:
    found = {name: seen(wire(dialect=get(name))) for name in DIALECTS}
    if os.environ.get("RECORD_FILLED_FIELDS"):
        RECORDED.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(RECORDED.read_text())
