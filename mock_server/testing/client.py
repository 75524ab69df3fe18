"""A plain client of the payments API, for tests without their own, and the test cards of a server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mock_server.addresses import query_of
from mock_server.connections import Http
from mock_server.guesses import hint
from mock_server.testing.control import TIMEOUT_S, Answer, ControlClient
from mock_server.testing.records import Card

__tracebackhide__ = True
Headers = Mapping[str, str]


class Client:
    """Calls with one key. A failed connection raises its own error: ConnectionError, TimeoutError, HTTPException."""

    def __init__(self, http: Http, key: str, cards: Cards, *, timeout: float = TIMEOUT_S) -> None:
        self._http = http
        self._key = key
        self._cards = cards
        self.timeout = timeout
        """How long a call can take, in seconds."""

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        idempotency_key: str | None = None,
        headers: Headers | None = None,
        timeout: float | None = None,
    ) -> Answer:
        """Sends one call, the body as JSON; `timeout` is in seconds."""
        given = {"api-key": self._key}
        if idempotency_key is not None:
            given["X-Idempotency-Key"] = idempotency_key
        sent = None
        if body is not None:
            sent, given["Content-Type"] = json.dumps(body).encode(), "application/json"
        limit = self.timeout if timeout is None else timeout
        return Answer(*self._http.call(method, path, sent, {**given, **(headers or {})}, limit))

    def get(self, /, path: str, params: Mapping[str, Any] | None = None, **more: Any) -> Answer:
        """Reads; `params` are the query."""
        return self.request("GET", path + query_of(params or {}), **more)

    def post(self, /, path: str, body: Any = None, **more: Any) -> Answer:
        """Creates or does something."""
        return self.request("POST", path, body, **more)

    def put(self, /, path: str, body: Any = None, **more: Any) -> Answer:
        """Replaces something."""
        return self.request("PUT", path, body, **more)

    def delete(self, /, path: str, **more: Any) -> Answer:
        """Deletes something."""
        return self.request("DELETE", path, **more)

    def pay(
        self,
        /,
        card: str = "success",
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        **fields: Any,
    ) -> Answer:
        """Creates and confirms a card payment of 42.00 EUR; `fields` go into the body."""
        return self.post("/payments", self.payment(card, **fields), idempotency_key=idempotency_key, timeout=timeout)

    def payment(self, /, card: str = "success", **fields: Any) -> dict[str, Any]:
        """The body of that call."""
        return {
            "amount": 4200,
            "currency": "EUR",
            "profile_id": "pro_tests",
            "confirm": True,
            "payment_method": "card",
            "payment_method_type": "credit",
            "payment_method_data": {"card": self._cards[card].as_data()},
            **fields,
        }


class Cards:
    """`cards["insufficient_funds"]` is the Visa card of that name; any other by its whole name or its number."""

    def __init__(self, control: ControlClient, kept: dict[str, Card]) -> None:
        self._control = control
        self._kept = kept
        """Shared by all workspaces of a server, so that its table is read once."""

    def __getitem__(self, name: str) -> Card:
        table = self._table()
        found = table.get(name) or table.get(f"visa_{name}")
        found = found or next((row for row in table.values() if row.number == name), None)
        if found is None:
            short = (known.removeprefix("visa_") for known in table)
            raise KeyError(f"there is no test card {name!r}{hint(str(name), [*table, *short])}")
        return found

    def __iter__(self) -> Iterator[Card]:
        return iter(self._table().values())

    def __len__(self) -> int:
        return len(self._table())

    def _table(self) -> dict[str, Card]:
        if not self._kept:
            rows = [Card(**{name: row[name] for name in Card.__slots__}) for row in self._control.get("/cards")["data"]]
            self._kept.update({row.name: row for row in rows})
        return self._kept
