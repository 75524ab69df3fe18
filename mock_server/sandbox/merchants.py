"""The merchants that set-up scripts made, and the workspaces where they are (decisions "Keys and workspaces",
Registry).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from mock_server.domain import ids
from mock_server.engine import accounts
from mock_server.randomness import Randomness
from mock_server.sandbox import identity
from mock_server.sandbox.workspace import Workspace

if TYPE_CHECKING:
    from mock_server.sandbox.sandbox import Sandbox


class Merchants:
    """Who there is, by merchant id; made by the registry or by a key of their own."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @cached_property
    def _randomness(self) -> Randomness:
        return Randomness(self._sandbox.settings.seed, "merchants")

    def workspace_of(self, merchant_id: str) -> Workspace | None:
        """The merchant's workspace, made anew where it went for another; the newest of several. None: there is
        nobody.
        """
        account = self._sandbox.server.transact(lambda tx: accounts.find(tx, merchant_id))
        if account is not None:
            return self._sandbox.workspace_at(account.place)
        found = self._sandbox.workspaces_of(merchant_id)
        return found[0] if found else None

    def begin(self, merchant_id: str | None) -> Workspace:
        """The workspace of a new merchant. Refused as `merchant_exists`."""
        chosen = merchant_id or self._new_id()
        if self.workspace_of(chosen) is not None:
            raise accounts.taken(chosen)
        return self._sandbox.workspace_at(identity.place_of(chosen))

    def close(self, workspace: Workspace) -> None:
        """Ends a merchant's workspace; what was going on there ends against it."""
        self._sandbox.store.close(workspace.space.name)
        self._sandbox.forget(workspace.space.name)

    def office(self, merchant_id: str | None) -> Workspace:
        """Where a call with an admin key counts: with the merchant it is about, else in a workspace of the server's
        own.
        """
        workspace = self.workspace_of(merchant_id) if merchant_id is not None else None
        return workspace or self._sandbox.workspace_at(identity.OFFICE)

    def _new_id(self) -> str:
        row = ids.KINDS["merchant"]
        number = self._sandbox.server.transact(lambda tx: tx.next("merchant"))
        return row.prefix + self._randomness.token(row.name, number, row.length)
