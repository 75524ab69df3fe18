"""Customers, and the keys for their browsers (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import runs
from mock_server.contract.answers.customer import NEW_CUSTOMER, WithKey
from mock_server.engine import customers
from mock_server.engine.vault import mandates, methods, offers
from mock_server.http.binding import show_as

runs("customers.create", customers.with_customer, lambda call, made: show_as(call, NEW_CUSTOMER, WithKey(*made)))
runs("customers.retrieve", customers.retrieve)
runs("customers.update", customers.update)
runs("customers.replace", customers.update)
runs("customers.delete", customers.delete)
runs("customers.list", customers.page)
runs("ephemeral_keys.create", customers.create_key)
runs("ephemeral_keys.delete", customers.revoke_key)


# What is saved for customers: payment methods, mandates (facts §1.4).

runs("payment_methods.create", methods.create)
runs("payment_methods.save", methods.save)
runs("payment_methods.retrieve", methods.retrieve)
runs("payment_methods.update", methods.update)
runs("payment_methods.delete", methods.delete)
runs("payment_methods.list", offers.offering)
runs("customers.payment_methods", offers.of_customer)
runs("customers.payment_methods_of_payment", offers.of_payment)
runs("customers.default_payment_method", methods.make_default)
runs("mandates.retrieve", mandates.retrieve)
runs("mandates.revoke", mandates.revoke)
runs("mandates.list", mandates.page)
runs("customers.mandates", mandates.of_customer)
