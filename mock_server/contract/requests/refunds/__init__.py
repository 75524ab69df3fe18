"""The requests of the refunds API (facts §1.2, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.metadata import text_of
from mock_server.contract.requests.payments.build import TYPE_OF
from mock_server.domain.errors import Cause
from mock_server.domain.methods import CATEGORY_ALIASES
from mock_server.domain.paging import Query
from mock_server.domain.refund import CreateRefund, RetrieveRefund, UpdateRefund
from mock_server.jsontext import canonical

Loaded = Mapping[str, Any]


def _body(name: str) -> Any:
    from mock_server.contract.requests.refunds import bodies

    return getattr(bodies, name)()


def _create(loaded: Loaded) -> CreateRefund:
    split = loaded.get("split_refunds")
    return CreateRefund(
        payment_id=loaded["payment_id"],
        refund_id=loaded.get("refund_id"),
        merchant_id=loaded.get("merchant_id"),
        amount=loaded.get("amount"),
        reason=loaded.get("reason"),
        refund_type=loaded.get("refund_type"),
        metadata=_metadata(loaded),
        split_refunds=None if split is None else canonical(split),
    )


def _update(loaded: Loaded) -> UpdateRefund:
    return UpdateRefund(reason=loaded.get("reason"), metadata=_metadata(loaded))


def _retrieve(loaded: Loaded) -> RetrieveRefund:
    return RetrieveRefund(refund_id=loaded.get("refund_id"), force_sync=loaded.get("force_sync") or False)


def _metadata(loaded: Loaded) -> str | None:
    pairs = loaded.get("metadata")
    return None if pairs is None else text_of(pairs)


CREATE: Final[Shape[CreateRefund]] = Shape(lambda: _body("RefundBody"), _create)
"""`POST /refunds`, and `PUT /refunds/{id}`, which requires what create requires."""
UPDATE: Final[Shape[UpdateRefund]] = Shape(lambda: _body("UpdateBody"), _update)
RETRIEVE: Final[Shape[RetrieveRefund]] = Shape(lambda: _body("RetrieveQuery"), _retrieve, Cause.UNKNOWN_PARAMETER)
SYNC: Final[Shape[RetrieveRefund]] = Shape(lambda: _body("SyncBody"), _retrieve)


def refunds_list(statuses: Mapping[str, object], names: Mapping[str, str]) -> Shape[Query]:
    """`POST` and `GET /refunds/list`.

    `statuses` gives the engine's status for every word that the dialect understands, `names` the wire's name of a
    parameter by the engine's.
    """

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.refunds.filters import refund_filters

        return refund_filters(tuple(statuses))

    words = {**CATEGORY_ALIASES, **TYPE_OF}
    translate = {"status": statuses, "refund_status": statuses, "payment_method": words, "payment_method_type": words}
    return listing(filters, names, translate)
