"""One request of a page: its workspace, and the calls that it makes itself there.

They use the same views as other calls. For the control API, the caller checks access, key and body. A call of the API
passes the whole pipeline and is in the journal, unless it only reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl, urlencode

import msgspec

from mock_server import jsontext
from mock_server.api.binding import ENDPOINTS as API
from mock_server.contract.control_operations import EVERY
from mock_server.contract.operations import BY_NAME as API_ROWS
from mock_server.control.stages import ENDPOINTS as CONTROL
from mock_server.control.stages import kept
from mock_server.dashboard.masked import restored
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.errors import FieldError, Refusal
from mock_server.domain.merchant import OWN_AGENT
from mock_server.http.asked import whole
from mock_server.http.finish import leave_plans
from mock_server.http.running import Answer, Call, Environ
from mock_server.sandbox import Sandbox, Workspace

T = TypeVar("T")
Pairs = Sequence[tuple[str, str]]
OWN_KEY: Final = ApiKey(KeyKind.SECRET, "")
"""The key of these calls in the journal: a place has no key."""
AGENT: Final = f"{OWN_AGENT}-dashboard"
_HOST: Final = ("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "wsgi.url_scheme", "REMOTE_ADDR")
_PROXY: Final = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST")
"""The variables of a visit that its calls use: the server's address, and nothing about the visitor."""
PUT_SCENARIO: Final = "control.put_scenario"
PAGE: Final = 40
"""How many rows of a list are shown at once (ours)."""


class ActionResult(NamedTuple):
    """The result of an action: its text, whether it succeeded, the command for it, and the call's answer."""

    operation: str
    text: str
    is_good: bool
    curl: str
    answer: Any = None
    fields: tuple[tuple[str, str], ...] = ()
    sent: Mapping[str, str] = {}
    because: str = ""

    def problem(self, name: str) -> str:
        """What is wrong with a field of the form, such as `body.amount:USD`."""
        of = name.partition(":")[0].partition(".")[2] or name
        begins = (f"{of}.", "payment_method") if of == "card" else f"{of}."  # the fields that a card's name stands for
        return next((says for field, says in self.fields if f"{field}.".replace("[0]", "").startswith(begins)), "")


class PageContent(NamedTuple):
    """A page's values and title; `file` is the name and the text of a file instead."""

    values: Mapping[str, Any]
    title: str = ""
    status: int = 200
    file: tuple[str, str] | None = None


def content(title: str = "", /, *, status: int = 200, **values: Any) -> PageContent:
    """A page from its values by name."""
    return PageContent(values, title, status)


@dataclass(slots=True)
class Visit:
    """A request for a page of a workspace; `base` is the server's URL, as the browser uses it."""

    sandbox: Sandbox
    environ: Environ
    base: str
    workspace: Workspace
    args: Mapping[str, str] = field(default_factory=dict)
    notice: ActionResult | None = None

    @property
    def space_name(self) -> str:
        return self.workspace.space.name

    @property
    def query(self) -> list[tuple[str, str]]:
        return query_of(self.environ)

    @property
    def is_later(self) -> bool:
        """Whether the page is already shown, or a file is asked for: then what takes long to make is made too."""
        return "HTTP_X_LIVE" in self.environ or bool(self.wanted("later") or self.wanted("as"))

    def wanted(self, name: str) -> str:
        """A parameter of the query, or empty."""
        return dict(self.query).get(name, "")

    def number(self, name: str, most: int = 10_000_000) -> int:
        """A parameter that is a whole number, else 0."""
        return min(whole(self.wanted(name), digits=9), most)

    def unless_refused(self, work: Callable[[], T], otherwise: T) -> tuple[T, dict[str, str]]:
        """The results of a filter, or what is wrong with its fields."""
        try:
            return work(), {}
        except Refusal as refusal:
            if not refusal.fields:
                raise
            return otherwise, {one.field: one.message for one in refusal.fields}

    def own_names(self, operation: str = PUT_SCENARIO) -> set[str]:
        """The names of the workspace's scenarios, or of the snapshots, of which an operation puts one there."""
        if operation == "control.take_snapshot":
            return {row["name"] for row in self.ask("control.snapshots")["data"]}
        return {row["name"] for row in self.ask("control.scenarios")["scenarios"] if row["origin"] == "workspace"}

    def ask(self, operation: str, query: Pairs = (), **args: str) -> Any:
        """The answer of a call that only reads. Refused as it refuses."""
        return msgspec.json.decode(answer_of(self, operation, args, query=query).body)


def answer_of(
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
) -> tuple[Answer, Call, tuple[FieldError, ...]]:
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
    answer = API[operation](call)
    wrong = call.refusal.fields if call.refusal else ()  # which a call forgets with its plans
    return leave_plans(call, answer), call, wrong


def path_of(path: str, args: Mapping[str, str]) -> str:
    """A path with its parameters filled in."""
    for name, value in args.items():
        path = path.replace(f"<{name}>", value)
    return path


def query_of(environ: Environ) -> list[tuple[str, str]]:
    """The parameters of the query that are not empty."""
    pairs = ((name, restored(value).strip()) for name, value in parse_qsl(environ.get("QUERY_STRING", "")))
    return [(name, value) for name, value in pairs if value]
