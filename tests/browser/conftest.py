"""A real browser before a served sandbox: one of each for a worker, an emptied window and a fresh workspace for a
test.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from _pytest.runner import runtestprotocol
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

from tests.browser import axe
from tests.browser.chromium import FLAGS, MISSING, UNDRAWN, executable
from tests.browser.customer import WATCH, Customer
from tests.browser.merchant import Merchant
from tests.browser.network import Network
from tests.browser.shop import Shop
from tests.browser.till import Till
from tests.running import RunningSandbox

HERE: Final = Path(__file__).parent
ATTEMPTS: Final = 3
NETWORK: Final = Network()
CLIPBOARD: Final = ("clipboard-read", "clipboard-write")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", metavar="FOLDER", help="keep pictures of all pages in this folder")


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test that failed while the network changed, or just after, is run again, with nothing left of the first time:
    a container that starts here changes it, and Chromium then breaks off what it loads.
    """
    if HERE not in item.path.parents:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for left in reversed(range(ATTEMPTS)):
        before = NETWORK.changed()
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        failed = any(report.failed for report in reports)
        if not (failed and left and (NETWORK.changed() or before)):
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """It ends with this folder's tests, as its loop would be in the way of other tests' own."""
    expect.set_options(timeout=3_600_000)  # a test ends by the suite's own limit
    with sync_playwright() as started:
        yield started


@contextmanager
def chromium(playwright: Playwright, *more: str) -> Iterator[Browser]:
    program = executable()
    if program is None:
        pytest.skip(MISSING)
    started = playwright.chromium.launch(executable_path=program, args=[*FLAGS, *more])
    yield started
    started.close()


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One Chromium."""
    with chromium(playwright) as started:
        yield started


@pytest.fixture(scope="package")
def undrawn(playwright: Playwright, pytestconfig: pytest.Config) -> Iterator[Browser]:
    """One more, which draws only if pictures are kept: a page takes a quarter less time there, another width half."""
    with chromium(playwright, *(() if pytestconfig.getoption("--pictures", None) else UNDRAWN)) as started:
        yield started


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


@pytest.fixture
def till(shop: Shop, merchant: Merchant, onlooker: Customer, base: str) -> Till:
    """A customer at a shop's page that takes payments by the stand-in, for whom nothing is drawn."""
    return Till(shop, merchant, onlooker, base)


@pytest.fixture
def drawn(shop: Shop, merchant: Merchant, customer: Customer, base: str) -> Till:
    """The same, where it matters that something is drawn: a dialog that closes says so with the next frame only."""
    return Till(shop, merchant, customer, base)


def watched(browser: Browser, base: str, *permissions: str) -> Iterator[BrowserContext]:
    with browser.new_context(base_url=base, permissions=permissions) as made:
        made.add_init_script(WATCH)
        yield made


def opened(context: BrowserContext, *scripts: str) -> Iterator[Customer]:
    with context.new_page() as page:
        for script in scripts:
            page.add_init_script(script)
        yield Customer(page)


@pytest.fixture(scope="package")
def context(browser: Browser, base: str) -> Iterator[BrowserContext]:
    """What customers share; one takes longer to make than most tests."""
    yield from watched(browser, base, *CLIPBOARD)


@pytest.fixture(scope="module")
def window(context: BrowserContext) -> Iterator[Customer]:
    """A window costs as much as two pages. It ends with its module, and with the last window the process that shows
    pages: after some hundred pages that one takes twice as long for each.
    """
    yield from opened(context)


@pytest.fixture(scope="module")
def lens(context: BrowserContext) -> Iterator[Customer]:
    """A window with axe-core at hand on every page: sending it to a page takes longer than asking it."""
    yield from opened(context, axe.source())


@pytest.fixture(scope="package")
def undrawn_context(undrawn: Browser, base: str) -> Iterator[BrowserContext]:
    yield from watched(undrawn, base, *CLIPBOARD)


@pytest.fixture(scope="module")
def undrawn_window(undrawn_context: BrowserContext) -> Iterator[Customer]:
    yield from opened(undrawn_context)


@pytest.fixture(scope="module")
def undrawn_lens(undrawn_context: BrowserContext) -> Iterator[Customer]:
    yield from opened(undrawn_context, axe.source())


@pytest.fixture(scope="module")
def scriptless_window(browser: Browser, base: str) -> Iterator[Customer]:
    with browser.new_context(base_url=base, java_script_enabled=False) as made:
        yield Customer(made.new_page())


@pytest.fixture
def customer(window: Customer) -> Iterator[Customer]:
    """A customer at a window, without memory; at the end nothing has run that should not, and no page was broken."""
    with emptied(window):
        yield window


@pytest.fixture
def reader(lens: Customer) -> Iterator[Customer]:
    """A customer who looks closely, and changes the window and its colours."""
    with emptied(lens):
        yield lens


@pytest.fixture
def onlooker(undrawn_window: Customer) -> Iterator[Customer]:
    """A customer for whom nothing is drawn: presses and asks, and waits for no picture, as a locator's click does."""
    with emptied(undrawn_window):
        yield undrawn_window


@pytest.fixture
def examiner(undrawn_lens: Customer) -> Iterator[Customer]:
    """A reader for whom nothing is drawn."""
    with emptied(undrawn_lens):
        yield undrawn_lens


@pytest.fixture
def scriptless(scriptless_window: Customer) -> Iterator[Customer]:
    """A customer whose browser runs no script."""
    with emptied(scriptless_window):
        yield scriptless_window


@pytest.fixture
def hasty(browser: Browser, base: str) -> Iterator[Customer]:
    """A customer whose browser's time is the test's; apart from the others, as all windows of a context share it."""
    with browser.new_context(base_url=base) as alone:
        alone.add_init_script(WATCH)
        made = Customer(alone.new_page())
        made.page.clock.install()
        with emptied(made):
            yield made


@contextmanager
def emptied(window: Customer) -> Iterator[None]:
    """Nothing is left of the test before, nor of this one."""
    window.page.context.clear_cookies()
    try:
        yield
        window.leave()
        assert window.alarms == []
    finally:
        window.leave()
        window.alarms.clear()
