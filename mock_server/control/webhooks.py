"""The inbox of a workspace's events, their address, resending them, test events, and signatures."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import structs

from mock_server import jsontext
from mock_server.addresses import is_address
from mock_server.clock import turn_given_up
from mock_server.control.answers import answer, answer_of
from mock_server.control.answers.scenarios import INBOX as INBOX_PAGE
from mock_server.control.answers.scenarios import INBOX_EVENT, RESENT, RESENT_MANY, SIGNED, Received
from mock_server.control.answers.scenarios import TARGET as TARGET_SHOWN
from mock_server.control.stages import shows, view, when_enough
from mock_server.domain import events
from mock_server.domain.commands import JsonText
from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal, existing, wrong_field
from mock_server.domain.events import DELIVER, INBOX, TARGET, AttemptKind, Event, EventClass, EventType, SkipReason
from mock_server.domain.merchant import Profile, WebhookDetails
from mock_server.domain.paging import Query
from mock_server.engine import disputes, outbox, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import EVENTS, PAYMENTS, PROFILES, STRETCH
from mock_server.engine.payments import access
from mock_server.http.running import Answer, Call, run
from mock_server.sandbox import Workspace
from mock_server.scenario.loading.checks import Lead, lost, ways
from mock_server.store.transaction import Transaction
from mock_server.webhooks import signing
from mock_server.webhooks.body import OBJECTS, body
from mock_server.webhooks.planning import host_of, is_allowed, secret_of, target_of


def _each(filters: Mapping[str, str | bool]) -> dict[str, tuple[str | bool, ...]]:
    return {name: (value,) for name, value in filters.items()}


def event_shown(workspace: Workspace, event_id: str) -> Received:
    """One event with the exact body for its receiver and its headers, and its attempts. Refused as `object_unknown`."""
    return workspace.space.transact(lambda tx: as_it_stands(tx, workspace, _event_in(tx, event_id)))()


def as_it_stands(tx: Transaction, workspace: Workspace, event: Event) -> Callable[[], Received]:
    """Reads an event's attempts in the transaction that read the event; what it gives writes the body without it."""
    attempts, own = outbox.attempts_of(tx, event.event_id), tx.fact(TARGET)
    profile = tx.get(PROFILES, event.profile_id) if event.profile_id and not attempts else None

    def received() -> Received:
        """The event, with the body and the headers of its last attempt, or those of a first one."""
        is_stale = attempts[-1].stale if attempts else '"stale":true' in (event.orders or "")
        payload = body(event, workspace.dialect, stale=is_stale)
        if attempts:
            return Received(event, attempts[-1].headers, payload.decode(), attempts)
        custom = profile.outgoing_webhook_custom_http_headers if profile else {}
        signed = signing.headers(payload, secret_of(profile, own, workspace.fallback), custom)
        return Received(event, signing.header_text(signing.shown(signed, custom)), payload.decode(), attempts)

    return received


