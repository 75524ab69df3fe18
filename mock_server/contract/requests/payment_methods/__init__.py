"""The requests of saved methods, mandates and the browser's keys (facts §1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.metadata import text_of
from mock_server.contract.requests.payments.build import TYPE_OF
from mock_server.contract.requests.payments.instruments import card_input, method_input, text
from mock_server.domain.commands import MethodInput
from mock_server.domain.errors import Cause
from mock_server.domain.methods import CATEGORY_ALIASES
from mock_server.domain.offers import AskSessionTokens
from mock_server.domain.paging import Query
from mock_server.domain.payment_method import CreateMethod, UpdateMethod

Loaded = Mapping[str, Any]


def _body(name: str) -> Any:
    from mock_server.contract.requests.payment_methods import bodies

    return getattr(bodies, name)()


def _create(loaded: Loaded) -> CreateMethod:
    category = loaded.get("payment_method")
    type_ = loaded.get("payment_method_type")
    given = _given(loaded)
    billing, acceptance = loaded.get("billing"), loaded.get("customer_acceptance")
    if given is not None and billing is not None and given.billing is None:
        given = MethodInput(
            category=given.category,
            name=given.name,
            sent_as=given.sent_as,
            card=given.card,
            payload=given.payload,
            billing=text(billing),
        )
    metadata = loaded.get("metadata")
    return CreateMethod(
        customer_id=loaded.get("customer_id"),
        payment_method=CATEGORY_ALIASES.get(category, category) if category else None,
        payment_method_type=TYPE_OF.get(type_, type_) if type_ else None,
        given=given,
        nick_name=given.card.nick_name if given is not None and given.card is not None else None,
        metadata=None if metadata is None else text_of(metadata),
        network_transaction_id=loaded.get("network_transaction_id"),
        client_secret=loaded.get("client_secret"),
        customer_acceptance=None if acceptance is None else text(acceptance),
    )


def _given(loaded: Loaded) -> MethodInput | None:
    """The data, under either of the places that the public API has for a card."""
    card = loaded.get("card")
    if card is not None:
        return MethodInput(category="card", card=card_input(card))
    data = loaded.get("payment_method_data")
    return None if data is None else method_input(data)


def _update(loaded: Loaded) -> UpdateMethod:
    card, metadata = loaded.get("card") or {}, loaded.get("metadata")
    return UpdateMethod(
        exp_month=card.get("card_exp_month"),
        exp_year=card.get("card_exp_year"),
        holder=card.get("card_holder_name"),
        nick_name=card.get("nick_name"),
        metadata=None if metadata is None else text_of(metadata),
        client_secret=loaded.get("client_secret"),
    )


def _session_tokens(loaded: Loaded) -> AskSessionTokens:
    return AskSessionTokens(
        payment_id=loaded["payment_id"],
        client_secret=loaded.get("client_secret"),
        wallets=tuple(loaded.get("wallets") or ()),
    )


CREATE: Final[Shape[CreateMethod]] = Shape(partial(_body, "MethodBody"), _create)
"""`POST /payment_methods`."""
SAVE: Final[Shape[CreateMethod]] = Shape(partial(_body, "MethodBody"), _create)
"""`POST /payment_methods/{id}/save`."""
UPDATE: Final[Shape[UpdateMethod]] = Shape(partial(_body, "MethodUpdate"), _update)
NOTHING: Final[Shape[None]] = Shape(partial(_body, "NothingBody"), lambda loaded: None)
EPHEMERAL_KEY: Final[Shape[str]] = Shape(partial(_body, "EphemeralKeyBody"), lambda loaded: str(loaded["customer_id"]))
SESSION_TOKENS: Final[Shape[AskSessionTokens]] = Shape(partial(_body, "SessionTokensBody"), _session_tokens)
CLIENT: Final[Shape[str | None]] = Shape(
    partial(_body, "ClientQuery"), lambda loaded: loaded.get("client_secret"), Cause.UNKNOWN_PARAMETER
)
"""The query of the lists that a browser reads."""


def mandates_list(statuses: Mapping[str, object], names: Mapping[str, str]) -> Shape[Query]:
    """`GET` and `POST /mandates/list`, and a customer's mandates.

    `statuses` gives the engine's status for every word of the dialect, `names` the wire's name of a parameter.
    """

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.payment_methods.bodies import mandate_filters

        return mandate_filters(tuple(statuses))

    return listing(filters, names, {"status": statuses})
