"""Whatever tells a life of several days says the day of each moment, and tells the moments in their order."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby
from typing import Any, Final
from xml.etree import ElementTree as ET

import pytest

from mock_server.testing.journal import Gathered, steps
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import Wire, wire

DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
TIME: Final = re.compile(r"\d\d:\d\d:\d\d\.\d{3}")
PASSES: Final = ("0s", "1ms", "9m", "1d", "1d", "8d", "366d")
MS: Final = (0, 1, 86_400_000, 86_400_000, 8 * 86_400_000)
SVG: Final = "{http://www.w3.org/2000/svg}"


class Ticking(ManualClock):
    """A clock on which a little real time passes between any two looks."""

    __slots__ = ("_ticks",)

    def __init__(self) -> None:
        super().__init__()
        self._ticks = count()

    def monotonic(self) -> float:
        return next(self._ticks) / 1000


def lived(draw: random.Random) -> tuple[Wire, str]:
    """A workspace in which days pass, often at one time of the day, and one of its payments."""
    clock = Ticking()
    api = wire(clock=clock)
    for _ in range(draw.randrange(3)):
        api.get("/payments/list")
    if draw.random() < 0.6:
        api.post("/_sandbox/clock/freeze", draw.choice(({}, {"at": "2025-12-31T23:59:59.999Z"})))
    then = {"settles": {"after": draw.choice(("0s", "1d", "9d"))}}
    api.post("/_sandbox/next", {"on": "charge", "then": draw.choice(({"outcome": "succeeded"}, then))})
    payment = str(api.pay(capture_method=draw.choice(("automatic", "manual")))["payment_id"])
    for _ in range(6):
        match draw.randrange(5):
            case 0:
                clock.advance(draw.choice(MS))
            case 1 | 2:
                api.post("/_sandbox/clock/advance", {"by": draw.choice(PASSES)})
            case 3:
                api.get(f"/payments/{payment}")
            case 4:
                api.post(f"/payments/{payment}/capture", {"amount_to_capture": 100})
    return api, payment


def moments(lines: Iterable[str]) -> Iterator[str]:
    """The time of each line that has one, with the day above it."""
    day = ""
    for line in lines:
        day = line if DAY.fullmatch(line) else day
        if time := TIME.match(line):
            yield f"{day}T{time[0]}Z"


def once_each(some: Iterable[str]) -> list[str]:
    return [one for one, _ in groupby(some)]


def of_text(text: str, at: list[str]) -> None:
    assert list(moments(text.splitlines())) == at


def of_svg(text: str, at: list[str]) -> None:
    assert once_each(moments(one.text or "" for one in ET.fromstring(text).iter(f"{SVG}text"))) == once_each(at)


def of_mermaid(text: str, at: list[str]) -> None:
    said = (line.rpartition(": ")[2] for line in text.splitlines())
    assert [one for one in said if DAY.fullmatch(one)] == once_each(one[:10] for one in at)


FORMS: Final[dict[str, Callable[[str, list[str]], None]]] = {"text": of_text, "svg": of_svg, "mermaid": of_mermaid}
SEEDS: Final = range(times(2, soak=400))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_timeline_says_the_day(seed: int, form: str) -> None:
    api, payment = lived(random.Random(seed))
    where = f"/_sandbox/payments/{payment}/timeline"
    at = [row["at"] for row in api.get(where)["data"]]
    FORMS[form](api.get(f"{where}?format={form}").raw.decode(), at)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_report_of_a_failing_test_says_the_day(seed: int) -> None:
    api, _ = lived(random.Random(seed))
    calls, by_hand, events = (
        api.get(f"/_sandbox/{path}")["data"] for path in ("journal", "journal?operation=control.*", "webhooks")
    )
    lines = [line for line in steps(Gathered(calls, by_hand, events, {})) if not line.startswith(" ")]
    known: dict[str, Any] = {f"#{one['number']} ": (one["at"], one["number"], 0) for one in calls}
    caused = {number: call["number"] for call in calls for number in call["events"]}
    known |= {f" {one['event_id']}": (one["created"], caused.get(one["number"]), 1) for one in events}
    told = [next((about for name, about in known.items() if name in line), None) for line in lines if TIME.match(line)]
    said = [at for at, about in zip(moments(lines), told, strict=True) if about]
    assert said == [about[0] for about in told if about]
    placed = [about[1:] for about in told if about and about[1] is not None]
    assert placed == sorted(placed)
    numbers = [one["number"] for one in events]
    shown = [line.rpartition(" ")[2] for line in lines if " is created as " in line]
    assert shown == [one["event_id"] for _, one in sorted(zip(numbers, events, strict=True))]
