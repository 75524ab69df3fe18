"""Which place a key opens (decisions "Keys and workspaces"), and the keys that open none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.errors import Cause, Refusal
from mock_server.engine import api_keys
from mock_server.sandbox import identity

if TYPE_CHECKING:
    from mock_server.domain.issued_key import Opens
    from mock_server.sandbox.sandbox import Sandbox


class Keyring:
    """The places of a server's keys: of those that were handed out, and of all others by their own names."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def place_of(self, key: ApiKey) -> str:
        """The place that a key opens. Refused as `key_unknown`, `key_unused`, `key_revoked`, `key_expired`."""
        digest = key.digest
        opens = api_keys.read(self._sandbox.server.fact(api_keys.name_of(digest)))
        if opens is not None:
            return self._handed_out(opens)
        place = identity.name_of(digest)
        allowed = self._sandbox.settings.keys
        if allowed is not None:
            secret = key.twin() if key.kind is KeyKind.PUBLISHABLE else key
            if secret.text not in allowed:
                raise Refusal(Cause.KEY_UNKNOWN)
        elif key.kind is KeyKind.PUBLISHABLE and not self._was_used(place):
            raise Refusal(Cause.KEY_UNUSED)
        return place

    def _was_used(self, place: str) -> bool:
        """Whether a workspace is there, or was: a publishable key is on every page of a shop, and makes none."""
        return self._sandbox.store.space(place) is not None or self._sandbox.evictions.find(place) is not None

    def _handed_out(self, opens: Opens) -> str:
        """The place that a key opens which somebody handed out, under a restricted list too."""
        if opens.revoked:
            raise Refusal(Cause.KEY_REVOKED)
        if opens.expires_at is not None and opens.expires_at <= self._sandbox.workspace_at(opens.place).now():
            raise Refusal(Cause.KEY_EXPIRED, expired_at=opens.expires_at)
        return opens.place
