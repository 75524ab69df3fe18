"""The way back to the shop: the return URL with what happened, signed (facts §6.3)."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mock_server.contract.dialect import Dialect
from mock_server.domain.delivery import Pair, signed_pairs
from mock_server.domain.payment import Payment
from mock_server.domain.profile import Profile

SCHEMES: Final = frozenset({"http", "https"})


class WayBack(NamedTuple):
    """Where the customer goes, and what is told there: in the URL, or in a form where the profile wants one."""

    url: str
    pairs: tuple[Pair, ...]
    by_form: bool

    @property
    def location(self) -> str:
        """The URL with everything in its query; the shop's own query stays as it was written."""
        scheme, netloc, path, query, fragment = urlsplit(self.url)
        own = len(parse_qsl(query, keep_blank_values=True))
        told = urlencode(self.pairs[own:])
        return urlunsplit((scheme, netloc, path, f"{query}&{told}" if query else told, fragment))


def way_back(payment: Payment, profile: Profile, dialect: Dialect) -> WayBack | None:
    """The way back of a payment as it stands; None where neither payment nor profile says where to."""
    url = payment.return_url or profile.return_url
    if not url or urlsplit(url).scheme.lower() not in SCHEMES:
        return None
    by_form = profile.redirect_to_merchant_with_http_post
    own = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    pairs = [*own, *_told(payment, dialect, with_amount=not by_form)]
    if profile.enable_payment_response_hash:
        pairs = signed_pairs(pairs, profile.payment_response_hash_key)
    return WayBack(url, tuple(pairs), by_form)


def _told(payment: Payment, dialect: Dialect, *, with_amount: bool) -> list[Pair]:
    amount = [("amount", str(payment.amount))] if with_amount else []
    return [
        ("status", dialect.status_out(payment.status)),
        ("payment_id", payment.payment_id),
        ("payment_intent_client_secret", payment.client_secret),
        *amount,
        ("manual_retry_allowed", "true" if payment.manual_retry_allowed else "false"),
    ]
