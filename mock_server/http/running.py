"""One call in the pipeline with its answer; it runs commands of the engine in its key's workspace, or in another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from urllib.parse import parse_qsl

from msgspec import Struct, field, structs

from mock_server.contract.answers.writing import WrittenAnswer
from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import Operation
from mock_server.domain.api_keys import ApiKey
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import LinePlan, Parked, Waitable
from mock_server.domain.limits import Usage
from mock_server.domain.outcomes import BY_HEADER, CallContext, DecisionRequest, Reason
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments.due import page_url
from mock_server.http.asked import base_of, host_of, is_own_host
from mock_server.sandbox import Sandbox, Workspace
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]

JSON: Final = ("Content-Type", "application/json")
TEXT: Final = ("Content-Type", "text/plain; charset=utf-8")
HTML: Final = ("Content-Type", "text/html; charset=utf-8")
NO_STORE: Final = ("Cache-Control", "no-store")


class Answer(Struct, frozen=True):
    """An answer: the status, our own headers, and the bytes of the body."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()

    def with_headers(self, *headers: tuple[str, str]) -> Answer:
        return Answer(self.status, self.body, (*self.headers, *headers))


class Later(Struct, frozen=True):
    """An answer whose body is made of a future's result, sent without after `timeout_s`. `then` stores it.

    The functions do not hold the future, which holds them.
    """

    waits_for: Waitable
    timeout_s: float
    body: Callable[[Any], bytes]
    then: list[Callable[[Answer], object]] = field(default_factory=list)


class _Headers(Mapping[str, str]):
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
    key: ApiKey | None = None
    by_client: bool = False
    """Whether the key is publishable, as in a call from a browser."""
    opened: Workspace | None = None
    """The workspace of the key; none before authentication, and of a call about the whole server."""
    merchant: Workspace | None = None
    """The workspace that a call with an admin key sets up; it is that of the call too, unless it is deleted."""
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
    has_changed: bool = False
    because: str = ""
    scenario_headers: tuple[tuple[str, str], ...] = ()
    """Sent instead of the sandbox's own of the same names."""
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
        if bare is None or self.opened is None or bare.text is not answer.body:
            return None
        if bare.at_rest is None:
            bare.at_rest = self.opened.space.at_rest(PAYMENTS, bare.record)
        return bare.at_rest

    @property
    def headers(self) -> _Headers:
        return _Headers(self.environ)

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
        return self.sandbox.dialect if self.opened is None else self.opened.dialect

    @property
    def workspace(self) -> Workspace:
        """The workspace of the call's key, after authentication."""
        assert self.opened is not None
        return self.opened


Endpoint = Callable[[Call], Answer]


P = ParamSpec("P")
T = TypeVar("T")
Command = Callable[Concatenate[Transaction, CommandContext, P], T]

KEY_HEADER = "HTTP_X_IDEMPOTENCY_KEY"
OUTCOME_HEADER = "HTTP_X_SANDBOX_OUTCOME"
SCENARIO_HEADER = "HTTP_X_SANDBOX_SCENARIO"
SCENARIO_KEY = "sandbox_scenario"


