"""Every list says on which day each of its rows happened, after any moves of the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

import pytest

from mock_server.dashboard.places import BY_LIST
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, iso
from mock_server.story import words
from tests.counts import times
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


KINDS = ("created", "call", "by-hand", "event", "capture", "clock")
STORY = re.compile(r'<li class="(?P<classes>[^"]*)"[^>]*>(?P<inside>.*?)(?=<li class="|</ol>)', re.DOTALL)
DAY_OR_TIME = re.compile(r'class="day-head"[^>]*>(?P<day>[^<]*)<|class="at quiet"><time datetime="(?P<at>[^"]+)"')


@pytest.mark.parametrize("left_out", KINDS[: times(3, soak=len(KINDS))])
def test_a_row_of_a_story_stands_under_its_day_whatever_is_left_out(visitor: Visitor, left_out: str) -> None:
    api = visitor.api
    api.post("/_sandbox/next", {"on": "charge", "then": {"expires": "4d", "dispute": {"after": "1d", "reason": "x"}}})
    payment = api.pay(capture_method="manual_multiple")["payment_id"]
    for by in MOVES:
        api.post("/_sandbox/clock/advance", {"by": by})
        api.post(f"/payments/{payment}/capture", {"amount_to_capture": 100})
        api.post("/_sandbox/clock/advance", {"by": "1d"})
        api.post(f"/_sandbox/payments/{payment}/dispute", {"amount": 10})
    rows = STORY.finditer(visitor.read(f"payments/{payment}?all=1").partition('data-testid="timeline"')[2])
    left = [row["inside"] for row in rows if {left_out, "due"}.isdisjoint(row["classes"].split())]
    heading, seen = "", 0
    for found in DAY_OR_TIME.finditer("".join(left)):
        heading = found["day"] or heading
        if found["at"]:
            day, seen = date.fromisoformat(found["at"][:10]), seen + 1
            assert heading.startswith(f"{day:%A}, {day.day} {day:%B %Y}"), found["at"]
    assert seen > len(MOVES)


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
