"""Calls to the payments API."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

import requests

Payment = dict[str, Any]
WAITS = (0.5, 1.0, 2.0)
"""Seconds before each retry; a Retry-After from the API takes precedence."""
TRY_AGAIN = {409, 429, 500, 502, 503, 504}
"""The same call may succeed later: 409 means that it is still running, 429 that there were too many calls."""


class Unreachable(Exception):
    """No answer after all retries. The operation may still have been done."""


class Refused(Exception):
    """The API refused the call: a mistake in our request, not a decline."""


class Processor:
    """The payments API. `pause` waits for a number of seconds; tests pass one that advances the sandbox's clock."""

    def __init__(self, url: str, key: str, *, timeout: float = 20.0, pause: Callable[[float], object] = sleep) -> None:
        self._url = url
        self._timeout = timeout
        self._pause = pause
        self._session = requests.Session()
        self._session.headers["api-key"] = key

    def pay(self, body: dict[str, Any], key: str) -> Payment:
        """Creates a payment and charges it."""
        return self._call("POST", "/payments", body, key)

    def payment(self, payment_id: str) -> Payment:
        """The present state of a payment, the only reliable source."""
        return self._call("GET", f"/payments/{payment_id}")

    def capture(self, payment_id: str, amount: int, key: str) -> Payment:
        """Captures an amount of the authorization, and releases the rest."""
        return self._call("POST", f"/payments/{payment_id}/capture", {"amount_to_capture": amount}, key)

    def refund(self, payment_id: str, amount: int, key: str) -> dict[str, Any]:
        """Refunds an amount."""
        return self._call("POST", "/refunds", {"payment_id": payment_id, "amount": amount}, key)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None, key: str = "") -> dict[str, Any]:
        """One call, retried until it is answered. Every retry has the same key, so it takes effect once."""
        headers = {"X-Idempotency-Key": key} if key else {}
        for wait in (*WAITS, None):
            answer = self._try(method, path, body, headers)
            if answer is not None and answer.status_code not in TRY_AGAIN:
                return _read(answer)
            if wait is not None:
                self._pause(_retry_after(answer) or wait)
        raise Unreachable(f"{method} {path}")

    def _try(
        self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]
    ) -> requests.Response | None:
        """One attempt; None without an answer."""
        try:
            return self._session.request(method, self._url + path, json=body, headers=headers, timeout=self._timeout)
        except (requests.ConnectionError, requests.Timeout):
            return None


def _retry_after(answer: requests.Response | None) -> float:
    """The seconds in Retry-After, if any."""
    return 0 if answer is None else float(answer.headers.get("Retry-After", 0))


def _read(answer: requests.Response) -> dict[str, Any]:
    found: dict[str, Any] = answer.json()
    if "error" in found:
        raise Refused(f"{answer.status_code} {found['error']['code']}: {found['error']['message']}")
    return found
