"""The page at `/_sandbox/docs`: nothing of it comes from anywhere else, and a payment is two presses away."""

from __future__ import annotations

import gzip
import re
from typing import Final

import pytest

from mock_server.control import DASHBOARD
from mock_server.openapi.serving import FILES
from tests.browser.chromium import FLAGS, executable
from tests.counts import SOAK
from tests.running import RunningSandbox
from tests.wire import Wire, wire

PAGE: Final = "/_sandbox/docs"
UI: Final = "/_sandbox/ui"
UNTYPED: Final = "document validation errors"
"""Scalar wants a type beside a choice or where anything may stand, and shows them without one just as well."""
LED: Final = re.compile(r"""(?:src|href|data-url)="(?P<path>[^"]+)\"""")


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire(control_token="a-token").as_key(None)  # no key and no token is asked for


def test_the_page_loads_nothing_from_elsewhere(api: Wire) -> None:
    page = api.get(PAGE)
    assert (page.status, page.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"//" not in page.raw
    for path in LED.findall(page.raw.decode()):
        wanted = 403 if path == DASHBOARD else 200  # it asks for the token
        assert path.startswith("data:image/svg+xml;base64,") or api.get(path).status == wanted, path


def test_document_and_dashboard_lead_to_each_other() -> None:
    free = wire().as_key(None)
    assert DASHBOARD in LED.findall(free.get(PAGE).raw.decode())
    assert PAGE in LED.findall(free.get(DASHBOARD).raw.decode())


def test_the_browser_is_told_so(api: Wire) -> None:
    policy = dict(
        part.strip().partition(" ")[::2] for part in api.get(PAGE).headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert not [part for part in policy.values() if "http" in part or "*" in part or "eval" in part]


def test_the_script_comes_zipped_or_not(api: Wire) -> None:
    plain = api.get(f"{PAGE}/scalar.js")
    small = api.call("GET", f"{PAGE}/scalar.js", headers={"Accept-Encoding": "gzip, br"})
    assert small.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(small.raw) == plain.raw
    assert plain.headers["Content-Type"].startswith("text/javascript")


@pytest.mark.parametrize("name", ["LICENSE.txt", "scalar.js.gz", "page.html", "...", "nothing"])
def test_nothing_else_is_served(api: Wire, name: str) -> None:
    reply = api.get(f"{PAGE}/{name}")
    assert (reply.status == 404) is (name != "page.html")


def test_the_viewers_licence_names_the_version_that_is_shipped() -> None:
    banner = gzip.decompress((FILES / "scalar.js.gz").read_bytes())[:1000].decode()
    found = re.search(r"@scalar/api-reference (?P<version>[0-9.]+)", banner)
    assert found is not None
    licence = (FILES / "LICENSE.txt").read_text()
    assert f"@scalar/api-reference {found['version']} " in licence
    assert "MIT License" in licence


if SOAK and executable() is not None:

    def test_a_payment_is_two_presses_away() -> None:
        """In a real browser, which reads the document and sends its example."""
        from playwright.sync_api import sync_playwright

        elsewhere: list[str] = []
        refused: list[str] = []
        warned: list[str] = []
        with RunningSandbox() as sandbox, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            page = browser.new_page()
            page.set_default_timeout(120_000)
            page.on("request", lambda request: elsewhere.append(request.url))
            page.on("console", lambda told: refused.append(told.text) if told.type == "error" else None)
            page.on("console", lambda told: warned.append(told.text) if told.type == "warning" else None)
            page.goto(f"{sandbox.base}{PAGE}#tag/payments/POST/payments")
            page.get_by_role("button", name="Test Request").first.click()
            with page.expect_response(f"{sandbox.base}/payments") as answer:
                page.get_by_role("button", name="Send").first.click()
            assert answer.value.json()["status"] == "succeeded"
            browser.close()
        assert not [url for url in elsewhere if not url.startswith((sandbox.base, "data:", "blob:"))]
        assert not refused
        assert not warned or (len(warned) == 2 and warned[0].startswith(UNTYPED))  # and the list of them
