"""What operations take where it differs, and the rules that the engine works by (facts §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.bodies import BodyRules, Unknown

_STRICT: Final = BodyRules(unknown=Unknown.REFUSED_AT_THE_TOP, loose=True)
_CREATE: Final = BodyRules(required=frozenset(("amount", "currency")), unknown=Unknown.REFUSED_AT_THE_TOP, loose=True)
_STRICT_ONES: Final = (
    "payments.update",
    "payments.confirm",
    "payments.update_metadata",
    "payments.list",
    "refunds.create",
    "refunds.update",
    "refunds.replace",
    "profiles.create",
    "profiles.update",
    "profiles.replace",
    "payment_methods.create",
)

BODIES: Final[Mapping[str, BodyRules]] = {
    "": BodyRules(unknown=Unknown.PASSED_OVER, loose=True),
    "payments.create": _CREATE,
    "payments.replace": _CREATE,
    **dict.fromkeys(_STRICT_ONES, _STRICT),
}
"""The public server refuses unknown fields at the top of these bodies, and passes over all others."""
