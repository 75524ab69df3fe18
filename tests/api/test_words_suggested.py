"""A word of a list that is misspelt once is answered with the right one, also where the list is too long to be shown.

Each field that takes one of a list of words, in the body or query of every operation of both APIs.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.kinds.objects import Items, OneOrMany
from mock_server.contract.kinds.texts import Choice
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.api_keys import KeyKind
from tests.counts import times
from tests.routes.good import caller, merchant
from tests.scenario.misspelling import KINDS, misspelled
from tests.wire import Wire, wire

SHORTEST: Final = 5
"""One letter of a shorter word is too much of it to know what was meant."""


class Place(NamedTuple):
    """A field of a body or query that takes one of these words."""

    row: Operation
    is_query: bool
    is_list: bool
    name: str
    words: tuple[str, ...]


def places() -> Iterator[Place]:
    for row in (*OPERATIONS, *CONTROL_OPERATIONS):
        if row.keys and not row.keys & {KeyKind.SECRET, KeyKind.ADMIN}:
            continue  # without its client_secret no word is looked at
        for is_query, takes in enumerate(row.takes):
            shape: Any = takes and takes.of(INTERFACE)
            if is_query == row.reads_body(row.method) or not hasattr(shape, "schema") or row.multipart:
                continue
            for name, field in shape.schema.load_fields.items():
                inner = field.inner if isinstance(field, Items) else field
                if isinstance(inner, Choice):
                    words = tuple(word for word in inner.words if len(word) >= SHORTEST)
                    is_list = isinstance(field, Items) and not isinstance(field, OneOrMany)
                    yield Place(row, bool(is_query), is_list, name, words)


PLACES: Final = tuple(place for place in places() if place.words)


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def test_there_are_many() -> None:
    assert len(PLACES) > 150
    assert max(len(place.words) for place in PLACES) > 25


@pytest.mark.parametrize("place", PLACES[:: times(6, soak=1)], ids=lambda one: f"{one.row.name} {one.name}")
def test_the_right_word_is_in_the_message(api: Wire, place: Place) -> None:
    draw = Random(f"{place.row.name} {place.name}")
    path = PARTS.sub("pay_1", place.row.path.replace("<merchant_id>", merchant(api)))
    unsaid = []
    for word in draw.sample(place.words, min(len(place.words), times(1, soak=99))):
        for kind in KINDS[: times(1, soak=4)]:
            wrong = misspelled(word, kind)
            if wrong.replace("_", "") in {one.replace("_", "") for one in place.words}:
                continue
            body = {place.name: [wrong] if place.is_list else wrong}
            asked = (f"{path}?{urlencode(body)}",) if place.is_query else (path, body)
            reply = caller(api, place.row).call(place.row.method, *asked)
            said = [one["message"] for one in reply.error["fields"] if one["field"].startswith(place.name)]
            meant = (one for one in place.words if one == word or SequenceMatcher(None, wrong, one).ratio() > 0.8)
            if reply.status != 400 or not any(one in said[0] for one in meant):
                unsaid.append((word, wrong, said))
    assert not unsaid, (len(unsaid), unsaid[:3])
