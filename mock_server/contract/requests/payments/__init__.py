"""The requests of the payments API (interface §4.2, §4.5, facts §1.1), each as a `Shape` to load bodies with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.payments import build
from mock_server.domain.commands import (
    CancelPayment,
    CapturePayment,
    CompleteAuthorize,
    IncrementAuthorization,
    MergeMetadata,
    PaymentRequest,
    RetrievePayment,
)
from mock_server.domain.errors import Cause
from mock_server.domain.methods import CATEGORY_ALIASES
from mock_server.domain.paging import Query

_PARAMETER: Final = Cause.UNKNOWN_PARAMETER


def _payment(required: frozenset[str] = frozenset(), without: tuple[str, ...] = ()) -> Any:
    from mock_server.contract.requests.payments.payment import PaymentBody

    return PaymentBody(required=required, exclude=without)


def _action(name: str) -> Any:
    from mock_server.contract.requests.payments import actions

    return getattr(actions, name)()


@cache
def create(required: frozenset[str]) -> Shape[PaymentRequest]:
    """`POST /payments`, and `PUT /payments/{id}`: `required` is what the dialect demands of both."""
    return Shape(lambda: _payment(required, ("client_secret", "retry_action")), build.payment_request)


UPDATE: Final[Shape[PaymentRequest]] = Shape(_payment, build.payment_request)
CONFIRM: Final[Shape[PaymentRequest]] = Shape(_payment, build.payment_request)
CAPTURE: Final[Shape[CapturePayment]] = Shape(lambda: _action("CaptureBody"), build.capture)
CANCEL: Final[Shape[CancelPayment]] = Shape(lambda: _action("CancelBody"), build.cancel)
NOTHING: Final[Shape[None]] = Shape(lambda: _action("NothingBody"), build.nothing)
"""approve, reject, extend_authorization and everything else that has nothing to say."""
INCREMENT: Final[Shape[IncrementAuthorization]] = Shape(lambda: _action("IncrementBody"), build.increment)
UPDATE_METADATA: Final[Shape[MergeMetadata]] = Shape(lambda: _action("MetadataBody"), build.merge_metadata)
COMPLETE: Final[Shape[CompleteAuthorize]] = Shape(lambda: _action("CompleteBody"), build.complete)
RETRIEVE: Final[Shape[RetrievePayment]] = Shape(lambda: _action("RetrieveQuery"), build.retrieve, _PARAMETER)
SYNC: Final[Shape[RetrievePayment]] = Shape(lambda: _action("SyncBody"), build.retrieve)


def payments_list(statuses: Mapping[str, object], names: Mapping[str, str]) -> Shape[Query]:
    """`POST` and `GET /payments/list`.

    `statuses` gives the engine's status for every word that the dialect understands, `names` the wire's name of a
    parameter by the engine's.
    """

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.payments.filters import payment_filters

        return payment_filters(tuple(statuses))

    words = {**CATEGORY_ALIASES, **build.TYPE_OF}
    return listing(filters, names, {"status": statuses, "payment_method": words, "payment_method_type": words})
