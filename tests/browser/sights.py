"""Every page that there is, each shown to a customer: what accessibility, pictures and injections look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple

from playwright.sync_api import ViewportSize

from mock_server.pages.answers import SUBMIT
from tests.browser.catalogue import BY_NAME, ONE_OF_EACH
from tests.browser.customer import Customer
from tests.browser.merchant import Merchant, card, link
from tests.browser.shop import Shop

Fields = Mapping[str, Any]
CHALLENGE: Final = BY_NAME["challenge"]
WIDE: Final = '"DejaVu Sans", Verdana, sans-serif'
"""The widest letters that are common: where nothing else is installed, and not this font's condensed form either."""


class View(StrEnum):
    """How a page is looked at."""

    LIGHT = "light"
    DARK = "dark"
    PHONE = "phone"


def in_view(customer: Customer, view: View) -> None:
    """Changes the window and its colours."""
    customer.page.emulate_media(color_scheme="dark" if view is View.DARK else "light")
    customer.page.set_viewport_size(_PHONE if view is View.PHONE else _DESK)


_DESK: Final = ViewportSize(width=600, height=640)
_PHONE: Final = ViewportSize(width=360, height=740)


class Visit(NamedTuple):
    """Who looks at what: the fields are set on the payment that the page is shown for."""

    merchant: Merchant
    customer: Customer
    shop: Shop
    base: str
    fields: Fields

    def pay(self, body: Fields, **fields: Any) -> Any:
        return self.merchant.pay(body, **{"return_url": self.shop.back, **self.fields, **fields})

    def open(self, payment: Any) -> None:
        self.customer.open(link(payment, self.base))


class Sight(NamedTuple):
    """One page, and how a customer comes to see it. `of_payment`: it says what is paid, by whom and to whom."""

    name: str
    come: Callable[[Visit], None]
    of_payment: bool = True

    def show(self, merchant: Merchant, customer: Customer, shop: Shop, base: str, fields: Fields | None = None) -> None:
        """Brings the customer there. What the browser's console says of statuses like 410 is no alarm."""
        self.come(Visit(merchant, customer, shop, base, fields or {}))
        customer.alarms[:] = [alarm for alarm in customer.alarms if "the server responded with a status" not in alarm]


def _waiting(name: str, visit: Visit) -> None:
    visit.open(visit.pay(BY_NAME[name].body))


def _mistaken(visit: Visit) -> None:
    _waiting("one_time_code", visit)
    visit.customer.find("code").fill("000000")
    visit.customer.press("approved")
    visit.customer.find("mistake").wait_for()


def _more(visit: Visit) -> None:
    _waiting("challenge", visit)
    visit.customer.press("more")


def _self_ending(visit: Visit) -> None:
    """Its end is kept from coming, so that there is something to look at."""
    visit.customer.page.route("**/finish?*", lambda route: route.fulfill(status=204))
    visit.merchant.post("/_sandbox/next", {"on": "charge", "then": {"challenge": "approved"}})
    visit.open(visit.pay(card("visa_success")))


def _abandoned(visit: Visit) -> None:
    visit.merchant.post("/_sandbox/next", {"on": "charge", "then": {"challenge": "abandoned"}})
    visit.open(visit.pay(card("visa_success")))


def _returning(visit: Visit) -> None:
    """The form waits for its button: the shop cannot be reached."""
    made = visit.pay(CHALLENGE.body)
    visit.merchant.profile(made, redirect_to_merchant_with_http_post=True)
    visit.merchant.authenticate(made, "approved")
    visit.customer.page.route("**/payments/redirect/**", _without_script)
    visit.open(made)


def _without_script(route: Any) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace(f"<script>{SUBMIT}</script>", ""))


def _done(visit: Visit) -> None:
    made = visit.pay(CHALLENGE.body, return_url=None)
    visit.merchant.authenticate(made, "approved")
    visit.open(made)


def _over(visit: Visit) -> None:
    made = visit.pay(CHALLENGE.body)
    visit.merchant.post("/_sandbox/clock/advance", {"by": "11h"})
    visit.open(made)


def _refused(visit: Visit) -> None:
    visit.customer.open(f"{link(visit.pay(CHALLENGE.body), visit.base)}0")


SIGHTS: Final = (
    *(Sight(case.name, partial(_waiting, case.name)) for case in ONE_OF_EACH),
    Sight("more", _more),
    Sight("mistake", _mistaken),
    Sight("self_ending", _self_ending),
    Sight("abandoned", _abandoned),
    Sight("returning", _returning),
    Sight("done", _done),
    Sight("over", _over),
    Sight("refused", _refused, of_payment=False),
)
