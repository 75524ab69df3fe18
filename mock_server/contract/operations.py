"""The operations of the API: one row a call, and everything that the tables of this server say of it.

Routes, the document, the scenario language, the journal and the reference read these rows; a view says only which
row it serves. The control API and the customer's pages have rows of the same form, in rooms of their own.
"""

# ruff: noqa: E501 — one row, two lines
from __future__ import annotations

from typing import Final

from mock_server.contract.operation import Effect, Operation
from mock_server.contract.routes import CONFIRMS, DISPUTED, MOVES, PROFILE, SAVED, TOGETHER, UNKNOWN, UPLOADED
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.causes import Cause as C

_S: Final = frozenset({KeyKind.SECRET})
_SP: Final = frozenset({KeyKind.SECRET, KeyKind.PUBLISHABLE})
_SE: Final = frozenset({KeyKind.SECRET, KeyKind.EPHEMERAL})
_P: Final = frozenset({KeyKind.PUBLISHABLE})
_PE: Final = frozenset({KeyKind.PUBLISHABLE, KeyKind.EPHEMERAL})
_A: Final = frozenset({KeyKind.ADMIN})
_SA: Final = frozenset({KeyKind.SECRET, KeyKind.ADMIN})
_R, _C = Effect.READ, Effect.CHANGE
_LISTS: Final = 'decisions "Words on the wire"'

