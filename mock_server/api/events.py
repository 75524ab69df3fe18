"""Events and their deliveries (facts §1.6)."""

from __future__ import annotations

from mock_server.api.binding import PROFILE, runs, view
from mock_server.contract.answers import events as answers
from mock_server.domain.errors import missing
from mock_server.domain.events import DeliveryAttempt, Event
from mock_server.domain.paging import Page, Query
from mock_server.engine import events
from mock_server.http.binding import show_as, show_page
from mock_server.http.running import Answer, Call, Later, run
from mock_server.webhooks import body

LEEWAY_S = 1.0
"""How much longer than the deliverer an answer waits: a time-out is shown too."""


def profile_of(call: Call) -> str:
    """The profile that a call at profile level is about. Refused as `value_missing`."""
    profile_id = call.headers.get(PROFILE)
    if not profile_id:
        raise missing(PROFILE, "is required as a header: it says which profile")
    return profile_id


def _page(call: Call, page: Page[Event]) -> Answer:
    return show_page(call, page, answers.EVENT, answers.line_of)


runs("events.list", events.page, _page)


@view("events.list_of_profile")
def list_of_profile(call: Call, query: Query) -> Answer:
    return _page(call, run(call, events.of_profile, profile_of(call), query))


def _body(call: Call, event: Event, *, stale: bool = False) -> str:
    """The body of a delivery: the same at every attempt."""
    return body.body(event, call.dialect, stale=stale).decode()


@view("events.attempts")
def list_attempts(call: Call, query: Query, merchant_id: str, event_id: str) -> Answer:
    event, page = run(call, events.attempts, merchant_id, event_id, query)
    bodies = {stale: _body(call, event, stale=stale) for stale in {made.stale for made in page.items}}
    return show_page(call, page, answers.DELIVERY_ATTEMPT, lambda one: answers.attempt(event, one, bodies[one.stale]))


@view("events.retry")
def retry_event(call: Call, command: None, merchant_id: str, event_id: str) -> Answer:
    event = run(call, events.sendable, merchant_id, event_id)
    sending = call.sandbox.post.dispatcher.resend(call.workspace, event_id)
    planned = show_as(call, answers.DELIVERY_ATTEMPT, answers.planned(event, _body(call, event), call.now))
    if sending is not None:
        patience_s = call.sandbox.settings.webhook_timeout + LEEWAY_S
        call.later = Later(sending, patience_s, lambda made: _result(call, event, made) or planned.body)
    return planned


def _result(call: Call, event: Event, made: tuple[DeliveryAttempt, ...]) -> bytes:
    """The new attempt with its answer; empty if its workspace is gone by now."""
    lines = (answers.attempt(event, last, _body(call, event, stale=last.stale)) for last in made[-1:])
    return b"".join(show_as(call, answers.DELIVERY_ATTEMPT, listed).body for listed in lines)
