"""A merchant's client, which every check has: HTTP/1.1 with reused connections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from http.client import HTTPException
from typing import Any, Final, Self
from urllib.parse import urlsplit

from mock_server.addresses import path_of
from mock_server.conformance.answer import SPEECHES, Broken, CheckedAnswer, Phrase, Sent
from mock_server.conformance.listening import WebhookListener
from mock_server.conformance.target import ConformanceTarget, Means
from mock_server.connections import Http
from mock_server.domain.merchant import OWN_AGENT

SUCCESS: Final = "4242424242424242"
DECLINED: Final = "4000000000000002"
POOR: Final = "4000000000009995"
CHALLENGED: Final = "4000003800000446"
"""Numbers in all published tables of test cards (facts §7)."""
CVC: Final = "737"
JSON: Final = "application/json"
AGENT: Final = f"{OWN_AGENT}-conformance"


def card(number: str = SUCCESS, **fields: Any) -> dict[str, Any]:
    """A card as payment_method_data (interface §2.4)."""
    data = {"card_number": number, "card_exp_month": "03", "card_exp_year": "2035", "card_cvc": CVC, **fields}
    return {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": {"card": data}}


class MerchantClient:
    """Calls with one key, or with none. A call never fails because a connection was closed in the meantime."""

    def __init__(self, target: ConformanceTarget, means: Means, key: str | None) -> None:
        self.target = target
        self.means = means
        self.key = key
        self._http = Http(target.url, keeps=True)

    # calls

    def call(
        self, method: str, path: str, body: object = None, *, raw: bytes | None = None, headers: Any = None
    ) -> CheckedAnswer:
        """One call with a JSON `body` or with `raw` bytes; headers of None are omitted. Raises Broken."""
        data = raw if raw is not None else b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        given: dict[str, str | None] = {"User-Agent": AGENT, "Content-Type": JSON, "api-key": self.key}
        sent = {name: text for name, text in (given | (headers or {})).items() if text is not None}
        asked = Sent(method, self._http.base + path, tuple(sent.items()), data)
        try:
            answer = self._http.call(method, path, data or None, sent, self.target.timeout_s)
        except (OSError, HTTPException) as problem:
            said = Phrase(f"{type(problem).__name__}: {problem}")
            raise Broken("the answer", Phrase("to be complete"), said, asked) from problem
        return CheckedAnswer(asked, *answer, SPEECHES[self.target.dialect])

    def get(self, path: str) -> CheckedAnswer:
        return self.call("GET", path)

    def post(self, path: str, body: object = None) -> CheckedAnswer:
        return self.call("POST", path, body)

    def put(self, path: str, body: object = None) -> CheckedAnswer:
        return self.call("PUT", path, body)

    def delete(self, path: str) -> CheckedAnswer:
        return self.call("DELETE", path)

    def create(self, **fields: Any) -> CheckedAnswer:
        """A payment without method, unconfirmed; a field of None is omitted."""
        return self.post("/payments", self.body(**fields))

    def pay(self, number: str = SUCCESS, **fields: Any) -> CheckedAnswer:
        """A confirmed card payment."""
        return self.create(confirm=True, **{**card(number), **fields})

    def hold(self, **fields: Any) -> str:
        """The id of a payment that is authorized and not captured."""
        return self.pay(capture_method="manual", **fields).has(status="requires_capture").id

    def body(self, **fields: Any) -> dict[str, Any]:
        """The required fields of a create, with these."""
        whole = {"amount": 6540, "currency": "USD", "profile_id": self.target.profile_id, **fields}
        return {name: value for name, value in whole.items() if value is not None}

    def payment(self, payment_id: str) -> CheckedAnswer:
        """A payment as it is now."""
        return self.get(f"/payments/{payment_id}")

    def on(self, payment_id: str, action: str, body: object = None) -> CheckedAnswer:
        """An action on a payment."""
        return self.post(f"/payments/{payment_id}/{action}", {} if body is None else body)

    def refund(self, payment_id: str, **fields: Any) -> CheckedAnswer:
        return self.post("/refunds", {"payment_id": payment_id, **fields})

    def path_of(self, url: str) -> str:
        """The path of a URL in an answer of the target."""
        return path_of(url).removeprefix(urlsplit(self.target.url).path.rstrip("/"))

    # names, and other clients

    def name(self, prefix: str) -> str:
        """An unused name."""
        return f"{prefix}_{next(self.means.names)}"

    def with_key(self, key: str | None) -> Self:
        """The same connections, another key."""
        other = copy(self)
        other.key = key
        return other

    @property
    def browser(self) -> Self:
        """The same merchant's publishable key."""
        given = self.target.publishable_key
        return self.with_key(f"pk_{self.key}" if given is None and self.key else given)

    @property
    def other(self) -> Self:
        """Another merchant."""
        return self.with_key(self.target.other_key or fresh_key(self.means))

    @property
    def admin(self) -> Self:
        return self.with_key(self.target.admin_key or self.name("admin"))

    def close(self) -> None:
        self._http.close()

    # only for some targets

    def control(self, method: str, path: str, body: object = None) -> CheckedAnswer:
        """A call of the control API, which must succeed."""
        headers = {"X-Sandbox-Token": self.target.token}
        return self.call(method, f"/_sandbox/{path}", body, headers=headers).is_(200)

    def advance(self, by: str) -> None:
        """Advances the clock of this workspace."""
        self.control("POST", "clock/advance", {"by": by})

    @contextmanager
    def listening(self, **fields: Any) -> Iterator[tuple[WebhookListener, str, str]]:
        """A receiver of webhooks, and a new profile that has them sent there: its id, and the key of its signatures."""
        host = self.target.listens_at
        if host is None:
            raise Broken("the listener", Phrase("a host that the target reaches"), Phrase("none"))
        with self.means.listen(host) as listener:
            yield listener, *self.profile(webhook_details={"webhook_url": listener.url}, **fields)

    def profile(self, **fields: Any) -> tuple[str, str]:
        """A new profile: its id, and the key of its signatures (facts §2.7)."""
        merchant_id, name = self.create()["merchant_id"], self.name("profile")
        made = self.post(f"/account/{merchant_id}/business_profile", {"profile_name": name, **fields}).is_(200)
        return str(made["profile_id"]), str(made["payment_response_hash_key"])


def fresh_key(means: Means) -> str:
    """An unused secret key."""
    return f"snd_conformance_{next(means.names)}"
