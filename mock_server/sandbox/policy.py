"""A workspace's rules: what the settings say, as its engine wants it."""

from __future__ import annotations

from msgspec import structs

from mock_server.contract.dialect import Dialect
from mock_server.domain.methods import Flow
from mock_server.engine.context import Policy
from mock_server.settings import Settings


def policy_of(settings: Settings, webhook_secret: str, dialect: Dialect) -> Policy:
    """The policy that the server's settings and the workspace's dialect make."""
    page = int(settings.page_expiry)
    policy = Policy(
        session_expiry_s=int(settings.session_expiry) // 1000,
        authorization_expiry_ms=int(settings.authorization_expiry),
        customer_times_ms={
            Flow.CHARGE: page,
            Flow.REDIRECT: page,
            Flow.QR_CODE: page,
            Flow.VOUCHER: int(settings.voucher_expiry),
            Flow.BANK_TRANSFER: int(settings.transfer_expiry),
        },
        transfer_seen_after_ms=int(settings.transfer_seen_after),
        unknown_profiles=settings.unknown_profiles,
        webhook_url=settings.webhook_url,
        webhook_secret=webhook_secret,
        inbox=settings.inbox,
    )
    return structs.replace(policy, **dialect.rules) if dialect.rules else policy
