"""A call that the server makes itself, in a workspace that it knows by its place: the dashboard's way to do things.

The views are those of the wire. Of the control API what guards the wire, the key and the body's bytes is the asker's
own affair; a call of the API that is made goes through the whole pipeline and stands in the journal, one that only
looks leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Final
from urllib.parse import urlencode

from mock_server import jsontext
from mock_server.api.binding import ENDPOINTS as API
from mock_server.contract.control_operations import EVERY
from mock_server.contract.operations import BY_NAME as API_ROWS
from mock_server.control.stages import ENDPOINTS as CONTROL
from mock_server.control.stages import kept, ring
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.http.context import Answer, Call
from mock_server.http.finish import leave_plans
from mock_server.sandbox import Sandbox, Workspace

OWN_KEY: Final = ApiKey(KeyKind.SECRET, "")
"""Stands in the journal where a caller's key would: no key can be read from a place."""
AGENT: Final = "payment-sandbox-dashboard"
"""The user agent of the calls that the dashboard makes."""
_HOST: Final = ("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "wsgi.url_scheme", "REMOTE_ADDR")
_PROXY: Final = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")
"""What of a visit goes for the calls that it makes: where the server is, and nothing of the visitor."""
Pairs = Sequence[tuple[str, str]]


class Inside:
    """The views of both APIs, to be asked for by name."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        CONTROL.load()
        API.load()

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
    ) -> Answer:
        """The view's answer. Refused as the view refuses; what is done to a payment by hand is kept."""
        row = EVERY[operation]
        there = {
            **environ,
            "REQUEST_METHOD": row.method,
            "PATH_INFO": path_of(row.path, args),
            "QUERY_STRING": urlencode(query),
            "CONTENT_TYPE": "",
        }
        call = Call(self._sandbox, row, there, args, self._name(row.method), self._sandbox.clock.monotonic())
        call.key, call.workspace, call.body = OWN_KEY, workspace, body
        call.raw = raw or (jsontext.dump(body) if body is not None else b"")
        call.now = self._sandbox.clock.now_ms() if workspace is None else workspace.catch_up()
        if operation in API_ROWS:
            return API.bare[operation](call)
        answer = CONTROL.bare[operation](call)
        return ring(row, call, answer if row.raw else kept(row, call, answer))

    def make(
        self,
        environ: Mapping[str, Any],
        workspace: Workspace,
        operation: str,
        args: Mapping[str, str],
        *,
        query: str = "",
        body: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Answer, Call]:
        """Makes a call of the API as the workspace's own client would; its answer, and what is known of the call.

        What a scenario does to the line is told in the call (`plan`) and not done.
        """
        row = EVERY[operation]
        raw = b"" if body is None else jsontext.dump(body)
        sent = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in (headers or {}).items()}
        there = {
            **{name: environ[name] for name in (*_HOST, *_PROXY) if name in environ},
            **sent,
            "HTTP_USER_AGENT": AGENT,
            "REQUEST_METHOD": row.method,
            "PATH_INFO": path_of(row.path, args),
            "QUERY_STRING": query,
            "CONTENT_TYPE": "application/json" if raw else "",
            "CONTENT_LENGTH": str(len(raw)),
            "wsgi.input": BytesIO(raw),
        }
        call = Call(self._sandbox, row, there, args, self._sandbox.request_id(), self._sandbox.clock.monotonic())
        call.key, call.workspace, call.now = OWN_KEY, workspace, workspace.catch_up()
        answer = API[operation](call)
        leave_plans(call, answer)
        return answer, call

    def _name(self, method: str) -> str:
        """A name for a call that does something; looking takes no number from the stream of names."""
        return "" if method == "GET" else self._sandbox.request_id()


def path_of(path: str, args: Mapping[str, str]) -> str:
    """A route with its parts put in."""
    for name, value in args.items():
        path = path.replace(f"<{name}>", value)
    return path
