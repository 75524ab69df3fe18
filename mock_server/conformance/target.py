"""The server that is held against the suite, and what it can do besides the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from mock_server.addresses import is_address
from mock_server.clock import Clock
from mock_server.conformance.answer import INTERFACE
from mock_server.conformance.listening import WebhookListener
from mock_server.domain.api_keys import ADMIN_FORM, KEY_FORMS, KeyForm

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
NONE: Final = "none"
"""In the place of a listener's host: nobody listens."""


class Ability(StrEnum):
    """What a check may need of the target beyond the API and a secret key; without it the check is left out."""

    CONTROL = "control"
    OWN_WORKSPACES = "own_workspaces"
    OTHER_KEY = "other_key"
    PUBLISHABLE_KEY = "publishable_key"
    ADMIN_KEY = "admin_key"
    LISTENER = "listener"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceTarget:
    """An address, and the keys for it; without `key` every check has a key, and with it a workspace, of its own.

    `listener` is the host under which the target reaches this machine; None takes it for the same machine where the
    address is a loopback one.
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
        """The host that webhooks are sent to, if there is one."""
        if self.listener is not None:
            return None if self.listener == NONE else self.listener
        return "127.0.0.1" if urlsplit(self.url).hostname in LOOPBACK else None


@dataclass(frozen=True, slots=True)
class Means:
    """What is handed in: real time, fresh names of letters and digits, and who listens for webhooks.

    `listen` takes the host under which the target reaches this machine.
    """

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
"""Why a check is left out, by what it lacks."""


def abilities(target: ConformanceTarget, has_control: bool) -> frozenset[Ability]:
    """What the target can do; only whether it has a control API has to be asked of it."""
    free = target.key is None
    there = {
        Ability.CONTROL: has_control,
        Ability.OWN_WORKSPACES: free,
        Ability.OTHER_KEY: free or target.other_key is not None,
        # A sandbox's publishable keys follow from the secret ones.
        Ability.PUBLISHABLE_KEY: free or has_control or target.publishable_key is not None,
        Ability.ADMIN_KEY: target.admin_key is not None or (free and has_control),
        Ability.LISTENER: target.listens_at is not None,
    }
    return frozenset(ability for ability, is_there in there.items() if is_there)


def problems(target: ConformanceTarget) -> list[str]:
    """What keeps the suite from being run at all: real money, or an address that is none."""
    found = [] if is_address(target.url) else [f"{target.url} is not an http or https URL"]
    given = {
        "--key": target.key,
        "--other-key": target.other_key,
        "--publishable-key": target.publishable_key,
        "--admin-key": target.admin_key,
    }
    why = "a production key: the suite makes payments and would move real money"
    return found + [f"{flag} is {why}" for flag, key in given.items() if form_of(key or "").production]


def form_of(key: str) -> KeyForm:
    """The form of a key by its prefix; a text without one can only be an admin's."""
    return next((form for form in KEY_FORMS if key.startswith(form.prefix)), ADMIN_FORM)
