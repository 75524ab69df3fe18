"""The operations of the API: one row a call, with its name in scenarios, journal and OpenAPI document alike."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec import Struct

from mock_server.domain.api_keys import KeyKind


class Effect(StrEnum):
    """What a call does to the workspace; only changes are kept under an idempotency key (ours)."""

    READ = "read"
    CHANGE = "change"


class Operation(Struct, frozen=True):
    """One call of the API: its name, where it is reached, which keys it takes, and what it does.

    `path` has its parts in angle brackets, as Flask spells them. `draws_issuer`: scenario rules may decide its outcome.
    `holds_keys`: its bodies hold keys, of ours or of real processors, and are not in the journal.
    `takes_body`: a DELETE whose body says what goes; the body of any other is passed over.
    `large`: its bodies may be as large as the setting `max_control_body`.
    """

    name: str
    method: str
    path: str
    keys: frozenset[KeyKind]
    effect: Effect
    source: str
    draws_issuer: bool = False
    multipart: bool = False
    takes_body: bool = False
    holds_keys: bool = False
    large: bool = False

    @property
    def changes(self) -> bool:
        """Whether a repeat under one idempotency key is answered from what was kept."""
        return self.effect is Effect.CHANGE


_S: Final = frozenset({KeyKind.SECRET})
_SP: Final = frozenset({KeyKind.SECRET, KeyKind.PUBLISHABLE})
_SE: Final = frozenset({KeyKind.SECRET, KeyKind.EPHEMERAL})
_P: Final = frozenset({KeyKind.PUBLISHABLE})
_PE: Final = frozenset({KeyKind.PUBLISHABLE, KeyKind.EPHEMERAL})
_A: Final = frozenset({KeyKind.ADMIN})
_SA: Final = frozenset({KeyKind.SECRET, KeyKind.ADMIN})
_R, _C = Effect.READ, Effect.CHANGE
_LISTS: Final = 'decisions "Words on the wire"'

OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation("health.check", "GET", "/health", _S, _R, "interface §4.3"),
    Operation("payments.create", "POST", "/payments", _S, _C, "interface §4.2", draws_issuer=True),
    Operation("payments.list", "POST", "/payments/list", _S, _R, "interface §4.4"),
    Operation("payments.list", "GET", "/payments/list", _S, _R, "facts §1.1"),
    Operation("payments.sync", "POST", "/payments/sync", _S, _R, "facts §1.1"),
    Operation("payments.aggregate", "GET", "/payments/aggregate", _S, _R, "facts §1.1"),
    Operation("payments.session_tokens", "POST", "/payments/session_tokens", _P, _C, "facts §1.1"),
    Operation("payments.retrieve", "GET", "/payments/<payment_id>", _SP, _R, "facts §1.1"),
    Operation("payments.update", "POST", "/payments/<payment_id>", _SP, _C, "facts §1.1"),
    Operation("payments.replace", "PUT", "/payments/<payment_id>", _S, _C, "interface §4.1"),
    Operation("payments.confirm", "POST", "/payments/<payment_id>/confirm", _SP, _C, "interface §4.5", draws_issuer=True),
    Operation("payments.capture", "POST", "/payments/<payment_id>/capture", _S, _C, "interface §4.5", draws_issuer=True),
    Operation("payments.cancel", "POST", "/payments/<payment_id>/cancel", _S, _C, "interface §4.5", draws_issuer=True),
    Operation("payments.cancel_post_capture", "POST", "/payments/<payment_id>/cancel_post_capture", _S, _C, "facts §1.1"),
    Operation("payments.sync_cancel_post_capture", "GET", "/payments/<payment_id>/cancel_post_capture", _S, _R, "facts §1.1"),
    Operation("payments.approve", "POST", "/payments/<payment_id>/approve", _S, _C, "interface §4.5"),
    Operation("payments.reject", "POST", "/payments/<payment_id>/reject", _S, _C, "interface §4.5"),
    Operation("payments.incremental_authorization", "POST", "/payments/<payment_id>/incremental_authorization", _S, _C, "facts §1.1", draws_issuer=True),
    Operation("payments.extend_authorization", "POST", "/payments/<payment_id>/extend_authorization", _S, _C, "facts §1.1"),
    Operation("payments.update_metadata", "POST", "/payments/<payment_id>/update_metadata", _S, _C, "facts §1.1"),
    Operation("payments.complete_authorize", "POST", "/payments/<payment_id>/complete_authorize", _SP, _C, "facts §1.1", draws_issuer=True),
    Operation("customers.create", "POST", "/customers", _S, _C, "facts §1.4"),
    Operation("customers.list", "GET", "/customers/list", _S, _R, "facts §1.4"),
    Operation("customers.list", "POST", "/customers/list", _S, _R, _LISTS),
    Operation("customers.list", "GET", "/customers/list_with_count", _S, _R, "facts §1.4"),
    Operation("customers.list", "POST", "/customers/list_with_count", _S, _R, _LISTS),
    Operation("customers.retrieve", "GET", "/customers/<customer_id>", _SE, _R, "facts §1.4"),
    Operation("customers.update", "POST", "/customers/<customer_id>", _S, _C, "facts §1.4"),
    Operation("customers.replace", "PUT", "/customers/<customer_id>", _S, _C, "interface §4.1"),
    Operation("customers.delete", "DELETE", "/customers/<customer_id>", _S, _C, "facts §1.4"),
    Operation("customers.payment_methods_of_payment", "GET", "/customers/payment_methods", _PE, _R, "facts §1.4"),
    Operation("customers.payment_methods", "GET", "/customers/<customer_id>/payment_methods", _SE, _R, "facts §1.4"),
    Operation("customers.default_payment_method", "POST", "/customers/<customer_id>/payment_methods/<payment_method_id>/default", _SE, _C, "facts §1.4"),
    Operation("customers.default_payment_method", "POST", "/<customer_id>/payment_methods/<payment_method_id>/default", _SE, _C, "facts §1.4"),
    Operation("customers.mandates", "GET", "/customers/<customer_id>/mandates", _S, _R, "facts §1.4"),
    Operation("payment_methods.create", "POST", "/payment_methods", _S, _C, "facts §1.4"),
    Operation("payment_methods.list", "GET", "/payment_methods", _SP, _R, "facts §1.4"),
    Operation("payment_methods.list", "GET", "/account/payment_methods", _SP, _R, "facts §1.4"),
    Operation("payment_methods.retrieve", "GET", "/payment_methods/<payment_method_id>", _S, _R, "facts §1.4"),
    Operation("payment_methods.update", "POST", "/payment_methods/<payment_method_id>/update", _SP, _C, "facts §1.4"),
    Operation("payment_methods.save", "POST", "/payment_methods/<payment_method_id>/save", _SP, _C, "facts §1.4"),
    Operation("payment_methods.delete", "DELETE", "/payment_methods/<payment_method_id>", _SE, _C, "facts §1.4"),
    Operation("profiles.create", "POST", "/account/<merchant_id>/business_profile", _S, _C, "facts §1.5"),
    Operation("profiles.list", "GET", "/account/<merchant_id>/business_profile", _S, _R, "facts §1.5"),
    Operation("profiles.retrieve", "GET", "/account/<merchant_id>/business_profile/<profile_id>", _S, _R, "facts §1.5"),
    Operation("profiles.update", "POST", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "facts §1.5"),
    Operation("profiles.replace", "PUT", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "interface §4.1"),
    Operation("profiles.delete", "DELETE", "/account/<merchant_id>/business_profile/<profile_id>", _S, _C, "facts §1.5"),
    Operation("profiles.toggle_connector_agnostic_mit", "POST", "/account/<merchant_id>/business_profile/<profile_id>/toggle_connector_agnostic_mit", _S, _C, "facts §1.5"),
    Operation("accounts.create", "POST", "/accounts", _A, _C, "facts §1.5"),
    Operation("accounts.retrieve", "GET", "/accounts/<merchant_id>", _A, _R, "facts §1.5"),
    Operation("accounts.update", "POST", "/accounts/<merchant_id>", _A, _C, "facts §1.5"),
    Operation("accounts.delete", "DELETE", "/accounts/<merchant_id>", _A, _C, "facts §1.5"),
    Operation("api_keys.create", "POST", "/api_keys/<merchant_id>", _A, _C, "facts §1.5", holds_keys=True),
    Operation("api_keys.list", "GET", "/api_keys/<merchant_id>/list", _A, _R, "facts §1.5"),
    Operation("api_keys.retrieve", "GET", "/api_keys/<merchant_id>/<key_id>", _A, _R, "facts §1.5"),
    Operation("api_keys.update", "POST", "/api_keys/<merchant_id>/<key_id>", _A, _C, "facts §1.5"),
    Operation("api_keys.revoke", "DELETE", "/api_keys/<merchant_id>/<key_id>", _A, _C, "facts §1.5"),
    Operation("connectors.create", "POST", "/account/<merchant_id>/connectors", _SA, _C, "facts §1.5", holds_keys=True),
    Operation("connectors.list", "GET", "/account/<merchant_id>/connectors", _SA, _R, "facts §1.5"),
    Operation("connectors.retrieve", "GET", "/account/<merchant_id>/connectors/<connector_id>", _SA, _R, "facts §1.5"),
    Operation("connectors.update", "POST", "/account/<merchant_id>/connectors/<connector_id>", _SA, _C, "facts §1.5", holds_keys=True),
    Operation("connectors.delete", "DELETE", "/account/<merchant_id>/connectors/<connector_id>", _SA, _C, "facts §1.5"),
    Operation("events.list", "POST", "/events/<merchant_id>", _S, _R, "facts §1.6"),
    Operation("events.list", "GET", "/events/<merchant_id>", _S, _R, _LISTS),
    Operation("events.list_of_profile", "POST", "/events/profile/list", _S, _R, "facts §1.6"),
    Operation("events.list_of_profile", "GET", "/events/profile/list", _S, _R, _LISTS),
    Operation("events.attempts", "GET", "/events/<merchant_id>/<event_id>/attempts", _S, _R, "facts §1.6"),
    Operation("events.retry", "POST", "/events/<merchant_id>/<event_id>/retry", _S, _C, "facts §1.6"),
    Operation("analytics.metrics", "POST", "/analytics/v1/metrics/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.metrics", "POST", "/analytics/v1/merchant/metrics/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.metrics", "POST", "/analytics/v1/profile/metrics/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.filters", "POST", "/analytics/v1/filters/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.filters", "POST", "/analytics/v1/merchant/filters/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.filters", "POST", "/analytics/v1/profile/filters/<domain>", _S, _R, "facts §1.7"),
    Operation("analytics.report", "POST", "/analytics/v1/report/<report>", _S, _C, "facts §1.7"),
    Operation("analytics.report", "POST", "/analytics/v1/merchant/report/<report>", _S, _C, "facts §1.7"),
    Operation("analytics.report", "POST", "/analytics/v1/profile/report/<report>", _S, _C, "facts §1.7"),
    Operation("mandates.list", "GET", "/mandates/list", _S, _R, "facts §1.4"),
    Operation("mandates.list", "POST", "/mandates/list", _S, _R, _LISTS),
    Operation("mandates.retrieve", "GET", "/mandates/<mandate_id>", _S, _R, "facts §1.4"),
    Operation("mandates.revoke", "POST", "/mandates/revoke/<mandate_id>", _S, _C, "facts §1.4"),
    Operation("ephemeral_keys.create", "POST", "/ephemeral_keys", _S, _C, "facts §1.4", holds_keys=True),
    Operation("ephemeral_keys.delete", "DELETE", "/ephemeral_keys/<key_id>", _S, _C, "facts §1.4"),
    Operation("refunds.create", "POST", "/refunds", _S, _C, "facts §1.2", draws_issuer=True),
    Operation("refunds.list", "POST", "/refunds/list", _S, _R, "facts §1.2"),
    Operation("refunds.list", "GET", "/refunds/list", _S, _R, _LISTS),
    Operation("refunds.sync", "POST", "/refunds/sync", _S, _R, "facts §1.2"),
    Operation("refunds.aggregate", "GET", "/refunds/aggregate", _S, _R, "facts §1.2"),
    Operation("refunds.retrieve", "GET", "/refunds/<refund_id>", _S, _R, "facts §1.2"),
    Operation("refunds.update", "POST", "/refunds/<refund_id>", _S, _C, "facts §1.2"),
    Operation("refunds.replace", "PUT", "/refunds/<refund_id>", _S, _C, "interface §4.1"),
    Operation("disputes.list", "GET", "/disputes/list", _S, _R, "facts §1.3"),
    Operation("disputes.list", "POST", "/disputes/list", _S, _R, _LISTS),
    Operation("disputes.aggregate", "GET", "/disputes/aggregate", _S, _R, "facts §1.3"),
    Operation("disputes.accept", "POST", "/disputes/accept/<dispute_id>", _S, _C, "facts §1.3"),
    Operation("disputes.submit_evidence", "POST", "/disputes/evidence", _S, _C, "facts §1.3", draws_issuer=True),
    Operation("disputes.attach_evidence", "PUT", "/disputes/evidence", _S, _C, "facts §1.3", multipart=True),
    Operation("disputes.delete_evidence", "DELETE", "/disputes/evidence", _S, _C, "facts §1.3", takes_body=True),
    Operation("disputes.retrieve_evidence", "GET", "/disputes/evidence/<dispute_id>", _S, _R, "facts §1.3"),
    Operation("disputes.retrieve", "GET", "/disputes/<dispute_id>", _S, _R, "facts §1.3"),
    Operation("files.create", "POST", "/files", _S, _C, "facts §1.6", multipart=True),
    Operation("files.retrieve", "GET", "/files/<file_id>", _S, _R, "facts §1.6"),
    Operation("files.delete", "DELETE", "/files/<file_id>", _S, _C, "facts §1.6"),
    Operation("blocklist.add", "POST", "/blocklist", _S, _C, "facts §1.6"),
    Operation("blocklist.list", "GET", "/blocklist", _S, _R, "facts §1.6"),
    Operation("blocklist.remove", "DELETE", "/blocklist", _S, _C, "facts §1.6", takes_body=True),
    Operation("blocklist.toggle", "POST", "/blocklist/toggle", _S, _C, "facts §1.6"),
)  # fmt: skip

NAMES: Final = frozenset(row.name for row in OPERATIONS)
SLOW: Final = ("/_sandbox/", "/analytics/")
"""Where calls may take long: the control API waits for things, metrics look at all there is (ours)."""
HEALTH: Final = frozenset({"/_sandbox/livez", "/_sandbox/readyz"})
"""What never takes long there, and is answered however many others wait (ours)."""
CHARGE: Final = "charge"
"""The moment the issuer is asked, whichever call leads there (ours: scenario language)."""


def may_take_long(path: str) -> bool:
    """Whether calls of this path may take long."""
    return path.startswith(SLOW) and path not in HEALTH
