"""Every field of every answer, in both dialects: an assertion can say it and its value; its misspelling is refused.

The answers are real ones, of a call of each operation. `see` can name every path in them; assertions about records can
say every value in the answers of payments, refunds, disputes and customers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects import DIALECTS, get
from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.paging import Query
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, PAYMENTS, REFUNDS
from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.conditions.paths import HIDDEN
from mock_server.scenario.expectations import holds
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.store.protocol import RecordKind
from tests.clocks import ManualClock
from tests.counts import SOAK, times
from tests.openapi.agreeing import plain
from tests.routes.good import GOOD, as_client, caller
from tests.scenario.misspelling import KINDS, misspelled
from tests.wire import Wire, wire

OWN: Final = {"metadata", "browser_info"}
NUMBERS: Final = itertools.count(1)
EVERY: Final = tuple(BY_NAME.values())
SAMPLE: Final = EVERY if SOAK else tuple(Random("answers").sample(EVERY, 24))
"""In every run, some operations; under `make soak`, all."""


@pytest.fixture(scope="module", params=sorted(DIALECTS))
def server(request: pytest.FixtureRequest) -> Wire:
    return wire(clock=ManualClock(), dialect=get(request.param))


@pytest.fixture
def api(server: Wire) -> Wire:
    return server.as_key(f"snd_merchant_{next(NUMBERS):06}")


def paths(value: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The way to every value in an answer, except below the caller's own."""
    if way:
        yield way
    if not (way and way[-1] in OWN):
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, inner in pairs:
            yield from paths(inner, (*way, str(name)))


def wrong(way: tuple[str, ...], kind: str) -> str:
    """The path with its last name misspelled."""
    at = max(at for at, step in enumerate(way) if not step.isdecimal())
    return ".".join((*way[:at], misspelled(way[at], kind, Random(str(way))), *way[at + 1 :]))


def mistakes(row: Operation, keys: list[str], values: dict[str, Any] | None = None) -> int:
    """How many mistakes a story has that sees these fields, with any value or with these."""
    step = {
        "do": row.name,
        **({"of": "$made"} if "<" in row.path else {}),
        "see": {"http": 200, **(values or {key: {"exists": True} for key in keys})},
    }
    try:
        load_mapping({"story": [{"do": "payments.create", "as": "made"}, step]})
    except ScenarioErrors as found:
        return len(found.mistakes) + found.hidden
    return 0


def documents() -> tuple[dict[str, Any], ...]:
    return tuple(map(plain, sorted(DIALECTS)))


def is_open(row: Operation, way: tuple[str, ...]) -> bool:
    """Whether a document allows any name at the end of a way: there, no name is a mistake."""
    path = re.sub("<([a-z_]+)>", r"{\1}", row.path)
    shown = (one["paths"][path][row.method.lower()]["responses"]["200"]["content"] for one in documents())
    return any(
        _is_open(whole, content["application/json"], way)
        for whole, content in zip(documents(), shown, strict=True)
        if "application/json" in content
    )


def _is_open(whole: dict[str, Any], media: dict[str, Any], way: tuple[str, ...]) -> bool:
    found = [media["schema"]]
    for step in (*way[:-1], ""):
        flat = list(_flat(whole, found))
        if any(one.get("additionalProperties") or set(one) <= {"description", "x-source", "type"} for one in flat):
            return True
        items = [one["items"] for one in flat if "items" in one]
        found = items or [one["properties"][step] for one in flat if step in one.get("properties", {})]
    return False