@view("control.webhooks")
def inbox(
    call: Call,
    *,
    after: int | None = None,
    limit: int = 100,
    offset: int = 0,
    wait_ms: int = 0,
    enough: int = 1,
    **filters: str | bool,
) -> Answer:
    """The matching events in order: the last ones, or those after a number."""
    if after is not None and offset:
        raise wrong_field("offset", "cannot be sent together with `after`")
    workspace, query = call.workspace, Query(filters=_each(filters), offset=offset)

    def within(*stretches: int) -> Query:
        return structs.replace(query, ascending=True, filters={**query.filters, "numbers": stretches})

    def found(tx: Transaction, limit: int = 0) -> tuple[int, list[Callable[[], Received]]]:
        """How many match, and some of them; after a number by stretches of numbers, of which it decodes one."""
        begun, asked = list[Event](), query
        if after is not None:
            first, *later = range(after // STRETCH, max(after, workspace.space.last(INBOX)) // STRETCH + 1)
            begun = [event for event in tx.scan(EVENTS, within(first)) if event.number >= after]
            asked = within(*later)
        page = tx.find(EVENTS, structs.replace(asked, limit=limit))
        some = page.items[::-1] if after is None else (*begun, *page.items)[:limit]
        return len(begun) + page.total, [as_it_stands(tx, workspace, event) for event in some]

    def page() -> Answer:
        total, some = workspace.space.transact(lambda tx: found(tx, limit))
        data = [show() for show in some]
        return answer(INBOX_PAGE, data=data, total_count=total, dropped=workspace.space.dropped(INBOX))

    log = events.ATTEMPTS if "is_delivered" in filters else INBOX
    return when_enough(call, log, lambda: workspace.space.transact(found)[0], page, enough=enough, wait_ms=wait_ms)


shows("control.webhook", lambda call, event_id: answer_of(INBOX_EVENT, event_shown(call.workspace, event_id)))


def _event_in(tx: Transaction, event_id: str) -> Event:
    return existing(tx.get(EVENTS, event_id), ObjectKind.EVENT, event_id)


shows("control.webhook_target", lambda call: answer(TARGET_SHOWN, **target_shown(call.workspace)))


@view("control.set_webhook_target")
def set_target(call: Call, url: str | None = None, secret: str | None = None, profile_id: str | None = None) -> Answer:
    """Set the address and secret of events, for one profile, or for all without an address of their own."""
    if url and not is_address(url):
        raise wrong_field("url", "must have a host and a port, and no user, who would not be sent")
    if url and not is_allowed(url, call.sandbox.settings.webhook_hosts):
        raise Refusal(Cause.WEBHOOK_HOST_FORBIDDEN, host=host_of(url))
    if profile_id is not None:
        return answer(TARGET_SHOWN, **target_shown(call.workspace, run(call, aim_profile, profile_id, url, secret)))
    run(call, lambda tx, _: tx.set_fact(TARGET, {"url": url, "secret": secret}))
    return answer(TARGET_SHOWN, **target_shown(call.workspace))


def aim_profile(
    tx: Transaction, context: CommandContext, profile_id: str, url: str | None, secret: str | None
) -> Profile:
    """Sets the address of one profile. Refused as `object_unknown` if profiles are not created on first use."""
    profile = profiles.of(tx, context, profile_id)
    details = structs.replace(profile.webhook_details or WebhookDetails(), webhook_url=url)
    key = secret or profile.payment_response_hash_key
    return tx.put(PROFILES, structs.replace(profile, webhook_details=details, payment_response_hash_key=key))


def target_shown(workspace: Workspace, profile: Profile | None = None) -> dict[str, Any]:
    """The address of a profile, or of those without their own; the secret that signs its events; whose both are."""
    own, fallback, profile_id = workspace.space.fact(TARGET), workspace.fallback, profile and profile.profile_id
    found = target_of(profile, own, fallback)
    url, secret = found and found.url, secret_of(profile, own, fallback)
    set_by = "profile" if target_of(profile, {"url": None}, fallback) else "workspace" if own else found and "server"
    return {"url": url, "secret": secret, "profile_id": profile_id, "set_by": set_by}


@view("control.resend_webhook")
def resend(call: Call, event_id: str) -> Answer:
    profile = call.workspace.space.transact(lambda tx: tx.get(PROFILES, _event_in(tx, event_id).profile_id or ""))
    sending = call.sandbox.post.dispatcher.resend(call.workspace, event_id)
    with turn_given_up():
        attempts = sending.result() if sending is not None else ()
    shown = event_shown(call.workspace, event_id)._replace(made=attempts)
    if sending is None and shown.event.fate is None:  # it was accepted before: only the answer says why not again
        fate = SkipReason.DROPPED if target_shown(call.workspace, profile)["url"] else SkipReason.UNHEARD
        shown = shown._replace(event=structs.replace(shown.event, fate=fate))
    return answer_of(RESENT, shown)


@view("control.resend_webhooks")
def resend_many(call: Call, event_ids: list[str] | None = None, *, limit: int = 100, **filters: str | bool) -> Answer:
    """Resend the events with these ids, or those that match the filters."""
    return answer(RESENT_MANY, event_ids=run(call, schedule, event_ids, Query(filters=_each(filters), limit=limit)))


def schedule(tx: Transaction, context: CommandContext, event_ids: list[str] | None, matching: Query) -> list[str]:
    """Schedules one more attempt for each event, oldest first. Refused as `object_unknown`."""
    named = [_event_in(tx, event_id) for event_id in dict.fromkeys(event_ids or ())]
    found = sorted(tx.find(EVENTS, matching).items if event_ids is None else named, key=lambda event: event.number)
    for event in found:
        tx.schedule(context.now, DELIVER, event.event_id, AttemptKind.MANUAL)
    context.has_delivery = bool(found)
    return [event.event_id for event in found]


@view("control.trigger_webhook")
def trigger(call: Call, event_type: EventType, object_id: str, overrides: JsonText | None = None) -> Answer:
    """Send an event of an object, with some of its values changed."""
    shown, new = frozenset((f"{event_type.about}.retrieve",)), ways(json.loads(overrides or "{}"))
    told = (Lead(("overrides", *way), "answer", tuple(map(str, way)), shown) for way in new)
    name = OBJECTS[event_type.about].name
    if wrong := [FieldError(".".join(map(str, way)), said.replace("answer", name, 1)) for way, said in lost(told)]:
        raise Refusal.of_fields(wrong)
    event = run(call, tell, event_type, object_id, overrides)
    return answer_of(INBOX_EVENT, event_shown(call.workspace, event.event_id))


def tell(
    tx: Transaction, context: CommandContext, event_type: EventType, object_id: str, overrides: JsonText | None
) -> Event:
    """Sends an event of an object, whatever the object's status and the profile's filter are."""
    kind = OBJECTS[event_type.about]
    if event_type.about is EventClass.DISPUTES:
        record: Any = disputes.find(tx, object_id)
    else:
        record = existing(tx.get(kind, object_id), ObjectKind(kind.name), object_id)
    if event_type.about is EventClass.PAYMENTS:
        record = tx.put(PAYMENTS, access.as_now(tx, record, context.now))
    return outbox.send(tx, context, event_type, kind, record, None, overrides=overrides)


@view("control.sign_webhook")
def sign(call: Call, body: object, profile_id: str | None = None, secret: str | None = None) -> Answer:
    """Sign a body as an event of a profile would be. Refused as `object_unknown`."""
    text = body if isinstance(body, str) else jsontext.canonical(body)
    profile = None if profile_id is None else call.workspace.space.transact(lambda tx: profiles.find(tx, profile_id))
    secret = secret or secret_of(profile, call.workspace.space.fact(TARGET), call.workspace.fallback)
    custom = profile.outgoing_webhook_custom_http_headers if profile else {}
    headers = [list(pair) for pair in signing.headers(text.encode(), secret, custom)]
    return answer(SIGNED, body=text, headers=headers, secret=secret)
