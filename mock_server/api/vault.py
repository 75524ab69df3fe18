"""What is saved for customers: payment methods, mandates (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import runs
from mock_server.engine.vault import mandates, methods, offers

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
