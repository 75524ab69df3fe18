"""Finding calls among many in order, again and again, without reading all of them each time."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, pairwise
from math import inf
from operator import attrgetter
from typing import Any, Final, TypeVar

from mock_server.verdict.calls import ClientCall, Json

K = TypeVar("K")
V = TypeVar("V")
Calls = Sequence[ClientCall]
BEGAN: Final = attrgetter("began_us")


def text(value: object) -> str:
    """A JSON value as text, by which it is found; whatever the order of an object's members. Too deep, it is alone."""
    try:
        return json.dumps(value, sort_keys=True, default=repr)
    except RecursionError:
        return str(id(value))


def once(make: Callable[[Any, K], V]) -> Callable[[Any, K], V]:
    """Makes a function of evidence and a key, such as a payment, that works out each result only once."""

    def known(evidence: Any, key: K) -> V:
        results: dict[object, V] = vars(evidence).setdefault("results", {})
        if (make, key) not in results:
            results[make, key] = make(evidence, key)
        return results[make, key]

    return known


def grouped(some: Iterable[V], key: Callable[[V], K]) -> Mapping[K, list[V]]:
    """Things by what they have alike, such as calls; an empty list for what none of them has."""
    found: dict[K, list[V]] = defaultdict(list)
    for one in some:
        found[key(one)].append(one)
    return found


def others(calls: Iterable[ClientCall], call: ClientCall) -> Iterator[ClientCall]:
    """Those that are neither a call nor its repetitions."""
    return (other for other in calls if other.same != call.same)


def front(calls: Calls) -> Calls:
    """The first, and the first of those that do not repeat it."""
    return [*calls[:1], *islice((call for call in calls if call.same != calls[0].same), 1)]


def during(calls: Calls, attempt: Json) -> slice:
    """Which calls were made during a delivery, as by a receiver that acts immediately."""
    ended_us = attempt["began_us"] + (attempt["took_ms"] + 1) * 1_000
    return slice(bisect_left(calls, attempt["began_us"], key=BEGAN), bisect_right(calls, ended_us, key=BEGAN))


def last_end(calls: Calls) -> Callable[[float], float]:
    """What finds when the last of those ended that began before an instant."""
    ended = list(accumulate((call.ended_us for call in calls), max, initial=-inf))
    return lambda until_us: ended[bisect_left(calls, until_us, key=BEGAN)]


def next_in(calls: Calls, call: ClientCall) -> ClientCall | None:
    """The first that began after a call."""
    place = bisect_right(calls, call.began_us, key=BEGAN)
    return calls[place] if place < len(calls) else None


def next_alike(
    calls: Iterable[ClientCall], alike: Callable[[ClientCall], object], unlike: Callable[[ClientCall], object]
) -> Callable[[ClientCall], ClientCall | None]:
    """What finds the first that began after a call, and is alike in one way, but not in another."""
    rows, following = dict[object, list[ClientCall]](), dict[ClientCall, ClientCall | None]()

    def found(call: ClientCall) -> ClientCall | None:
        if not rows:
            rows.update(grouped(calls, alike))
            for one, after in chain.from_iterable(reversed(list(pairwise(row))) for row in rows.values()):
                following[one] = after if unlike(after) != unlike(one) else following.get(after)
        first = next_in(rows.get(alike(call), ()), call)
        return following.get(first) if first and unlike(first) == unlike(call) else first

    return found
