"""The registry's records; they are of the server's own space and outlive the workspaces."""

from __future__ import annotations

from typing import Final

from mock_server.domain.issued_key import IssuedKey
from mock_server.domain.merchant_account import MerchantAccount
from mock_server.store.protocol import Index, Kind

ACCOUNTS: Final = Kind(
    "merchant_account", MerchantAccount, lambda account: account.merchant_id, lambda account: account.created_at
)

API_KEYS: Final = Kind(
    "api_key",
    IssuedKey,
    lambda key: key.key_id,
    lambda key: key.created_at,
    (Index("merchant_id", lambda key: key.merchant_id),),
)
