"""A real browser before a served sandbox: one of each for a worker, a fresh window and a fresh world for a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.chromium import FLAGS, MISSING, executable
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.running import RunningSandbox


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", metavar="FOLDER", help="keep pictures of all pages in this folder")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium; it ends with this folder's tests, as its loop would be in the way of other tests' own."""
    program = executable()
    if program is None:
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="package")
def base() -> Iterator[str]:
    """The address of one served sandbox."""
    with RunningSandbox(variables={"PAYMENT_SANDBOX_RATE_LIMIT": "0"}) as sandbox:
        yield sandbox.base


@pytest.fixture
def merchant(base: str) -> Iterator[Merchant]:
    with Merchant(base) as made:
        yield made


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as made:
        yield made


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What customers share; one takes longer to make than most tests."""
    with browser.new_context() as made:
        yield made


@pytest.fixture
def customer(context: BrowserContext) -> Iterator[Customer]:
    """A customer with a window and no memory; at the end nothing has run that should not, and no page was broken."""
    context.clear_cookies()
    with context.new_page() as page:
        made = Customer(page)
        yield made
    assert made.alarms == []
