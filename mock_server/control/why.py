"""One payment's timeline, and why it has its status."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from mock_server.contract.control_operations import DASHBOARD
from mock_server.control.answers import answer, shown
from mock_server.control.answers.story import TIMELINE
from mock_server.control.answers.story import WHY_IT_STANDS as WHY
from mock_server.control.stages import view
from mock_server.http.binding import show
from mock_server.http.running import Answer, Call, link_base
from mock_server.story.payment_history import PaymentHistory, history_of
from mock_server.story.renderings import as_mermaid, as_svg, as_text
from mock_server.story.standing import standing_kept
from mock_server.story.timeline import rows_of

TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
PICTURE: Final = (
    ("Content-Type", "image/svg+xml"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
)
"""An SVG with styles, and without scripts."""


@view("control.timeline")
def timeline(call: Call, payment_id: str, *, format: str = "json", colour: bool = False) -> Answer:
    kept = history_of(call.home.space, payment_id)
    rows, stands = rows_of(kept), standing_kept(kept, call.now)
    match format:
        case "text":
            return Answer(200, as_text(rows, colour, stands).encode(), (TEXT,))
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
    """Why a payment has its status; `page` is the address of its page in the dashboard."""
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
        decisions=[
            {**note, **{name: entry.value[name] for name in ("at", "operation", "request_id")}}
            for entry in found.lines
            for note in entry.value["notes"]
        ],
        page=page,
    )
