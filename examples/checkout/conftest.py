"""What the example needs in addition to `payment_sandbox`: a page, and the shop on it.

The plugin pytest-playwright brings the fixtures `browser` and `page`; without it, these start the Chromium that is
installed, once, and give each test a page without memory.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

SHOP = "http://shop.localhost"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = os.environ.get("BROWSER_UNDER_TEST") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context() as empty:
        yield empty.new_page()


@pytest.fixture
def shop(page: Page, payment_sandbox) -> Page:
    """The shop's page. Your own program serves yours, and creates the payment with the secret key."""
    order = {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop"}
    made = payment_sandbox.client.post("/payments", order).json()
    answer = {"publishableKey": payment_sandbox.publishable_key, "clientSecret": made["client_secret"]}
    html = Path(__file__).with_name("shop.html").read_text("utf-8")
    page.route(f"{SHOP}/**", lambda route: route.fulfill(body="<h1>Thank you</h1>", content_type="text/html"))
    page.route(f"{SHOP}/pay", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.route(f"{SHOP}/order", lambda route: route.fulfill(body=json.dumps(answer), content_type="application/json"))
    return page
