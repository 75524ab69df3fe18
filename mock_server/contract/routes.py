"""Errors of routes by their kind, and paths of the public API that the sandbox does not offer.

Besides its own errors, every route has those of `ON_EVERY`, and by its kind those of `ON_BODIES` and the others here.
"""

from __future__ import annotations

import re
from typing import Final

from mock_server.domain.errors import Cause as C

ON_EVERY: Final = (
    C.KEY_MISSING, C.KEY_MALFORMED, C.KEY_PRODUCTION, C.KEY_UNKNOWN, C.HOST_FORBIDDEN, C.PAGE_MAKES_NOTHING,
    C.KEY_EXPIRED, C.KEY_REVOKED, C.KEY_KIND_NOT_ALLOWED, C.EPHEMERAL_KEY_WRONG, C.RATE_LIMITED,
    C.RATE_LIMITED_FROZEN, C.NOT_SAVED, C.INTERNAL,
)  # fmt: skip
"""Any route; any path can also be refused by its method, and its bytes by the server (facts §1.0, §4.1)."""
ON_BODIES: Final = (
    C.BODY_TOO_LARGE, C.CONTENT_TYPE_WRONG, C.JSON_MALFORMED, C.BODY_NOT_OBJECT, C.VALUE_MISSING, C.VALUE_INVALID,
    C.UNKNOWN_FIELD,
)  # fmt: skip
"""A route that reads a body (facts §4.1, §8)."""
ON_FORMS: Final = (C.BODY_TOO_LARGE, C.CONTENT_TYPE_WRONG, C.MULTIPART_MALFORMED, C.UNKNOWN_FIELD)
"""A route that reads a multipart form (facts §4.2)."""
ON_QUERIES: Final = (C.VALUE_INVALID, C.UNKNOWN_PARAMETER)
"""A list, and any other route with a query (interface §8)."""
ON_CHANGES: Final = (C.IDEMPOTENCY_KEY_INVALID, C.IDEMPOTENCY_KEY_REUSED, C.IDEMPOTENCY_IN_FLIGHT, C.RECORDS_FULL)
"""A route that changes something (interface §8.3; ours)."""
ON_CLIENTS: Final = (C.KEY_UNUSED, C.CLIENT_SECRET_MISSING, C.CLIENT_SECRET_WRONG, C.CLIENT_SECRET_EXPIRED)
"""A route that accepts a publishable key (facts §1.0)."""
ON_SLOW: Final = (C.BUSY,)
"""A route that may take long; the number of such calls at a time is limited (ours)."""

# Errors of several operations.

UNKNOWN: Final = (C.OBJECT_UNKNOWN,)
MOVES: Final = (C.OBJECT_UNKNOWN, C.STATUS_FORBIDS)
TOGETHER: Final = (
    C.METHOD_MISMATCH, C.DATA_MISMATCH, C.FEATURE_NOT_OFFERED, C.AMOUNT_TOO_LARGE, C.AMOUNT_TO_CAPTURE_OVER_AMOUNT,
    C.AMOUNT_TO_CAPTURE_NOT_AMOUNT, C.CUSTOMER_CONFLICT, C.CUSTOMER_REDACTED, C.MANDATE_DATA_NEEDS_OFF_SESSION,
    C.MANDATE_NEEDS_CUSTOMER, C.MANDATE_DATES_REVERSED, C.ACCEPTANCE_NEEDS_ONLINE, C.OVERCAPTURE_NEEDS_MANUAL,
    C.LINK_AND_CONFIRM,
)  # fmt: skip
"""Contradictions between fields of a payment (facts §4.4)."""
CONFIRMS: Final = (
    C.METHOD_MISSING_AT_CONFIRM, C.METHOD_DATA_MISSING, C.RETURN_URL_MISSING, C.WALLET_NOT_CONFIGURED,
    C.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER, C.MANDATE_METHOD_UNSUPPORTED, C.BLOCKED,
)  # fmt: skip
SAVED: Final = (
    C.CUSTOMER_NEEDED, C.RECURRING_DATA_DOUBLED, C.RECURRING_NEEDS, C.PAYMENT_TOKEN_OVER, C.METHOD_NOT_OFF_SESSION,
    C.MANDATE_STATUS_FORBIDS, C.MANDATE_DIFFERS, C.MANDATE_EXCEEDED, C.MANDATE_USED, C.MANDATE_OUT_OF_PERIOD,
)  # fmt: skip
DISPUTED: Final = (C.DISPUTE_UNKNOWN, C.DISPUTE_STATUS_FORBIDS)
UPLOADED: Final = (C.FILE_MISSING, C.FILE_DISPUTE_MISSING, C.FILE_TYPE_MISSING, C.FILE_REJECTED)
PROFILE: Final = (C.OBJECT_UNKNOWN, C.PROFILE_NAME_TAKEN, C.STATUS_WITHOUT_EVENT)

OUT_OF_SCOPE: Final = (
    ("/payouts(/.*)?", "payouts"),
    ("/routing(/.*)?|/account/[^/]+/business_profile/[^/]+/dynamic_routing/.*", "routing rules"),
    ("/subscriptions(/.*)?", "subscriptions"),
    ("/accounts/[^/]+/kv|/account/[^/]+/webhooks/[^/]+", "a connection to real processors and their data"),
    ("/analytics/v1/org/.*", "reports of an organisation"),
    ("/blocklist/batch(/.*)?", "blocklists from files; POST /blocklist blocks one card"),
    ("/relay(/.*)?", "relay of calls to a processor"),
    ("/organi[sz]ations?(/.*)?", "organisations above merchants"),
    ("/payments/[^/]+/3ds/authentication", "3-D Secure without a redirect; next_action names a page instead"),
)
"""Paths of the public API that answer `feature_not_offered`, and the feature that the message names."""


def out_of_scope(path: str) -> str | None:
    """The feature of a path that is not offered; None for an unknown path."""
    return next((what for pattern, what in OUT_OF_SCOPE if re.fullmatch(pattern, path)), None)
