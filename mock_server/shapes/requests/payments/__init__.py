"""The requests of the payments API (interface §4.2, §4.5, facts §1.1), each as a `Shape` to load bodies with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from mock_server.domain.commands import PaymentRequest
from mock_server.shapes.requests.load import Shape
from mock_server.shapes.requests.payments.build import payment_request

if TYPE_CHECKING:
    from marshmallow import Schema

_NOT_ON_CREATE: Final = ("client_secret", "retry_action")


@cache
def create(required: frozenset[str] = frozenset()) -> Shape[PaymentRequest]:
    """`POST /payments` and `PUT /payments/{id}`; `required` is what the dialect demands of both."""

    def schema() -> Schema:
        from mock_server.shapes.requests.payments.payment import PaymentBody

        return PaymentBody(required=required, exclude=_NOT_ON_CREATE)

    return Shape(schema, payment_request)
