"""Rules about manners at their limits: the same calls, one fewer, a little slower, with another header."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from mock_server.domain.instants import iso
from mock_server.verdict import manners, money
from mock_server.verdict.calls import CUT, as_object
from mock_server.verdict.evidence import Evidence, Finding
from tests.counts import times

SECOND: Final = 1_000_000
Rule = Callable[[Evidence], Iterator[Finding | str | None]]


def line(at_us: float = 0, **fields: Any) -> dict[str, Any]:
    """A call of a client, as its journal has it."""
    usual = {
        "number": 1,
        "at": iso(0),
        "began_us": at_us,
        "took_ms": 0,
        "operation": "payments.retrieve",
        "path": "/payments/pay_1",
        "query": "",
        "status": 200,
        "cause": None,
        "fault": None,
        "key": "snd_…6789",
        "payment_id": "pay_1",
        "payment_status": "pending",
        "replayed": False,
        "headers": {"user-agent": "shop/1"},
        "request": None,
        "response": {},
    }
    return {**usual, **fields}


def row(count: int, pause_us: float, **fields: Any) -> list[dict[str, Any]]:
    return [line(number * pause_us, number=number + 1, **fields) for number in range(count)]


def growing(count: int, **fields: Any) -> list[dict[str, Any]]:
    starts = itertools.accumulate((SECOND * 2**number for number in range(count - 1)), initial=0)
    return [line(at, number=number, **fields) for number, at in enumerate(starts, start=1)]


def found(rule: Rule, lines: list[dict[str, Any]], events: Any = None) -> list[Any]:
    """The findings with what they are about, None for each occasion without a mistake, and why it is not visible."""
    occasions = rule(Evidence(lines, events))
    return [(one.what, (*one.calls, *one.events)) if isinstance(one, Finding) else one for one in occasions]


def waits(after_us: float, *more: dict[str, Any]) -> list[dict[str, Any]]:
    """A call that is told to wait 10 s, and its repetition."""
    return [line(0, status=429, retry_after="10"), line(after_us, number=2), *more]


LOST: Final = {"operation": "payments.create", "path": "/payments", "status": 503}
FAST: Final = "pay_1 was retrieved {} times, less than a second apart"
STEADY: Final = "pay_1 was retrieved {} times, always at the same interval"
ENDED: Final = "pay_1 was retrieved {} times although it was already succeeded"
AGAIN: Final = "payments.retrieve was repeated before the 10 s of Retry-After had passed"
OTHERS: Final = "others were made before Retry-After had passed; what they repeat is not visible"
ENDLESS: Final = "payments.create was repeated 9 times after 5xx, without growing pauses"
WIRES: Final = "shop/1 opened {} connections for {} calls"
SECRET: Final = "payments.retrieve was called from a web page with a secret key"
PAGE: Final = "refunds.list returned the first 10 of 11, and no other page was requested"
ORIGIN: Final = {"origin": "https://shop.example"}


def wired(count: int, connections: int) -> list[dict[str, Any]]:
    return [line(number, number=number + 1, connection=min(number, connections - 1)) for number in range(count)]


def made(count: int, **asked: Any) -> list[dict[str, Any]]:
    creates = [line(number, operation="refunds.create", number=number) for number in range(count)]
    return [*creates, line(100, operation="refunds.list", number=99, **asked)]


CASES: Final[list[tuple[Rule, list[dict[str, Any]], list[Any]]]] = [
    (manners.retried_too_soon, waits(9.4 * SECOND), [(AGAIN, (1, 2))]),
    (manners.retried_too_soon, waits(9.5 * SECOND), [None]),
    (manners.retried_too_soon, waits(5 * SECOND, line(-1, took_ms=20, number=3)), [OTHERS]),
    (manners.retried_too_soon, [line(0, retry_after="10")], [None]),
    (
        manners.retried_too_soon,
        [line(0, retry_after="10"), line(9.4 * SECOND, path="/a", retry_after="1")],
        [OTHERS, None],
    ),
    (
        manners.retried_too_soon,
        [line(0, retry_after="10"), line(9.5 * SECOND, path="/a", retry_after="1")],
        [None, None],
    ),
    (manners.retried_too_soon, [line(0, retry_after="10"), line(1, query="limit=1")], [OTHERS]),
    (manners.retried_too_soon, [line(0, retry_after="soon"), line(1)], []),
    (manners.retried_too_soon, [line(0, retry_after="10"), line(1, path="/payments/pay_2")], [None]),
    (manners.retried_too_soon, [line(0, retry_after="10"), line(1, request={"a": 1})], [OTHERS]),
    (manners.retried_too_soon, [line(0, retry_after="10"), line(1, at=iso(9_500))], [None]),
    (manners.retried_too_soon, [line(0, retry_after="10"), line(1, at=iso(9_499))], [(AGAIN, (1, 1))]),
    (manners.retried_without_end, row(10, SECOND, **LOST), [None, (ENDLESS, (1, 10))]),
    (manners.retried_without_end, row(9, SECOND, **LOST), [None]),
    (manners.retried_without_end, row(11, SECOND, **LOST), [None, (ENDLESS, (1, 10))]),
    (manners.retried_without_end, row(1, SECOND, **LOST), []),
    (manners.retried_without_end, growing(10, **LOST), [None, None]),
    (manners.retried_without_end, [*row(9, 1, **LOST), line(20, request={"a": 1}, **LOST)], [None]),
    (manners.retried_without_end, [*row(9, 1, **LOST), line(20, **{**LOST, "status": 499}), line(21, **LOST)], [None]),
    (manners.polled_too_fast, row(5, SECOND - 1), [(FAST.format(5), (1, 5))]),
    (manners.polled_too_fast, row(5, SECOND), [None]),
    (manners.polled_too_fast, row(4, 1), []),
    (manners.polled_too_fast, row(5, 1, payment_status="succeeded"), [None]),
    (manners.polled_too_fast, row(5, 1, cause="rate_limited", status=429), []),
    (
        manners.polled_too_fast,
        [*row(3, 1), line(3, operation="payments.confirm"), *(line(10 + number) for number in range(4))],
        [],
    ),
    (manners.polled_steadily, row(6, SECOND), [(STEADY.format(6), (1, 6))]),
    (manners.polled_steadily, row(5, SECOND), []),
    (manners.polled_steadily, row(6, SECOND - 1), []),
    (manners.polled_steadily, growing(6), [None]),
    (manners.polled_past_end, row(5, 1, payment_status="succeeded"), [(ENDED.format(5), (1, 5))]),
    (manners.polled_past_end, row(4, 1, payment_status="succeeded"), [None]),
    (manners.polled_past_end, row(5, 1), []),
    (manners.connection_for_each, wired(20, 18), [(WIRES.format(18, 20), (1, 20))]),
    (manners.connection_for_each, wired(20, 17), [None]),
    (manners.connection_for_each, wired(19, 19), []),
    (manners.first_page_only, made(10), []),
    (
        manners.first_page_only,
        made(11),
        [(PAGE, (99,))],
    ),
    (manners.first_page_only, made(11, query="limit=20"), []),
    (manners.first_page_only, made(11, query="limit=100"), []),
    (manners.first_page_only, made(11, query="profile_id=p"), []),
    (manners.first_page_only, [*made(11), line(101, operation="refunds.list")], [None, (PAGE, (1,))]),
    (manners.secret_key_in_browser, [line(headers=ORIGIN)], [(SECRET, (1,))]),
    (manners.secret_key_in_browser, [line(headers={**ORIGIN, "via": "1.1 proxy"})], [None]),
    (manners.secret_key_in_browser, [line()], [None]),
    (manners.secret_key_in_browser, [line(headers=ORIGIN, key="pk_snd_…6789")], []),
]


@pytest.mark.parametrize(("rule", "lines", "said"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_a_rule_finds_what_is_beyond_its_limit(rule: Rule, lines: list[dict[str, Any]], said: list[Any]) -> None:
    assert found(rule, lines) == said


@pytest.mark.parametrize("status", [200, 204, 399, 400, 404, 408, 425, 429, 499, 500, None])
@pytest.mark.parametrize("fate", [None, "given up"])
def test_a_receivers_refusal_is_final_unless_a_retry_may_help(status: int | None, fate: str | None) -> None:
    attempt = {"status": status, "error": None if status else "connection refused", "took_ms": 1, "because": None}
    event = {"event_type": "payment_failed", "number": 7, "fate": fate, "deliveries": [attempt]}
    seen = found(manners.webhook_refused, [], lambda sent: [event])
    if status is None:
        assert seen == []
    elif 200 <= status < 300:
        assert seen == [None]
    elif fate or (400 <= status < 500 and status not in (408, 425, 429)):
        said = f"payment_failed was never accepted after 1 attempt; the receiver: answered {status}"
        assert seen == [(said, (7,))]
    else:
        assert seen == []


@pytest.mark.parametrize(("took_ms", "late"), [(4_999, False), (5_000, True), (9_000, True)])
def test_a_receiver_has_five_seconds(took_ms: int, late: bool) -> None:
    attempt = {"status": 200, "error": None, "took_ms": took_ms, "because": None}
    event = {"event_type": "payment_failed", "number": 7, "fate": None, "deliveries": [attempt]}
    seen = found(manners.webhook_late, [], lambda sent: [event])
    assert seen == [(f"payment_failed was not answered in time: {took_ms} ms", (7,)) if late else None]


MOVES: Final[dict[str, dict[str, Any]]] = {
    "capture": {"operation": "payments.capture", "path": "/payments/pay_1/capture", "payment_status": "succeeded"},
    "refund": {"operation": "refunds.create", "path": "/refunds", "response": {"payment_id": "pay_1"}},
}
GENUINE: Final = {"status": 200, "error": None, "took_ms": 100, "because": None}


@pytest.mark.parametrize("acts", [*itertools.product((None, *MOVES), repeat=times(3, soak=6))], ids=str)
def test_a_duplicate_is_acted_on_wherever_two_deliveries_lead_to_the_same_call(acts: tuple[str | None, ...]) -> None:
    """Whatever the deliveries between them led to."""
    lines = [
        line((10 * at + 0.01) * SECOND, number=at, took_place=True, **MOVES[act]) for at, act in enumerate(acts) if act
    ]
    sent = [{**GENUINE, "began_us": 10 * at * SECOND} for at in range(len(acts))]
    event = {"event_type": "payment_succeeded", "number": 7, "fate": None, "payment_id": "pay_1", "deliveries": sent}
    (said,) = found(money.webhook_acted_twice, lines, lambda sent: [event])
    pairs = [(acts.index(act), at) for at, act in enumerate(acts) if act and act in acts[:at]]
    what = f"payment_succeeded was delivered {len(acts)} times, and each delivery led to the same call"
    if pairs:
        assert said == (what, (*pairs[0], 7))
    else:
        assert said is None if any(acts) else "no delivery of a duplicate led to a call" in said


FIELDS: Final = {"a": 12, "b": {"c": [1, "}"]}, "d": 'x"y,z', "e": None, "f": -1.5, "g": [], "h": True, "i": "", "j": 0}
BODY: Final = json.dumps(FIELDS, separators=(",", ":"))


@pytest.mark.parametrize("until", range(len(BODY) + 1))
def test_of_a_body_that_was_cut_anywhere_the_whole_fields_are_read(until: int) -> None:
    ends = itertools.accumulate(len(json.dumps({name: one}, separators=(",", ":"))) - 1 for name, one in FIELDS.items())
    whole = min(sum(end < until for end in ends), len(FIELDS) - 1)
    beginning = f"{BODY[:until]}[cut, {len(BODY) - until} bytes]"
    assert as_object(beginning) == {CUT: beginning, **dict(itertools.islice(FIELDS.items(), whole))}
