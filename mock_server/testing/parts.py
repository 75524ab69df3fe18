"""The attributes and parts of a workspace in tests: its address, keys, clients, and checkout pages in Playwright."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mock_server.randomness import Randomness
from mock_server.testing.client import Cards, Client
from mock_server.testing.control import ControlClient, Triggers, WorkspaceClock
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.scenarios import Scenarios
from mock_server.testing.servers import AnyServer
from mock_server.testing.webhooks import Webhooks

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page, Route

    from mock_server.verdict.evidence import Evidence

URL_VARIABLE: Final = "PAYMENT_SANDBOX_URL"
TOKEN_VARIABLE: Final = "PAYMENT_SANDBOX_CONTROL_TOKEN"
PUBLIC: Final = re.compile(r"https://\w+\.hyperswitch\.io/")
"""The addresses from which the public packages load the checkout script, and which it calls."""
FORM: Final = "iframe[id^=orca-payment-element-iframeRef-]"


class SandboxParts:
    """A workspace of a server, with what the program under test and a report need."""

    def __init__(
        self, server: AnyServer, api_key: str | None, seed: str | None, name: str | None, outcome: PaymentOutcome | None
    ) -> None:
        self._server = server
        self._draw = Randomness(None, "")
        self.api_key = f"snd_test_{self._draw.token('key', 0, 24)}" if api_key is None else api_key
        """The secret key."""
        self.seed = seed
        """The seed of its ids and secrets, if they are the same in every run."""
        self.name = name
        """Its name: a test's id, which its ids depend on too."""
        self.outcome = outcome
        """The outcome with which `payment_outcomes` runs the test."""
        self.url = server.url
        """The base URL of the API."""
        self.server_note = server.note
        """A note about the server, for a report."""
        self.publishable_key = f"pk_{self.api_key}"
        """The key for browsers."""
        self.control = ControlClient(server.http, self.api_key, server.token)
        """The control API with this workspace's key."""
        self.cards = Cards(self.control, server.cards)
        """The test cards by name."""
        self.client = Client(server.http, self.api_key, self.cards)
        """A plain client of the API."""
        self.clock = WorkspaceClock(self.control)
        """The workspace's clock."""
        self.journal = Journal(self.control)
        """The received calls."""
        self.webhooks = Webhooks(self.control, server, f"{self._draw.token('receiver', 0, 12).lower()}.localhost")
        """The events."""
        self.trigger = Triggers(self.control)
        """Actions of the customer, the bank and the fraud check."""
        self.scenarios = Scenarios(self.control, self.webhooks)
        """The workspace's scenarios."""

    @property
    def env(self) -> dict[str, str]:
        """URL and keys as environment variables, for a program in another process."""
        return {
            URL_VARIABLE: self.url,
            "PAYMENT_SANDBOX_API_KEY": self.api_key,
            "PAYMENT_SANDBOX_PUBLISHABLE_KEY": self.publishable_key,
        }

    @property
    def webhook_secret(self) -> str:
        """The secret that signs the events of profiles without their own."""
        return str(self.control.get("/webhooks/target")["secret"])

    def evidence(self) -> Evidence:
        """Everything that this workspace recorded of its client, for a verdict."""
        return self._server.evidence(self.api_key)

    def checkout(self, page: Page) -> CheckoutPage:
        """Redirects the public checkout script in a page of Playwright to this workspace."""
        return CheckoutPage(page, self.url, self.publishable_key, self.cards)


class CheckoutPage:
    """The checkout form in a page of Playwright; made by `Sandbox.checkout(page)`.

    The script's address gets the publishable key, so scenarios of the workspace apply to it too (`checkout.script`).
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
        number = card if card.isascii() and card.isdigit() else self._cards[card].number
        cvc = cvc or ("1234" if number.startswith(("34", "37")) else "123")
        for name, text in {"cardNoInput": number, "expiryInput": expiry, "cvvInput": cvc}.items():
            self.form.get_by_test_id(name).fill(text)


def shared_by(nodeid: str) -> str:
    """Which tests share the workspace of a class, a module, a package or the run."""
    return f"shared by the tests of {nodeid or 'this run'}"
