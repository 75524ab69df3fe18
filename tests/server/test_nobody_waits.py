"""Whatever one merchant has much of, and however many calls it makes at once, a call of another key is answered.

What a call waits for is the processor time that the server spends between its question and its answer, so that other
work of the machine does not count.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from collections.abc import Callable
from statistics import quantiles
from threading import Event, Thread
from typing import Any, Final, NamedTuple, Self

import pytest

from tests.counts import SOAK, times
from tests.running import RunningSandbox, until
from tests.wire import card_payment

MERCHANT: Final = "snd_merchant_with_much"
ANOTHER: Final = "snd_another_merchant"
MANY: Final = times(5_000, soak=10_000)  # as many rules as a scenario can have
WAITS_S: Final = 0.1
"""Of the server's processor time: at the 95th percentile of few calls, at the 99th of many."""
PINGS: Final = times(60, soak=400)
T: Final = {"startTime": "2020-01-01T00:00:00Z", "endTime": "2030-01-01T00:00:00Z"}
COUNTED: Final = [{"timeRange": T, "groupByNames": ["currency"], "metrics": ["payment_count"]}]
pytestmark = [
    pytest.mark.timeout(3600 if SOAK else 300),
    pytest.mark.skipif(sys.platform != "linux", reason="needs the processor time of another process"),
]


