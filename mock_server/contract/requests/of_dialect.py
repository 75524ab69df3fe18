"""The shapes that a dialect has its say in: in which words, and how lists are asked for."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import PerDialect
from mock_server.contract.requests import (
    customers,
    disputes,
    events,
    payment_methods,
    payments,
    profiles,
    refunds,
    setup,
)
from mock_server.contract.requests.shapes import Shape
from mock_server.domain.paging import Query
from mock_server.domain.statuses import DisputeStage, DisputeStatus, MandateStatus, PaymentStatus, RefundStatus


def _payments(route: str) -> PerDialect:
    """The list of payments as one of its routes is asked for it."""

    def make(dialect: Dialect) -> Shape[Query]:
        keys = dialect.list_of("payments.list", route)
        return payments.payments_list(dialect.readings[PaymentStatus], keys.parameters, keys.most)

    return PerDialect(make)


PAYMENTS: Final = _payments("")
PAYMENTS_BY_QUERY: Final = _payments("GET /payments/list")
REFUNDS: Final = PerDialect(
    lambda dialect: refunds.refunds_list(dialect.readings[RefundStatus], dialect.list_of("refunds.list").parameters)
)
DISPUTES: Final = PerDialect(
    lambda dialect: disputes.disputes_list(
        dialect.readings[DisputeStatus], dialect.readings[DisputeStage], dialect.list_of("disputes.list").parameters
    )
)
CUSTOMERS: Final = PerDialect(lambda dialect: customers.customers_list(dialect.list_of("customers.list").parameters))
MANDATES: Final = PerDialect(
    lambda dialect: payment_methods.mandates_list(
        dialect.readings[MandateStatus], dialect.list_of("mandates.list").parameters
    )
)
PROFILE: Final = PerDialect(lambda dialect: profiles.profile(dialect.readings))
PROFILES: Final = PerDialect(lambda dialect: profiles.profiles_list(dialect.list_of("profiles.list").parameters))
ACCOUNT: Final = PerDialect(lambda dialect: setup.account(dialect.readings))
API_KEYS: Final = PerDialect(lambda dialect: setup.keys_list(dialect.list_of("api_keys.list").parameters))
CONNECTORS: Final = PerDialect(lambda dialect: setup.connectors_list(dialect.list_of("connectors.list").parameters))
EVENTS: Final = PerDialect(lambda dialect: events.events_list(dialect.list_of("events.list").parameters))
ATTEMPTS: Final = PerDialect(lambda dialect: events.attempts_list(dialect.list_of("events.attempts").parameters))
