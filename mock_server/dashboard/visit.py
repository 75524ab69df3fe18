"""One request of a page: its workspace, and the answers of the control API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import msgspec

from mock_server.dashboard import inside
from mock_server.dashboard.inside import Pairs
from mock_server.dashboard.masked import restored
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.http.running import Environ
from mock_server.sandbox import Sandbox, Workspace

T = TypeVar("T")
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
        return next((message for field, message in self.fields if f"{field}.".startswith(f"{of}.")), "")


class PageContent(NamedTuple):
    """A page's values and title; `moved` is another page instead, `file` the name and the text of a file instead."""

    values: Mapping[str, Any]
    title: str = ""
    status: int = 200
    moved: tuple[str, str] | None = None
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

    def number(self, name: str, most: int) -> int:
        """A parameter that is a whole number, else 0."""
        text = self.wanted(name)
        return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else 0

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
        return msgspec.json.decode(inside.ask(self, operation, args, query=query).body)


def query_of(environ: Environ) -> list[tuple[str, str]]:
    """The parameters of the query that are not empty."""
    pairs = ((name, restored(value).strip()) for name, value in parse_qsl(environ.get("QUERY_STRING", "")))
    return [(name, value) for name, value in pairs if value]


def wrong(field: str, problem: str) -> Refusal:
    """The refusal of one field of a form."""
    return Refusal(Cause.VALUE_INVALID, fields=(FieldError(field, problem),))
