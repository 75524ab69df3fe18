"""How quick the dashboard is in a large workspace: `python -m benchmarks.bench_dashboard [PAYMENTS]`.

A workspace of 100 000 payments and a full journal is served by a process of its own. Every page is asked for and
weighed, the list is painted by Chromium, and payments are made while it is open, until each is seen there.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Page, sync_playwright

from mock_server.domain.api_keys import ApiKey, KeyKind
from tests.browser.chromium import FLAGS, executable
from tests.dashboard.hostile import long_life
from tests.running import RunningSandbox
from tests.wire import card_payment

PAYMENTS: Final = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
KEY: Final = ApiKey(KeyKind.SECRET, "dashboard_benchmark")
CALLS: Final = 10_000
RUNS: Final = 20
HISTORY: Final = f"""
version: 1
name: history
given:
  payments:
    count: {PAYMENTS}
    over: 30d
    status: {{succeeded: 0.8, failed: 0.1, requires_capture: 0.05, pending: 0.05}}
"""
PAINTED: Final = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SEEN: Final = """id => new Promise(done => {
  const look = () => document.querySelector(`a[href$="${id}"]`) && done(Date.now());
  new MutationObserver(look).observe(document.querySelector('main'), {childList: true, subtree: true});
  look();
})"""


def main() -> None:
    variables = {"PAYMENT_SANDBOX_RATE_LIMIT": "0"}
    with (
        RunningSandbox(variables=variables) as sandbox,
        httpx.Client(base_url=sandbox.base, headers={"api-key": KEY.text}, trust_env=False, timeout=600) as client,
    ):
        fill(client)
        ui = f"/_sandbox/ui/w_{KEY.digest}"
        for what, path in pages(client):
            size, asked = len(client.get(f"{ui}/{path}").content), partial(served, client, f"{ui}/{path}")
            used, times = [used_ms(sandbox.process.pid)], []
            for _ in range(RUNS):
                times.append(timed(asked))
                used.append(used_ms(sandbox.process.pid))
            least = min(after - before for before, after in pairwise(used))
            say(f"{what}, {size / 1000:.1f} kB, {least:.1f} ms of processor time", times)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            page = browser.new_page(base_url=sandbox.base)
            say("first paint of the list", [painted(page, f"{ui}/payments") for _ in range(RUNS)])
            say("a payment made is seen", [seen(page, client) for _ in range(RUNS)])
            browser.close()


def fill(client: httpx.Client) -> None:
    client.put("/_sandbox/scenarios/history", content=HISTORY, headers={"content-type": "application/yaml"})
    took = timed(lambda: client.post("/_sandbox/scenarios/history/activate").raise_for_status())
    sys.stdout.write(f"{PAYMENTS} payments given in {took / 1000:.1f} s\n")
    for _ in range(CALLS):
        client.get("/payments/pay_nobody")
    sys.stdout.write(f"{CALLS} calls in the journal\n")


def pages(client: httpx.Client) -> Iterator[tuple[str, str]]:
    """Every page and the slower of its filters: of a payment that is older than the journal, too."""
    old = client.get("/payments/list?limit=1").json()["data"][0]["payment_id"]
    made, refunded = pay(client, "visa_3ds_required"), pay(client, "visa_success")
    client.post("/refunds", json={"payment_id": refunded, "amount": 100}).raise_for_status()
    call = client.get("/_sandbox/journal?limit=1").json()["data"][0]["number"]
    event = client.get("/_sandbox/webhooks?limit=1").json()["data"][0]["event_id"]
    yield "overview", "overview"
    yield from ((f"payments{query}", f"payments{query}") for query in ("", "?status=failed", "?customer_id=cus_nobody"))
    yield from (("an old payment", f"payments/{old}"), ("a new payment", f"payments/{made}"))
    lived = long_life(partial(called, client))
    yield from (("one with a long life", f"payments/{lived}"), ("its first change", f"payments/{lived}?step=1"))
    yield from (("a refunded one", f"payments/{refunded}"), ("its export", f"payments/{refunded}/export"))
    yield from ((name, name) for name in ("refunds", "disputes", "customers", "methods", "mandates", "new-payment"))
    yield from (("a call", f"journal/{call}"), ("its replay", f"journal/{call}/replay"))
    yield from ((f"journal?{one[:10]}", f"journal?{one}") for one in ("", f"payment_id={old}", "status=5xx"))
    yield from (("an event", f"webhooks/{event}"), ("two compared", f"compare?of={old}&of={made}"))
    yield from (
        (name, name) for name in ("webhooks", "verdict", "verdict?later=1", "clock", "scenarios", "scenarios/history")
    )
    yield from ((name, name) for name in ("new-scenario", "queue", "cards", "snapshots"))
    yield from (
        (f"find?q={text}", f"find?q={text}") for text in (old[:8], "req_0", "65.40", "DC_08", "ada@example.com")
    )


def called(client: httpx.Client, method: str, path: str, body: Any) -> Any:
    return client.request(method, path, json=body).raise_for_status().json()


def served(client: httpx.Client, path: str) -> None:
    client.get(path).raise_for_status()


def pay(client: httpx.Client, card: str) -> str:
    return str(client.post("/payments", json={**card_payment(card), "confirm": True}).json()["payment_id"])


def painted(page: Page, path: str) -> float:
    page.goto(path)
    while (at := page.evaluate(PAINTED)) is None:
        pass
    return float(at)


def seen(page: Page, client: httpx.Client) -> float:
    """From the API's answer to the row on the page, in ms."""
    made = pay(client, "visa_success")
    at = time.time() * 1000
    return max(0.0, float(page.evaluate(SEEN, made)) - at)


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def used_ms(pid: int) -> float:
    """The processor time of a process in ms; other work on the machine changes it less than the time by the clock."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def say(what: str, times: list[float]) -> None:
    sys.stdout.write(f"{what:62} median {statistics.median(times):7.1f} ms, longest {max(times):7.1f} ms\n")


if __name__ == "__main__":
    main()
