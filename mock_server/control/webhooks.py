"""Webhooks from outside: the inbox, where events go, sending one again, sending one by hand, signatures."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from mock_server import jsontext
from mock_server.control.answers import answer, answer_of
from mock_server.control.answers.webhooks import INBOX as INBOX_PAGE
from mock_server.control.answers.webhooks import INBOX_EVENT, RESENT, RESENT_MANY, SIGNED
from mock_server.control.answers.webhooks import TARGET as TARGET_SHOWN
from mock_server.control.inbox import Inbox, event_shown, filters_of, number_of
from mock_server.control.requests.webhooks import LookAtInbox, ResendEvents, SetTarget, SignWebhook, TriggerEvent
from mock_server.control.stages import view, when_enough
from mock_server.domain import delivery
from mock_server.domain.delivery import DELIVER, INBOX, TARGET, AttemptKind
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.events import EVENTS as TABLE
from mock_server.domain.events import Event, EventClass
from mock_server.domain.paging import Query
from mock_server.domain.profile import Profile, WebhookDetails
from mock_server.engine import outbox, profiles, related
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import EVENTS, PROFILES
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.sandbox import Workspace
from mock_server.store.protocol import Transaction
from mock_server.webhooks import signing
from mock_server.webhooks.body import OBJECTS
from mock_server.webhooks.targets import host_of, is_allowed, secret_of

# the inbox


@view("control.webhooks")
def inbox(call: Call, command: LookAtInbox) -> Answer:
    found = Inbox(call.home, command)
    log = INBOX if command.delivered is None else delivery.ATTEMPTS
    return when_enough(call, log, command, found.count, lambda: answer(INBOX_PAGE, **found.page()))


@view("control.webhook")
def one(call: Call, event_id: str) -> Answer:
    return answer_of(INBOX_EVENT, event_shown(call.home, event_named(call.home, event_id)))


def event_named(workspace: Workspace, event_id: str) -> Event:
    """An event of the inbox. Refused as `object_unknown`."""
    return workspace.space.transact(lambda tx: _event_in(tx, event_id))


def _event_in(tx: Transaction, event_id: str) -> Event:
    event = tx.get(EVENTS, event_id)
    if event is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.EVENT, id=event_id)
    return event


# where events go


@view("control.webhook_target")
def get_target(call: Call) -> Answer:
    return answer(TARGET_SHOWN, **target_shown(call.home))


@view("control.set_webhook_target")
def set_target(call: Call, command: SetTarget) -> Answer:
    if command.url and not is_allowed(command.url, call.sandbox.settings.webhook_hosts):
        raise Refusal(Cause.WEBHOOK_HOST_FORBIDDEN, host=host_of(command.url))
    if command.profile_id is not None:
        profile = run(call, aim_profile, command)
        details = profile.webhook_details
        url, secret = (details.webhook_url if details else None), profile.payment_response_hash_key
        return answer(TARGET_SHOWN, url=url, secret=secret, profile_id=profile.profile_id, set_by="profile")
    run(call, aim_workspace, command)
    return answer(TARGET_SHOWN, **target_shown(call.home))


def aim_workspace(tx: Transaction, desk: CommandContext, command: SetTarget) -> None:
    """Gives every profile that has no address of its own this one."""
    tx.set_fact(TARGET, {"url": command.url, "secret": command.secret} if command.url else None)


def aim_profile(tx: Transaction, desk: CommandContext, command: SetTarget) -> Profile:
    """Gives one profile this address. Refused as `object_unknown` where profiles are not made on first use."""
    profile = profiles.of(tx, desk, command.profile_id)
    details = structs.replace(profile.webhook_details or WebhookDetails(), webhook_url=command.url)
    key = command.secret or profile.payment_response_hash_key
    return tx.put(PROFILES, structs.replace(profile, webhook_details=details, payment_response_hash_key=key))


def target_shown(workspace: Workspace) -> dict[str, Any]:
    """Where events of profiles without an address go, and what signs them."""
    own, fallback = workspace.space.fact(TARGET), workspace.fallback
    url = own["url"] if own else fallback.url
    set_by = "workspace" if own else "server" if url else None
    return {"url": url, "secret": secret_of(None, own, fallback), "profile_id": None, "set_by": set_by}


# sending again


@view("control.resend_webhook")
def resend(call: Call, command: None, event_id: str) -> Answer:
    event_named(call.home, event_id)
    sending = call.sandbox.post.resend(call.home, event_id)
    attempts = sending.result() if sending is not None else ()
    event = event_shown(call.home, event_named(call.home, event_id))._replace(made=attempts)
    return answer_of(RESENT, event)


@view("control.resend_webhooks")
def resend_many(call: Call, command: ResendEvents) -> Answer:
    return answer(RESENT_MANY, event_ids=run(call, schedule, command))


def schedule(tx: Transaction, desk: CommandContext, command: ResendEvents) -> list[str]:
    """Makes one more attempt due for each event, in the order in which they were told. Refused as `object_unknown`."""
    if command.event_ids is None:
        found = list(tx.find(EVENTS, Query(filters=filters_of(command), limit=command.limit)).items)
    else:
        found = [_event_in(tx, event_id) for event_id in dict.fromkeys(command.event_ids)]
    found.sort(key=number_of)
    for event in found:
        tx.schedule(desk.now, DELIVER, event.event_id, AttemptKind.MANUAL)
    desk.has_delivery = bool(found)
    return [event.event_id for event in found]


# an event by hand


@view("control.trigger_webhook")
def trigger(call: Call, command: TriggerEvent) -> Answer:
    return answer_of(INBOX_EVENT, event_shown(call.home, run(call, tell, command)))


def tell(tx: Transaction, desk: CommandContext, command: TriggerEvent) -> Event:
    """Tells an event of an object as it stands, whatever its status and the profile's filter say."""
    about = TABLE[command.type].about
    kind = OBJECTS[about]
    record = tx.get(kind, command.object_id)
    if record is None:
        raise _unknown(about, kind.name, command.object_id)
    payment_id = getattr(record, "payment_id", None)
    return outbox.send(
        tx,
        desk,
        command.type,
        kind,
        command.object_id,
        profile_id=record.profile_id,
        payment_id=payment_id,
        status=None,
        inside=related.encoded(tx, record) if about is EventClass.PAYMENTS else (),
        overrides=command.overrides,
    )


def _unknown(about: EventClass, kind: str, object_id: str) -> Refusal:
    if about is EventClass.DISPUTES:
        return Refusal(Cause.DISPUTE_UNKNOWN, id=object_id)
    return Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind(kind), id=object_id)


# signatures


@view("control.sign_webhook")
def sign(call: Call, command: SignWebhook) -> Answer:
    text = command.body if isinstance(command.body, str) else jsontext.canonical(command.body)
    secret, custom = _signer(call, command)
    headers = [list(pair) for pair in signing.headers(text.encode(), secret, custom)]
    return answer(SIGNED, body=text, headers=headers, secret=secret)


def _signer(call: Call, command: SignWebhook) -> tuple[str, Any]:
    """The key, and the headers that go with it. Refused as `object_unknown`."""
    if command.profile_id is None:
        secret = secret_of(None, call.home.space.fact(TARGET), call.home.fallback)
        return command.secret or secret, {}
    profile_id = command.profile_id
    profile = call.home.space.transact(lambda tx: tx.get(PROFILES, profile_id))
    if profile is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.PROFILE, id=profile_id)
    secret = secret_of(profile, call.home.space.fact(TARGET), call.home.fallback)
    return command.secret or secret, profile.outgoing_webhook_custom_http_headers
