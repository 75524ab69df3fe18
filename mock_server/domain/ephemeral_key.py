"""A key that a browser uses for one customer's record and methods, for an hour (facts §2.8)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class EphemeralKey:
    """One key; of its text only the `digest` is kept, `secret` is there in the answer to its create alone."""

    key_id: str
    customer_id: str
    digest: str
    created_at: int
    expires_at: int
    secret: str | None = field(default=None, repr=False)
