"""What events can be asked for (facts §1.6, §2.9)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.domain.paging import Query

_NAMES: Final = {"event_class": "event_classes", "event_type": "event_types"}
"""The wire's names of what an index holds one of."""


def events_list(names: Mapping[str, str]) -> Shape[Query]:
    """`POST` and `GET /events/{merchant_id}`; `names` gives the wire's name of a parameter by the engine's."""

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.events.filters import event_filters

        return event_filters()

    return listing(filters, {**_NAMES, **names})


def attempts_list(names: Mapping[str, str]) -> Shape[Query]:
    """`GET /events/{merchant_id}/{event_id}/attempts`."""
    return listing(dict, names)


def _nothing() -> Any:
    from mock_server.contract.requests.payments.actions import NothingBody

    return NothingBody()


NOTHING: Final[Shape[None]] = Shape(partial(_nothing), lambda loaded: None)
"""`POST …/retry`."""
