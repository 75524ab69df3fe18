"""The pictures of the dashboard that the docs show: `make pictures` takes them anew, of one shop's week."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import expect

from mock_server.domain.cards import by_name
from tests.browser.customer import Customer
from tests.browser.desk import HOME, NOWHERE, pay, place
from tests.browser.merchant import Merchant
from tests.wire import card_data


class Picture(NamedTuple):
    """A picture: what it is called, the page, the window and its theme, and what is opened before."""

    name: str
    page: str
    width: int = 1280
    height: int = 800
    scheme: str = "light"
    opens: str = ""


PICTURES: Final = (
    Picture("overview-light", "overview", height=840),
    Picture("payments-light", "payments"),
    Picture("payment-light", "payments/{payment}?step=5"),
    Picture("payment-dark", "payments/{payment}?step=5", scheme="dark"),
    Picture("call-light", "payments/{payment}?step=5", opens=".opened > summary"),
    Picture("payment-phone", "payments/{payment}?step=5", 390, 844),
)
DAY: Final = ("visa_success",) * 4 + ("visa_insufficient_funds", "mastercard_success", "visa_expired_card")
NAMES: Final = ("Ada Lovelace", "Grace Hopper", "José Ñandú")


@pytest.fixture(scope="module")
def week(base: str) -> Iterator[tuple[str, str]]:
    """A workspace's place after a week, and its payment with most to tell."""
    with Merchant(base) as shop:
        shop.call("GET", "/payments/list", headers={"X-Sandbox-Label": "Checkout team"})
        for day in range(5):
            shop.call("PUT", "/_sandbox/webhooks/target", json={"url": NOWHERE if day == 3 else None})
            for number, card in enumerate(DAY):
                pay(shop, card, amount=1999 + 517 * (day + number), currency="EUR", name=NAMES[number % 3])
                shop.post("/_sandbox/clock/advance", {"by": "53m"})
            shop.post("/_sandbox/clock/advance", {"by": "17h"})
        yield place(shop), retried(shop)


def retried(shop: Merchant) -> str:
    """Fails a challenge, is confirmed again, captured in part, refunded in part and disputed."""
    order = {"merchant_order_reference_id": "order-2001", "capture_method": "manual", "amount": 6540}
    made = pay(shop, "visa_3ds_required", **order)
    id, profile = made["payment_id"], f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    shop.post(profile, {"is_manual_retry_enabled": True})
    card = {"payment_method": "card", "payment_method_type": "credit"}
    row = by_name("visa_3ds_required")
    again = {**card, "payment_method_data": {"card": card_data(row.number if row else "")}}
    for by, path, body in (
        ("40s", f"/_sandbox/payments/{id}/authenticate", {"result": "declined"}),
        ("2m", f"/payments/{id}/confirm", again),
        ("25s", f"/_sandbox/payments/{id}/authenticate", {"result": "approved"}),
        ("3h", f"/payments/{id}/capture", {"amount_to_capture": 6000}),
        ("24h", "/refunds", {"payment_id": id, "amount": 1500, "reason": "One item was broken"}),
        ("1m", f"/_sandbox/payments/{id}/dispute", {"amount": 2000}),
    ):
        shop.post("/_sandbox/clock/advance", {"by": by})
        shop.post(path, body)
    return str(id)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_a_whole_page(
    pytestconfig: pytest.Config, customer: Customer, base: str, week: tuple[str, str], picture: Picture
) -> None:
    where, payment = week
    page = customer.page
    page.emulate_media(color_scheme="dark" if picture.scheme == "dark" else "light")
    page.set_viewport_size({"width": picture.width, "height": picture.height})
    assert customer.open(f"{base}{HOME}/{where}/{picture.page.format(payment=payment)}") == 200
    page.locator(".live").wait_for()
    for late in customer.find("later").all():
        expect(late).not_to_have_text("not counted yet")
    if picture.opens:
        page.locator(picture.opens).first.click()
        page.locator(".opened .two").wait_for()
    if folder := pytestconfig.getoption("--pictures", None):
        page.screenshot(path=f"{folder}/dashboard-{picture.name}.png")
