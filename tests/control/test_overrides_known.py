"""A value of a test event whose name is misspelled is refused with the nearest name: it would be added, for nobody.

Every name in the object of every event is tried, in both dialects; in the caller's own objects any name is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

import pytest

from mock_server.dialects import get
from mock_server.domain.dispute import REASON_CODES
from mock_server.domain.events import EventClass, EventType
from tests.api.money_places import dispute, disputed, fine, paid, refund
from tests.api.saving import mandate
from tests.counts import times
from tests.scenario.misspelling import KINDS, misspelled
from tests.wire import Wire, wire

TRIGGER: Final = "/_sandbox/webhooks/trigger"
FREE: Final = ("metadata", "browser_info")
Way = tuple[str, ...]
Shop = tuple[Wire, Mapping[EventClass, str]]


@pytest.fixture(scope="module", params=["interface", "hyperswitch"])
def shop(request: pytest.FixtureRequest) -> Shop:
    """A client, and an object for each class of events."""
    api = wire(dialect=get(request.param))
    address = {"address": {"city": "Berlin", "first_name": "A"}, "email": "a@example.com"}
    payment = paid(
        api,
        billing=address,
        metadata={"order": "42"},
        order_details=[{"product_name": "x", "quantity": 1, "amount": 6540}],
    )
    return api, {
        EventClass.PAYMENTS: payment,
        EventClass.REFUNDS: str(fine(refund(api, payment, amount=100))["refund_id"]),
        EventClass.DISPUTES: disputed(api),
        EventClass.MANDATES: mandate(api),
    }


def shown(shop: Shop, event: EventType) -> Any:
    api, objects = shop
    told = fine(api.post(TRIGGER, {"type": event, "object_id": objects[event.about]}))
    return told["body"]["content"]["object"]


def names(value: Any, way: Way = ()) -> Iterator[Way]:
    """The way to each name in an object."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*way, key)
        yield from names(inner, (*way, key)) if key not in FREE else ()


def put(way: Way, value: object) -> dict[str, Any]:
    return {way[0]: put(way[1:], value) if way[1:] else value}


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {key: merged(one[key], other[key]) for key in one.keys() & other.keys()}
    return {**one, **other, **both}


@pytest.mark.parametrize("event", EventType)
def test_a_name_that_is_misspelled_once_is_refused(shop: Shop, event: EventType) -> None:
    api, objects = shop
    draw, known = Random(event), set(names(shown(shop, event)))
    words = {way[-1] for way in known}
    wrong: dict[str, Any] = {}
    slipped: set[str] = set()
    for way in draw.sample(sorted(known), min(len(known), times(4, soak=999))):
        for kind in KINDS:
            word = misspelled(way[-1], kind, draw)
            if word not in words:
                wrong = merged(wrong, put((*way[:-1], word), 1))
                slipped.add(".".join(("overrides", *way[:-1], word)))
    reply = api.post(TRIGGER, {"type": event, "object_id": objects[event.about], "overrides": wrong})
    assert reply.status in (400, 422), reply.json
    said = reply.headers["X-Sandbox-Because"] if "fields" not in reply.error else ""
    found = {one["field"]: one["message"] for one in reply.error.get("fields", ())}
    assert found.keys() == slipped or said
    for name in slipped:
        whole, _, word = name.replace("overrides", event.about.removesuffix("s"), 1).rpartition(".")
        assert f"{whole} has no field {word}" in found.get(name, said)


@pytest.mark.parametrize("event", EventType)
def test_every_name_that_is_there_is_taken_with_any_value(shop: Shop, event: EventType) -> None:
    api, objects = shop
    old = shown(shop, event)
    told = fine(api.post(TRIGGER, {"type": event, "object_id": objects[event.about], "overrides": old}))
    assert told["body"]["content"]["object"] == old
    odd: dict[str, Any] = dict.fromkeys(old, "odd")
    told = fine(api.post(TRIGGER, {"type": event, "object_id": objects[event.about], "overrides": odd}))
    assert told["body"]["content"]["object"] == odd


def test_the_callers_own_objects_take_any_name(shop: Shop) -> None:
    api, objects = shop
    own = {"metadata": {"ordre": {"of": [1]}}, "browser_info": {"langauge": "de"}}
    told = {"type": "payment_failed", "object_id": objects[EventClass.PAYMENTS], "overrides": own}
    assert fine(api.post(TRIGGER, told))["body"]["content"]["object"]["metadata"]["ordre"] == {"of": [1]}


@pytest.mark.parametrize("reason", REASON_CODES)
def test_of_a_reason_that_is_misspelled_once_the_nearest_is_said(shop: Shop, reason: str) -> None:
    """Any text is one, without a code; so it is taken, with a note."""
    api, objects = shop
    draw = Random(reason)
    for word in {misspelled(reason, kind, draw) for kind in KINDS}:
        reply = dispute(api, objects[EventClass.PAYMENTS], reason=word, amount=1)
        assert fine(reply)["connector_reason"] == word
        assert f"did you mean {reason} (" in reply.headers["X-Sandbox-Because"], word