class Asker:
    """A client with a connection of its own."""

    def __init__(self, port: int, key: str) -> None:
        self._port, self._key = port, key
        self._line = http.client.HTTPConnection("127.0.0.1", port)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"api-key": self._key, "Content-Type": "application/json"}
        self._line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._line.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text[:1] in (b"{", b"[") else text

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()

    def done(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.ask(method, path, body)
        assert status == 200, answer
        return answer


class Much(NamedTuple):
    """What a merchant does first; then what it does again and again, on so many connections."""

    fill: Callable[[Asker], object]
    act: Callable[[Asker], object]
    lines: int = 2


def on(scenario: dict[str, Any]) -> Callable[[Asker], object]:
    """Uploads a scenario and turns it on."""

    def put(asker: Asker) -> None:
        asker.done("PUT", "/_sandbox/scenarios/much", {"version": 1, "name": "much", **scenario})
        asker.done("POST", "/_sandbox/scenarios/much/activate", {})

    return put


def rules(word: str) -> dict[str, Any]:
    then = {"decline": "lost_card"} if word == "charge" else {"delay": "1ms"}
    path = "body.amount" if word == "charge" else "query.limit"
    return {"rules": [{"on": word, "when": {path: {"gt": 10**6 + n}}, "then": then} for n in range(MANY)]}


def scenarios(asker: Asker) -> None:
    for number in range(MANY // 5):
        rule = {"on": "payments.list", "when": {"query.limit": "7"}, "then": {"delay": "1ms"}}
        asker.done("PUT", f"/_sandbox/scenarios/s{number}", {"version": 1, "name": f"s{number}", "rules": [rule]})
        asker.done("POST", f"/_sandbox/scenarios/s{number}/activate", {})


def attempts(asker: Asker) -> None:
    made = asker.done("POST", "/payments", card_payment("insufficient_funds"))
    profile = f"/account/{made['merchant_id']}/business_profile/pro_shop"
    asker.done("POST", profile, {"is_manual_retry_enabled": True})
    again = {name: card_payment("insufficient_funds")[name] for name in ("payment_method", "payment_method_data")}
    for _ in range(MANY // 2):
        asker.done("POST", f"/payments/{made['payment_id']}/confirm", again)


def connectors(asker: Asker) -> None:
    own = asker.done("POST", "/payments", card_payment())["merchant_id"]
    for number in range(MANY // 4):
        sent = {"connector_name": "stripe_test", "connector_label": f"c{number}", "profile_id": "pro_shop"}
        asker.done("POST", f"/account/{own}/connectors", sent)


def queued(asker: Asker) -> None:
    for _ in range(MANY // 2):
        asker.done("POST", "/_sandbox/next", {"on": "refunds.create", "then": {"decline": "refund_failed"}})


def newest(asker: Asker) -> object:
    payment = asker.done("GET", "/payments/list?limit=1")["data"][0]["payment_id"]
    return asker.done("GET", f"/payments/{payment}?expand_attempts=true")


def given(share: int = 1) -> dict[str, Any]:
    return {"given": {"payments": {"count": MANY * 5 // share, "over": "300d", "amount": [1, 10**6]}}}


def checked(asker: Asker) -> None:
    asker.done("POST", "/_sandbox/scenarios/much/check", {})
    asker.done("GET", "/payments/list?limit=1")


def once_more(asker: Asker) -> None:
    """Records are made in a new workspace, and meanwhile ordinary calls read there."""
    asker.done("POST", "/_sandbox/reset", {})
    on(given())(asker)


PAID: Final[dict[str, Any]] = {**card_payment(), "confirm": True}
SORTED: Final[dict[str, Any]] = {"amount_filter": {"start_amount": 1}, "order": {"on": "amount", "by": "asc"}}
LARGE: Final[dict[str, Any]] = {**card_payment(), "connector_metadata": {f"k{number}": "x" for number in range(20_000)}}
EXPECT: Final = {"expect": [{"payments": {"status": "succeeded"}, "at_least": 1}]}
ROWS: Final[dict[str, Much]] = {
    "rules": Much(on(rules("payments.list")), lambda asker: asker.done("GET", "/payments/list")),
    "rules of charges": Much(on(rules("charge")), lambda asker: asker.done("POST", "/payments", PAID)),
    "scenarios": Much(scenarios, lambda asker: asker.done("GET", "/payments/list")),
    "attempts": Much(attempts, newest),
    "connectors": Much(connectors, lambda asker: asker.done("POST", "/payments/filter", {})),
    "queue": Much(queued, lambda asker: asker.done("POST", "/payments/list", {})),
    "amounts": Much(on(given()), lambda asker: asker.done("POST", "/payments/list", SORTED)),
    "expectations": Much(on({**given(), **EXPECT}), checked),
    "given": Much(lambda asker: None, once_more, 1),
    "metrics": Much(on(given()), lambda asker: asker.done("POST", "/analytics/v1/metrics/payments", COUNTED), 32),
    "search": Much(on(given()), lambda asker: asker.done("GET", "/_sandbox/search?text=zzzz"), 32),
    "verdicts": Much(on(given()), lambda asker: asker.done("GET", "/_sandbox/verdicts"), 32),
    "texts": Much(lambda asker: None, lambda asker: asker.ask("POST", "/payments", LARGE), 32),
}
IN_CI: Final = ("rules",)
"""Where a step of the loop alone is long, which other work of the machine does not change."""


@pytest.mark.parametrize("name", ROWS if SOAK else IN_CI)
def test_a_call_of_another_key_is_answered(name: str) -> None:
    row = ROWS[name]
    with RunningSandbox("--rate-limit", "0") as sandbox, Asker(sandbox.ready["port"], ANOTHER) as other:
        port, clock = sandbox.ready["port"], (~sandbox.process.pid << 3) | 2
        with Asker(port, MERCHANT) as asker:
            row.fill(asker)
        stop, failures = Event(), list[BaseException]()

        def again(act: Callable[[Asker], object]) -> None:
            try:
                with Asker(port, MERCHANT) as asker:
                    while not stop.is_set():
                        act(asker)
            except BaseException as wrong:  # is told by the test's own thread
                failures.append(wrong)

        # Beside what takes long, the merchant makes calls that do not.
        acts = [row.act] * row.lines + [lambda asker: asker.ask("GET", "/payments/list?limit=1")]
        threads = [Thread(target=again, args=(act,)) for act in acts]
        other.done("GET", "/payments/list")
        for thread in threads:
            thread.start()

        def waits_s() -> float:
            """How long nearly every call waits, in processor time of the server."""
            waited = []
            for _ in range(PINGS):
                began = time.clock_gettime(clock)
                other.done("GET", "/payments/list")
                waited.append(time.clock_gettime(clock) - began)
                Event().wait(0.005)
            return quantiles(waited, n=100 if SOAK else 20)[-1]

        try:
            until(lambda: waits_s() <= WAITS_S)  # on a busy machine now and then two long steps
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    assert not failures
