"""No cache of the process keeps what a client sent: caches have no limit in bytes, outlive a reset, and hide nothing.

Any text may be card data, also one that is refused: what no workspace may keep, no cache may keep either.
"""

from __future__ import annotations

import gc
import json
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import _lru_cache_wrapper, cache
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from mock_server.contract.operation import Operation
from mock_server.http import redaction
from tests.api.canaries import HEADERS
from tests.api.test_canaries import leaves, with_leaf
from tests.counts import SOAK, times
from tests.routes.good import GOOD, caller
from tests.routes.hostile import AS_TEXT, FAR, ROWS, control, places
from tests.wire import Wire, called, card_payment, wire

MARK: Final = "canary_4539578763621486_"
"""In every text that is sent, with its own number."""
LONG: Final = "x" * 20_000
LONGEST: Final = 4_096
"""How long a text may be that a cache keeps of what was accepted."""
FORMS: Final = ("{}", "https://shop.example/{}", "{}@mail.example", "payments.{}*", "body.metadata.{}", "failed:{}")
"""A text by itself, and in what a field may ask for, as only that is read further."""
NOTHING: Final[Mapping[str, str]] = {}
FIELDS: Final = times(3, soak=1_000)
ADDRESSES: Final = (
    "payments.create",
    "payments.confirm",
    "profiles.update",
    "analytics.report",
    "control.set_webhook_target",
)
"""Operations with fields that are read further than others."""
SOME: Final = [row for row in ROWS if row.name not in FAR and (row.name in GOOD or "<" not in row.path)]
TRIED: Final = SOME if SOAK else [row for at, row in enumerate(SOME) if row.name in ADDRESSES or at % 16 == 0]
SHIPPED: Final = sorted(Path("scenarios").glob("*.yaml"))[:: times(20, soak=1)]
HEADERS_TRIED: Final = (*HEADERS, "Host", "Origin", "X-Forwarded-Host", "X-Sandbox-Accepts", "Authorization", "Cookie")
pytestmark = pytest.mark.timeout(1800 if SOAK else 300)


def caches() -> list[Any]:
    """Every function with a cache, of any module."""
    return _caches_of(len(sys.modules))  # looked for again only once a module came


@cache
def _caches_of(_: int) -> list[Any]:
    every = [one for module in (*sys.modules.values(),) for one in tuple(vars(module).values())]
    inside = [one for kind in every if isinstance(kind, type) for one in tuple(vars(kind).values())]
    return list({id(one): one for one in (*every, *inside) if isinstance(one, _lru_cache_wrapper)}.values())


SEEN: Final[dict[int, int]] = {}
"""How often each cache was asked for something new before a test: one that was not since, keeps nothing new."""


def asked() -> list[Any]:
    """The caches that were asked for something new since the test began."""
    return [one for one in caches() if one.cache_info().misses != SEEN.get(id(one))]


def kept() -> Iterator[tuple[str, str]]:
    """Every text that a cache of the process came to keep, with the cache's name."""
    for one in asked():
        own = [part for part in gc.get_referents(one) if part is not one.__wrapped__ and part is not vars(one)]
        name = f"{one.__module__}.{one.__qualname__}"
        yield from ((name, text) for part in own for text in texts(part))
    yield from (("re", text) for text in texts(list(vars(re)["_cache"])))
    for name in ("_header_names", "_clean_values"):
        yield from ((name, text) for text in texts(getattr(redaction, name)))