_ROWS: Final[tuple[Operation, ...]] = (
    Operation("health.check", "GET", "/health", _S, _R, "Check the key and the server", "status and version", "interface §4.3",
        answer="common.HEALTH"),
    Operation("payments.create", "POST", "/payments", _S, _C, "Create a payment", "payment", "interface §4.2",
        answer="payment.PAYMENT", body="payments.CREATE", draws_issuer=True, errors=(C.PAYMENT_EXISTS, C.OBJECT_UNKNOWN, *TOGETHER, *CONFIRMS, *SAVED)),
    Operation("payments.list", "POST", "/payments/list", _S, _R, "List payments", "list of payments", "interface §4.4",
        answer="payment.PAYMENT", also=(("GET", "/payments/list", "facts §1.1"),), body="of_dialect.PAYMENTS", query="of_dialect.PAYMENTS_BY_QUERY", errors=UNKNOWN),
    Operation("payments.sync", "POST", "/payments/sync", _S, _R, "Retrieve a payment by its id in the body", "payment", "facts §1.1",
        answer="payment.EXPANDED_PAYMENT", body="payments.SYNC", errors=UNKNOWN),
    Operation("payments.aggregate", "GET", "/payments/aggregate", _S, _R, "Count payments by status", "counts by status", "facts §1.1",
        answer="common.PAYMENT_COUNTS", query="of_dialect.PAYMENTS_BY_QUERY", errors=UNKNOWN),
    Operation("payments.session_tokens", "POST", "/payments/session_tokens", _P, _C, "Create the session tokens of wallets", "session tokens", "facts §1.1",
        answer="sessions.SESSION_TOKENS", body="payment_methods.SESSION_TOKENS", errors=MOVES),
    Operation("payments.retrieve", "GET", "/payments/<payment_id>", _SP, _R, "Retrieve a payment", "payment", "facts §1.1",
        answer="payment.EXPANDED_PAYMENT", query="payments.RETRIEVE", errors=UNKNOWN),
    Operation("payments.update", "POST", "/payments/<payment_id>", _SP, _C, "Update a payment", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="payments.UPDATE", errors=(*MOVES, *TOGETHER, C.CLIENT_CHANGE_FORBIDDEN), wrong_as="payments.create"),
    Operation("payments.replace", "PUT", "/payments/<payment_id>", _S, _C, "Replace a payment", "payment", "interface §4.1",
        answer="payment.PAYMENT", body="payments.REPLACE", errors=(*MOVES, *TOGETHER), wrong_as="payments.create"),
    Operation("payments.confirm", "POST", "/payments/<payment_id>/confirm", _SP, _C, "Confirm a payment", "payment", "interface §4.5",
        answer="payment.PAYMENT", body="payments.CONFIRM", draws_issuer=True, errors=(*MOVES, C.RETRY_DISABLED, C.RETRY_WINDOW_OVER, C.CLIENT_CHANGE_FORBIDDEN, C.METHOD_MISMATCH, C.DATA_MISMATCH, *CONFIRMS), wrong_as="payments.create"),
    Operation("payments.capture", "POST", "/payments/<payment_id>/capture", _S, _C, "Capture a payment", "payment", "interface §4.5",
        answer="payment.PAYMENT", body="payments.CAPTURE", draws_issuer=True, errors=(C.OBJECT_UNKNOWN, C.FLOW_FORBIDS, C.CAPTURE_METHOD_FORBIDS, C.CAPTURE_AMOUNT_MISSING, C.AMOUNT_OVER_CAPTURABLE)),
    Operation("payments.cancel", "POST", "/payments/<payment_id>/cancel", _S, _C, "Cancel a payment", "payment", "interface §4.5",
        answer="payment.PAYMENT", body="payments.CANCEL", draws_issuer=True, errors=MOVES),
    Operation("payments.cancel_post_capture", "POST", "/payments/<payment_id>/cancel_post_capture", _S, _C, "Reverse a payment after capture", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="payments.CANCEL", errors=(*MOVES, C.VOID_AFTER_REFUND)),
    Operation("payments.sync_cancel_post_capture", "GET", "/payments/<payment_id>/cancel_post_capture", _S, _R, "Look up a reversal after capture", "payment", "facts §1.1",
        answer="payment.PAYMENT", errors=MOVES),
    Operation("payments.approve", "POST", "/payments/<payment_id>/approve", _S, _C, "Approve a payment", "payment", "interface §4.5",
        answer="payment.PAYMENT", body="shapes.NO_BODY", errors=MOVES),
    Operation("payments.reject", "POST", "/payments/<payment_id>/reject", _S, _C, "Reject a payment", "payment", "interface §4.5",
        answer="payment.PAYMENT", body="shapes.NO_BODY", errors=MOVES),
    Operation("payments.incremental_authorization", "POST", "/payments/<payment_id>/incremental_authorization", _S, _C, "Raise an authorization", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="payments.INCREMENT", draws_issuer=True, errors=(*MOVES, C.INCREMENT_NOT_ALLOWED, C.INCREMENT_NOT_LARGER)),
    Operation("payments.extend_authorization", "POST", "/payments/<payment_id>/extend_authorization", _S, _C, "Extend an authorization", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="shapes.NO_BODY", errors=MOVES),
    Operation("payments.update_metadata", "POST", "/payments/<payment_id>/update_metadata", _S, _C, "Add to a payment's metadata", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="payments.UPDATE_METADATA", errors=(*MOVES, C.METADATA_OVER_LIMIT)),
    Operation("payments.complete_authorize", "POST", "/payments/<payment_id>/complete_authorize", _SP, _C, "Complete an authorization after a challenge", "payment", "facts §1.1",
        answer="payment.PAYMENT", body="payments.COMPLETE", draws_issuer=True, errors=MOVES),
    Operation("payments.poll", "GET", "/poll/status/<poll_id>", _P, _R, "Look up whether an authentication still waits", "poll", "facts §1.6",
        answer="common.POLL", without_secret=True),
    Operation("customers.create", "POST", "/customers", _S, _C, "Create a customer", "customer", "facts §1.4",
        answer="customer.NEW_CUSTOMER", body="customers.CUSTOMER", errors=(C.CUSTOMER_EXISTS,)),
    Operation("customers.list", "GET", "/customers/list", _S, _R, "List customers", "list of customers", "facts §1.4",
        answer="customer.CUSTOMER", also=(("POST", "/customers/list", _LISTS), ("GET", "/customers/list_with_count", "facts §1.4"), ("POST", "/customers/list_with_count", _LISTS)), body="of_dialect.CUSTOMERS", query="of_dialect.CUSTOMERS"),
    Operation("customers.retrieve", "GET", "/customers/<customer_id>", _SE, _R, "Retrieve a customer", "customer", "facts §1.4",
        answer="customer.CUSTOMER", errors=(C.OBJECT_UNKNOWN, C.EPHEMERAL_KEY_WRONG)),
    Operation("customers.update", "POST", "/customers/<customer_id>", _S, _C, "Update a customer", "customer", "facts §1.4",
        answer="customer.CUSTOMER", body="customers.CUSTOMER", errors=(C.OBJECT_UNKNOWN, C.CUSTOMER_REDACTED)),
    Operation("customers.replace", "PUT", "/customers/<customer_id>", _S, _C, "Replace a customer", "customer", "interface §4.1",
        answer="customer.CUSTOMER", body="customers.REPLACE", errors=(C.OBJECT_UNKNOWN, C.CUSTOMER_REDACTED)),
    Operation("customers.delete", "DELETE", "/customers/<customer_id>", _S, _C, "Delete a customer", "what was deleted", "facts §1.4",
        answer="customer.DELETION", errors=(C.OBJECT_UNKNOWN, C.CUSTOMER_REDACTED, C.CUSTOMER_HAS_MANDATE)),
    Operation("customers.payment_methods_of_payment", "GET", "/customers/payment_methods", _PE, _R, "List the saved methods of a payment's customer", "saved methods", "facts §1.4",
        answer="saved.WALLET", query="payment_methods.CLIENT"),
    Operation("customers.payment_methods", "GET", "/customers/<customer_id>/payment_methods", _SE, _R, "List the saved methods of a customer", "saved methods", "facts §1.4",
        answer="saved.WALLET", errors=(C.OBJECT_UNKNOWN, C.EPHEMERAL_KEY_WRONG)),
    Operation("customers.default_payment_method", "POST", "/customers/<customer_id>/payment_methods/<payment_method_id>/default", _SE, _C, "Make a saved method the default", "the default", "facts §1.4",
        answer="saved.DEFAULT", also=(("POST", "/<customer_id>/payment_methods/<payment_method_id>/default", "facts §1.4"),), body="shapes.NO_BODY", errors=(C.OBJECT_UNKNOWN, C.METHOD_STATUS_FORBIDS)),
    Operation("customers.mandates", "GET", "/customers/<customer_id>/mandates", _S, _R, "List the mandates of a customer", "list of mandates", "facts §1.4",
        answer="saved.MANDATE", query="of_dialect.MANDATES", errors=UNKNOWN),
    Operation("payment_methods.create", "POST", "/payment_methods", _S, _C, "Create a payment method", "payment method", "facts §1.4",
        answer="saved.METHOD", body="payment_methods.CREATE", errors=(C.OBJECT_UNKNOWN, C.CUSTOMER_REDACTED, C.METHOD_MISMATCH, C.DATA_MISMATCH)),
    Operation("payment_methods.list", "GET", "/payment_methods", _SP, _R, "List the methods on offer", "methods on offer", "facts §1.4",
        answer="offered.METHODS_ON_OFFER", also=(("GET", "/account/payment_methods", "facts §1.4"),), query="payment_methods.OFFER"),
    Operation("payment_methods.retrieve", "GET", "/payment_methods/<payment_method_id>", _S, _R, "Retrieve a payment method", "payment method", "facts §1.4",
        answer="saved.METHOD", errors=UNKNOWN),
    Operation("payment_methods.update", "POST", "/payment_methods/<payment_method_id>/update", _SP, _C, "Update a payment method", "payment method", "facts §1.4",
        answer="saved.METHOD", body="payment_methods.UPDATE", errors=(C.OBJECT_UNKNOWN, C.METHOD_STATUS_FORBIDS)),
    Operation("payment_methods.save", "POST", "/payment_methods/<payment_method_id>/save", _SP, _C, "Fill a payment method that was reserved", "payment method", "facts §1.4",
        answer="saved.METHOD", body="payment_methods.SAVE", errors=(C.OBJECT_UNKNOWN, C.METHOD_STATUS_FORBIDS, C.CLIENT_CHANGE_FORBIDDEN)),
    Operation("payment_methods.delete", "DELETE", "/payment_methods/<payment_method_id>", _SE, _C, "Delete a payment method", "what was deleted", "facts §1.4",
        answer="saved.DELETED_METHOD", errors=(C.OBJECT_UNKNOWN, C.DEFAULT_METHOD_STAYS)),
    Operation("profiles.create", "POST", "/account/<merchant_id>/business_profile", _S, _C, "Create a profile", "business profile", "facts §1.5",
        answer="setup.PROFILE", body="of_dialect.PROFILE", errors=PROFILE),
    Operation("profiles.list", "GET", "/account/<merchant_id>/business_profile", _S, _R, "List profiles", "list of business profiles", "facts §1.5",
        answer="setup.PROFILE", query="of_dialect.PROFILES", errors=UNKNOWN),
    Operation("profiles.retrieve", "GET", "/account/<merchant_id>/business_profile/<profile_id>", _S, _R, "Retrieve a profile", "business profile", "facts §1.5",
        answer="setup.PROFILE", errors=UNKNOWN),
    Operation("profiles.update", "POST", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "Update a profile", "business profile", "facts §1.5",
        answer="setup.PROFILE", body="of_dialect.PROFILE", errors=PROFILE),
    Operation("profiles.replace", "PUT", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "Replace a profile", "business profile", "interface §4.1",
        answer="setup.PROFILE", body="of_dialect.PROFILE", errors=PROFILE),
    Operation("profiles.delete", "DELETE", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "Delete a profile", "whether it was deleted", "facts §1.5",
        errors=UNKNOWN),
    Operation("profiles.toggle_connector_agnostic_mit", "POST", "/account/<merchant_id>/business_profile/<profile_id>/toggle_connector_agnostic_mit", _S, _C, "Switch charges without the customer at any connector", "the switch", "facts §1.5",
        answer="setup.MIT_SWITCH", body="profiles.TOGGLE", errors=UNKNOWN),
    Operation("accounts.create", "POST", "/accounts", _A, _C, "Create an account", "merchant account", "facts §1.5",
        answer="setup.ACCOUNT", body="of_dialect.ACCOUNT", errors=(C.MERCHANT_EXISTS, C.OBJECT_UNKNOWN, C.STATUS_WITHOUT_EVENT)),
    Operation("accounts.retrieve", "GET", "/accounts/<merchant_id>", _A, _R, "Retrieve an account", "merchant account", "facts §1.5",
        answer="setup.ACCOUNT", errors=UNKNOWN),
    Operation("accounts.update", "POST", "/accounts/<merchant_id>", _A, _C, "Update an account", "merchant account", "facts §1.5",
        answer="setup.ACCOUNT", body="of_dialect.ACCOUNT", errors=(C.OBJECT_UNKNOWN, C.STATUS_WITHOUT_EVENT)),
    Operation("accounts.delete", "DELETE", "/accounts/<merchant_id>", _A, _C, "Delete an account", "what was deleted", "facts §1.5",
        answer="setup.ACCOUNT_DELETION", errors=UNKNOWN),
    Operation("api_keys.create", "POST", "/api_keys/<merchant_id>", _A, _C, "Create an API key", "API key with its text", "facts §1.5",
        answer="setup.NEW_KEY", body="setup.KEY", holds_keys=True, errors=UNKNOWN),
    Operation("api_keys.list", "GET", "/api_keys/<merchant_id>/list", _A, _R, "List API keys", "list of API keys", "facts §1.5",
        answer="setup.KEY", query="of_dialect.API_KEYS", errors=UNKNOWN),
    Operation("api_keys.retrieve", "GET", "/api_keys/<merchant_id>/<key_id>", _A, _R, "Retrieve an API key", "API key", "facts §1.5",
        answer="setup.KEY", errors=UNKNOWN),
    Operation("api_keys.update", "POST", "/api_keys/<merchant_id>/<key_id>", _A, _C, "Update an API key", "API key", "facts §1.5",
        answer="setup.KEY", body="setup.KEY_UPDATE", errors=UNKNOWN),
    Operation("api_keys.revoke", "DELETE", "/api_keys/<merchant_id>/<key_id>", _A, _C, "Revoke an API key", "what was revoked", "facts §1.5",
        answer="setup.REVOKED_KEY", errors=UNKNOWN),
    Operation("connectors.create", "POST", "/account/<merchant_id>/connectors", _SA, _C, "Create a connector", "connector account", "facts §1.5",
        answer="setup.CONNECTOR", body="setup.CONNECTOR", holds_keys=True, errors=(C.OBJECT_UNKNOWN, C.CONNECTOR_EXISTS)),
    Operation("connectors.list", "GET", "/account/<merchant_id>/connectors", _SA, _R, "List connectors", "list of connector accounts", "facts §1.5",
        answer="setup.LISTED_CONNECTOR", query="of_dialect.CONNECTORS", errors=UNKNOWN),
    Operation("connectors.retrieve", "GET", "/account/<merchant_id>/connectors/<connector_id>", _SA, _R, "Retrieve a connector", "connector account", "facts §1.5",
        answer="setup.CONNECTOR", errors=UNKNOWN),
    Operation("connectors.update", "POST", "/account/<merchant_id>/connectors/<connector_id>", _SA, _C, "Update a connector", "connector account", "facts §1.5",
        answer="setup.CONNECTOR", body="setup.CONNECTOR_UPDATE", holds_keys=True, errors=(C.OBJECT_UNKNOWN, C.CONNECTOR_EXISTS)),
    Operation("connectors.delete", "DELETE", "/account/<merchant_id>/connectors/<connector_id>", _SA, _C, "Delete a connector", "what was deleted", "facts §1.5",
        answer="setup.CONNECTOR_DELETION", errors=UNKNOWN),
    Operation("events.list", "POST", "/events/<merchant_id>", _S, _R, "List events", "list of events", "facts §1.6",
        answer="events.EVENT", also=(("GET", "/events/<merchant_id>", _LISTS),), body="of_dialect.EVENTS", query="of_dialect.EVENTS", errors=(C.OBJECT_UNKNOWN, C.EVENT_FILTERS_EXCLUSIVE, C.EVENTS_TOO_OLD)),
    Operation("events.list_of_profile", "POST", "/events/profile/list", _S, _R, "List the events of a profile", "list of events", "facts §1.6",
        answer="events.EVENT", also=(("GET", "/events/profile/list", _LISTS),), body="of_dialect.EVENTS", query="of_dialect.EVENTS", errors=(C.OBJECT_UNKNOWN, C.EVENT_FILTERS_EXCLUSIVE, C.EVENTS_TOO_OLD)),
    Operation("events.attempts", "GET", "/events/<merchant_id>/<event_id>/attempts", _S, _R, "List the attempts to deliver an event", "list of delivery attempts", "facts §1.6",
        answer="events.DELIVERY_ATTEMPT", query="of_dialect.ATTEMPTS", errors=UNKNOWN),
    Operation("events.retry", "POST", "/events/<merchant_id>/<event_id>/retry", _S, _C, "Deliver an event again", "delivery attempt", "facts §1.6",
        answer="events.DELIVERY_ATTEMPT", body="shapes.NO_BODY", errors=(C.OBJECT_UNKNOWN, C.WEBHOOK_TARGET_MISSING)),
    Operation("analytics.metrics", "POST", "/analytics/v1/metrics/<domain>", _S, _R, "Compute numbers", "numbers", "facts §1.7",
        answer="reports.FIGURES", also=(("POST", "/analytics/v1/merchant/metrics/<domain>", "facts §1.7"), ("POST", "/analytics/v1/profile/metrics/<domain>", "facts §1.7")), body="analytics.METRICS", errors=(C.NOT_COMPUTED, C.OBJECT_UNKNOWN)),
    Operation("analytics.filters", "POST", "/analytics/v1/filters/<domain>", _S, _R, "List the values to filter by", "values to filter by", "facts §1.7",
        answer="reports.FILTER_VALUES", also=(("POST", "/analytics/v1/merchant/filters/<domain>", "facts §1.7"), ("POST", "/analytics/v1/profile/filters/<domain>", "facts §1.7")), body="analytics.FILTERS", errors=(C.NOT_COMPUTED, C.OBJECT_UNKNOWN)),
    Operation("analytics.report", "POST", "/analytics/v1/report/<report>", _S, _C, "Ask for a report", "null; the file's link comes by webhook", "facts §1.7",
        also=(("POST", "/analytics/v1/merchant/report/<report>", "facts §1.7"), ("POST", "/analytics/v1/profile/report/<report>", "facts §1.7")), body="analytics.REPORT", errors=(C.NOT_COMPUTED, C.OBJECT_UNKNOWN, C.REPORT_TOO_LARGE)),
    Operation("mandates.list", "GET", "/mandates/list", _S, _R, "List mandates", "list of mandates", "facts §1.4",
        answer="saved.MANDATE", also=(("POST", "/mandates/list", _LISTS),), body="of_dialect.MANDATES", query="of_dialect.MANDATES"),
    Operation("mandates.retrieve", "GET", "/mandates/<mandate_id>", _S, _R, "Retrieve a mandate", "mandate", "facts §1.4",
        answer="saved.MANDATE", errors=UNKNOWN),
    Operation("mandates.revoke", "POST", "/mandates/revoke/<mandate_id>", _S, _C, "Revoke a mandate", "mandate", "facts §1.4",
        answer="saved.REVOKED", body="shapes.NO_BODY", errors=(C.OBJECT_UNKNOWN, C.MANDATE_STATUS_FORBIDS)),
    Operation("ephemeral_keys.create", "POST", "/ephemeral_keys", _S, _C, "Create an ephemeral key", "ephemeral key with its text", "facts §1.4",
        answer="customer.EPHEMERAL_KEY", body="payment_methods.EPHEMERAL_KEY", holds_keys=True, errors=(C.OBJECT_UNKNOWN, C.CUSTOMER_REDACTED)),
    Operation("ephemeral_keys.delete", "DELETE", "/ephemeral_keys/<key_id>", _S, _C, "Delete an ephemeral key", "ephemeral key", "facts §1.4",
        answer="customer.EPHEMERAL_KEY", errors=UNKNOWN),
    Operation("refunds.create", "POST", "/refunds", _S, _C, "Create a refund", "refund", "facts §1.2",
        answer="refund.REFUND", body="refunds.CREATE", draws_issuer=True, errors=(C.OBJECT_UNKNOWN, C.REFUND_EXISTS, C.FLOW_FORBIDS, C.REFUND_AFTER_VOID, C.MERCHANT_ID_FOREIGN, C.REFUND_TOO_OLD, C.REFUND_ATTEMPTS_EXCEEDED, C.REFUND_OVER_CAPTURED)),
    Operation("refunds.list", "POST", "/refunds/list", _S, _R, "List refunds", "list of refunds", "facts §1.2",
        answer="refund.REFUND", also=(("GET", "/refunds/list", _LISTS),), body="of_dialect.REFUNDS", query="of_dialect.REFUNDS"),
    Operation("refunds.sync", "POST", "/refunds/sync", _S, _R, "Retrieve a refund by its id in the body", "refund", "facts §1.2",
        answer="refund.REFUND", body="refunds.SYNC", errors=UNKNOWN),
    Operation("refunds.aggregate", "GET", "/refunds/aggregate", _S, _R, "Count refunds by status", "counts by status", "facts §1.2",
        answer="common.REFUND_COUNTS", query="of_dialect.REFUNDS"),
    Operation("refunds.retrieve", "GET", "/refunds/<refund_id>", _S, _R, "Retrieve a refund", "refund", "facts §1.2",
        answer="refund.REFUND", query="refunds.RETRIEVE", errors=UNKNOWN),
    Operation("refunds.update", "POST", "/refunds/<refund_id>", _S, _C, "Update a refund", "refund", "facts §1.2",
        answer="refund.REFUND", body="refunds.UPDATE", errors=UNKNOWN),
    Operation("refunds.replace", "PUT", "/refunds/<refund_id>", _S, _C, "Replace a refund", "refund", "interface §4.1",
        answer="refund.REFUND", body="refunds.REPLACE", errors=UNKNOWN),
    Operation("disputes.list", "GET", "/disputes/list", _S, _R, "List disputes", "list of disputes", "facts §1.3",
        answer="dispute.DISPUTE", also=(("POST", "/disputes/list", _LISTS),), body="of_dialect.DISPUTES", query="of_dialect.DISPUTES"),
    Operation("disputes.aggregate", "GET", "/disputes/aggregate", _S, _R, "Count disputes by status", "counts by status", "facts §1.3",
        answer="common.DISPUTE_COUNTS", query="of_dialect.DISPUTES"),
    Operation("disputes.accept", "POST", "/disputes/accept/<dispute_id>", _S, _C, "Accept a dispute", "dispute", "facts §1.3",
        answer="dispute.DISPUTE", body="shapes.NO_BODY", errors=DISPUTED),
    Operation("disputes.submit_evidence", "POST", "/disputes/evidence", _S, _C, "Submit evidence", "dispute", "facts §1.3",
        answer="dispute.DISPUTE", body="disputes.SUBMIT", draws_issuer=True, errors=(*DISPUTED, C.FILE_UNKNOWN)),
    Operation("disputes.attach_evidence", "PUT", "/disputes/evidence", _S, _C, "Attach a file as evidence", "file id", "facts §1.3",
        answer="dispute.FILE_ID", body="disputes.ATTACH", multipart=True, errors=(*DISPUTED, *UPLOADED)),
    Operation("disputes.delete_evidence", "DELETE", "/disputes/evidence", _S, _C, "Take a file of evidence back", "nothing", "facts §1.3",
        body="disputes.DELETE", takes_body=True, errors=(*DISPUTED, C.FILE_UNKNOWN)),
    Operation("disputes.retrieve_evidence", "GET", "/disputes/evidence/<dispute_id>", _S, _R, "List the files of evidence", "array of files of evidence", "facts §1.3",
        answer="dispute.EVIDENCE", errors=(C.DISPUTE_UNKNOWN,)),
    Operation("disputes.retrieve", "GET", "/disputes/<dispute_id>", _S, _R, "Retrieve a dispute", "dispute", "facts §1.3",
        answer="dispute.DISPUTE", query="disputes.RETRIEVE", errors=(C.DISPUTE_UNKNOWN,)),
    Operation("files.create", "POST", "/files", _S, _C, "Create a file", "file id", "facts §1.6",
        answer="dispute.FILE_ID", body="disputes.UPLOAD", multipart=True, errors=(C.DISPUTE_UNKNOWN, *UPLOADED, C.FILE_PURPOSE_INVALID)),
    Operation("files.retrieve", "GET", "/files/<file_id>", _S, _R, "Retrieve a file", "the file", "facts §1.6",
        errors=(C.FILE_UNKNOWN,)),
    Operation("files.delete", "DELETE", "/files/<file_id>", _S, _C, "Delete a file", "nothing", "facts §1.6",
        errors=(C.FILE_UNKNOWN,)),
    Operation("blocklist.add", "POST", "/blocklist", _S, _C, "Block a card", "blocklist entry", "facts §1.6",
        answer="saved.BLOCK", body="blocklist.BLOCK", errors=(C.BLOCKLIST_ENTRY_EXISTS, C.FEATURE_NOT_OFFERED)),
    Operation("blocklist.list", "GET", "/blocklist", _S, _R, "List blocklist", "array of blocklist entries", "facts §1.6",
        answer="saved.BLOCK", query="blocklist.LIST"),
    Operation("blocklist.remove", "DELETE", "/blocklist", _S, _C, "Let a card through again", "blocklist entry", "facts §1.6",
        answer="saved.BLOCK", body="blocklist.BLOCK", takes_body=True, errors=(C.BLOCKLIST_ENTRY_UNKNOWN,)),
    Operation("blocklist.toggle", "POST", "/blocklist/toggle", _S, _C, "Switch the blocklist on or off", "the switch", "facts §1.6",
        answer="saved.BLOCKLIST_SWITCH", query="blocklist.TOGGLE"),
)  # fmt: skip

OPERATIONS: Final = tuple(route for row in _ROWS for route in row.routes)
"""Every route of every operation, in the order of the rows."""
BY_NAME: Final = {row.name: row for row in _ROWS}
"""The row of each operation, with its first route."""
NAMES: Final = frozenset(BY_NAME)
SLOW: Final = ("/_sandbox/", "/analytics/")
"""Where calls may take long: the control API waits for things, metrics look at all there is (ours)."""
HEALTH: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz"})
"""What never takes long there, and is answered however many others wait (ours)."""
CHARGE: Final = "charge"
"""The moment the issuer is asked, whichever call leads there (ours: scenario language)."""


def may_take_long(path: str) -> bool:
    """Whether calls of this path may take long."""
    return path.startswith(SLOW) and path not in HEALTH
