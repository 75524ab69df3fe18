"""Customers, and the keys for their browsers (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import runs
from mock_server.contract.answers.customer import NEW_CUSTOMER, WithKey
from mock_server.engine import customers
from mock_server.engine.vault import ephemeral_keys
from mock_server.http.show import show_as

runs(
    "customers.create",
    ephemeral_keys.with_customer,
    lambda call, made: show_as(call, NEW_CUSTOMER, WithKey(*made)),
)
runs("customers.retrieve", customers.retrieve)
runs("customers.update", customers.update)
runs("customers.replace", customers.update)
runs("customers.delete", customers.delete)
runs("customers.list", customers.page)
runs("ephemeral_keys.create", ephemeral_keys.create)
runs("ephemeral_keys.delete", ephemeral_keys.revoke)
