"""How each cause reads in the interface's dialect: HTTP status, code and text, one row a cause.

Statuses and codes: interface §7 for IR_04, else the section of the facts that the cause's row names; the texts are
our own. Each says what is wrong, where, and what to do.
"""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

from typing import Final

from mock_server.dialects.dialect import ErrorRow
from mock_server.domain.errors import Cause

TYPES: Final = (
    (502, "api"),
    (501, "invalid_request"),
    (500, "api"),
    (430, "invalid_request"),
    (429, "rate_limit"),
    (400, "invalid_request"),
    (0, "blocked"),
)
"""The error type from this HTTP status on, highest first (interface §7, facts §4.1; rate_limit: ours)."""


def _row(cause: Cause, status: int, code: str, message: str, reason: str = "") -> ErrorRow:
    kind = next(word for least, word in TYPES if status >= least)
    return ErrorRow(cause, status, kind, code, message, reason)


_C = Cause
_FIELD: Final = "Invalid value for {field}: {problem}{more}."

ERRORS: Final = (
    _row(_C.REQUEST_MALFORMED, 400, "IR_06", "This is not a request that can be served: {reason}."),
    _row(_C.URI_TOO_LONG, 414, "IR_06", "The path with its query is longer than {limit} bytes; send long filters as a JSON body."),
    _row(_C.HEAD_TOO_LARGE, 431, "IR_06", "The headers are larger than {limit} bytes together; send fewer or shorter ones."),
    _row(_C.BODY_TOO_LARGE, 413, "IR_06", "The body is larger than the {limit} bytes that this route takes."),
    _row(_C.ROUTE_UNKNOWN, 404, "IR_02", "Nothing is served at {method} {path}; check the path against the API's routes."),
    _row(_C.METHOD_NOT_ALLOWED, 405, "IR_03", "{path} does not take {method}; it takes {allowed}."),
    _row(_C.CONTENT_TYPE_WRONG, 400, "IR_06", "The content type is {given}; this body must be sent as {expected}."),
    _row(_C.JSON_MALFORMED, 400, "IR_06", "The body is not valid JSON: {reason} (line {line}, column {column})."),
    _row(_C.BODY_NOT_OBJECT, 400, "IR_06", "The body is JSON, but {given} where {expected} is needed."),
    _row(_C.MULTIPART_MALFORMED, 400, "IR_06", "The upload cannot be read as multipart/form-data: {reason}."),
    _row(_C.KEY_MISSING, 401, "IR_01", "No API key came with this call; send one in the header api-key."),
    _row(_C.KEY_MALFORMED, 401, "IR_01", "The api-key is not one of this sandbox; its keys are snd_ or pk_snd_ and 8 to 128 letters, digits, _ or -."),
    _row(_C.KEY_UNKNOWN, 401, "IR_01", "This api-key is not known here; the server takes only the keys it was started with and those it issued."),
    _row(_C.KEY_PRODUCTION, 401, "IR_01", "This is a sandbox, and the api-key is a production key. It was not stored; if it is a real one, rotate it now and send a snd_ key."),
    _row(_C.KEY_KIND_NOT_ALLOWED, 401, "IR_01", "This route does not take a key of the kind {kind}; it takes: {allowed}."),
    _row(_C.KEY_EXPIRED, 401, "IR_01", "This api-key expired at {expired_at}; issue a new one."),
    _row(_C.KEY_REVOKED, 401, "IR_01", "This api-key was revoked; issue a new one."),
    _row(_C.EPHEMERAL_KEY_WRONG, 401, "IR_15", "The ephemeral key is over, or belongs to another customer; create a new one for this customer."),
    _row(_C.SECRET_KEY_WITH_CLIENT_SECRET, 422, "IR_06", "client_secret goes with a publishable key; leave it out of calls made with a secret key."),
    _row(_C.CLIENT_SECRET_MISSING, 400, "IR_04", "client_secret is missing: calls with a publishable key must carry it, in the query of a GET and in the body of a POST."),
    _row(_C.CLIENT_SECRET_WRONG, 400, "IR_09", "This client_secret does not belong to this {kind}; use the one that came when it was created."),
    _row(_C.CLIENT_SECRET_EXPIRED, 400, "IR_08", "The session of this client_secret ended at {expired_at}; create a new one, or give it a longer session_expiry."),
    _row(_C.CLIENT_CHANGE_FORBIDDEN, 401, "IR_18", "A call with a publishable key may not change {field}; do this from your server with the secret key."),
    _row(_C.CONTROL_HOST_FORBIDDEN, 403, "IR_22", "No access to the control API: a browser asked for it under the host name {host}, which is not this server's. Use localhost, or configure the name."),
    _row(_C.CONTROL_ORIGIN_FORBIDDEN, 403, "IR_22", "No access to the control API from the web origin {origin}; only this server's own pages and configured origins may call it."),
    _row(_C.CONTROL_TOKEN_WRONG, 401, "IR_01", "The control API of this server is guarded; send its control_token in the header X-Sandbox-Token."),
    _row(_C.PAGE_TOKEN_WRONG, 403, "IR_22", "No access: this form was not sent from the page that shows it. Open the page again and try once more."),
    _row(_C.RATE_LIMITED, 429, "RL_01", "The limit of {limit} requests per minute is used up; try again in {seconds} seconds."),
    _row(_C.RATE_LIMITED_FROZEN, 429, "RL_01", "The limit of {limit} requests per minute is used up; try again in {seconds} seconds. This world's clock is frozen: advance or resume it, or the window never ends."),
    _row(_C.VALUE_MISSING, 400, "IR_04", "Missing field: {field} {problem}{more}."),
    _row(_C.VALUE_INVALID, 400, "IR_04", _FIELD),
    _row(_C.UNKNOWN_FIELD, 400, "IR_06", "The body has an unknown field, {field}: {problem}{more}."),
    _row(_C.UNKNOWN_PARAMETER, 400, "IR_06", "Unknown parameter {field}: {problem}{more}."),
    _row(_C.IDEMPOTENCY_KEY_INVALID, 400, "IR_04", _FIELD),
    _row(_C.METHOD_MISSING_AT_CONFIRM, 400, "IR_04", "A payment cannot be confirmed without a payment method; {field}: {problem}{more}."),
    _row(_C.METHOD_DATA_MISSING, 400, "IR_04", "The payment method needs {field} to be confirmed: {problem}{more}."),
    _row(_C.CUSTOMER_NEEDED, 400, "IR_04", "A charge of a saved payment method needs {field}: {problem}{more}."),
    _row(_C.CAPTURE_AMOUNT_MISSING, 400, "IR_04", "A payment that may be captured several times needs {field} at each capture: {problem}{more}."),
    _row(_C.NOT_COMPUTED, 400, "IR_04", "This sandbox does not compute the {kind} {name}; it computes: {offered}."),
    _row(_C.SCENARIO_BROKEN, 400, "IR_04", "The scenario {name} has mistakes ({count}); the first is at {field}: {problem}."),
    _row(_C.OBJECT_UNKNOWN, 404, "HE_02", "There is no {kind} {id} here; check the id, and that the api-key is the one it was made with."),
    _row(_C.DISPUTE_UNKNOWN, 404, "HE_04", "There is no dispute {id} here; check the id, and that the api-key is the right one."),
    _row(_C.FILE_UNKNOWN, 404, "HE_04", "There is no file {id} here; upload it first."),
    _row(_C.BLOCKLIST_ENTRY_UNKNOWN, 404, "IR_37", "The blocklist has no such entry, so it cannot be removed; list the entries to see what is blocked."),
    _row(_C.LINK_UNKNOWN, 404, "HE_02", "This link was never given out; take the newest one from the payment's next_action, or from the report's webhook."),
    _row(_C.LINK_OVER, 410, "IR_16", "This link was used already, or its time is over; retrieve the object to see where it stands."),
    _row(_C.WORLD_GONE, 410, "IR_16", "The world that this call was waiting on was reset or evicted meanwhile; call again to see the new one."),
    _row(_C.PAYMENT_EXISTS, 400, "HE_01", "There is a payment with the payment_id {payment_id} already; retrieve it, or choose another id.", "payment_id {payment_id} is taken"),
    _row(_C.REFUND_EXISTS, 400, "HE_01", "There is a refund with the refund_id {refund_id} already; retrieve it, or choose another id."),
    _row(_C.CUSTOMER_EXISTS, 400, "IR_12", "There is a customer with the customer_id {customer_id} already; update it, or choose another id."),
    _row(_C.MERCHANT_EXISTS, 400, "HE_01", "There is a merchant account with the merchant_id {merchant_id} already; choose another id."),
    _row(_C.CONNECTOR_EXISTS, 400, "HE_01", "The merchant has a connector account {label} already; update it, or choose another connector_label."),
    _row(_C.PROFILE_NAME_TAKEN, 400, "IR_38", "The merchant has a business profile named {name} already; choose another profile_name."),
    _row(_C.BLOCKLIST_ENTRY_EXISTS, 400, "IR_16", "The blocklist has this entry already; nothing was added."),
    _row(_C.IDEMPOTENCY_KEY_REUSED, 422, "IR_06", "This X-Idempotency-Key was used for another body on this route; use a new key for a new operation."),
    _row(_C.IDEMPOTENCY_IN_FLIGHT, 409, "IR_16", "A call with this X-Idempotency-Key is being served right now; repeat it in a second to get its answer."),
    _row(_C.ADVANCE_RUNNING, 409, "IR_16", "Another call is advancing this world's clock; wait for its answer, then repeat this one."),
    _row(_C.STATUS_FORBIDS, 400, "IR_16", "The payment's status is {status}, which does not allow this action: {action}."),
    _row(_C.FLOW_FORBIDS, 400, "IR_14", "The payment could not be {flow}: {field} is {value}, and must be one of: {states}."),
    _row(_C.CAPTURE_METHOD_FORBIDS, 400, "IR_14", "The payment could not be captured: capture_method is {value}, and must be one of: {states}."),
    _row(_C.RETRY_DISABLED, 400, "IR_16", "The payment's status is {status}, which does not allow this action: confirm. To try failed payments again, set is_manual_retry_enabled on the profile."),
    _row(_C.RETRY_WINDOW_OVER, 400, "IR_16", "This payment could be tried again until {ended_at}; that time is over. Create a new payment."),
    _row(_C.INCREMENT_NOT_ALLOWED, 400, "IR_16", "This authorization cannot be raised; create the payment with request_incremental_authorization to allow it."),
    _row(_C.REFUND_AFTER_VOID, 400, "IR_16", "The charge of payment {payment_id} was reversed after capture, so there is nothing to refund."),
    _row(_C.VOID_AFTER_REFUND, 400, "IR_16", "Payment {payment_id} has refunds, so its charge cannot be reversed; refund the rest instead."),
    _row(_C.DISPUTE_STATUS_FORBIDS, 400, "HE_03", "The dispute is in stage {stage} with status {status}, which does not allow this action: {action}."),
    _row(_C.MANDATE_STATUS_FORBIDS, 400, "HE_03", "Mandate {mandate_id} has the status {status}, which does not allow this action: {action}.", "the mandate is {status}"),
    _row(_C.METHOD_STATUS_FORBIDS, 400, "IR_16", "The payment method has the status {status}, which does not allow this action: {action}."),
    _row(_C.CUSTOMER_REDACTED, 400, "IR_11", "Customer {customer_id} was deleted; use another customer_id."),
    _row(_C.CUSTOMER_HAS_MANDATE, 400, "IR_10", "Customer {customer_id} has an active mandate; revoke it before you delete the customer."),
    _row(_C.DEFAULT_METHOD_STAYS, 400, "IR_25", "This is the customer's default payment method; make another one the default before you delete it."),
    _row(_C.TRIGGER_FORBIDS, 400, "IR_16", "The trigger {trigger} does nothing to this {kind}: its status is {status}, and must be one of: {states}."),
    _row(_C.SCENARIO_NOT_ACTIVE, 400, "IR_16", "The scenario {name} is not on in this world, so nothing was counted; activate it first."),
    _row(_C.AMOUNT_TOO_LARGE, 400, "IR_16", "The amount with shipping, tax and surcharge is {total}; it can be at most {limit}."),
    _row(_C.AMOUNT_OVER_CAPTURABLE, 422, "IR_06", "amount_to_capture is {amount}, and only {capturable} can still be captured."),
    _row(_C.AMOUNT_TO_CAPTURE_OVER_AMOUNT, 422, "IR_05", "amount_to_capture is {amount_to_capture}; it must not be larger than amount, {amount}."),
    _row(_C.AMOUNT_TO_CAPTURE_NOT_AMOUNT, 400, "IR_16", "amount_to_capture is {amount_to_capture} and amount is {amount}; with capture_method automatic they must be equal."),
    _row(_C.INCREMENT_NOT_LARGER, 400, "IR_16", "amount is {amount}; it is the new total and must be larger than the authorized {authorized}."),
    _row(_C.REFUND_OVER_CAPTURED, 400, "IR_13", "A refund of {amount} is more than is left: {captured} captured, {refunded} refunded or being refunded, {disputed} disputed."),
    _row(_C.REFUND_ATTEMPTS_EXCEEDED, 400, "IR_12", "This payment has its {limit} refunds; no more can be made."),
    _row(_C.REFUND_TOO_OLD, 422, "IR_05", "The payment was created more than {days} days ago, which is too old for a refund."),
    _row(_C.DISPUTE_OVER_CAPTURED, 400, "IR_16", "A dispute over {amount} is more than the {captured} that can be disputed."),
    _row(_C.METHOD_MISMATCH, 422, "IR_06", "payment_method_type {method_type} does not go with payment_method {method}; it takes: {offered}."),
    _row(_C.DATA_MISMATCH, 422, "IR_06", "payment_method_data holds {given}, and payment_method is {method}; send the data of that method."),
    _row(_C.WALLET_NOT_CONFIGURED, 400, "IR_39", "The profile cannot take {wallet}: its merchant identity is not configured. Set {profile_field} on the business profile."),
    _row(_C.CUSTOMER_CONFLICT, 400, "IR_16", "customer_id is {customer_id} and customer.id is {other_id}; send one of them, or the same in both."),
    _row(_C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER, 400, "IR_16", "setup_future_usage saves the method for a customer; send customer_id with it."),
    _row(_C.RECURRING_DATA_DOUBLED, 400, "IR_16", "recurring_details and {other} both name what to charge; send one of them."),
    _row(_C.RECURRING_NEEDS, 400, "IR_16", "A payment with recurring_details must have {field} set to true."),
    _row(_C.MANDATE_DATA_NEEDS_OFF_SESSION, 400, "IR_16", "mandate_data makes a mandate only with setup_future_usage off_session; send both."),
    _row(_C.MANDATE_DIFFERS, 400, "IR_46", "The payment differs from mandate {mandate_id} in: {names}."),
    _row(_C.MANDATE_EXCEEDED, 400, "HE_03", "Mandate {mandate_id} allows {limit}; {amount} is more.", "the amount is over the mandate's"),
    _row(_C.MANDATE_USED, 400, "HE_03", "Mandate {mandate_id} is for a single use and was used.", "the mandate was used"),
    _row(_C.MANDATE_OUT_OF_PERIOD, 400, "HE_03", "Mandate {mandate_id} does not hold today; see its start and end dates.", "the mandate does not hold today"),
    _row(_C.PAYMENT_TOKEN_OVER, 422, "IR_29", "This payment_token was not given out here, or its fifteen minutes are over; list the customer's payment methods to get a new one."),
    _row(_C.METHOD_NOT_OFF_SESSION, 400, "IR_16", "Payment method {payment_method_id} was saved for on_session use; save it with setup_future_usage off_session to charge it without its customer."),
    _row(_C.MERCHANT_ID_FOREIGN, 422, "IR_05", "{field} is not the merchant of this api-key; leave it out, or send the right one."),
    _row(_C.METADATA_OVER_LIMIT, 422, "IR_06", "metadata would have {count} pairs; it can have {limit}."),
    _row(_C.BLOCKED, 200, "HE_03", "The payment was blocked: its card is on the blocklist.", "Blocked"),
    _row(_C.FILE_MISSING, 400, "IR_33", "The upload has no file; send it as the part named file."),
    _row(_C.FILE_DISPUTE_MISSING, 400, "IR_34", "The upload does not say for which dispute; send its id as the part named dispute_id."),
    _row(_C.FILE_PURPOSE_INVALID, 400, "IR_35", "The upload's purpose is missing or not known; send one of these as the part named purpose: {offered}."),
    _row(_C.FILE_TYPE_MISSING, 400, "IR_36", "The uploaded file has no content type; send one with the part named file."),
    _row(_C.FILE_REJECTED, 400, "HE_03", "The uploaded file cannot be used: {reason}.", "{reason}"),
    _row(_C.EVENT_FILTERS_EXCLUSIVE, 400, "IR_16", "Ask for events by object_id or by event_id, not by both."),
    _row(_C.EVENTS_TOO_OLD, 400, "IR_16", "Events are kept for {days} days; ask for later ones."),
    _row(_C.STATUS_WITHOUT_EVENT, 422, "IR_06", "{field} holds {status}, which no event tells of; it can hold: {offered}."),
    _row(_C.WEBHOOK_TARGET_MISSING, 400, "IR_16", "There is no address to send webhooks to; set webhook_details.webhook_url on the profile, or a target for this world."),
    _row(_C.WEBHOOK_HOST_FORBIDDEN, 400, "IR_16", "Webhooks to {host} are not allowed by this server's setting."),
    _row(_C.REPORT_TOO_LARGE, 400, "IR_16", "The report would have more than {limit} rows; ask for a shorter time range."),
    _row(_C.CLOCK_BACKWARDS, 400, "IR_16", "This world's clock stands at {now_at} and cannot go back to {asked_at}; reset the world first."),
    _row(_C.SNAPSHOT_FORMAT_UNKNOWN, 422, "IR_06", "This snapshot has the format {format}, made by version {made_by}; this version does not read it."),
    _row(_C.SNAPSHOT_BROKEN, 422, "IR_06", "This is not a snapshot that can be read: {reason}."),
    _row(_C.FEATURE_NOT_OFFERED, 501, "IR_00", "This sandbox does not offer {feature}."),
    _row(_C.BUSY, 503, "SB_01", "This server is working on as many calls at once as it can; try again in a second."),
    _row(_C.INTERNAL, 500, "HE_00", "This server made a mistake of its own; its log tells more under the reference {reference}."),
)  # fmt: skip
