"""Calls that the dashboard makes itself, in a workspace that it finds by its place.

They use the same views as other calls. For the control API, the caller checks access, key and body. A call of the API
passes the whole pipeline and is in the journal, unless it only reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from mock_server import jsontext
from mock_server.api.binding import ENDPOINTS as API
from mock_server.contract.control_operations import EVERY
from mock_server.contract.operations import BY_NAME as API_ROWS
from mock_server.control.stages import ENDPOINTS as CONTROL
from mock_server.control.stages import kept
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.merchant import OWN_AGENT
from mock_server.http.finish import leave_plans
from mock_server.http.running import Answer, Call, Environ

if TYPE_CHECKING:
    from mock_server.dashboard.visit import Visit

OWN_KEY: Final = ApiKey(KeyKind.SECRET, "")
"""The key of these calls in the journal: a place has no key."""
AGENT: Final = f"{OWN_AGENT}-dashboard"
_HOST: Final = ("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "wsgi.url_scheme", "REMOTE_ADDR")
_PROXY: Final = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")
"""The variables of a visit that its calls use: the server's address, and nothing about the visitor."""
Pairs = Sequence[tuple[str, str]]


def load() -> None:
    """Imports the views of both APIs."""
    CONTROL.load()
    API.load()


def ask(
    visit: Visit, operation: str, args: Mapping[str, str], *, query: Pairs = (), body: object = None, raw: bytes = b""
) -> Answer:
    """The view's answer, without the pipeline; acts on a payment are recorded. Refused as the view refuses."""
    row = EVERY[operation]
    there = {
        **visit.environ,
        "REQUEST_METHOD": row.method,
        "PATH_INFO": path_of(row.path, args),
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": "",
    }
    # A call that only reads takes no number from the stream of ids.
    request_id = "" if row.method == "GET" else visit.sandbox.request_id()
    call = Call(visit.sandbox, row, there, args, request_id, visit.sandbox.clock.monotonic())
    call.key, call.opened, call.body = OWN_KEY, visit.workspace, body
    call.raw = raw or (jsontext.dump(body) if body is not None else b"")
    call.now = visit.workspace.catch_up()
    if operation in API_ROWS:
        return API.bare[operation](call)
    return kept(row, call, CONTROL.bare[operation](call))


def make(
    visit: Visit, operation: str, args: Mapping[str, str], query: str, body: object, headers: Mapping[str, str]
) -> tuple[Answer, Call]:
    """Makes a call as the workspace's client would; its faults are in the call (`plan`), and not carried out."""
    row = EVERY[operation]
    raw = b"" if body is None else jsontext.dump(body)
    sent = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    there: Environ = {
        **{name: visit.environ[name] for name in (*_HOST, *_PROXY) if name in visit.environ},
        **sent,
        "HTTP_USER_AGENT": AGENT,
        "REQUEST_METHOD": row.method,
        "PATH_INFO": path_of(row.path, args),
        "QUERY_STRING": query,
        "CONTENT_TYPE": "application/json" if raw else "",
        "CONTENT_LENGTH": str(len(raw)),
        "wsgi.input": BytesIO(raw),
    }
    call = Call(visit.sandbox, row, there, args, visit.sandbox.request_id(), visit.sandbox.clock.monotonic())
    call.key = OWN_KEY if KeyKind.SECRET in row.keys else ApiKey(KeyKind.PUBLISHABLE, "")
    call.opened, call.now = visit.workspace, visit.workspace.catch_up()
    return leave_plans(call, API[operation](call)), call


def path_of(path: str, args: Mapping[str, str]) -> str:
    """A path with its parameters filled in."""
    for name, value in args.items():
        path = path.replace(f"<{name}>", value)
    return path
