"""One payment's story: what happened to it in order, and why it stands where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from mock_server.contract.control_operations import DASHBOARD
from mock_server.control.answers import answer, shown
from mock_server.control.answers.story import TIMELINE
from mock_server.control.answers.story import WHY_IT_STANDS as WHY
from mock_server.control.requests import LookAtTimeline
from mock_server.control.stages import view
from mock_server.http.context import Answer, Call
from mock_server.http.running import link_base
from mock_server.http.show import show
from mock_server.store.protocol import LogEntry
from mock_server.story.payment_history import PaymentHistory, history_of
from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.standing import standing_kept
from mock_server.story.timeline import rows_of

TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
PICTURE: Final = (
    ("Content-Type", "image/svg+xml"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
)
"""What it holds is drawn and coloured, and nothing in it runs."""


@view("control.timeline")
def timeline(call: Call, command: LookAtTimeline, payment_id: str) -> Answer:
    kept = history_of(call.home.space, payment_id)
    rows, stands = rows_of(kept), standing_kept(kept, call.now)
    match command.format:
        case "text":
            return Answer(200, as_text(rows, command.colour, stands).encode(), (TEXT,))
        case "mermaid":
            return Answer(200, as_mermaid(rows).encode(), (TEXT,))
        case "svg":
            return Answer(200, as_svg(rows).encode(), PICTURE)
        case _:
            head = {"payment_id": kept.payment.payment_id, "status": kept.payment.status, "headline": stands.headline}
            return answer(TIMELINE, **head, data=rows)


@view("control.why")
def why(call: Call, payment_id: str) -> Answer:
    kept = history_of(call.home.space, payment_id)
    place = f"{DASHBOARD}/{quote(call.home.space.name)}/payments/{quote(kept.payment.payment_id)}"
    return show(why_of(kept, call.now, link_base(call) + place))


def why_of(found: PaymentHistory, now: int, page: str = "") -> dict[str, Any]:
    """Why a payment stands where it stands: decisions, rules that did not match, what it waits for, what is due.

    `page` is where the dashboard shows it.
    """
    stands = standing_kept(found, now)
    return shown(
        WHY,
        payment_id=found.payment.payment_id,
        status=found.payment.status,
        headline=stands.headline,
        tone=stands.tone,
        failure=found.payment.failure,
        waits_for=found.payment.waiting,
        due=found.due,
        decisions=[decision for entry in found.lines for decision in _decisions(entry)],
        page=page,
    )


def _decisions(entry: LogEntry) -> Iterator[dict[str, Any]]:
    line = entry.value
    for note in line["notes"]:
        yield {**note, "at": line["at"], "operation": line["operation"], "request_id": line["request_id"]}
