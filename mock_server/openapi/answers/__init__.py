"""What every operation answers with: the schemas of records, and which record an operation gives."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.domain.statuses import DisputeStatus, PaymentStatus, RefundStatus
from mock_server.openapi.answers import money, payments, setup
from mock_server.openapi.notation import FLAG, NULL, TEXT, WHOLE, Json, many, page, record, ref, told, words


class Body(NamedTuple):
    """What a success brings: its schema, or None where it brings nothing, and its media type."""

    schema: Json | None
    media: str = "application/json"


def schemas(dialect: Dialect) -> dict[str, Json]:
    """Every schema that answers of the API refer to."""
    return {**payments.schemas(dialect), **money.schemas(dialect), **setup.schemas(dialect), **_small(dialect)}


def _small(dialect: Dialect) -> dict[str, Json]:
    keys = dialect.error_keys
    wrong = record({keys.field_name: TEXT, keys.field_problem: TEXT})
    inside = {keys.type: words(dict.fromkeys(kind for _, kind in dialect.types)), keys.code: TEXT, keys.message: TEXT}
    listed = {"anyOf": [many(wrong), told(TEXT, "Names of fields, where the public API answers so.")]}
    fields = {} if keys.fields is None else {keys.fields: listed}
    more = {**fields, keys.extras.get("reason", "reason"): TEXT}
    error = record({**inside, **more}, optional=more)
    error["additionalProperties"] = True
    return {
        "Health": record({"status": words(("ok",)), "version": TEXT}),
        "Error": record({keys.envelope: error}, about="The envelope of every error; `fields` names each wrong field."),
    }


_ONE: Final = {
    "status and version": "Health",
    "payment": "Payment",
    "session tokens": "SessionTokens",
    "customer": "Customer",
    "saved methods": "OfferedPaymentMethods",
    "the default": "DefaultPaymentMethod",
    "payment method": "PaymentMethod",
    "methods on offer": "MethodsOnOffer",
    "business profile": "Profile",
    "merchant account": "Account",
    "API key with its text": "NewApiKey",
    "API key": "ApiKey",
    "connector account": "Connector",
    "mandate": "Mandate",
    "ephemeral key with its text": "EphemeralKey",
    "ephemeral key": "EphemeralKey",
    "delivery attempt": "DeliveryAttempt",
    "refund": "Refund",
    "dispute": "Dispute",
    "file id": "FileId",
    "blocklist entry": "BlocklistEntry",
    "numbers": "Figures",
    "values to filter by": "FilterValues",
}
"""The schema of each kind of record that the table of routes names."""
_PAGES: Final = {
    "list of payments": "Payment",
    "list of customers": "Customer",
    "list of mandates": "Mandate",
    "list of business profiles": "Profile",
    "list of API keys": "ApiKey",
    "list of connector accounts": "ListedConnector",
    "list of events": "Event",
    "list of delivery attempts": "DeliveryAttempt",
    "list of refunds": "Refund",
    "list of disputes": "Dispute",
}
_ARRAYS: Final = {"array of blocklist entries": "BlocklistEntry", "evidence": "Evidence"}
_COUNTS: Final[dict[str, type[StrEnum]]] = {
    "payments.aggregate": PaymentStatus,
    "refunds.aggregate": RefundStatus,
    "disputes.aggregate": DisputeStatus,
}
_EXPANDED: Final = frozenset({"payments.retrieve", "payments.sync"})

_OWN: Final[dict[str, Json | None]] = {
    "customers.create": ref("NewCustomer"),
    "customers.delete": ref("CustomerDeletion"),
    "payment_methods.delete": record({"payment_method_id": TEXT, "deleted": FLAG}),
    "profiles.delete": FLAG,
    "profiles.toggle_connector_agnostic_mit": record({"enabled": FLAG}),
    "accounts.delete": record({"merchant_id": TEXT, "deleted": FLAG}),
    "api_keys.revoke": record({"merchant_id": TEXT, "key_id": TEXT, "revoked": FLAG}),
    "connectors.delete": record({"merchant_id": TEXT, "merchant_connector_id": TEXT, "deleted": FLAG}),
    "mandates.revoke": ref("RevokedMandate"),
    "blocklist.toggle": ref("BlocklistSwitch"),
    "analytics.report": NULL,
    "disputes.delete_evidence": None,
    "files.delete": None,
}
"""Answers that only one operation gives; None: no body."""


def success(operation: Operation, dialect: Dialect) -> Body:
    """What a success of an operation brings; KeyError for a record that no table here has."""
    name, kind = operation.name, operation.record
    if name in dialect.texts:
        return Body(TEXT, "text/plain")
    if name == "files.retrieve":
        return Body({"type": "string", "contentEncoding": "binary"}, "*/*")
    if name in _OWN:
        return Body(_OWN[name])
    if name in _COUNTS:
        counts = record({dialect.status_out(word): WHOLE for word in _COUNTS[name]})
        return Body(record({"status_with_count": counts}))
    if kind in _PAGES:
        return Body(page(dialect.list_of(name, operation.route), ref(_PAGES[kind])))
    if kind in _ARRAYS:
        return Body(many(ref(_ARRAYS[kind])))
    return Body(ref("ExpandedPayment" if name in _EXPANDED else _ONE[kind]))
