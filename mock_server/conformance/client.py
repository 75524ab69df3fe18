"""Checks, how they are run against a target, and the client that each has: HTTP/1.1 with reused connections."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from enum import StrEnum
from fnmatch import fnmatchcase
from http.client import HTTPException
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

from mock_server.addresses import path_of, sentence_for
from mock_server.conformance.answer import SPEECHES, Broken, CheckedAnswer, Phrase, Sent
from mock_server.conformance.target import LACKING, Ability, ConformanceTarget, Means, WebhookListener, abilities
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
FRESH: Final = "snd_conformance"
"""How unused secret keys begin."""


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
            said = Phrase(sentence_for(problem, self.target.timeout_s))
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
        return self.get(f"/payments/{payment_id}")

    def on(self, payment_id: str, action: str, body: object = None) -> CheckedAnswer:
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
        return self.with_key(self.target.other_key or self.name(FRESH))

    @property
    def admin(self) -> Self:
        return self.with_key(self.target.admin_key or self.target.token or self.name("admin"))

    def close(self) -> None:
        self._http.close()

    # only for some targets

    def control(self, method: str, path: str, body: object = None) -> CheckedAnswer:
        """A call of the control API, which must succeed."""
        return self.call(method, f"/_sandbox/{path}", body, headers={"X-Sandbox-Token": self.target.token}).is_(200)

    def advance(self, by: str) -> None:
        """Advances the clock of this workspace."""
        self.control("POST", "clock/advance", {"by": by})

    @contextmanager
    def listening(self, **fields: Any) -> Iterator[tuple[WebhookListener, str, str]]:
        """A receiver of webhooks, and a new profile that has them sent there: its id, and the key of its signatures."""
        if (host := self.target.listens_at) is None:
            raise Broken("the listener", Phrase("a host that the target reaches"), Phrase("none"))
        with self.means.listen(host) as listener:
            yield listener, *self.profile(webhook_details={"webhook_url": listener.url}, **fields)

    def profile(self, **fields: Any) -> tuple[str, str]:
        """A new profile: its id, and the key of its signatures (facts §2.7)."""
        merchant_id, name = self.create()["merchant_id"], self.name("profile")
        made = self.post(f"/account/{merchant_id}/business_profile", {"profile_name": name, **fields}).is_(200)
        return str(made["profile_id"]), str(made["payment_response_hash_key"])


class Check(NamedTuple):
    """One thing on which clients rely: a name `group.what`, a sentence, its source, and how it is checked.

    `run` raises Broken if it is not true. `needs` are abilities that not every target has, `only` is the dialect in
    which it applies, if not in all.
    """

    name: str
    about: str
    source: str
    run: Callable[[MerchantClient], object]
    needs: frozenset[Ability] = frozenset()
    only: str = ""

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


class CheckOutcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class CheckResult(NamedTuple):
    """The result of a check, and its duration; `reason` says why one was skipped."""

    check: Check
    outcome: CheckOutcome
    seconds: float = 0.0
    broken: Broken | None = None
    reason: str = ""


class Suite:
    """One target, its abilities found out once; runs one check after another. Raises Broken if it does not answer."""

    def __init__(self, target: ConformanceTarget, means: Means) -> None:
        self.target = target
        self.means = means
        self._first = MerchantClient(target, means, target.key)
        found = self._first.call("GET", "/_sandbox/version", headers={"X-Sandbox-Token": target.token})
        self.there = abilities(target, has_control=found.status == 200)

    def refused(self) -> str | None:
        """Why no check can be run: the target does not accept the key, or accepts only issued keys."""
        if self._client().get("/payments/list?limit=1").status != 401:
            return None
        return "it refuses --key" if self.target.key else "it accepts only issued keys; give one with --key"

    def _client(self) -> MerchantClient:
        """A client with its own workspace, if the target creates one for any key."""
        return self._first.with_key(self.target.key or self._first.name(FRESH))

    def run(self, check: Check) -> CheckResult:
        """One check with a client of its own."""
        if lacking := [ability for ability in Ability if ability in check.needs - self.there]:
            return CheckResult(check, CheckOutcome.SKIPPED, reason=LACKING[lacking[0]])
        api = self._client()
        began = self.means.clock.monotonic()
        broken = outcome_of(check, api)
        took = self.means.clock.monotonic() - began
        return CheckResult(check, CheckOutcome.FAILED if broken else CheckOutcome.PASSED, took, broken)

    def close(self) -> None:
        self._first.close()


def outcome_of(check: Check, api: MerchantClient) -> Broken | None:
    """The failure of a check, also if it cannot read an answer."""
    try:
        check.run(api)
    except Broken as broken:
        return broken
    except (LookupError, TypeError, ValueError, AttributeError) as odd:
        raised = traceback.extract_tb(odd.__traceback__)[-1]
        said = Phrase(f"{type(odd).__name__}: {odd} ({raised.name}, line {raised.lineno})")
        return Broken("the answer", Phrase("of the documented shape"), said)
    return None


def spoken(checks: Iterable[Check], dialect: str) -> list[Check]:
    """The checks that apply to a dialect."""
    return [check for check in checks if check.only in ("", dialect)]


def chosen(checks: Iterable[Check], patterns: Iterable[str]) -> list[Check]:
    """The checks that match a pattern: a name, a group, or either with `*`; without patterns all of them."""
    wanted = tuple(patterns) or ("*",)
    return [check for check in checks if any(fnmatchcase(check.name, one) or check.group == one for one in wanted)]
