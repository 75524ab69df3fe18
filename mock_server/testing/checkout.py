"""A shop's checkout page in Playwright: its public addresses lead to the sandbox, and its form is filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page, Route

    from mock_server.testing.client import Cards

PUBLIC: Final = re.compile(r"https://\w+\.hyperswitch\.io/")
"""Where the public packages load the checkout script from, and what it calls."""
FORM: Final = "iframe[id^=orca-payment-element-iframeRef-]"


class CheckoutPage:
    """What Playwright's page shows of the form; made by `Sandbox.checkout(page)`.

    Scenarios of the workspace reach the script too (`checkout.script`): its address gets the publishable key.
    """

    def __init__(self, page: Page, url: str, key: str, cards: Cards) -> None:
        self._page, self._url, self._key, self._cards = page, url, key, cards
        page.route(PUBLIC, self._forward)

    def _forward(self, route: Route) -> None:
        asked = urlsplit(route.request.url)
        query = f"key={self._key}" if asked.path.endswith("/HyperLoader.js") else asked.query
        try:
            answer = route.fetch(url=f"{self._url}{asked.path}?{query}", max_redirects=0)
        except Exception:  # Playwright's own error for a broken connection; its name is not worth an import
            route.abort("connectionreset")
        else:
            route.fulfill(response=answer)

    @property
    def form(self) -> FrameLocator:
        """The form of the page's first element."""
        return self._page.frame_locator(FORM).first

    def fill_card(self, card: str = "visa_success", *, expiry: str = "12/34", cvc: str | None = None) -> None:
        """Types a card: one of the table by its name, or a number."""
        number = card if card.isdigit() else self._cards[card].number
        cvc = cvc or ("1234" if number.startswith(("34", "37")) else "123")
        for name, text in {"cardNoInput": number, "expiryInput": expiry, "cvvInput": cvc}.items():
            self.form.get_by_test_id(name).fill(text)
