"""A page under a host name of its own that leads to this machine: it reads nothing, and puts nothing out of its place.

Over plain HTTP nothing tells such a name's pages from programs: a browser sends no `Sec-Fetch-…` there, and no `Origin`
with what it gets from the page's own origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import FLAGS, executable
from tests.browser.merchant import Merchant

EVIL: Final = "evil.example"
ASK: Final = """async ([url, options]) => {
  try { const answer = await fetch(url, options); return [answer.status, await answer.text()]; }
  catch (error) { return [0, String(error)]; }
}"""
READ: Final = (
    "/_sandbox", "/_sandbox/workspaces", "/_sandbox/version", "/_sandbox/metrics", "/_sandbox/snapshots",
    "/_sandbox/cards",
    "/_sandbox/ui", "/_sandbox/ui/live", "/_sandbox/docs", "/_sandbox/openapi.json", "/_sandbox/clock",
    "/_sandbox/journal", "/_sandbox/nowhere",
)  # fmt: skip


@pytest.fixture(scope="module")
def page(browser: Browser, base: str) -> Iterator[Page]:
    flags = [*FLAGS, f"--host-resolver-rules=MAP {EVIL} 127.0.0.1"]
    misled = browser.browser_type.launch(executable_path=executable(), args=flags)
    made = misled.new_page()
    made.goto(base.replace("127.0.0.1", EVIL) + "/_sandbox/livez")
    yield made
    misled.close()


def workspaces(base: str) -> int:
    return int(httpx.get(f"{base}/_sandbox/readyz", trust_env=False, timeout=None).json()["workspaces"])


def asked(page: Page, url: str, **options: Any) -> tuple[int, str]:
    status, text = page.evaluate(ASK, [url, options])
    return int(status), str(text)


def test_it_is_of_one_origin_with_the_server(page: Page) -> None:
    """So it may read whatever the server gives it; probes are all that is there."""
    assert page.evaluate("location.host").startswith(EVIL)
    assert asked(page, "/_sandbox/livez") == (200, '{"status":"ok"}')


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_it_reads_nothing_of_the_control_api(page: Page, merchant: Merchant, method: str) -> None:
    keys: tuple[dict[str, str], ...] = ({}, {"api-key": merchant.key.text})
    for path, headers in product(READ, keys):
        status, text = asked(page, path, method=method, headers=headers)
        if (method, path) == ("POST", "/_sandbox/ui/live"):  # the router looks first there, and tells nothing either
            assert status == 405
            continue
        assert status == 403, text
        assert "No access under the host name evil.example" in text.replace("&#39;", "'")


def test_it_changes_nothing(page: Page, merchant: Merchant) -> None:
    for path in ("/_sandbox/reset", "/_sandbox/clock/freeze", "/payments", "/payments/list", "/accounts"):
        status, _ = asked(page, path, method="POST", body="{}", headers={"api-key": merchant.key.text})
        assert status == 403


def test_a_page_of_another_site_makes_no_workspaces(page: Page, base: str) -> None:
    """From its own origin, a foreign one: preflights succeed, so the calls themselves must do nothing."""
    before = workspaces(base)
    for number in range(20):
        status, text = asked(page, f"{base}/payments/pay_{number}", headers={"api-key": f"pk_snd_guessed_{number}"})
        assert (status, "IR_01" in text) == (401, True)
        unread = asked(page, f"{base}/payments/pay_{number}", headers={"api-key": f"snd_guessed_{number}"})
        assert unread[0] == 0, unread
    assert workspaces(base) == before


def test_its_own_calls_make_no_workspaces(page: Page, base: str) -> None:
    """Of one origin with the server, so they say neither where they come from nor that a page makes them."""
    before = workspaces(base)
    for number, path in product(range(5), ("/payments/pay_1", "/payments/list", "/health", "/customers/cus_1")):
        status, text = asked(page, path, headers={"api-key": f"snd_guessed_{number}_{path[1:4]}"})
        assert (status, "IR_22" in text) == (403, True), text
    assert workspaces(base) == before
