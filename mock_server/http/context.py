"""One call in the pipeline, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct, field

from mock_server.contract.answers.writing import WrittenAnswer
from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import ApiKey
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import LinePlan, Parked, Waitable
from mock_server.domain.limits import Usage
from mock_server.domain.outcomes import Reason
from mock_server.domain.payment import Payment
from mock_server.engine.kinds import PAYMENTS
from mock_server.sandbox import Sandbox, Workspace

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]


class Answer(Struct, frozen=True):
    """An answer: the status, our own headers, and the bytes of the body."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()

    def with_headers(self, *headers: tuple[str, str]) -> Answer:
        return Answer(self.status, self.body, (*self.headers, *headers))


class Later(Struct, frozen=True):
    """An answer whose body is known when a future is done; after `timeout_s` it is sent as it is.

    The functions in `then` get the answer before it is sent, to store it.
    """

    waits_for: Waitable
    timeout_s: float
    body: Callable[[], bytes]
    then: list[Callable[[Answer], object]] = field(default_factory=list)


class Headers(Mapping[str, str]):
    """The request's headers, read from the WSGI environ; names in any case."""

    __slots__ = ("_environ",)

    def __init__(self, environ: Environ) -> None:
        self._environ = environ

    def __getitem__(self, name: str) -> str:
        value: str = self._environ["HTTP_" + name.upper().replace("-", "_")]
        return value

    def __iter__(self) -> Any:
        return (key[5:].replace("_", "-").title() for key in self._environ if key.startswith("HTTP_"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Call(Struct, eq=False):
    """What is known about one call so far; the stages fill it in."""

    sandbox: Sandbox
    operation: Operation
    environ: Environ
    args: Mapping[str, str]
    request_id: str
    started_s: float
    number: int = 0
    key: ApiKey | None = None
    by_client: bool = False
    """Whether the key is publishable, as in a call from a browser."""
    workspace: Workspace | None = None
    holder: str | None = None
    now: int = 0
    usage: Usage | None = None
    raw: bytes = b""
    body: object = None
    plan: LinePlan | None = None
    took_place: bool = True
    """Whether the operation was performed; false if a connection fault came before it."""
    parked: Parked | None = None
    later: Later | None = None
    held: list[Waitable] = field(default_factory=list)
    written: int = 0
    refusal: Refusal | None = None
    replayed: bool = False
    because: str = ""
    object_id: str | None = None
    """The payment that the call created or is about, if it is not in the path."""
    events: list[int] = field(default_factory=list)
    resulting_payment: Payment | None = None
    bare: WrittenAnswer | None = None
    """The answer, if it shows only a payment."""
    notes: list[Reason] = field(default_factory=list)
    _query: dict[str, str] | None = None

    def at_rest(self, answer: Answer) -> bytes | None:
        """The payment of an answer that shows only a payment, as the store keeps it, for `sandbox.kept_answers`."""
        bare = self.bare
        if bare is None or self.workspace is None or bare.text is not answer.body:
            return None
        if bare.at_rest is None:
            bare.at_rest = self.workspace.space.at_rest(PAYMENTS, bare.record)
        return bare.at_rest

    @property
    def headers(self) -> Headers:
        return Headers(self.environ)

    @property
    def method(self) -> str:
        return str(self.environ["REQUEST_METHOD"])

    @property
    def path(self) -> str:
        return str(self.environ["PATH_INFO"])

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters; of equal names the last one."""
        if self._query is None:
            self._query = dict(self.query_pairs) if self.environ.get("QUERY_STRING") else {}
        return self._query

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        return parse_qsl(self.environ.get("QUERY_STRING", ""), keep_blank_values=True)

    @property
    def dialect(self) -> Dialect:
        """The dialect of the answer: the workspace's, or the server's if there is no workspace yet."""
        return self.sandbox.dialect if self.workspace is None else self.workspace.dialect

    @property
    def home(self) -> Workspace:
        """The workspace of the call's key; it is set after authentication."""
        assert self.workspace is not None
        return self.workspace


Endpoint = Callable[[Call], Answer]
