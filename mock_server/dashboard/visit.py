"""One visit to a page: the workspace it is about, and what the control API says there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

import msgspec

from mock_server.dashboard.inside import Inside
from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal
from mock_server.http.context import Environ
from mock_server.sandbox import Sandbox, Workspace

Pairs = Sequence[tuple[str, str]]
T = TypeVar("T")


class ActionResult(NamedTuple):
    """What came of a button: the words, whether it went well, the same as a command, and the call's answer."""

    operation: str
    text: str
    is_good: bool
    curl: str
    answer: Any = None
    fields: tuple[tuple[str, str], ...] = ()
    sent: Mapping[str, str] = {}
    because: str = ""


class PageContent(NamedTuple):
    """A page's content: its template's values, a title of its own.

    `moved` is another page that this one became, `file` the name and the text of a file that is sent in its place.
    """

    values: Mapping[str, Any]
    title: str = ""
    status: int = 200
    moved: tuple[str, str] | None = None
    file: tuple[str, str] | None = None


@dataclass(slots=True)
class Visit:
    """A visitor in a workspace; `base` is where this server is, as the visitor's browser knows it."""

    sandbox: Sandbox
    inside: Inside
    environ: Environ
    base: str
    workspace: Workspace
    args: Mapping[str, str] = field(default_factory=dict)
    notice: ActionResult | None = None

    @property
    def place(self) -> str:
        """The workspace's own part of the address."""
        return self.workspace.space.name

    @property
    def query(self) -> list[tuple[str, str]]:
        """What the address asks for, without what was left empty."""
        return query_of(self.environ)

    def wanted(self, name: str) -> str:
        """One parameter of the address; empty if it is not there."""
        return dict(self.query).get(name, "")

    def number(self, name: str, most: int) -> int:
        """A parameter that is a whole number; 0 where it is none."""
        text = self.wanted(name)
        return min(int(text), most) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    def unless_refused(self, work: Callable[[], T], otherwise: T) -> tuple[T, dict[str, str]]:
        """What a filter finds, or what is wrong with its fields, for the form that asked."""
        try:
            return work(), {}
        except Refusal as refusal:
            if not refusal.fields:
                raise
            return otherwise, {one.field: one.message for one in refusal.fields}

    def own_scenarios(self) -> set[str]:
        """The names of the workspace's own scenarios."""
        return {row["name"] for row in self.ask("control.scenarios")["scenarios"] if row["origin"] == "workspace"}

    def ask(self, operation: str, query: Pairs = (), **args: str) -> Any:
        """What a call that looks says, as values. Refused as it refuses."""
        answer = self.inside.ask(self.environ, self.workspace, operation, args, query=query)
        return msgspec.json.decode(answer.body)


def query_of(environ: Environ) -> list[tuple[str, str]]:
    """What an address asks for, without what was left empty."""
    return [(name, value.strip()) for name, value in parse_qsl(environ.get("QUERY_STRING", "")) if value.strip()]


def wrong(field: str, problem: str) -> Refusal:
    """The refusal of one field of a form."""
    return Refusal(Cause.VALUE_INVALID, fields=(FieldError(field, problem),))


def nothing_there(kind: ObjectKind, name: str) -> Refusal:
    """The refusal of a page about something that there is not."""
    return Refusal(Cause.OBJECT_UNKNOWN, kind=kind, id=name)
