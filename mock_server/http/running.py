"""Running the engine's commands for a call, in the call's own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from mock_server.domain.outcomes import DecisionRequest
from mock_server.engine.context import CallContext, CommandContext
from mock_server.http.context import Call
from mock_server.store.protocol import Transaction

P = ParamSpec("P")
T = TypeVar("T")

OUTCOME_HEADER = "HTTP_X_SANDBOX_OUTCOME"
SCENARIO_HEADER = "HTTP_X_SANDBOX_SCENARIO"
SCENARIO_KEY = "sandbox_scenario"


def run(
    call: Call, command: Callable[Concatenate[Transaction, CommandContext, P], T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Runs a command in one transaction of the caller's workspace and keeps the reasons that it noted."""
    workspace, words, base = call.home, words_of(call), link_base(call)
    result, desk = workspace.work(lambda: workspace.desk(call.now, words, base), command, *args, **kwargs)
    call.notes.extend(desk.notes)
    call.events.extend(desk.events)
    if desk.held:
        call.held.extend(desk.held)
    if desk.refusal is not None:
        raise desk.refusal
    return result


def customer_goes_back(call: Call, payment_id: str) -> None:
    """Sends the webhooks that wait for it; the answer leaves once they are on their way."""
    call.held.extend(call.home.host.post.redirecting(call.home, payment_id))


def words_of(call: Call) -> CallContext:
    """The call's own words, for the deciders."""
    environ = call.environ
    own, named = _metadata(call.body).get(SCENARIO_KEY), environ.get(SCENARIO_HEADER)
    return CallContext(
        operation=call.operation.name,
        number=call.number,
        body=call.body,
        headers=call.headers,
        query=call.query,
        wanted=environ.get(OUTCOME_HEADER),
        scenarios=_names(named) if named else None,
        payment_scenarios=_names(own) if own and isinstance(own, str) else None,
        subject=environ.get("HTTP_X_IDEMPOTENCY_KEY") or _own_id(call),
        by_client=call.by_client,
        holder=call.holder,
    )


def line_moment(call: Call) -> DecisionRequest:
    """The question that is asked once for every call, before its fields are looked at."""
    words = words_of(call)
    payment = call.home.find_payment(call.args["payment_id"]) if "payment_id" in call.args else None
    return DecisionRequest(
        names=(call.operation.name,),
        operation=call.operation.name,
        now=call.now,
        call=call.number,
        body=words.body,
        headers=words.headers,
        query=words.query,
        records={"payment": payment, "card": payment.card} if payment else {},
        scenarios=words.scenarios,
        payment_scenarios=words.payment_scenarios or (payment.scenarios if payment else None),
        subject=words.subject,
    )


OWN_IDS = {"refunds": ("refund_id", "payment_id"), "customers": ("customer_id",)}
"""Ids that a caller can give to what a call makes, by family; elsewhere the payment's."""


def _own_id(call: Call) -> str | None:
    """The id in the path, or the caller's own in the body: what chance knows a call by (decisions "Determinism")."""
    for value in call.args.values():
        return value
    body = call.body
    if not isinstance(body, dict):
        return None
    for name in OWN_IDS.get(call.operation.name.split(".", 1)[0], ("payment_id",)):
        own = body.get(name)
        if isinstance(own, str) and own:
            return own
    return None


def _metadata(body: Any) -> dict[str, Any]:
    metadata = body.get("metadata") if isinstance(body, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _names(text: str) -> tuple[str, ...]:
    """Scenario names in a header or metadata, with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def link_base(call: Call) -> str:
    """What the links of a call's answer begin with (decisions "Names": base of links)."""
    if call.sandbox.link_base:
        return call.sandbox.link_base
    environ = call.environ
    scheme, host = environ["wsgi.url_scheme"], environ.get("HTTP_HOST") or _own_host(environ)
    if call.sandbox.settings.trust_proxy:
        scheme = _first(environ.get("HTTP_X_FORWARDED_PROTO")) or scheme
        host = _first(environ.get("HTTP_X_FORWARDED_HOST")) or host
    return f"{scheme}://{host}"


def _first(value: str | None) -> str | None:
    return value.split(",")[0].strip() if value else None


def _own_host(environ: dict[str, Any]) -> str:
    return f"{environ['SERVER_NAME']}:{environ['SERVER_PORT']}"
