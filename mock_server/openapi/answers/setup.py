"""Business profiles, accounts, keys and connectors; events and their attempts; reporting."""

from __future__ import annotations

from mock_server.contract.answers import profile, setup
from mock_server.contract.dialect import Dialect
from mock_server.contract.requests.setup import echo
from mock_server.domain.delivery import AttemptKind
from mock_server.domain.events import EventClass, EventType
from mock_server.domain.figures import METRICS, Subject, dimensions
from mock_server.domain.profile import FILTERED
from mock_server.openapi.notation import (
    FLAG,
    INSTANT,
    NUMBER,
    TEXT,
    WHOLE,
    Json,
    many,
    maybe,
    of_shape,
    record,
    ref,
    spoken,
    told,
    words,
)

_TEXT = maybe(TEXT)


def schemas(dialect: Dialect) -> dict[str, Json]:
    """The schemas of what merchants set up and look up, by their names."""
    return {**_set_up(dialect), **_events(), **_reporting()}


def _set_up(dialect: Dialect) -> dict[str, Json]:
    details = {"webhook_details": ref("WebhookDetails")}
    kinds = {name: words(known) for name, known in echo.ACCOUNT_KINDS.items()}
    never = {"expiration": told(TEXT, "An ISO 8601 instant, or `never`.")}
    return {
        "Profile": of_shape(profile.PROFILE, {**details, "wallet_identities": many(TEXT)}, "A business profile."),
        "WebhookDetails": _webhooks(dialect),
        "Account": of_shape(setup.ACCOUNT, {**details, **kinds}, "A merchant account."),
        "NewApiKey": of_shape(setup.NEW_KEY, never, "An API key with its text, which is shown only once."),
        "ApiKey": of_shape(setup.KEY, never, "An API key without its text."),
        "Connector": of_shape(setup.CONNECTOR, {}, "A connector account; its credentials are not kept."),
        "ListedConnector": of_shape(setup.LISTED_CONNECTOR, {}, "A connector account without its details."),
    }


def _webhooks(dialect: Dialect) -> Json:
    texts = dict.fromkeys(("webhook_version", "webhook_username", "webhook_password", "webhook_url"), _TEXT)
    flags = {f"payment_{name}_enabled": maybe(FLAG) for name in ("created", "succeeded", "failed")}
    lists = {name: maybe(many(spoken(dialect, kind))) for name, kind in FILTERED.items()}
    return record({**texts, **flags, "payout_statuses_enabled": maybe(many(TEXT)), **lists})


def _events() -> dict[str, Json]:
    head = {
        "event_id": TEXT,
        "merchant_id": TEXT,
        "profile_id": _TEXT,
        "object_id": TEXT,
        "event_type": ref("EventType"),
        "event_class": words(EventClass),
        "is_delivery_successful": maybe(FLAG),
        "initial_attempt_id": _TEXT,
        "processor_merchant_id": TEXT,
        "created": INSTANT,
    }
    response = {"body": _TEXT, "headers": ref("HeaderPairs"), "status_code": maybe(WHOLE), "error_message": _TEXT}
    attempt = {
        **head,
        "request": record({"body": TEXT, "headers": ref("HeaderPairs")}),
        "response": maybe(record(response)),
        "delivery_attempt": words(AttemptKind),
    }
    return {
        "EventType": words(EventType),
        "Event": record(head, about="An event that a merchant was sent."),
        "DeliveryAttempt": record(attempt, about="One attempt to deliver an event."),
        "HeaderPairs": told(many({**many(TEXT), "minItems": 2, "maxItems": 2}), "Names and values, in order."),
    }


def _reporting() -> dict[str, Json]:
    span = record({"start_time": INSTANT, "end_time": INSTANT})
    numbers = {figure.name: maybe(NUMBER) for row in METRICS for figure in row.figures}
    named = {name: _TEXT for subject in Subject for name in dimensions(subject)}
    bucket = {**numbers, **named}
    values = record({"dimension": TEXT, "values": many(_TEXT)})
    return {
        "Figures": record(
            {
                "queryData": many(
                    record({**bucket, "time_range": span, "time_bucket": maybe(INSTANT)}, optional=bucket)
                ),
                "metaData": many(
                    {
                        **record({"current_time_range": span}),
                        "additionalProperties": maybe(NUMBER),
                        "description": "The totals of one request.",
                    }
                ),
            },
            about="Numbers, in the order of the requests.",
        ),
        "FilterValues": record({"queryData": many(values)}),
    }
