"""A browser's key for one customer (facts §2.8)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, plain
from mock_server.domain.issued_key import EphemeralKey

_F = "facts §2.8"
_S, _N = "string", "integer"

# fmt: off
EPHEMERAL_KEY: Shape[EphemeralKey] = Shape(
    Field("id", plain("key_id"), _S, "ours", nullable=False),
    Field("merchant_id", plain("merchant_id"), _S, _F, nullable=False),
    Field("customer_id", plain("customer_id"), _S, _F, nullable=False),
    Field("created_at", lambda k, d: k.created_at // 1000, _N, _F, nullable=False),
    Field("expires", lambda k, d: k.expires_at // 1000, _N, _F, nullable=False),
    Field("secret", plain("secret"), _S, _F),
)
# fmt: on
