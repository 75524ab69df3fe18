"""A control call that the server makes itself, in a workspace that it knows: the dashboard's way to do things.

The views are those of the wire. What guards the wire, the key and the body's bytes is the asker's own affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from mock_server import jsontext
from mock_server.contract.control_operations import BY_NAME
from mock_server.control.binding import ENDPOINTS
from mock_server.control.stages import kept, ring
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.http.context import Answer, Call
from mock_server.sandbox import Sandbox, Workspace

OWN_KEY: Final = ApiKey(KeyKind.SECRET, "")
"""Stands in the journal where a caller's key would: no key can be read from a place."""
Pairs = Sequence[tuple[str, str]]


class Inside:
    """The control API's views, to be asked for by name."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        ENDPOINTS.fill()

    def ask(
        self,
        environ: Mapping[str, Any],
        workspace: Workspace | None,
        operation: str,
        args: Mapping[str, str],
        *,
        query: Pairs = (),
        body: object = None,
        raw: bytes = b"",
        content_type: str = "",
    ) -> Answer:
        """The view's answer. Refused as the view refuses; what is done to a payment by hand is kept."""
        row = BY_NAME[operation]
        there = {
            **environ,
            "REQUEST_METHOD": row.method,
            "PATH_INFO": path_of(row.path, args),
            "QUERY_STRING": urlencode(query),
            "CONTENT_TYPE": content_type,
        }
        call = Call(self._sandbox, row, there, args, self._name(row.method), self._sandbox.clock.monotonic())
        call.key, call.workspace, call.body = OWN_KEY, workspace, body
        call.raw = raw or (jsontext.dump(body) if body is not None else b"")
        call.now = self._sandbox.clock.now_ms() if workspace is None else workspace.catch_up()
        answer = ENDPOINTS.bare[operation](call)
        return ring(row, call, answer if row.raw else kept(row, call, answer))

    def _name(self, method: str) -> str:
        """A name for a call that does something; looking takes no number from the stream of names."""
        return "" if method == "GET" else self._sandbox.request_id()


def path_of(path: str, args: Mapping[str, str]) -> str:
    """A route with its parts put in."""
    for name, value in args.items():
        path = path.replace(f"<{name}>", value)
    return path
