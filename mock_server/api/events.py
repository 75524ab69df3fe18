"""Events and their deliveries (facts §1.6)."""

from __future__ import annotations

from mock_server.contract.answers import event_record as answers
from mock_server.contract.requests import events as shapes
from mock_server.domain.delivery import Attempt
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.events import Event
from mock_server.domain.paging import Page, Query
from mock_server.engine import events
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call, Later
from mock_server.http.running import run
from mock_server.http.show import show, show_page
from mock_server.jsontext import dump
from mock_server.webhooks import body

views = Resource("events")

LIST = PerDialect(lambda dialect: shapes.events_list(dialect.list_keys.parameters))
ATTEMPTS = PerDialect(lambda dialect: shapes.attempts_list(dialect.list_keys.parameters))
PROFILE = "X-Profile-Id"
LEEWAY_S = 1.0
"""So much longer than the deliverer an answer waits: it is told of a time-out as of any other end."""


def sent(call: Call, event: Event, *, stale: bool = False) -> str:
    """The body of a delivery: the same at every attempt."""
    return body.body(event, call.sandbox.dialect, stale=stale).decode()


def profile_of(call: Call) -> str:
    """The profile that a call at profile level is about. Refused as `value_missing`."""
    profile_id = call.headers.get(PROFILE)
    if not profile_id:
        cause = Cause.VALUE_MISSING
        raise Refusal(cause, fields=(FieldError(PROFILE, "is required as a header: it says which profile", cause),))
    return profile_id


def _page(call: Call, page: Page[Event]) -> Answer:
    return show_page(call, page, lambda event, dialect: answers.event(event))


@views.view("events.list", LIST, LIST)
def list_events(call: Call, query: Query, merchant_id: str) -> Answer:
    return _page(call, run(call, events.page, merchant_id, query))


@views.view("events.list_of_profile", LIST, LIST)
def list_of_profile(call: Call, query: Query) -> Answer:
    return _page(call, run(call, events.of_profile, profile_of(call), query))


@views.view("events.attempts", query=ATTEMPTS)
def list_attempts(call: Call, query: Query, merchant_id: str, event_id: str) -> Answer:
    event, page = run(call, events.attempts, merchant_id, event_id, query)
    bodies = {stale: sent(call, event, stale=stale) for stale in {made.stale for made in page.items}}

    def shown(made: Attempt, _: object) -> object:
        return answers.attempt(event, made, bodies[made.stale])

    return show_page(call, page, shown)


@views.view("events.retry", shapes.NOTHING)
def retry_event(call: Call, command: object, merchant_id: str, event_id: str) -> Answer:
    event = run(call, events.sendable, merchant_id, event_id)
    sending = call.sandbox.post.resend(call.home, event_id)
    planned = show(answers.planned(event, sent(call, event), call.now))
    if sending is not None:
        patience_s = call.sandbox.settings.webhook_timeout + LEEWAY_S
        call.later = Later(sending, patience_s, lambda: _came_of(call, event, sending.result()) or planned.body)
    return planned


def _came_of(call: Call, event: Event, made: tuple[Attempt, ...]) -> bytes:
    """The new attempt with its answer; nothing where its workspace has gone meanwhile."""
    return b"".join(dump(answers.attempt(event, last, sent(call, event, stale=last.stale))) for last in made[-1:])
