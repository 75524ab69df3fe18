"""What the overview says of deliveries, refused and slow calls, against the API's own lists of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from random import Random
from typing import Any, Final

import pytest

from mock_server.dashboard.overview import SHOWN
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Unanswered
from mock_server.webhooks.transport import Wire as Line
from tests.clocks import ManualClock
from tests.counts import times
from tests.dashboard.test_overview import left_out, numbers, read
from tests.dashboard.visitor import HOME, Visitor, said
from tests.wire import Wire, wire

HOSTS: Final = ("http://one.test", "http://two.test")
CALLS: Final = ("/payments/nobody", "/refunds/nobody", "/customers/nobody", "/disputes/nobody", "/mandates/nobody")
LI: Final = re.compile(r'<li>\s*<b class="times">(\d+) ×</b>(.*?)</li>', re.DOTALL)


class Hasty(ManualClock):
    """A clock by which each look at it takes its time."""

    __slots__ = ("_chance",)

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self._chance = chance

    def monotonic(self) -> float:
        self._elapsed_ms += self._chance.randrange(9)
        return super().monotonic()


class Moody:
    """A receiver that answers as chance has it."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Line) -> Response:
        status = self.chance.choice((200, 204, 301, 404, 500, 0, 1))
        if status < 2:
            raise Unanswered(("nobody there", "it took too long")[status])
        return Response(status)


def lived(chance: Random) -> Wire:
    """A workspace with deliveries to two receivers, refused calls, and time between them."""
    api = wire(clock=Hasty(chance))
    for host in HOSTS:
        api.sandbox.post.routing.connect(host, Moody(chance))
    clock = api.sandbox.clock
    assert isinstance(clock, ManualClock)
    for _ in range(chance.randint(3, 25)):
        api.put("/_sandbox/webhooks/target", {"url": f"{chance.choice(HOSTS)}/hook"})
        match chance.randrange(3):
            case 0:
                api.pay(description="two seats, 李")
            case 1:
                api.get(chance.choice(CALLS))
            case _:
                events = api.get("/_sandbox/webhooks?limit=1000")["data"]
                for event in chance.sample(events, min(3, len(events))):
                    api.post(f"/_sandbox/webhooks/{event['event_id']}/resend")
        clock.advance(chance.choice((1, 1_000, 61_000)))
    return api


def shown(page: str) -> Iterator[tuple[int, str, str, str, set[str]]]:
    """How often, what, since when, the link and the events to send again, of each group of failures."""
    listed = re.search(r'<ul class="groups" data-testid="groups">(.*?)</ul>', page, re.DOTALL)
    for times_, html in LI.findall(listed[1]) if listed else ():
        line = html.partition("<form")[0]
        words = " ".join(unescape(re.sub(r"<[^>]*>", "", line.partition('<span class="quiet')[0])).split())
        since, link = (
            re.findall(form, line)[0] for form in (r'<time datetime="([^"]*)"', rf'href="{HOME}/\w+/([^"]*)"')
        )
        again = re.findall(r'name="body.event_ids:list" value="([^"]*)"', html)
        yield int(times_), words, since, unescape(link), set(again[0].split()) if again else set()


@pytest.mark.parametrize("seed", range(times(6, soak=300)))
def test_what_failed_is_what_the_api_lists(seed: int) -> None:
    api = lived(Random(seed))
    page = Visitor(api).read("overview")
    events: list[dict[str, Any]] = api.get("/_sandbox/webhooks?limit=1000")["data"]
    tried = [(event, one) for event in events for one in event["deliveries"]]
    calls = [
        one for one in api.get("/_sandbox/journal?limit=1000")["data"] if not one["operation"].startswith("control.")
    ]
    answers = Counter(f"{one['status'] // 100}xx" if one["status"] else "no answer" for _, one in tried)
    assert numbers(page, "results") == answers
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for event, one in tried:
        if one["error"] or not 200 <= one["status"] < 300:
            receiver = f"your receiver {one['url'].removeprefix('http://')}"
            says = f"{receiver}: {one['error']}" if one["error"] else f"{one['status']} from {receiver}"
            waits = "" if event["is_delivered"] else event["event_id"]
            groups.setdefault(f"{says}, the newest", []).append(
                (one["made_at"], f"webhooks/{event['event_id']}", waits)
            )
    for call in calls:
        if call["status"] >= 400:
            link = f"journal?operation={call['operation']}&status={call['status']}"
            kind = "dispute" if "disputes" in call["operation"] else "object of this kind"
            says = f"{call['status']} to {call['operation']}: There is no {kind} with this ID"
            groups.setdefault(says, []).append((call["at"], link, ""))
    found = list(shown(page))
    sizes = sorted(map(len, groups.values()), reverse=True)
    assert [number for number, *_ in found] == sizes[:SHOWN]
    assert left_out(page, "more-groups") == (sum(sizes[SHOWN:]), len(sizes[SHOWN:]))
    for number, says, since, link, again in found:
        some = groups[says]
        assert (number, since, again) == (len(some), min(at for at, *_ in some), {one for *_, one in some} - {""})
        assert link in {link for at, link, _ in some if at == max(at for at, *_ in some)}
    took = sorted((one["took_ms"] for one in calls), reverse=True)[:SHOWN]
    slow = re.findall(r'class="times">([\d.]+) ms</b>', page)
    assert [float(text) for text in slow] == [pytest.approx(ms, abs=0.05) for ms in took]
    numbered = {one["number"]: one for one in calls}
    for text, number in zip(slow, re.findall(r'/journal/(\d+)" data-testid="slow"', page), strict=True):
        assert float(text) == pytest.approx(numbered[int(number)]["took_ms"], abs=0.05)
    if tried:
        first = min(one["made_at"] for _, one in tried)
        assert said(page, "span-attempts").endswith(
            f"{len(tried)} delivery attempt{'s' * (len(tried) > 1)}, since {read(first)}"
        )