def texts(value: object, depth: int = 8) -> Iterator[str]:
    """The texts in a value: in lists and objects, and in whatever has fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("latin-1")
    elif depth and not isinstance(value, type | Callable):  # a module's globals are not kept
        inside: Any = (*value, *value.values()) if isinstance(value, dict) else value
        if not isinstance(value, dict | list | tuple | set | frozenset):
            inside = [getattr(value, name, None) for name in getattr(value, "__struct_fields__", ())]
        for one in inside:
            yield from texts(one, depth - 1)


def found(most: int = 0) -> set[tuple[str, str]]:
    """The caches that keep a text that was sent, of those that are longer."""
    return {(name, text[:80]) for name, text in kept() if len(text) > most and MARK in _spelled(text)}


def _spelled(text: str) -> str:
    return text[:200].lower().replace("-", "_")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    """What one test finds, the next does not."""
    SEEN.update((id(one), one.cache_info().misses) for one in caches())
    yield
    for one in asked():
        if any(MARK in text for text in texts(gc.get_referents(one))):
            one.cache_clear()
    redaction._header_names.clear()


def sent(api: Wire, method: str, path: str, raw: bytes = b"", headers: Mapping[str, str] = NOTHING) -> int:
    """The status of a call, without a client that keeps addresses itself."""
    key = {"api-key": api.key} if api.key else {}
    return called(api.app, method, path, raw, {"Content-Type": "application/json", **key, **headers}).status


NUMBERS: Final = count()


def new(form: str, more: str) -> str:
    return form.format(f"{MARK}{next(NUMBERS)}{more}")


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire(webhook_hosts=("127.0.0.1",))


@pytest.mark.parametrize("row", TRIED, ids=lambda row: row.name)
def test_no_cache_keeps_what_an_operation_was_sent(api: Wire, row: Operation) -> None:
    """Each field, the query and the path, with short texts and with long ones."""
    chance = random.Random(row.name)
    api = api.as_key(f"snd_caches_{ROWS.index(row):06}")
    good = GOOD[row.name](api) if row.name in GOOD else control(api, row)
    bodies = list(places(row, good).items()) if row.reads_body(row.method) and good.form is None else []
    client = caller(api, row) if row.name in GOOD else api
    some = [*chance.sample(bodies, min(FIELDS, len(bodies))), *((at, body) for at, body in bodies if "url" in at)]
    for place, body in some:
        for form in FORMS if SOAK or "url" in place else FORMS[:1]:
            for more in ("", LONG):
                raw = body.replace(AS_TEXT, json.dumps(new(form, more))).encode()
                sent(client, row.method, good.path(row), raw, good.headers)
    path = good.path(row)
    sent(client, row.method, f"{path}{'&' if '?' in path else '?'}note={new('{}', '')}&{new('{}', '')}=1")
    if "<" in row.path:
        sent(client, row.method, re.sub("<[^>]*>", new("{}", ""), row.path))
    assert not found()


@pytest.mark.parametrize("name", HEADERS_TRIED)
def test_no_cache_keeps_a_header(api: Wire, name: str) -> None:
    for form in FORMS:
        sent(api, "POST", "/payments", json.dumps({**card_payment(), "confirm": True}).encode(), {name: new(form, "")})
    sent(api, "GET", "/payments/list", headers={new("X-{}", ""): "x"})
    assert not found()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_no_cache_keeps_long_texts_of_scenarios(api: Wire, file: Path) -> None:
    """The text of a scenario is its author's own; but of any length, and in any number, only the workspace keeps it."""
    scenario = yaml.safe_load(file.read_text())
    for path in leaves(scenario):
        for form in FORMS:
            upload(api, file.stem, with_leaf(scenario, path, new(form, LONG)))
        upload(api, file.stem, with_leaf(scenario, path[:-1], {new("body.{}", LONG): 1}) if path[1:] else {})
    rule = {"on": "payments.retrieve", "when": {new("body.{}", LONG): 1}, "per": new("header.{}", LONG)}
    upload(api, "own", {"rules": [{**rule, "then": {"respond": {"status": 500, "body": new("{}", LONG)}}}]})
    assert not found(LONGEST)


def upload(api: Wire, name: str, scenario: object) -> None:
    assert sent(api, "PUT", f"/_sandbox/scenarios/{name}", json.dumps(scenario).encode()) in (200, 400)


def test_no_cache_keeps_long_texts_of_the_queue(api: Wire) -> None:
    payment = api.post("/payments", card_payment())["payment_id"]
    for _ in range(3):
        then = {"respond": {"status": 500, "body": new("{}", LONG)}}
        assert api.post("/_sandbox/next", {"on": "payments.retrieve", "then": then}).status == 200
        assert sent(api, "GET", f"/payments/{payment}") == 500
    assert not found(LONGEST)
