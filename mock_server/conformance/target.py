"""The server that the suite checks, its abilities besides the API, and the receiver of its webhooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from mock_server.addresses import is_address
from mock_server.clock import Clock
from mock_server.conformance.answer import INTERFACE, Broken, Phrase, shown
from mock_server.domain.api_keys import KeyProblem, parse

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
NONE: Final = "none"
"""A listener's host that means: no listener."""


class Ability(StrEnum):
    """What a check may need besides the API and a secret key; without it the check is skipped."""

    CONTROL = "control"
    OWN_WORKSPACES = "own_workspaces"
    OTHER_KEY = "other_key"
    PUBLISHABLE_KEY = "publishable_key"
    ADMIN_KEY = "admin_key"
    LISTENER = "listener"


CONTROL: Final = frozenset({Ability.CONTROL})
CLOCK: Final = frozenset({Ability.CONTROL, Ability.OWN_WORKSPACES})
"""The control API, and a clock that no other check uses."""
OTHER: Final = frozenset({Ability.OTHER_KEY})
LISTENER: Final = frozenset({Ability.LISTENER})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceTarget:
    """A URL, and the keys for it; without `key`, every check has its own key, and thus its own workspace.

    `listener` is the host name under which the target reaches this machine; without it, a target at a loopback address
    is assumed to run on this machine.
    """

    url: str
    dialect: str = INTERFACE
    key: str | None = None
    other_key: str | None = None
    publishable_key: str | None = None
    admin_key: str | None = None
    token: str | None = None
    profile_id: str = "pro_conformance"
    listener: str | None = None
    timeout_s: float = 30.0

    @property
    def listens_at(self) -> str | None:
        """The host to which webhooks are sent, if there is one."""
        if self.listener is not None:
            return None if self.listener == NONE else self.listener
        return "127.0.0.1" if urlsplit(self.url).hostname in LOOPBACK else None


@dataclass(frozen=True, slots=True)
class Means:
    """Real time, unused names of letters and digits, a receiver of webhooks; `listen` takes the host to reach it."""

    clock: Clock
    names: Iterator[str]
    listen: Callable[[str], AbstractContextManager[WebhookListener]]


LACKING: Final = {
    Ability.CONTROL: "the target has no control API under /_sandbox/",
    Ability.OWN_WORKSPACES: "--key was given, so all checks share its workspace, but this check needs its own",
    Ability.OTHER_KEY: "no key of another merchant is known; give one with --other-key",
    Ability.PUBLISHABLE_KEY: "no publishable key is known; give one with --publishable-key",
    Ability.ADMIN_KEY: "no admin key is known; give one with --admin-key",
    Ability.LISTENER: "the target cannot send webhooks to this machine; give a host name with --listener",
}
"""Why a check is skipped, by the missing ability."""


def abilities(target: ConformanceTarget, has_control: bool) -> frozenset[Ability]:
    """The target's abilities; only the control API must be found out by a call."""
    free = target.key is None
    there = {
        Ability.CONTROL: has_control,
        Ability.OWN_WORKSPACES: free,
        Ability.OTHER_KEY: free or target.other_key is not None,
        # A sandbox derives publishable keys from secret ones.
        Ability.PUBLISHABLE_KEY: free or has_control or target.publishable_key is not None,
        Ability.ADMIN_KEY: target.admin_key is not None or (free and has_control),
        Ability.LISTENER: target.listens_at is not None,
    }
    return frozenset(ability for ability, is_there in there.items() if is_there)


def problems(target: ConformanceTarget) -> list[str]:
    """Why the suite cannot be run at all: real money, or an invalid URL."""
    found = [] if is_address(target.url) else [f"{target.url} is not an http or https URL"]
    given = {
        "--key": target.key,
        "--other-key": target.other_key,
        "--publishable-key": target.publishable_key,
        "--admin-key": target.admin_key,
    }
    why = "a production key: the suite makes payments and would move real money"
    return found + [f"{flag} is {why}" for flag, key in given.items() if parse(key) is KeyProblem.PRODUCTION]


PATIENCE_S: Final = 5.0
"""The longest wait for a webhook, in real time (ours)."""


class Delivery(NamedTuple):
    """One webhook; `headers` have small letters."""

    headers: dict[str, str]
    body: bytes

    @property
    def envelope(self) -> Any:
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise Broken("the webhook's body", Phrase("JSON"), self.body) from None

    @property
    def kind(self) -> str:
        """Its event_type."""
        return str(self.envelope.get("event_type"))

    @property
    def object(self) -> Any:
        """The object in it."""
        return self.envelope["content"]["object"]


class WebhookListener:
    """The deliveries in their order; `behave` returns the status with which one is answered."""

    def __init__(self, host: str, port: int, patience_s: float = PATIENCE_S) -> None:
        self.origin = f"http://{host}:{port}"
        self.url = f"{self.origin}/webhooks"
        self._patience_s = patience_s
        self.behave: Callable[[Delivery], int] = lambda delivery: 200
        self._came: SimpleQueue[Delivery] = SimpleQueue()
        self.passed_over: list[str] = []

    def accept(self, delivery: Delivery) -> int:
        """Keeps a delivery, and returns the status of its answer; called by the server's threads."""
        status = self.behave(delivery)
        self._came.put(delivery)
        return status

    def wait_for(self, kind: str) -> Delivery:
        """The next delivery of this event_type; others are skipped. Raises Broken without one."""
        while True:
            try:
                found = self._came.get(timeout=self._patience_s)
            except Empty:
                came = Phrase(f"none of it in {self._patience_s:g} s, only {shown(self.passed_over)}")
                raise Broken("the webhook", Phrase(f"a {kind} to be delivered"), came) from None
            if found.kind == kind:
                return found
            self.passed_over.append(found.kind)

    def came(self) -> list[Delivery]:
        """The deliveries since the last call."""
        return [self._came.get() for _ in range(self._came.qsize())]