def run(call: Call, command: Command[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a command in one transaction of the caller's workspace and stores its reasons."""
    assert call.opened is not None
    result, context = call.opened.work(call.now, context_of(call), link_base(call), command, *args, **kwargs)
    call.now = context.now
    call.notes.extend(context.notes)
    call.events.extend(context.events)
    call.has_changed = call.has_changed or context.has_changed
    call.held.extend(context.held)
    if context.refusal is not None:
        raise context.refusal
    return result


def run_in(call: Call, workspace: Workspace, command: Command[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a command in one transaction of another merchant's workspace."""
    return workspace.work(_now_of(call, workspace), context_of(call), link_base(call), command, *args, **kwargs)[0]


def register(call: Call, workspace: Workspace, command: Command[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a command in one transaction of the server's registry, on behalf of a merchant's workspace."""
    now, context, base = _now_of(call, workspace), context_of(call), link_base(call)
    return call.sandbox.server.transact(lambda tx: command(tx, workspace.context(now, context, base), *args, **kwargs))


def _now_of(call: Call, workspace: Workspace) -> int:
    return call.now if workspace is call.opened else workspace.catch_up()


def customer_goes_back(call: Call, payment_id: str) -> None:
    """Sends the webhooks that wait for the redirect; the answer is sent when they are under way."""
    call.held.extend(call.workspace.host.post.redirecting(call.workspace, payment_id))


def context_of(call: Call) -> CallContext:
    """The call's own wishes, for the deciders."""
    environ, body, own = call.environ, call.body, None
    if isinstance(body, dict):
        metadata = body.get("metadata")
        own = metadata.get(SCENARIO_KEY) if isinstance(metadata, dict) else None
    named, wanted = environ.get(SCENARIO_HEADER), environ.get(OUTCOME_HEADER)
    return CallContext(  # by position: it is made for every call
        call.operation.name,
        body,
        _Headers(environ),
        call.query if environ.get("QUERY_STRING") else {},
        wanted,
        BY_HEADER,
        _names(named) if named else None,
        _names(own) if own and isinstance(own, str) else None,
        environ.get(KEY_HEADER) or next(iter(call.args.values()), None) or _own_id(call),
        call.by_client,
        call.holder,
    )


def is_left_alone(call: Call) -> bool:
    """Whether no scenario can affect the call: neither the workspace's, nor one in its header or metadata."""
    workspace, body = call.opened, call.body
    if workspace is None or not workspace.deciding.is_quiet or SCENARIO_HEADER in call.environ:
        return False
    metadata = body.get("metadata") if isinstance(body, dict) else None
    return not (isinstance(metadata, dict) and SCENARIO_KEY in metadata)


def fault_request(call: Call) -> DecisionRequest:
    """The question to the deciders about a call's connection, once per call, before its fields are validated."""
    context, records = context_of(call), records_of(call.workspace, call.body, call.args)
    payment: Any = records.get("payment")
    return DecisionRequest(
        names=(call.operation.name,),
        operation=call.operation.name,
        now=call.now,
        call=context,
        records=records,
        attempt=attempt_of(payment),
        payment_scenarios=context.payment_scenarios or (payment.scenarios if payment else None),
    )


def attempt_of(payment: Any) -> int:
    """The number of the last attempt of the payment that a call is about."""
    return len(payment.past_attempts) + 1 if payment else 1


NAMED: Final[Mapping[str, RecordKind[Any]]] = {
    "customer_id": CUSTOMERS,
    "payment_id": PAYMENTS,
    "refund_id": REFUNDS,
    "dispute_id": DISPUTES,
}
"""The kinds of records that calls and answers name by these keys."""


def records_of(workspace: Workspace, *bodies: object) -> dict[str, object]:
    """The stored records that a call's parts name, the last part first, by the first steps of a scenario's paths."""
    ids = {key: body[key] for body in bodies if isinstance(body, Mapping) for key in NAMED if key in body}

    def found(tx: Transaction) -> dict[str, object]:
        records = {key: tx.get(NAMED[key], one) for key, one in ids.items() if isinstance(one, str)}
        part = records.get("refund_id") or records.get("dispute_id")
        payment = tx.get(PAYMENTS, part.payment_id) if part else records.get("payment_id")
        named = {kind.name: records.get(key) for key, kind in NAMED.items()}
        whole = {**named, "payment": payment, "card": payment and payment.card}
        return {name: one for name, one in whole.items() if one is not None}

    return workspace.space.transact(found) if ids else {}


OWN_IDS = {"refunds": ("refund_id", "payment_id"), "customers": ("customer_id",)}
"""Ids that a caller can choose for a new object, by family; otherwise the payment's."""


def _own_id(call: Call) -> str | None:
    """The caller's own id in the body: without one in the path, it selects the random stream ("Determinism")."""
    body = call.body
    if not isinstance(body, dict):
        return None
    for name in OWN_IDS.get(call.operation.name.split(".", 1)[0], ("payment_id",)):
        own = body.get(name)
        if isinstance(own, str) and own:
            return own
    return None


def _names(text: str) -> tuple[str, ...]:
    """Scenario names in a header or metadata, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def link_base(call: Call) -> str:
    """The base URL of the links in a call's answer (decisions "Names": base of links)."""
    environ, settings = call.environ, call.sandbox.settings
    if call.sandbox.link_base or settings.trust_proxy or not (host := environ.get("HTTP_HOST")):
        return call.sandbox.link_base or base_of(environ, settings)
    return f"{environ['wsgi.url_scheme']}://{host}"  # as `base_of` does, without its calls


def seen_from(call: Call, payment: Payment) -> Payment:
    """The payment with links that begin as this call does, unless the host is a name that is not ours.

    What is told without a call has those of the create.
    """
    own = payment.link_base
    if own is None or (payment.next_action is None and "payment_link" not in payment.echo):
        return payment
    base, settings = link_base(call), call.sandbox.settings
    if base == own or not (call.sandbox.link_base or is_own_host(host_of(call.environ, settings), settings)):
        return payment
    action = payment.next_action and payment.next_action.replace(f'"{own}/', f'"{base}/')
    if action and '"image_data_url"' in action and (draw := call.workspace.host.qr_image):
        page = page_url(payment)
        action = action.replace(draw(page), draw(base + page.removeprefix(own)))
    return structs.replace(payment, link_base=base, next_action=action)
