"""Finds the workspace of a call: by its key, or by the merchant that it names.

Source: decisions "Keys and workspaces", Registry.
"""

from __future__ import annotations

from functools import cached_property
from hmac import compare_digest

from mock_server.domain import ids
from mock_server.domain.api_keys import ApiKey, KeyKind, Opens
from mock_server.domain.errors import Cause, Refusal
from mock_server.engine import accounts
from mock_server.engine.kinds import ACCOUNTS
from mock_server.randomness import Randomness
from mock_server.sandbox import identity
from mock_server.sandbox.workspace import OF_LINKS, Workspace
from mock_server.sandbox.workspaces import Workspaces


class Keyring:
    """The places of a server's keys: of issued keys, and of all others by their names."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    def place_of(self, key: ApiKey) -> str:
        """The place of a key. Refused as `key_unknown`, `key_unused`, `key_revoked`, `key_expired`."""
        if key.kind is KeyKind.PUBLISHABLE and key.rest.startswith(OF_LINKS):
            of_link = self._of_link(key)
            if of_link is not None:
                return of_link
        digest = key.digest
        issued = self._workspaces.server.fact(accounts.FACTS + digest)
        if issued is not None:
            return self._handed_out(Opens(**issued))
        place = identity.OF_KEYS + digest
        allowed = self._workspaces.settings.keys
        if allowed is not None:
            secret = key.twin() if key.kind is KeyKind.PUBLISHABLE else key
            if secret.text not in allowed:
                raise Refusal(Cause.KEY_UNKNOWN)
        elif key.kind is KeyKind.PUBLISHABLE and not self._was_used(place):
            raise Refusal(Cause.KEY_UNUSED)
        return place

    def _of_link(self, key: ApiKey) -> str | None:
        """The place of a key for a payment link's page; the page is public, so it has its own key."""
        merchant_id = key.rest.removeprefix(OF_LINKS).rpartition("-")[0]
        for workspace in self._workspaces.workspaces_of(merchant_id):
            if compare_digest(workspace.link_key.rest, key.rest):
                return workspace.space.name
        return None

    def _was_used(self, place: str) -> bool:
        """Whether a workspace exists or was evicted: a publishable key is on every page of a shop, and creates none."""
        return self._workspaces.store.space(place) is not None or self._workspaces.evictions.find(place) is not None

    def _handed_out(self, opens: Opens) -> str:
        """The place of an issued key, which is valid even with a list of keys."""
        if opens.revoked:
            raise Refusal(Cause.KEY_REVOKED)
        if opens.expires_at is not None and opens.expires_at <= self._workspaces.workspace_at(opens.place).now():
            raise Refusal(Cause.KEY_EXPIRED, expired_at=opens.expires_at)
        return opens.place


class Merchants:
    """The merchants by id; created by the registry or by a key."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces

    @cached_property
    def _randomness(self) -> Randomness:
        return Randomness(self._workspaces.settings.seed, "merchants")

    def workspace_of(self, merchant_id: str) -> Workspace | None:
        """The merchant's workspace, created again if it was evicted; the newest of several, or None."""
        account = self._workspaces.server.get(ACCOUNTS, merchant_id)
        if account is not None:
            return self._workspaces.workspace_at(account.place)
        found = self._workspaces.workspaces_of(merchant_id)
        return found[0] if found else None

    def publishable_key(self, workspace: Workspace) -> str | None:
        """The publishable key from a merchant's setup; None if a key created the merchant."""
        merchant_id = identity.merchant_at(workspace.space.name)
        if merchant_id is None:
            return None
        account = self._workspaces.server.get(ACCOUNTS, merchant_id, late=True)
        return account.publishable_key if account is not None else None

    def begin(self, merchant_id: str | None) -> Workspace:
        """The workspace of a new merchant. Refused as `merchant_exists`."""
        chosen = merchant_id
        if not chosen:
            row = ids.KINDS["merchant"]
            number = self._workspaces.server.transact(lambda tx: tx.next("merchant"))
            chosen = row.prefix + self._randomness.token(row.name, number, row.length)
        if self.workspace_of(chosen) is not None:
            raise accounts.taken(chosen)
        return self._workspaces.workspace_at(identity.place_of(chosen))

    def close(self, workspace: Workspace) -> None:
        """Ends a merchant's workspace; calls in progress finish in it."""
        self._workspaces.store.close(workspace.space.name)
        self._workspaces.forget(workspace.space.name)

    def admin_workspace(self, merchant_id: str | None) -> Workspace:
        """The workspace for which a call with an admin key counts: that of its merchant, else the server's own."""
        workspace = self.workspace_of(merchant_id) if merchant_id is not None else None
        return workspace or self._workspaces.workspace_at(identity.ADMIN_PLACE)
