"""What the example needs in addition to `payment_sandbox`: a page, and a shop that serves it.

The plugin pytest-playwright brings the fixtures `browser` and `page`; without it, these start the Chromium that is
installed, once, and give each test a page without memory.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright


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


class Shop(BaseHTTPRequestHandler):
    """Its pages. Customers come back to any address but these."""

    pages: dict[str, str]

    def do_GET(self) -> None:
        body = self.pages.get(self.path, "<h1>Thank you</h1>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if self.path == "/order" else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


@pytest.fixture
def shop(payment_sandbox) -> Iterator[str]:
    """The shop's address. Your own program serves yours, and creates the payment with the secret key."""
    order = {"amount": 6540, "currency": "EUR", "profile_id": "pro_shop"}
    made = payment_sandbox.client.post("/payments", order).json()
    answer = {"publishableKey": payment_sandbox.publishable_key, "clientSecret": made["client_secret"]}
    Shop.pages = {"/pay": Path(__file__).with_name("shop.html").read_text("utf-8"), "/order": json.dumps(answer)}
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
