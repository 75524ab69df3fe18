"""Every reason this server has for a refusal, by name.

What a cause is called on the wire (status, code, text) is the dialect's business; here and in `cause_rows`
stands what it means, what the raiser hands over, and whether an idempotency claim is given back.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


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


class Cause(StrEnum):
    """The name of a reason; code says this, never a status or a code."""

    REQUEST_MALFORMED = "request_malformed"
    URI_TOO_LONG = "uri_too_long"
    HEAD_TOO_LARGE = "head_too_large"
    BODY_TOO_LARGE = "body_too_large"
    ROUTE_UNKNOWN = "route_unknown"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONTENT_TYPE_WRONG = "content_type_wrong"
    JSON_MALFORMED = "json_malformed"
    BODY_NOT_OBJECT = "body_not_object"
    MULTIPART_MALFORMED = "multipart_malformed"

    KEY_MISSING = "key_missing"
    KEY_MALFORMED = "key_malformed"
    KEY_UNKNOWN = "key_unknown"
    KEY_UNUSED = "key_unused"
    KEY_PRODUCTION = "key_production"
    KEY_KIND_NOT_ALLOWED = "key_kind_not_allowed"
    KEY_EXPIRED = "key_expired"
    KEY_REVOKED = "key_revoked"
    EPHEMERAL_KEY_WRONG = "ephemeral_key_wrong"
    SECRET_KEY_WITH_CLIENT_SECRET = "secret_key_with_client_secret"
    CLIENT_SECRET_MISSING = "client_secret_missing"
    CLIENT_SECRET_WRONG = "client_secret_wrong"
    CLIENT_SECRET_EXPIRED = "client_secret_expired"
    CLIENT_CHANGE_FORBIDDEN = "client_change_forbidden"
    HOST_FORBIDDEN = "host_forbidden"
    PAGE_MAKES_NOTHING = "page_makes_nothing"
    CONTROL_ORIGIN_FORBIDDEN = "control_origin_forbidden"
    CONTROL_TOKEN_WRONG = "control_token_wrong"
    PAGE_TOKEN_WRONG = "page_token_wrong"

    RATE_LIMITED = "rate_limited"
    RATE_LIMITED_FROZEN = "rate_limited_frozen"

    VALUE_MISSING = "value_missing"
    VALUE_INVALID = "value_invalid"
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_PARAMETER = "unknown_parameter"
    IDEMPOTENCY_KEY_INVALID = "idempotency_key_invalid"
    METHOD_MISSING_AT_CONFIRM = "method_missing_at_confirm"
    METHOD_DATA_MISSING = "method_data_missing"
    CUSTOMER_NEEDED = "customer_needed"
    CAPTURE_AMOUNT_MISSING = "capture_amount_missing"
    NOT_COMPUTED = "not_computed"
    SCENARIO_BROKEN = "scenario_broken"

    OBJECT_UNKNOWN = "object_unknown"
    DISPUTE_UNKNOWN = "dispute_unknown"
    FILE_UNKNOWN = "file_unknown"
    BLOCKLIST_ENTRY_UNKNOWN = "blocklist_entry_unknown"
    LINK_UNKNOWN = "link_unknown"
    LINK_OVER = "link_over"
    WORKSPACE_GONE = "workspace_gone"

    PAYMENT_EXISTS = "payment_exists"
    REFUND_EXISTS = "refund_exists"
    CUSTOMER_EXISTS = "customer_exists"
    MERCHANT_EXISTS = "merchant_exists"
    CONNECTOR_EXISTS = "connector_exists"
    PROFILE_NAME_TAKEN = "profile_name_taken"
    BLOCKLIST_ENTRY_EXISTS = "blocklist_entry_exists"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    IDEMPOTENCY_IN_FLIGHT = "idempotency_in_flight"
    ADVANCE_RUNNING = "advance_running"

    STATUS_FORBIDS = "status_forbids"
    FLOW_FORBIDS = "flow_forbids"
    CAPTURE_METHOD_FORBIDS = "capture_method_forbids"
    RETRY_DISABLED = "retry_disabled"
    RETRY_WINDOW_OVER = "retry_window_over"
    INCREMENT_NOT_ALLOWED = "increment_not_allowed"
    REFUND_AFTER_VOID = "refund_after_void"
    VOID_AFTER_REFUND = "void_after_refund"
    DISPUTE_STATUS_FORBIDS = "dispute_status_forbids"
    MANDATE_STATUS_FORBIDS = "mandate_status_forbids"
    METHOD_STATUS_FORBIDS = "method_status_forbids"
    CUSTOMER_REDACTED = "customer_redacted"
    CUSTOMER_HAS_MANDATE = "customer_has_mandate"
    DEFAULT_METHOD_STAYS = "default_method_stays"
    TRIGGER_FORBIDS = "trigger_forbids"
    SCENARIO_NOT_ACTIVE = "scenario_not_active"

    AMOUNT_TOO_LARGE = "amount_too_large"
    AMOUNT_OVER_CAPTURABLE = "amount_over_capturable"
    AMOUNT_TO_CAPTURE_OVER_AMOUNT = "amount_to_capture_over_amount"
    AMOUNT_TO_CAPTURE_NOT_AMOUNT = "amount_to_capture_not_amount"
    INCREMENT_NOT_LARGER = "increment_not_larger"
    REFUND_OVER_CAPTURED = "refund_over_captured"
    REFUND_ATTEMPTS_EXCEEDED = "refund_attempts_exceeded"
    REFUND_TOO_OLD = "refund_too_old"
    DISPUTE_OVER_CAPTURED = "dispute_over_captured"

    METHOD_MISMATCH = "method_mismatch"
    DATA_MISMATCH = "data_mismatch"
    WALLET_NOT_CONFIGURED = "wallet_not_configured"
    CUSTOMER_CONFLICT = "customer_conflict"
    SETUP_FUTURE_USAGE_NEEDS_CUSTOMER = "setup_future_usage_needs_customer"
    RECURRING_DATA_DOUBLED = "recurring_data_doubled"
    RECURRING_NEEDS = "recurring_needs"
    MANDATE_DATA_NEEDS_OFF_SESSION = "mandate_data_needs_off_session"
    MANDATE_DIFFERS = "mandate_differs"
    MANDATE_EXCEEDED = "mandate_exceeded"
    MANDATE_USED = "mandate_used"
    MANDATE_OUT_OF_PERIOD = "mandate_out_of_period"
    PAYMENT_TOKEN_OVER = "payment_token_over"
    METHOD_NOT_OFF_SESSION = "method_not_off_session"
    MERCHANT_ID_FOREIGN = "merchant_id_foreign"
    METADATA_OVER_LIMIT = "metadata_over_limit"
    BLOCKED = "blocked"
    FILE_MISSING = "file_missing"
    FILE_DISPUTE_MISSING = "file_dispute_missing"
    FILE_PURPOSE_INVALID = "file_purpose_invalid"
    FILE_TYPE_MISSING = "file_type_missing"
    FILE_REJECTED = "file_rejected"
    EVENT_FILTERS_EXCLUSIVE = "event_filters_exclusive"
    EVENTS_TOO_OLD = "events_too_old"
    STATUS_WITHOUT_EVENT = "status_without_event"
    WEBHOOK_TARGET_MISSING = "webhook_target_missing"
    WEBHOOK_HOST_FORBIDDEN = "webhook_host_forbidden"
    REPORT_TOO_LARGE = "report_too_large"
    CLOCK_BACKWARDS = "clock_backwards"
    SNAPSHOT_FORMAT_UNKNOWN = "snapshot_format_unknown"
    SNAPSHOT_BROKEN = "snapshot_broken"
    SNAPSHOT_TOO_LARGE = "snapshot_too_large"
    NO_ROOM = "no_room"
    FEATURE_NOT_OFFERED = "feature_not_offered"

    BUSY = "busy"
    INTERNAL = "internal"


class CauseRow(NamedTuple):
    """One cause: the names of the values its raiser hands over, what it means, and where it comes from.

    `gives_back`: an idempotency claim is released, because the operation had not begun; otherwise the refusal
    is kept and replayed like any answer (ours).
    """

    cause: Cause
    group: CauseGroup
    params: tuple[str, ...]
    gives_back: bool
    about: str
    source: str
