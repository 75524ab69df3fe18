"""Every reason this server has for a refusal: one row a cause, in the order in which calls are checked.

What a cause is called on the wire (status, code, text) is the dialect's business; here stands what it means, what the
raiser hands over, and whether an idempotency claim is given back. Values named `…_at` are instants (ms); amounts are
minor units; statuses are members of their enums, so that the dialect can put them into its words. Causes of the group
`value` carry `fields`.
"""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

from enum import StrEnum
from typing import Final, Self


class CauseGroup(StrEnum):
    """What kind of "no" it is, in the order in which calls are checked."""

    REQUEST = "request"
    AUTH = "auth"
    RATE = "rate"
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
    """The name of a reason, and its row; code says this, never a status or a code.

    `params` are the names of the values that its raiser hands over. `gives_back`: an idempotency claim is released,
    because the operation had not begun; otherwise the refusal is kept and replayed like any answer (ours). `about` is
    what it means, `source` where it comes from.
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
    REQUEST_MALFORMED = "request_malformed", G.REQUEST, ("reason",), BACK, "The bytes are no HTTP request that can be served.", "ours"
    URI_TOO_LONG = "uri_too_long", G.REQUEST, ("limit",), BACK, "The path with its query is too long.", "ours"
    HEAD_TOO_LARGE = "head_too_large", G.REQUEST, ("limit",), BACK, "The headers together are too large.", "ours"
    BODY_TOO_LARGE = "body_too_large", G.REQUEST, ("limit",), BACK, "The body is larger than this route takes, in bytes.", "ours"
    ROUTE_UNKNOWN = "route_unknown", G.REQUEST, ("method", "path"), BACK, "Nothing is served under this path.", "facts §4.1"
    METHOD_NOT_ALLOWED = "method_not_allowed", G.REQUEST, ("method", "path", "allowed"), BACK, "The path is known, the method is not.", "facts §4.1"
    CONTENT_TYPE_WRONG = "content_type_wrong", G.REQUEST, ("given", "expected"), BACK, "The body is announced as something else.", "facts §8"
    JSON_MALFORMED = "json_malformed", G.REQUEST, ("reason", "line", "column"), BACK, "The body is not JSON, or JSON that two readers could take differently.", "facts §4.1"
    BODY_NOT_OBJECT = "body_not_object", G.REQUEST, ("given", "expected"), BACK, "The body is JSON of another shape than the route takes.", "facts §4.1"
    MULTIPART_MALFORMED = "multipart_malformed", G.REQUEST, ("reason",), BACK, "An upload is not multipart/form-data that can be read.", "ours"

    KEY_MISSING = "key_missing", G.AUTH, (), BACK, "No api-key header came with the call.", "facts §1.0"
    KEY_MALFORMED = "key_malformed", G.AUTH, ("flaw",), BACK, "The api-key has no form that a key of a sandbox can have.", "facts §1.0"
    KEY_UNKNOWN = "key_unknown", G.AUTH, (), BACK, "The server is restricted to a list of keys, and this one is not on it.", "facts §1.0"
    KEY_UNUSED = "key_unused", G.AUTH, (), BACK, "A publishable key whose secret key was neither used nor issued here.", "facts §1.0"
    KEY_PRODUCTION = "key_production", G.AUTH, (), BACK, "A production key came to a sandbox.", "interface §1"
    KEY_KIND_NOT_ALLOWED = "key_kind_not_allowed", G.AUTH, ("kind", "allowed"), BACK, "A good key of a kind that this route does not take.", "interface §5"
    KEY_EXPIRED = "key_expired", G.AUTH, ("expired_at",), BACK, "An issued key whose time is over.", "facts §1.0"
    KEY_REVOKED = "key_revoked", G.AUTH, (), BACK, "An issued key that was revoked.", "facts §1.0"
    EPHEMERAL_KEY_WRONG = "ephemeral_key_wrong", G.AUTH, (), BACK, "An ephemeral key that is over, or of another customer.", "facts §1.0"
    SECRET_KEY_WITH_CLIENT_SECRET = "secret_key_with_client_secret", G.AUTH, (), KEPT, "A secret key and a client_secret came together.", "facts §1.0"
    CLIENT_SECRET_MISSING = "client_secret_missing", G.AUTH, (), BACK, "A publishable key came without the client_secret it needs (fields).", "facts §1.0"
    CLIENT_SECRET_WRONG = "client_secret_wrong", G.AUTH, ("kind",), KEPT, "The client_secret is that of another object.", "facts §4.4"
    CLIENT_SECRET_EXPIRED = "client_secret_expired", G.AUTH, ("expired_at",), KEPT, "The session that the client_secret opened is over.", "facts §3.8"
    CLIENT_CHANGE_FORBIDDEN = "client_change_forbidden", G.AUTH, ("field",), BACK, "A call from the browser would change what only the server may.", "facts §4.4"
    HOST_FORBIDDEN = "host_forbidden", G.AUTH, ("host",), BACK, "A call of the control API, or a browser's of any route, names the server by a host name that is not its own.", "ours"
    PAGE_MAKES_NOTHING = "page_makes_nothing", G.AUTH, ("origin",), BACK, "A page of another site would make a workspace.", "ours"
    CONTROL_ORIGIN_FORBIDDEN = "control_origin_forbidden", G.AUTH, ("origin",), BACK, "A page of another origin calls the control API.", "ours"
    CONTROL_TOKEN_WRONG = "control_token_wrong", G.AUTH, (), BACK, "The control API is guarded by a token that did not come.", "ours"
    PAGE_TOKEN_WRONG = "page_token_wrong", G.AUTH, (), BACK, "A form was sent that none of our pages showed.", "ours"

    RATE_LIMITED = "rate_limited", G.RATE, ("limit", "seconds"), BACK, "The merchant's window of one minute is used up.", "interface §8.4"
    RATE_LIMITED_FROZEN = "rate_limited_frozen", G.RATE, ("limit", "seconds"), BACK, "The same, while the workspace's clock is frozen.", "ours"

    VALUE_MISSING = "value_missing", G.VALUE, (), BACK, "Required values are not there.", "interface §4.2"
    VALUE_INVALID = "value_invalid", G.VALUE, (), BACK, "Values are wrong by themselves: type, format, list, length, range, check digit, expiry.", "interface §7"
    UNKNOWN_FIELD = "unknown_field", G.VALUE, (), BACK, "The body has fields that the request does not know, and no other mistake.", "facts §8"
    UNKNOWN_PARAMETER = "unknown_parameter", G.VALUE, (), BACK, "The query or a list's body has parameters that the list does not know.", "ours"
    IDEMPOTENCY_KEY_INVALID = "idempotency_key_invalid", G.VALUE, (), BACK, "The idempotency key is empty or too long.", "ours"
    METHOD_MISSING_AT_CONFIRM = "method_missing_at_confirm", G.VALUE, (), BACK, "A payment is confirmed without any payment method.", "interface §4.2"
    METHOD_DATA_MISSING = "method_data_missing", G.VALUE, (), BACK, "A payment is confirmed without something its method needs.", "facts §4.4"
    CUSTOMER_NEEDED = "customer_needed", G.VALUE, (), BACK, "A charge of a saved method does not say whose it is.", "facts §4.4"
    CAPTURE_AMOUNT_MISSING = "capture_amount_missing", G.VALUE, (), BACK, "A capture of several must say how much.", "facts §3.5"
    NOT_COMPUTED = "not_computed", G.VALUE, ("kind", "name", "offered"), BACK, "A metric, filter or dimension that this server does not compute.", "ours"
    SCENARIO_BROKEN = "scenario_broken", G.VALUE, ("name", "count"), BACK, "A scenario has mistakes, each one in the fields as line and column.", "ours"

    OBJECT_UNKNOWN = "object_unknown", G.MISSING, ("kind", "id"), KEPT, "No object of this kind (an `ObjectKind`) has this id here.", "facts §4.3"
    DISPUTE_UNKNOWN = "dispute_unknown", G.MISSING, ("id",), KEPT, "No dispute has this id.", "facts §4.3"
    FILE_UNKNOWN = "file_unknown", G.MISSING, ("id",), KEPT, "No file has this id, or a dispute has none of this type.", "facts §4.3"
    BLOCKLIST_ENTRY_UNKNOWN = "blocklist_entry_unknown", G.MISSING, (), KEPT, "What shall be unblocked was not blocked.", "facts §1.6"
    LINK_UNKNOWN = "link_unknown", G.MISSING, (), KEPT, "A link that this server never gave out.", "ours"
    LINK_OVER = "link_over", G.MISSING, (), KEPT, "A link that was used, or whose time is over.", "facts §7.1"
    WORKSPACE_GONE = "workspace_gone", G.MISSING, (), BACK, "The workspace was reset or evicted while the call waited.", "ours"

    PAYMENT_EXISTS = "payment_exists", G.CONFLICT, ("payment_id",), KEPT, "The payment_id is taken.", "facts §4.4"
    REFUND_EXISTS = "refund_exists", G.CONFLICT, ("refund_id",), KEPT, "The refund_id is taken.", "facts §8"
    CUSTOMER_EXISTS = "customer_exists", G.CONFLICT, ("customer_id",), KEPT, "The customer_id is taken.", "facts §5"
    MERCHANT_EXISTS = "merchant_exists", G.CONFLICT, ("merchant_id",), KEPT, "The merchant_id is taken.", "facts §4.3"
    CONNECTOR_EXISTS = "connector_exists", G.CONFLICT, ("label",), KEPT, "The merchant has a connector of this label.", "facts §4.3"
    PROFILE_NAME_TAKEN = "profile_name_taken", G.CONFLICT, ("name",), KEPT, "The merchant has a profile of this name.", "facts §2.7"
    BLOCKLIST_ENTRY_EXISTS = "blocklist_entry_exists", G.CONFLICT, (), KEPT, "What shall be blocked is blocked already.", "ours"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused", G.CONFLICT, (), BACK, "The key was used with another body.", "interface §8.3"
    IDEMPOTENCY_IN_FLIGHT = "idempotency_in_flight", G.CONFLICT, (), BACK, "A call with this key is being served right now.", "interface §8.3"
    ADVANCE_RUNNING = "advance_running", G.CONFLICT, (), BACK, "The workspace's clock is being advanced by another call.", "ours"

    STATUS_FORBIDS = "status_forbids", G.STATE, ("action", "status"), KEPT, "The payment's status does not allow the action.", "facts §3.3"
    CAPTURE_FORBIDS = "capture_forbids", G.STATE, ("value", "states"), KEPT, "A capture finds the payment in another state than it needs.", "facts §3.3"
    REFUND_FORBIDS = "refund_forbids", G.STATE, ("value", "states"), KEPT, "A refund finds the payment in another state than it needs.", "facts §3.3"
    CAPTURE_METHOD_FORBIDS = "capture_method_forbids", G.STATE, ("value", "states"), KEPT, "A payment that captures by itself is captured.", "facts §3.3"
    RETRY_DISABLED = "retry_disabled", G.STATE, ("status",), KEPT, "A failed payment is confirmed again, and the profile does not allow it.", "facts §3.3"
    RETRY_WINDOW_OVER = "retry_window_over", G.STATE, ("ended_at",), KEPT, "A failed payment is confirmed again too late.", "facts §3.3"
    INCREMENT_NOT_ALLOWED = "increment_not_allowed", G.STATE, (), KEPT, "The payment was not created to be raised.", "facts §3.3"
    REFUND_AFTER_VOID = "refund_after_void", G.STATE, ("payment_id",), KEPT, "The charge was reversed after capture; nothing is left to refund.", "facts §8"
    VOID_AFTER_REFUND = "void_after_refund", G.STATE, ("payment_id",), KEPT, "A charge with refunds is reversed.", "ours"
    DISPUTE_STATUS_FORBIDS = "dispute_status_forbids", G.STATE, ("action", "stage", "status"), KEPT, "The dispute's stage or status does not allow the action.", "facts §3.7"
    MANDATE_STATUS_FORBIDS = "mandate_status_forbids", G.STATE, ("action", "mandate_id", "status"), KEPT, "The mandate is not active.", "facts §4.3"
    METHOD_STATUS_FORBIDS = "method_status_forbids", G.STATE, ("action", "status"), KEPT, "The saved payment method's status does not allow the action.", "ours"
    CUSTOMER_REDACTED = "customer_redacted", G.STATE, ("customer_id",), KEPT, "The customer was deleted.", "facts §8"
    CUSTOMER_HAS_MANDATE = "customer_has_mandate", G.STATE, ("customer_id",), KEPT, "A customer with an active mandate is deleted.", "facts §8"
    DEFAULT_METHOD_STAYS = "default_method_stays", G.STATE, (), KEPT, "The customer's default payment method is deleted.", "facts §4.2"
    TRIGGER_FORBIDS = "trigger_forbids", G.STATE, ("trigger", "kind", "status", "states"), KEPT, "A trigger of the control API finds the object in another status than it needs.", "ours"
    SCENARIO_NOT_ACTIVE = "scenario_not_active", G.STATE, ("name",), KEPT, "What a scenario expects is asked for while it is not on.", "ours"
    DIALECT_FIXED = "dialect_fixed", G.STATE, ("dialect",), KEPT, "A workspace that holds records would speak another dialect.", "ours"

    AMOUNT_TOO_LARGE = "amount_too_large", G.AMOUNT, ("total", "limit"), KEPT, "Amount with shipping, tax and surcharge is over the largest amount.", "facts §4.4"
    AMOUNT_OVER_CAPTURABLE = "amount_over_capturable", G.AMOUNT, ("amount", "capturable"), KEPT, "More is captured than may be.", "facts §3.5"
    AMOUNT_TO_CAPTURE_OVER_AMOUNT = "amount_to_capture_over_amount", G.AMOUNT, ("amount_to_capture", "amount"), KEPT, "A payment is created to capture more than its amount.", "facts §3.5"
    AMOUNT_TO_CAPTURE_NOT_AMOUNT = "amount_to_capture_not_amount", G.AMOUNT, ("amount_to_capture", "amount"), KEPT, "An automatic payment is created to capture a part.", "facts §3.5"
    INCREMENT_NOT_LARGER = "increment_not_larger", G.AMOUNT, ("amount", "authorized"), KEPT, "A raise that does not raise.", "facts §3.3"
    REFUND_OVER_CAPTURED = "refund_over_captured", G.AMOUNT, ("amount", "captured", "refunded", "disputed"), KEPT, "More is refunded than is left.", "facts §8"
    REFUND_ATTEMPTS_EXCEEDED = "refund_attempts_exceeded", G.AMOUNT, ("limit",), KEPT, "The payment has all the refunds it may have.", "ours"
    REFUND_TOO_OLD = "refund_too_old", G.AMOUNT, ("days",), KEPT, "The payment is too old for a refund.", "facts §8"
    DISPUTE_OVER_CAPTURED = "dispute_over_captured", G.AMOUNT, ("amount", "captured"), KEPT, "A dispute is opened over more than there is to dispute.", "ours"

    METHOD_MISMATCH = "method_mismatch", G.RULE, ("method", "method_type", "offered"), KEPT, "payment_method_type is not one of payment_method's.", "facts §4.4"
    DATA_MISMATCH = "data_mismatch", G.RULE, ("method", "given"), KEPT, "payment_method_data is of another method.", "facts §4.4"
    WALLET_NOT_CONFIGURED = "wallet_not_configured", G.RULE, ("wallet", "profile_field"), KEPT, "The profile has no merchant identity for the wallet.", "interface §4.2"
    LINK_AND_CONFIRM = "link_and_confirm", G.RULE, (), KEPT, "A page to pay on is asked for a payment that is confirmed at once.", "ours"
    CUSTOMER_CONFLICT = "customer_conflict", G.RULE, ("customer_id", "other_id"), KEPT, "customer_id and customer.id name two customers.", "facts §4.4"
    SETUP_FUTURE_USAGE_NEEDS_CUSTOMER = "setup_future_usage_needs_customer", G.RULE, (), KEPT, "A method is to be saved for nobody.", "facts §4.4"
    RECURRING_DATA_DOUBLED = "recurring_data_doubled", G.RULE, ("other",), KEPT, "recurring_details came beside another way to name a saved method.", "facts §4.4"
    RECURRING_NEEDS = "recurring_needs", G.RULE, ("field",), KEPT, "recurring_details came without confirm or off_session being true.", "facts §4.4"
    MANDATE_DATA_NEEDS_OFF_SESSION = "mandate_data_needs_off_session", G.RULE, (), KEPT, "mandate_data came without setup_future_usage off_session.", "facts §4.4"
    MANDATE_DIFFERS = "mandate_differs", G.RULE, ("mandate_id", "names"), KEPT, "A charge differs from its mandate in customer or currency.", "facts §4.2"
    MANDATE_EXCEEDED = "mandate_exceeded", G.RULE, ("mandate_id", "amount", "limit"), KEPT, "A charge is larger than its mandate allows.", "facts §4.3"
    MANDATE_USED = "mandate_used", G.RULE, ("mandate_id",), KEPT, "A single-use mandate is used again.", "facts §4.3"
    MANDATE_OUT_OF_PERIOD = "mandate_out_of_period", G.RULE, ("mandate_id",), KEPT, "A charge lies before or after its mandate's dates.", "facts §4.3"
    PAYMENT_TOKEN_OVER = "payment_token_over", G.RULE, (), KEPT, "A payment_token that nobody gave out, or whose fifteen minutes are over.", "facts §8"
    METHOD_NOT_OFF_SESSION = "method_not_off_session", G.RULE, ("payment_method_id",), KEPT, "A method that was saved for its customer's own use is charged without the customer.", "interface §4.2"
    MERCHANT_ID_FOREIGN = "merchant_id_foreign", G.RULE, ("field",), KEPT, "A merchant id that is not the caller's.", "facts §8"
    METADATA_OVER_LIMIT = "metadata_over_limit", G.RULE, ("count", "limit"), KEPT, "Merged metadata has too many pairs.", "interface §8.5"
    BLOCKED = "blocked", G.RULE, (), KEPT, "The card is on the blocklist; the payment is kept as failed.", "facts §8"
    FILE_MISSING = "file_missing", G.RULE, (), KEPT, "An upload without its file.", "facts §4.2"
    FILE_DISPUTE_MISSING = "file_dispute_missing", G.RULE, (), KEPT, "An upload that does not say for which dispute.", "facts §4.2"
    FILE_PURPOSE_INVALID = "file_purpose_invalid", G.RULE, ("offered",), KEPT, "An upload without its purpose, or with one there is not.", "facts §4.2"
    FILE_TYPE_MISSING = "file_type_missing", G.RULE, (), KEPT, "An uploaded file without its content type.", "facts §4.2"
    FILE_REJECTED = "file_rejected", G.RULE, ("reason",), KEPT, "An uploaded file that no bank would take.", "facts §4.3"
    EVENT_FILTERS_EXCLUSIVE = "event_filters_exclusive", G.RULE, (), KEPT, "Events are asked for by object and by event at once.", "facts §2.9"
    EVENTS_TOO_OLD = "events_too_old", G.RULE, ("days",), KEPT, "Events are asked for from before the look-back.", "facts §2.9"
    STATUS_WITHOUT_EVENT = "status_without_event", G.RULE, ("field", "status", "offered"), KEPT, "A webhook filter names a status for which there is no event.", "facts §2.7"
    WEBHOOK_TARGET_MISSING = "webhook_target_missing", G.RULE, (), KEPT, "A webhook is to be sent, and there is no address.", "ours"
    WEBHOOK_HOST_FORBIDDEN = "webhook_host_forbidden", G.RULE, ("host",), KEPT, "The server's setting keeps webhooks away from this host.", "ours"
    REPORT_TOO_LARGE = "report_too_large", G.RULE, ("limit",), KEPT, "A report would have more rows than one file may.", "facts §1.7"
    CLOCK_BACKWARDS = "clock_backwards", G.RULE, ("asked_at", "now_at"), KEPT, "A workspace that holds something would go back in time.", "ours"
    SNAPSHOT_FORMAT_UNKNOWN = "snapshot_format_unknown", G.RULE, ("format", "made_by"), KEPT, "A snapshot of a format that this version does not read.", "ours"
    SNAPSHOT_BROKEN = "snapshot_broken", G.RULE, ("reason",), KEPT, "A document that is no snapshot.", "ours"
    SNAPSHOT_TOO_LARGE = "snapshot_too_large", G.RULE, ("size", "limit"), BACK, "A workspace holds more than a snapshot may.", "ours"
    NO_ROOM = "no_room", G.RULE, ("what", "setting"), BACK, "As many bytes of its sort are kept as a setting allows.", "ours"
    FEATURE_NOT_OFFERED = "feature_not_offered", G.RULE, ("feature",), KEPT, "Something of the public API that is not modelled here.", "facts §1.1"

    BUSY = "busy", G.SERVER, (), BACK, "As many calls that may take long are being worked on as the server takes at once, or bodies take all its room.", "ours"
    NOT_SAVED = "not_saved", G.SERVER, ("reason", "outcome"), BACK, "What the call changes or shows cannot be saved to the file of the setting `data`.", "ours"
    INTERNAL = "internal", G.SERVER, ("reference",), BACK, "A mistake of this server; the reference is in its log.", "facts §4.1"
    # fmt: on
