"""Every reason for a refusal, one row per cause in the order in which calls are checked; and refusals with their values.

A dialect gives a cause its status, code and text; here is what it means, which values it has, and whether an idempotency
claim is given back. Values named `…_at` are instants (ms); amounts are minor units; statuses are members of their enums,
so that the dialect can translate them. Causes of the group `value` have `fields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar

from msgspec import Struct


class CauseGroup(StrEnum):
    """The kinds of refusals, in the order in which calls are checked."""

    REQUEST = "request"
    AUTH = "auth"
    RATE = "rate"
    BODY = "body"
    VALUE = "value"
    MISSING = "missing"
    CONFLICT = "conflict"
    STATE = "state"
    AMOUNT = "amount"
    RULE = "rule"
    SERVER = "server"


G: Final = CauseGroup
BACK, KEPT = True, False


class Cause(StrEnum):
    """The name of a reason, and its row; the engine uses this, never a status or a code.

    `params` are the names of its values. `gives_back`: an idempotency claim is released, because the operation had not
    begun; otherwise the refusal is stored and replayed like any answer (ours).
    """

    _value_: str
    group: CauseGroup
    params: tuple[str, ...]
    gives_back: bool
    about: str
    source: str

    def __new__(
        cls, name: str, group: CauseGroup, params: tuple[str, ...], gives_back: bool, about: str, source: str
    ) -> Self:
        made = str.__new__(cls, name)
        made._value_ = name
        made.group, made.params, made.gives_back, made.about, made.source = group, params, gives_back, about, source
        return made

    # fmt: off
    REQUEST_MALFORMED = "request_malformed", G.REQUEST, ("reason",), BACK, "The request is not valid HTTP.", "ours"
    URI_TOO_LONG = "uri_too_long", G.REQUEST, ("limit",), BACK, "The path with its query is too long.", "ours"
    HEAD_TOO_LARGE = "head_too_large", G.REQUEST, ("limit",), BACK, "The headers together are too large.", "ours"
    BODY_TOO_LARGE = "body_too_large", G.REQUEST, ("limit",), BACK, "The body is larger than this route allows.", "ours"
    ROUTE_UNKNOWN = "route_unknown", G.REQUEST, ("method", "path"), BACK, "There is no route with this path.", "facts §4.1"
    METHOD_NOT_ALLOWED = "method_not_allowed", G.REQUEST, ("method", "path", "allowed"), BACK, "The route does not support this method.", "facts §4.1"

    KEY_MISSING = "key_missing", G.AUTH, (), BACK, "The api-key header is missing.", "facts §1.0"
    KEY_MALFORMED = "key_malformed", G.AUTH, ("flaw",), BACK, "The api-key does not have the format of a sandbox key.", "facts §1.0"
    KEY_UNKNOWN = "key_unknown", G.AUTH, (), BACK, "The server is restricted to a list of keys, and this one is not on it.", "facts §1.0"
    KEY_UNUSED = "key_unused", G.AUTH, (), BACK, "The publishable key belongs to a secret key that was neither used nor issued here.", "facts §1.0"
    KEY_PRODUCTION = "key_production", G.AUTH, (), BACK, "A production key was sent to a sandbox.", "interface §1"
    KEY_KIND_NOT_ALLOWED = "key_kind_not_allowed", G.AUTH, ("kind", "allowed"), BACK, "The kind of key is not allowed on this route.", "interface §5"
    KEY_EXPIRED = "key_expired", G.AUTH, ("expired_at",), BACK, "The issued key has expired.", "facts §1.0"
    KEY_REVOKED = "key_revoked", G.AUTH, (), BACK, "The issued key was revoked.", "facts §1.0"
    EPHEMERAL_KEY_WRONG = "ephemeral_key_wrong", G.AUTH, (), BACK, "The ephemeral key has expired or belongs to another customer.", "facts §1.0"
    SECRET_KEY_WITH_CLIENT_SECRET = "secret_key_with_client_secret", G.AUTH, (), KEPT, "A secret key and a client_secret were sent together.", "facts §1.0"
    CLIENT_SECRET_MISSING = "client_secret_missing", G.AUTH, (), BACK, "A publishable key was sent without client_secret (see fields).", "facts §1.0"
    CLIENT_SECRET_WRONG = "client_secret_wrong", G.AUTH, ("kind",), KEPT, "The client_secret belongs to another object.", "facts §4.4"
    CLIENT_SECRET_EXPIRED = "client_secret_expired", G.AUTH, ("expired_at",), KEPT, "The session of the client_secret has expired.", "facts §3.8"
    CLIENT_CHANGE_FORBIDDEN = "client_change_forbidden", G.AUTH, ("field",), BACK, "A call from the browser changes a field that only the server may change.", "facts §4.4"
    HOST_FORBIDDEN = "host_forbidden", G.AUTH, ("host",), BACK, "A call of the control API, or any call from a browser, uses a host name that is not allowed.", "ours"
    PAGE_MAKES_NOTHING = "page_makes_nothing", G.AUTH, ("origin",), BACK, "A web page tried to create a workspace.", "ours"
    CONTROL_ORIGIN_FORBIDDEN = "control_origin_forbidden", G.AUTH, ("origin",), BACK, "A page of another origin called the control API, or to set up a merchant.", "ours"
    CONTROL_TOKEN_WRONG = "control_token_wrong", G.AUTH, (), BACK, "The control token is missing or wrong.", "ours"
    PAGE_TOKEN_WRONG = "page_token_wrong", G.AUTH, (), BACK, "A form was not sent from a page of the sandbox.", "ours"

    RATE_LIMITED = "rate_limited", G.RATE, ("limit", "seconds"), BACK, "The merchant's limit of calls per minute is used up.", "interface §8.4"
    RATE_LIMITED_FROZEN = "rate_limited_frozen", G.RATE, ("limit", "seconds"), BACK, "The merchant's limit of calls per minute is used up, and the workspace's clock is frozen.", "ours"

    CONTENT_TYPE_WRONG = "content_type_wrong", G.BODY, ("given", "expected"), BACK, "The content type is not supported.", "facts §8"
    JSON_MALFORMED = "json_malformed", G.BODY, ("reason", "line", "column"), BACK, "The body is not JSON, or is ambiguous JSON.", "facts §4.1"
    BODY_NOT_OBJECT = "body_not_object", G.BODY, ("given", "expected"), BACK, "The body is JSON, but not of the required type.", "facts §4.1"
    MULTIPART_MALFORMED = "multipart_malformed", G.BODY, ("reason",), BACK, "The upload is not valid multipart/form-data.", "ours"

    VALUE_MISSING = "value_missing", G.VALUE, (), BACK, "Required values are missing.", "interface §4.2"
    VALUE_INVALID = "value_invalid", G.VALUE, (), BACK, "Values are not valid: type, format, list, length, range, check digit or expiry.", "interface §7"
    UNKNOWN_FIELD = "unknown_field", G.VALUE, (), BACK, "The body has unknown fields, and no other mistake.", "facts §8"
    UNKNOWN_PARAMETER = "unknown_parameter", G.VALUE, (), BACK, "The query has unknown parameters, and no other mistake.", "ours"
    IDEMPOTENCY_KEY_INVALID = "idempotency_key_invalid", G.VALUE, (), BACK, "The idempotency key is empty or too long.", "ours"
    METHOD_MISSING_AT_CONFIRM = "method_missing_at_confirm", G.VALUE, (), BACK, "A payment is confirmed without a payment method.", "interface §4.2"
    METHOD_DATA_MISSING = "method_data_missing", G.VALUE, (), BACK, "A payment is confirmed without a field that its method requires.", "facts §4.4"
    RETURN_URL_MISSING = "return_url_missing", G.VALUE, (), BACK, "A payment is confirmed with a method that needs a return_url, and neither it nor the profile has one.", "facts §6.3"
    PROFILE_NEEDED = "profile_needed", G.VALUE, (), BACK, "A payment has no profile_id, and the merchant has several profiles but no default one.", "facts §2.7"
    CUSTOMER_NEEDED = "customer_needed", G.VALUE, (), BACK, "A charge of a saved method does not name the customer.", "facts §4.4"
    CAPTURE_AMOUNT_MISSING = "capture_amount_missing", G.VALUE, (), BACK, "A capture of several must have an amount.", "facts §3.5"
    NOT_COMPUTED = "not_computed", G.VALUE, ("kind", "name", "offered"), BACK, "The sandbox does not compute this metric, filter or dimension.", "ours"
    SCENARIO_BROKEN = "scenario_broken", G.VALUE, ("name",), BACK, "The scenario has mistakes; fields has each with line and column.", "ours"

    OBJECT_UNKNOWN = "object_unknown", G.MISSING, ("kind", "id"), KEPT, "There is no object of this kind with this ID.", "facts §4.3"
    DISPUTE_UNKNOWN = "dispute_unknown", G.MISSING, ("id",), KEPT, "There is no dispute with this ID.", "facts §4.3"
    FILE_UNKNOWN = "file_unknown", G.MISSING, ("id",), KEPT, "There is no file with this ID, or the dispute has none of this type.", "facts §4.3"
    BLOCKLIST_ENTRY_UNKNOWN = "blocklist_entry_unknown", G.MISSING, (), KEPT, "The entry to unblock is not on the blocklist.", "facts §1.6"
    LINK_UNKNOWN = "link_unknown", G.MISSING, (), KEPT, "The link was not created by this server.", "ours"
    LINK_OVER = "link_over", G.MISSING, (), KEPT, "The link was used already or has expired.", "facts §7.1"
    WORKSPACE_GONE = "workspace_gone", G.MISSING, (), BACK, "The workspace was reset, ended or evicted while the call waited.", "ours"

    PAYMENT_EXISTS = "payment_exists", G.CONFLICT, ("payment_id",), KEPT, "The payment_id is already used.", "facts §4.4"
    REFUND_EXISTS = "refund_exists", G.CONFLICT, ("refund_id",), KEPT, "The refund_id is already used.", "facts §8"
    CUSTOMER_EXISTS = "customer_exists", G.CONFLICT, ("customer_id",), KEPT, "The customer_id is already used.", "facts §5"
    MERCHANT_EXISTS = "merchant_exists", G.CONFLICT, ("merchant_id",), KEPT, "The merchant_id is already used.", "facts §4.3"
    CONNECTOR_EXISTS = "connector_exists", G.CONFLICT, ("label", "profile_id"), KEPT, "The profile already has a connector with this label.", "facts §4.3"
    PROFILE_NAME_TAKEN = "profile_name_taken", G.CONFLICT, ("name",), KEPT, "The merchant already has a profile with this name.", "facts §2.7"
    BLOCKLIST_ENTRY_EXISTS = "blocklist_entry_exists", G.CONFLICT, (), KEPT, "The entry to block is already on the blocklist.", "ours"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused", G.CONFLICT, (), BACK, "The idempotency key was used with another body or query.", "interface §8.3"
    IDEMPOTENCY_IN_FLIGHT = "idempotency_in_flight", G.CONFLICT, (), BACK, "Another call with this idempotency key is in progress.", "interface §8.3"
    ADVANCE_RUNNING = "advance_running", G.CONFLICT, (), BACK, "The workspace's clock is being advanced by another call.", "ours"

    STATUS_FORBIDS = "status_forbids", G.STATE, ("action", "status"), KEPT, "The payment's status does not allow the action.", "facts §3.3"
    CAPTURE_FORBIDS = "capture_forbids", G.STATE, ("value", "states"), KEPT, "A capture finds the payment in another state than it needs.", "facts §3.3"
    CAPTURE_WAS_THE_ONE = "capture_was_the_one", G.STATE, ("value", "states"), KEPT, "A payment is captured again after its one capture.", "facts §3.5"
    REFUND_FORBIDS = "refund_forbids", G.STATE, ("value", "states"), KEPT, "A refund finds the payment in another state than it needs.", "facts §3.3"
    CAPTURE_METHOD_FORBIDS = "capture_method_forbids", G.STATE, ("value", "states"), KEPT, "A payment with automatic capture cannot be captured manually.", "facts §3.3"
    RETRY_DISABLED = "retry_disabled", G.STATE, ("status",), KEPT, "A failed payment is confirmed again, but the profile does not allow it.", "facts §3.3"
    RETRY_WINDOW_OVER = "retry_window_over", G.STATE, ("ended_at",), KEPT, "A failed payment is confirmed again too late.", "facts §3.3"
    INCREMENT_NOT_ALLOWED = "increment_not_allowed", G.STATE, (), KEPT, "The payment was not created with incremental authorization.", "facts §3.3"
    REFUND_AFTER_VOID = "refund_after_void", G.STATE, ("payment_id",), KEPT, "The charge was reversed after capture; nothing is left to refund.", "facts §8"
    VOID_AFTER_REFUND = "void_after_refund", G.STATE, ("payment_id",), KEPT, "A charge with refunds or disputes cannot be reversed.", "ours"
    DISPUTE_STATUS_FORBIDS = "dispute_status_forbids", G.STATE, ("action", "stage", "status"), KEPT, "The dispute's stage or status does not allow the action.", "facts §3.7"
    MANDATE_STATUS_FORBIDS = "mandate_status_forbids", G.STATE, ("action", "mandate_id", "status"), KEPT, "The mandate is not active.", "facts §4.3"
    METHOD_STATUS_FORBIDS = "method_status_forbids", G.STATE, ("action", "status"), KEPT, "The saved payment method's status does not allow the action.", "ours"
    CUSTOMER_REDACTED = "customer_redacted", G.STATE, ("customer_id",), KEPT, "The customer was deleted.", "facts §8"
    CUSTOMER_HAS_MANDATE = "customer_has_mandate", G.STATE, ("customer_id",), KEPT, "A customer with an active mandate cannot be deleted.", "facts §8"
    DEFAULT_METHOD_STAYS = "default_method_stays", G.STATE, (), KEPT, "The customer's default payment method cannot be deleted.", "facts §4.2"
    TRIGGER_FORBIDS = "trigger_forbids", G.STATE, ("trigger", "kind", "status", "states"), KEPT, "The object's status does not allow this trigger of the control API.", "ours"
    SCENARIO_NOT_ACTIVE = "scenario_not_active", G.STATE, ("name",), KEPT, "The assertions of a scenario can run only while it is on.", "ours"
    DIALECT_FIXED = "dialect_fixed", G.STATE, ("dialect",), KEPT, "The dialect can be changed only in an empty workspace.", "ours"

    AMOUNT_TOO_LARGE = "amount_too_large", G.AMOUNT, ("total", "limit"), KEPT, "The amount with shipping, tax and surcharge is too large.", "facts §4.4"
    AMOUNT_OVER_CAPTURABLE = "amount_over_capturable", G.AMOUNT, ("amount", "capturable"), KEPT, "The capture is larger than the capturable amount.", "facts §3.5"
    AMOUNT_TO_CAPTURE_OVER_AMOUNT = "amount_to_capture_over_amount", G.AMOUNT, ("amount_to_capture", "amount"), KEPT, "amount_to_capture is larger than the amount.", "facts §3.5"
    AMOUNT_TO_CAPTURE_NOT_AMOUNT = "amount_to_capture_not_amount", G.AMOUNT, ("amount_to_capture", "amount"), KEPT, "A payment with automatic capture must be captured in full.", "facts §3.5"
    INCREMENT_NOT_LARGER = "increment_not_larger", G.AMOUNT, ("amount", "authorized"), KEPT, "The new amount is not larger than the authorized amount.", "facts §3.3"
    REFUND_OVER_CAPTURED = "refund_over_captured", G.AMOUNT, ("amount", "captured", "refunded", "disputed"), KEPT, "The refund is larger than the remaining amount.", "facts §8"
    REFUND_ATTEMPTS_EXCEEDED = "refund_attempts_exceeded", G.AMOUNT, ("limit",), KEPT, "The payment has the maximum number of refunds.", "ours"
    REFUND_TOO_OLD = "refund_too_old", G.AMOUNT, ("days",), KEPT, "The payment is too old for a refund.", "facts §8"
    DISPUTE_OVER_CAPTURED = "dispute_over_captured", G.AMOUNT, ("amount", "captured"), KEPT, "The dispute is larger than the disputable amount.", "ours"

    METHOD_MISMATCH = "method_mismatch", G.RULE, ("method", "method_type", "offered"), KEPT, "payment_method_type does not belong to payment_method.", "facts §4.4"
    DATA_MISMATCH = "data_mismatch", G.RULE, ("method", "given"), KEPT, "payment_method_data belongs to another method.", "facts §4.4"
    WALLET_NOT_CONFIGURED = "wallet_not_configured", G.RULE, ("wallet", "profile_field"), KEPT, "The profile has no merchant identity for the wallet.", "interface §4.2"
    LINK_AND_CONFIRM = "link_and_confirm", G.RULE, (), KEPT, "A payment link is requested for a payment that is confirmed immediately.", "ours"
    OVERCAPTURE_NEEDS_MANUAL = "overcapture_needs_manual", G.RULE, (), KEPT, "In the public dialect, enable_overcapture was sent without capture_method manual.", "facts §4.4"
    CUSTOMER_CONFLICT = "customer_conflict", G.RULE, ("name", "value", "inner", "other"), KEPT, "customer says another ID, name or contact than the payment itself.", "facts §4.4"
    SETUP_FUTURE_USAGE_NEEDS_CUSTOMER = "setup_future_usage_needs_customer", G.RULE, (), KEPT, "A payment method is to be saved without a customer.", "facts §4.4"
    RECURRING_DATA_DOUBLED = "recurring_data_doubled", G.RULE, ("other",), KEPT, "recurring_details was sent together with another reference to a saved method.", "facts §4.4"
    RECURRING_NEEDS = "recurring_needs", G.RULE, ("field",), KEPT, "recurring_details was sent without confirm or off_session set to true.", "facts §4.4"
    MANDATE_NEEDS_CUSTOMER = "mandate_needs_customer", G.RULE, (), KEPT, "In the public dialect, mandate_data was sent without a customer.", "facts §4.4"
    MANDATE_DATES_REVERSED = "mandate_dates_reversed", G.RULE, ("kind",), KEPT, "A mandate would start after its end.", "facts §4.4"
    ACCEPTANCE_NEEDS_ONLINE = "acceptance_needs_online", G.RULE, (), KEPT, "In the public dialect, an online acceptance of a mandate has no details of it.", "facts §4.4"
    MANDATE_DATA_NEEDS_OFF_SESSION = "mandate_data_needs_off_session", G.RULE, (), KEPT, "mandate_data was sent without setup_future_usage off_session.", "facts §4.4"
    MANDATE_METHOD_UNSUPPORTED = "mandate_method_unsupported", G.RULE, ("method",), KEPT, "mandate_data was sent with a method that cannot be charged again.", "facts §4.2"
    MANDATE_DIFFERS = "mandate_differs", G.RULE, ("mandate_id", "names"), KEPT, "The charge differs from its mandate in customer or currency.", "facts §4.2"
    MANDATE_EXCEEDED = "mandate_exceeded", G.RULE, ("mandate_id", "amount", "limit"), KEPT, "The charge is larger than its mandate allows.", "facts §4.3"
    MANDATE_USED = "mandate_used", G.RULE, ("mandate_id",), KEPT, "A single-use mandate is used again.", "facts §4.3"
    MANDATE_OUT_OF_PERIOD = "mandate_out_of_period", G.RULE, ("mandate_id",), KEPT, "The charge is outside its mandate's dates.", "facts §4.3"
    PAYMENT_TOKEN_OVER = "payment_token_over", G.RULE, (), KEPT, "The payment_token is not valid, or expired after fifteen minutes.", "facts §8"
    METHOD_NOT_OFF_SESSION = "method_not_off_session", G.RULE, ("payment_method_id",), KEPT, "A method saved for on_session use is charged without the customer.", "interface §4.2"
    MERCHANT_ID_FOREIGN = "merchant_id_foreign", G.RULE, ("field",), KEPT, "The merchant ID does not belong to the caller.", "facts §8"
    METADATA_OVER_LIMIT = "metadata_over_limit", G.RULE, ("count", "limit"), KEPT, "The merged metadata has too many pairs.", "interface §8.5"
    BLOCKED = "blocked", G.RULE, (), KEPT, "The card is on the blocklist; the payment is stored as failed.", "facts §8"
    FILE_MISSING = "file_missing", G.RULE, (), KEPT, "The upload has no file.", "facts §4.2"
    FILE_DISPUTE_MISSING = "file_dispute_missing", G.RULE, (), KEPT, "The upload does not name a dispute.", "facts §4.2"
    FILE_PURPOSE_INVALID = "file_purpose_invalid", G.RULE, ("offered",), KEPT, "The purpose of the upload is missing or unknown.", "facts §4.2"
    FILE_TYPE_MISSING = "file_type_missing", G.RULE, (), KEPT, "The uploaded file has no content type.", "facts §4.2"
    FILE_REJECTED = "file_rejected", G.RULE, ("reason",), KEPT, "The uploaded file is not acceptable as evidence.", "facts §4.3"
    EVENT_FILTERS_EXCLUSIVE = "event_filters_exclusive", G.RULE, (), KEPT, "Events are requested by object and by event at the same time.", "facts §2.9"
    EVENTS_TOO_OLD = "events_too_old", G.RULE, ("days",), KEPT, "Events are requested for a time before the retention period.", "facts §2.9"
    STATUS_WITHOUT_EVENT = "status_without_event", G.RULE, ("field", "status", "offered"), KEPT, "A webhook filter has a status for which there is no event.", "facts §2.7"
    WEBHOOK_TARGET_MISSING = "webhook_target_missing", G.RULE, (), KEPT, "A webhook is to be sent, but there is no endpoint.", "ours"
    WEBHOOK_HOST_FORBIDDEN = "webhook_host_forbidden", G.RULE, ("host",), KEPT, "The server's settings do not allow webhooks to this host.", "ours"
    REPORT_TOO_LARGE = "report_too_large", G.RULE, ("limit",), KEPT, "The report would have too many rows.", "facts §1.7"
    CLOCK_BACKWARDS = "clock_backwards", G.RULE, ("asked_at", "now_at"), KEPT, "The clock of a workspace that is not empty cannot go back.", "ours"
    SNAPSHOT_FORMAT_UNKNOWN = "snapshot_format_unknown", G.RULE, ("format", "made_by"), KEPT, "This version cannot read the format of the snapshot.", "ours"
    SNAPSHOT_BROKEN = "snapshot_broken", G.RULE, ("reason",), KEPT, "The document is not a snapshot.", "ours"
    SNAPSHOT_TOO_LARGE = "snapshot_too_large", G.RULE, ("size", "limit"), BACK, "The workspace is too large for a snapshot.", "ours"
    NO_ROOM = "no_room", G.RULE, ("what", "setting"), BACK, "The size limit of a setting is reached.", "ours"
    RECORDS_FULL = "records_full", G.RULE, ("limit",), BACK, "The workspace has as many records as the setting `max_records` allows.", "ours"
    FEATURE_NOT_OFFERED = "feature_not_offered", G.RULE, ("feature",), KEPT, "The sandbox does not offer this feature of the public API.", "facts §1.1"

    BUSY = "busy", G.SERVER, (), BACK, "The server is busy with too many calls or bodies.", "ours"
    NOT_SAVED = "not_saved", G.SERVER, ("reason", "outcome"), BACK, "The data of the call cannot be saved to the file or database of the setting `data`.", "ours"
    INTERNAL = "internal", G.SERVER, ("reference",), BACK, "Internal error; the log has more under the reference.", "facts §4.1"
    # fmt: on


class ObjectKind(StrEnum):
    """The kinds of objects, for `object_unknown`."""

    PAYMENT = "payment"
    REFUND = "refund"
    CUSTOMER = "customer"
    PROFILE = "business profile"
    PAYMENT_METHOD = "payment method"
    MANDATE = "mandate"
    MERCHANT = "merchant account"
    CONNECTOR = "connector account"
    API_KEY = "api key"
    EPHEMERAL_KEY = "ephemeral key"
    EVENT = "event"
    POLL = "poll"
    PAYMENT_LINK = "payment link"
    CALL = "call"
    SCENARIO = "scenario"
    SNAPSHOT = "snapshot"


NO_BOUNDARY: Final = "its content type has no boundary"
"""The reason for which a form has no parts."""
_NOTHING: Final[Mapping[str, object]] = MappingProxyType({})


class FieldError(Struct, frozen=True):
    """One wrong field: its dotted path and what is wrong, as a clause about it ("must be a whole number").

    The message never contains a value that could be a card number, a code or a secret. `rule` names the rule that the
    field breaks as it is read (empty: it contradicts something else), and `values` are for a dialect's own sentence.
    """

    field: str
    message: str
    cause: Cause = Cause.VALUE_INVALID
    rule: str = ""
    values: Mapping[str, object] = _NOTHING


class Refusal(Exception):
    """A call that is answered with an error: `Refusal(Cause.STATUS_FORBIDS, action="cancel", status=status)`.

    `values` are the params of the cause, `fields` the wrong fields, `extras` further members of the answer (`reason`,
    `connector`, `data`, `payment_id` …).
    """

    def __init__(
        self,
        cause: Cause,
        *,
        fields: tuple[FieldError, ...] = (),
        extras: Mapping[str, object] | None = None,
        **values: object,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.fields = fields
        self.extras = _NOTHING if extras is None else extras
        self.values: Mapping[str, object] = values

    @classmethod
    def of_fields(cls, fields: Iterable[FieldError]) -> Refusal:
        """Refuse wrong fields with the cause that they share, or else as invalid values."""
        wrong = tuple(fields)
        causes = {field.cause for field in wrong}
        return cls(causes.pop() if len(causes) == 1 else Cause.VALUE_INVALID, fields=wrong)

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.values.items())
        wrong = ", ".join(f"{field.field}: {field.message}" for field in self.fields)
        return "; ".join(part for part in (str(self.cause), said, wrong) if part)


def unknown(kind: ObjectKind, object_id: str, *problems: tuple[str, str]) -> Refusal:
    """The refusal for an object that does not exist, or that belongs to another; with what is wrong with a field."""
    fields = tuple(FieldError(field, problem, Cause.OBJECT_UNKNOWN) for field, problem in problems)
    return Refusal(
        Cause.OBJECT_UNKNOWN, fields=fields, kind=kind, id=object_id if object_id.strip() else f'"{object_id}"'
    )


def wrong_field(name: str, message: str, cause: Cause = Cause.VALUE_INVALID, **more: Any) -> Refusal:
    """The refusal for one field; `more` is the rule that it breaks, with the values for a dialect's own sentence."""
    return Refusal(cause, fields=(FieldError(name, message, cause, **more),))


def missing(name: str, why: str, cause: Cause = Cause.VALUE_MISSING) -> Refusal:
    """The refusal for a field that is not sent, but required."""
    return wrong_field(name, why, cause)


def trigger_forbids(trigger: str, kind: ObjectKind | str, status: object, states: Iterable[object]) -> Refusal:
    """The refusal for a trigger of the control API that the object's status does not allow, with those that it needs."""
    return Refusal(Cause.TRIGGER_FORBIDS, trigger=trigger, kind=kind, status=status, states=tuple(states))


R = TypeVar("R")


def existing(record: R | None, kind: ObjectKind, object_id: str) -> R:
    """The record of that id, if there is one. Refused as `object_unknown`."""
    if record is None:
        raise unknown(kind, object_id)
    return record
