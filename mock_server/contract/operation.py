"""What a row of the tables of calls says: of the API, of the control API, of the pages that customers see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct, structs

from mock_server.contract.answers.fields import Kind
from mock_server.contract.bodies import BodyRules
from mock_server.contract.dialect import Dialect
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.causes import Cause


class Effect(StrEnum):
    """What a call does to the workspace; only changes are kept under an idempotency key (ours)."""

    READ = "read"
    CHANGE = "change"


class Needs(StrEnum):
    """What a call of the control API wants to know of the caller's key."""

    NOTHING = "nothing"
    """For everybody; a key is not looked at."""
    KEY = "key"
    """A key; its workspace is not touched before the view does it."""
    MAYBE = "maybe"
    """A key or none: without one the call is about the whole server."""
    WORKSPACE = "workspace"
    """A key, and its workspace with everything applied that is due."""


class Loads(Protocol):
    """A shape that turns what came into a command; see `contract.requests`."""

    def load(self, data: object, now_ms: int, *, ignore_unknown: bool = False) -> Any:
        """The command. Refused as `value_missing`, `value_invalid`, `unknown_field`."""
        ...

    def load_query(self, pairs: Iterable[tuple[str, str]], now_ms: int, *, ignore_unknown: bool = False) -> Any:
        """The command that the pairs of a query string ask for; refused in the same way."""
        ...

    def under(self, rules: BodyRules | None) -> Loads:
        """The shape as a dialect has it."""
        ...

    def warm(self) -> object:
        """Makes ready what the first body would wait for."""
        ...


L = TypeVar("L", bound=Loads)


class PerDialect(Generic[L]):
    """A shape that a dialect has its say in."""

    def __init__(self, make: Callable[[Dialect], L]) -> None:
        self._make = make
        self._made: dict[int, tuple[L, Dialect]] = {}

    def of(self, dialect: Dialect) -> L:
        """The shape in a dialect, made once."""
        made = self._made.get(id(dialect))
        if made is None:
            made = self._made[id(dialect)] = self._make(dialect), dialect
        return made[0]


@cache
def _in_dialect(operation: str, shape: Loads | PerDialect[Loads]) -> PerDialect[Loads]:
    """The shape with what each dialect's table says of the operation, or of all of the API that it does not name."""

    def make(dialect: Dialect) -> Loads:
        own = shape.of(dialect) if isinstance(shape, PerDialect) else shape
        return own.under(dialect.bodies.get(operation) or dialect.bodies.get("") if operation else None)

    return PerDialect(make)


class Operation(Struct, frozen=True):
    """One call: its name, where it is reached, which keys it takes, what it does, takes and gives.

    `path` has its parts in angle brackets, as Flask spells them. `about` is a sentence for people, `record` what a
    success gives: "list of …" in the dialect's envelope, "array of …" in none. `also` are the further routes of the
    same call (method, path, source), `body` and `query` the names of the shapes in `room`, `answer` that of a
    shape among the answers, which are imported when they are asked for, and `errors` the refusals of its own.
    `wrong_as`: its body can be wrong in the ways of that call's. `draws_issuer`: scenario rules may decide its outcome.
    `holds_keys`: its bodies hold keys, of ours or of real processors, and are not in the journal. `takes_body`: a
    DELETE whose body says what goes; the body of any other is passed over. `large`: its bodies may be as large as the
    setting `max_control_body`. `needs`: what a call of the control API wants of the key. `raw`: its body is not parsed.
    `opens`: it may be opened from a link on any site. `without_secret`: a publishable key needs no client_secret.
    """

    name: str
    method: str
    path: str
    keys: frozenset[KeyKind]
    effect: Effect
    about: str
    record: str
    source: str
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
    opens: bool = False
    without_secret: bool = False
    room: str = "contract.requests"

    @property
    def changes(self) -> bool:
        """Whether a repeat under one idempotency key is answered from what was kept."""
        return self.effect is Effect.CHANGE

    @property
    def wants_secret(self) -> bool:
        """Whether a publishable key calls it with the client_secret of what the call is about (facts §1.0)."""
        return KeyKind.PUBLISHABLE in self.keys and not self.without_secret

    @property
    def route(self) -> str:
        """The method and the path: what tells the routes of one operation apart."""
        return f"{self.method} {self.path}"

    @property
    def routes(self) -> Iterator[Operation]:
        """Every route of the operation, each as a row of its own."""
        yield self if not self.also else structs.replace(self, also=())
        for method, path, source in self.also:
            yield structs.replace(self, method=method, path=path, source=source, also=())

    @property
    def takes(self) -> tuple[PerDialect[Loads] | None, PerDialect[Loads] | None]:
        """The shapes of body and query; the same ones each time."""
        return self._shape(self.body, self.name), self._shape(self.query, f"{self.name}?")

    @property
    def gives(self) -> Kind | None:
        """What a success gives, or each item of it; None where that is nothing of ours."""
        room = "contract" if self.needs is None else "control"
        return _found(f"mock_server.{room}.answers.{self.answer}") if self.answer else None

    def _shape(self, name: str, key: str) -> PerDialect[Loads] | None:
        key = key if self.needs is None else ""
        return _in_dialect(key, _found(f"mock_server.{self.room}.{name}")) if name else None


def _found(place: str) -> Any:
    """What stands under a name in a module, imported now."""
    module, _, constant = place.rpartition(".")
    return getattr(import_module(module), constant)
