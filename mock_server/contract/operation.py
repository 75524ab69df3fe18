"""The form of a row in the tables of calls: those of the API, of the control API and of the customer pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from msgspec import Struct, structs

from mock_server.contract.answers.fields import Kind
from mock_server.contract.dialect import Dialect
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause

if TYPE_CHECKING:
    from mock_server.contract.kinds.objects import Body
    from mock_server.contract.requests.shapes import Many, Shape


class Success(StrEnum):
    """How many records a success returns, in words before theirs."""

    ONE = ""
    PAGE = "list of "
    """In the dialect's envelope."""
    ARRAY = "array of "
    """Without one."""
    NOTHING = "nothing"


class Needs(StrEnum):
    """Which key a call of the control API needs."""

    NOTHING = "nothing"
    """None; a key is not read."""
    KEY = "key"
    """A key; its workspace is not touched before the view does it."""
    MAYBE = "maybe"
    """A key or none: without one the call is about the whole server."""
    WORKSPACE = "workspace"
    """A key; everything due in its workspace is applied first."""


WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
"""The methods whose bodies are read; for others the operation says so (`takes_body`)."""

S = TypeVar("S")


class PerDialect(Generic[S]):
    """A shape that differs by dialect."""

    def __init__(self, make: Callable[[Dialect], S]) -> None:
        self.of: Final[Callable[[Dialect], S]] = cache(make)
        """The shape in a dialect, made once."""


@cache
def _in_dialect(operation: str, shape: Any) -> PerDialect[Any]:
    """The shape with each dialect's rules for the operation; without any, with its rules for all others."""

    def make(dialect: Dialect) -> Any:
        own = shape.of(dialect) if isinstance(shape, PerDialect) else shape
        return own.under(dialect.bodies.get(operation) or dialect.bodies.get("") if operation else None)

    return PerDialect(make)


@cache
def _by_name(body: type[Body]) -> Shape[dict[str, Any]]:
    from mock_server.contract.requests.shapes import named

    return named(body)


PARTS: Final = re.compile(r"<([a-z_]+)>")
"""The parts of an operation's path."""


class Operation(Struct, frozen=True):
    """One call: its name, its route, the keys that it accepts, and the shapes of request and answer.

    `changes`: it changes the workspace, and a repeat with the same idempotency key gets the stored answer. `path` has
    its parts in angle brackets, as in Flask. `about` is a sentence for people, `record` the words for what a success
    returns, of which `success` says how many. `also` are further routes of the same call (method, path, source), `body`
    and `query` the names of shapes in `room`, `answer` that of a shape among the answers, all imported when they are
    needed, and `errors` the call's own refusals. `wrong_as`: its body can also be refused like that of this call.
    `draws_issuer`: scenario rules may decide its outcome. `holds_keys`: its bodies contain keys, ours or those of real
    processors, and are not in the journal. `takes_body`: a DELETE whose body is read; those of others are ignored.
    `large`: its bodies may be as large as the setting `max_control_body`. `needs`: which key a call of the control API
    needs. `raw`: its body is not parsed. `without_secret`: a publishable key needs no client_secret.
    """

    name: str
    method: str
    path: str
    keys: frozenset[KeyKind]
    changes: bool
    about: str
    record: str
    source: str
    success: Success = Success.ONE
    also: tuple[tuple[str, str, str], ...] = ()
    body: str = ""
    query: str = ""
    answer: str = ""
    draws_issuer: bool = False
    multipart: bool = False
    takes_body: bool = False
    holds_keys: bool = False
    large: bool = False
    errors: tuple[Cause, ...] = ()
    wrong_as: str = ""
    needs: Needs | None = None
    raw: bool = False
    without_secret: bool = False
    room: str = "contract.requests"

    def reads_body(self, method: str) -> bool:
        """Whether the body of a call with this method is read; routes of one operation can have different methods."""
        return method in WITH_BODY or self.takes_body

    @property
    def lists(self) -> str:
        """The kind of record that its query finds by indexes, which may not have all of them yet; "" if none."""
        return self.name.partition("s.")[0] if ".LIST" in self.query else ""

    @property
    def wants_secret(self) -> bool:
        """Whether a publishable key needs the client_secret of the object for this call (facts §1.0)."""
        return KeyKind.PUBLISHABLE in self.keys and not self.without_secret

    @property
    def route(self) -> str:
        """The method and the path."""
        return f"{self.method} {self.path}"

    @property
    def routes(self) -> Iterator[Operation]:
        """Every route of the operation, each as a row of its own."""
        yield self if not self.also else structs.replace(self, also=())
        for method, path, source in self.also:
            yield structs.replace(self, method=method, path=path, source=source, also=())

    @property
    def takes(self) -> tuple[PerDialect[Shape[Any] | Many[Any]] | None, PerDialect[Shape[Any]] | None]:
        """The shapes of body and query; the same ones each time."""
        return self._shape(self.body, self.name), self._shape(self.query, f"{self.name}?")

    @property
    def gives(self) -> Kind | None:
        """The shape of a success, or of each of its items; None if it has no shape here."""
        room = "contract" if self.needs is None else "control"
        return _found(f"mock_server.{room}.answers.{self.answer}") if self.answer else None

    def _shape(self, name: str, key: str) -> PerDialect[Any] | None:
        """A row names a shape; or a body, whose values the view or the engine's function gets by name."""
        if not name:
            return None
        found = _found(f"mock_server.{self.room}.{name}")
        shape = _by_name(found) if isinstance(found, type) else found
        return _in_dialect(key if self.needs is None else "", shape)


def _found(dotted: str) -> Any:
    """A constant of a module, which is imported now."""
    module, _, constant = dotted.rpartition(".")
    return getattr(import_module(module), constant)
