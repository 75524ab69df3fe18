"""Figures in prose that follow from the table of retries."""

from __future__ import annotations

import re
from typing import Final

from mock_server.domain.instants import HOUR_MS, MINUTE_MS
from mock_server.settings import duration_ms
from mock_server.webhooks.delivery_log import DELAYS, STEPS
from tests.architecture.sources import ROOT

TIMES: Final = {1: "", 2: "twice ", 3: "three times ", 5: "five times "}
GUIDE: Final = " ".join((ROOT / "docs/how-to/receive-webhooks.md").read_text("utf-8").split())


def shown(ms: int) -> str:
    count, unit = (ms // HOUR_MS, "hour") if ms >= HOUR_MS else (ms // MINUTE_MS, "minute")
    return f"{count} {unit}{'s' if count > 1 else ''}"


def test_the_guide_tells_the_schedule() -> None:
    told = re.search(r"again with the same body: (.*?), on the workspace's clock", GUIDE)
    assert told is not None
    said = told[1].replace("an hour", "1 hour").split(", ")
    short = [(TIMES[times], shown(delay)) for times, delay in STEPS]
    assert [one.replace("after ", "") for one in said] == [
        times + (delay if at in (0, 3, 4) else delay.split()[0]) for at, (times, delay) in enumerate(short)
    ]


def test_an_advance_that_runs_all_retries_is_as_long_as_they_take() -> None:
    advances = re.findall(r'To run all retries now.*?"by": "(\w+)"', GUIDE)
    assert advances and all(duration_ms(text) >= sum(DELAYS) for text in advances)
