"""Every list says on which day each of its rows happened, after any moves of the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import pytest

from mock_server.dashboard.places import BY_LIST
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, iso
from mock_server.story import words
from tests.dashboard.visitor import Visitor

LISTS = ("payments", "journal", "webhooks", "clock", *BY_LIST)
MOVES = ("0s", "9m", "23h", "3d", "40d")
HEAD = re.compile(
    r'data-testid="day">(?P<day>[^<]*)<|<td[^>]*class="[^"]*\bat\b[^"]*"[^>]*><time datetime="(?P<at>[^"]+)"'
)


@pytest.fixture
def long_life(visitor: Visitor) -> Visitor:
    """A workspace in which each kind of record was created on several days."""
    api = visitor.api
    for number, by in enumerate(MOVES):
        api.post("/_sandbox/clock/advance", {"by": by})
        customer = api.post("/customers", {"name": f"Customer {number}"})["customer_id"]
        online = {"acceptance_type": "online", "online": {"ip_address": "127.0.0.1", "user_agent": "x"}}
        asked = {"customer_id": customer, "setup_future_usage": "off_session", "customer_acceptance": online}
        single = {"single_use": {"amount": 100, "currency": "USD"}}
        paid = api.pay(**asked, mandate_data={"mandate_type": single, "customer_acceptance": online})
        api.post("/refunds", {"payment_id": paid["payment_id"], "amount": 100})
        api.post(f"/_sandbox/payments/{paid['payment_id']}/dispute", {})
    api.pay("4000990000002000")  # settles in seconds
    api.pay(capture_method="manual")  # can be captured for days
    return visitor


def days_of_rows(html: str) -> Iterator[tuple[str, str]]:
    """Each row's time, with the heading that it stands under."""
    heading = ""
    for found in HEAD.finditer(html):
        heading = found["day"] or heading
        if found["at"]:
            yield found["at"], heading


@pytest.mark.parametrize("name", LISTS)
def test_each_row_stands_under_its_day(long_life: Visitor, name: str) -> None:
    rows = list(days_of_rows(long_life.read(name)))
    assert len({at[:10] for at, _ in rows}) >= (2 if name == "clock" else 3)
    for at, heading in rows:
        day = date.fromisoformat(at[:10])
        assert heading.startswith(f"{day:%A}, {day.day} {day:%B %Y}"), at


@pytest.mark.parametrize(
    ("apart", "shown"),
    [
        (7 * DAY_MS, "in 7 days"),
        (7 * DAY_MS - MINUTE_MS, "in 7 days"),
        (32 * DAY_MS, ""),
        (HOUR_MS, "in 1 hour"),
        (1, "now"),
        (0, "now"),
        (-2 * MINUTE_MS, "2 minutes ago"),
        (-HOUR_MS, ""),
    ],
)
def test_a_time_that_is_near_says_so(apart: int, shown: str) -> None:
    now = 1_800_000_000_000
    assert words.near(iso(now + apart), now) == shown


@pytest.mark.parametrize(("days", "named"), [(-1, ", yesterday"), (0, ", today"), (1, ", tomorrow"), (2, "")])
def test_a_day_beside_today(days: int, named: str) -> None:
    now = 1_800_000_000_000
    assert words.day(iso(now + days * DAY_MS), now).endswith(f"January 2027{named}")