def _flat(whole: dict[str, Any], schemas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The schemas that these lead to, apart from those of single values."""
    for one in schemas:
        named = one.get("$ref", "").rpartition("/")[2]
        inner = [whole["components"]["schemas"][named]] if named else one.get("anyOf", [])
        yield from _flat(whole, inner)
        kinds = one.get("type", [])
        if not inner and {"object", "array"} & ({kinds} if isinstance(kinds, str) else {*kinds}):
            yield one


@pytest.mark.parametrize("row", SAMPLE, ids=lambda row: row.name)
def test_a_story_can_see_every_field_and_no_misspelled_one(api: Wire, row: Operation) -> None:
    try:
        made = GOOD[row.name](api)
    except AssertionError:
        if api.sandbox.dialect.name == "interface":
            raise
        return  # the public API wants another body for what this call needs, or shows it in another form
    made = as_client(made, row) if row.wants_secret and KeyKind.SECRET not in row.keys else made
    reply = made.sent(caller(api, row), row)
    if reply.status != 200 or "json" not in reply.headers.get("Content-Type", "") or row.gives is None:
        return  # nothing in JSON that a story could see
    ways = [way for way in paths(reply.json) if any(not step.isdecimal() for step in way)]
    assert mistakes(row, [".".join(way) for way in ways]) == 0
    values = {".".join(way): at(reply.json, way) for way in ways}
    assert mistakes(row, [], {path: one for path, one in values.items() if not isinstance(one, dict | list)}) == 0
    closed = [way for way in ways if not way[-1].isdecimal() and not is_open(row, way)][:: times(2, soak=1)]
    for kind in KINDS if SOAK else KINDS[:1]:
        assert [path for path in {wrong(way, kind) for way in closed} if not mistakes(row, [path])] == []


KEPT_IN: Final[tuple[RecordKind[Any], ...]] = (PAYMENTS, REFUNDS, DISPUTES, CUSTOMERS)
OTHERS: Final = {"refunds", "disputes", "attempts", "captures", "standardised_code", "category", "card_type"}
"""Fields of a payment's answer that show other records, and those whose values are others in each dialect."""


def sorts(api: Wire) -> None:
    """Payments of several kinds, and a record of each other kind."""
    shown: dict[str, Any] = {
        "billing": {"address": {"city": "Berlin"}},
        "order_details": [{"product_name": "a", "quantity": 1, "amount": 6540}],
    }
    api.pay(**shown, metadata={"order": "1"}, customer_id="cus_1", email="a@example.com", description="A book")
    api.pay("insufficient_funds")
    api.pay("visa_3ds_required", return_url="https://shop.example/back")
    api.pay(capture_method="manual", request_incremental_authorization=True)
    for name in ("refunds.retrieve", "disputes.retrieve", "customers.retrieve"):
        GOOD[name](api)


@pytest.mark.parametrize(("subject", "kind"), [*zip(RECORDS, KEPT_IN, strict=True)], ids=RECORDS)
def test_an_assertion_can_say_every_value_of_an_answer(api: Wire, subject: str, kind: RecordKind[Any]) -> None:
    sorts(api)
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    with_records = api.sandbox.workspace(key).space
    said, unsaid = 0, []
    for record in with_records.transact(lambda tx: list(tx.scan(kind, Query()))):
        name, row = RECORDS[subject], BY_NAME[f"{subject}.retrieve"]
        answer = api.get(row.path.replace(f"<{name}>", getattr(record, name))).json
        for way in paths(answer):
            value = at(answer, way)
            if OTHERS & {*way} or way[0] in HIDDEN or value in (None, [], {}) or isinstance(value, dict | list):
                continue
            if subject == "disputes" and way == (
                "amount",
            ):  # text in answers; a number here, so that it can be compared
                value = int(value)
            path = ".".join(way)
            scenario = load_mapping({"expect": [{subject: {path: {"in": [value]}}}]}).scenario
            said += 1
            if not holds(scenario.expect[0].where, record):
                unsaid.append((path, value))
            if not OWN & {*way} and not is_open(row, way):
                with pytest.raises(ScenarioErrors):
                    load_mapping({"expect": [{subject: {wrong(way, KINDS[0]): {"exists": True}}}]})
    assert said >= 5
    assert unsaid == []


def at(answer: Any, way: tuple[str, ...]) -> Any:
    for step in way:
        answer = answer[int(step)] if isinstance(answer, list) else answer[step]
    return answer
