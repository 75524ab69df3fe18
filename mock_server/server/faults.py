"""From a request to its answer: the call of the app, and what a plan does to the answer.

Delays, waits and faults use timers and never a thread. To add a fault: a name in `domain/faults.py`, and a row of
`FAULTS` here, which is for this server and for `emulate.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from mock_server.clock import in_turn, processor_s, uncollected
from mock_server.domain import faults
from mock_server.server.connection import Connection
from mock_server.server.exchange import Exchange, gather
from mock_server.server.loop import Wait
from mock_server.server.parser import Request
from mock_server.server.pool import BLOCKED_S, SLOW_S
from mock_server.server.service import UNSAVED, ConnectionState, Saves, Service
from mock_server.server.wsgi import AppReply, call, delivered

Make = Callable[[], AppReply]
Sleep = Callable[[float], object]
LARGE: Final = 32_768
"""A call with a larger body is served on a thread of the pool: reading and checking it takes milliseconds (ours)."""
READING_S: Final = 60.0
"""How long a call waits for data that is being loaded (ours)."""


def begin(connection: Connection, request: Request) -> None:
    """Call the app and answer."""
    exchange = Exchange(connection, request)
    environ = exchange.environ
    if "HTTP_X_SANDBOX_PASSED_ON" in environ:
        from mock_server.server.passing import take_over

        take_over(exchange)
    make(exchange, partial(call, exchange.service.app, environ))


def is_large(environ: Mapping[str, Any]) -> bool:
    """Whether a call's body is worked on off the loop, and without collecting garbage meanwhile."""
    length: str = environ.get("CONTENT_LENGTH") or ""
    return length.isascii() and length.isdigit() and int(length) > LARGE


def make(exchange: Exchange, how: Make) -> None:
    """Call the app here, or on a thread of the pool if this path may block, the body is large or the caller slow."""
    service, environ = exchange.service, exchange.environ
    large = is_large(environ)
    if not (large or service.slow(environ["PATH_INFO"]) or service.turns.is_slow(environ, service.loop.now)):
        monotonic = service.loop.monotonic
        began_s, began = processor_s(), monotonic()
        try:
            reply = how()
        except Exception as error:
            answer(exchange, _failed(service, error))
        except faults.ComeAgain as later:
            _come_again(exchange, how, later.ready)
        except faults.PassOn as elsewhere:
            _pass_on(exchange, how, elsewhere)
        except faults.TakesLong:
            _make_on_thread(exchange, how)
        else:
            if processor_s() - began_s > SLOW_S or monotonic() - began > BLOCKED_S:
                service.turns.note(environ, service.loop.now)
            answer(exchange, reply)
        return
    _make_on_thread(exchange, uncollected()(how) if large else how)


def _make_on_thread(exchange: Exchange, how: Make) -> None:
    service, environ = exchange.service, exchange.environ
    environ[faults.HAS_LEFT] = exchange.connection.has_left
    exchange.connection.work()
    if not service.turns.begin(environ, service.pool.share):
        exchange.deliver(service.refused(503, "too many calls of this caller are in progress"))
    elif not service.pool.submit(partial(_make_elsewhere, exchange, how)):
        service.turns.end(environ)
        exchange.deliver(service.refused(503, "too many calls are in progress"))


def _failed(service: Service, error: Exception) -> AppReply:
    service.log("the app failed", error)
    return service.refused(500, "the server failed")


def _come_again(exchange: Exchange, how: Make, ready: faults.Waitable) -> None:
    """Call the app again when its data has been loaded; the client may disconnect meanwhile."""

    def go_on(is_done: bool) -> None:
        exchange.environ["wsgi.input"].seek(0)
        if is_done:
            make(exchange, how)
        else:
            exchange.deliver(exchange.service.refused(503, "the data of the call is still being loaded"))

    _wait(exchange, READING_S, go_on, ready, state=ConnectionState.WORKING)


def _make_elsewhere(exchange: Exchange, how: Make) -> None:
    """Call the app on this thread of the pool, and have the loop send the answer."""
    service, environ = exchange.service, exchange.environ
    try:
        with in_turn(service.turns.of(environ, alone=not service.slow(environ["PATH_INFO"]))):
            then = partial(answer, exchange, how())
    except Exception as error:
        then = partial(answer, exchange, _failed(service, error))
    except faults.PassOn as elsewhere:
        then = partial(_pass_on, exchange, how, elsewhere)

    def end() -> None:
        service.turns.end(environ)
        then()

    service.loop.soon(end)


def _pass_on(exchange: Exchange, how: Make, elsewhere: faults.PassOn) -> None:
    from mock_server.server.passing import pass_on

    def again() -> None:
        elsewhere.forget()
        exchange.environ["wsgi.input"].seek(0)
        make(exchange, how)

    pass_on(exchange, elsewhere.url, again)


def answer(exchange: Exchange, reply: AppReply) -> None:
    """Send an answer according to the app's plans, once the data that it shows is saved."""
    loop = exchange.service.loop
    if exchange.service.saves is None:
        _answer(exchange, reply)
    elif loop.is_answering:
        loop.when_answered(partial(_answer_saved, exchange, reply, exchange.service.saves))
    else:
        _answer_saved(exchange, reply, exchange.service.saves)


def _answer_saved(exchange: Exchange, reply: AppReply, saves: Saves) -> None:
    connection, environ = exchange.connection, exchange.environ

    def go_on(is_saved: bool) -> None:
        connection.on_close = connection.on_left = None
        if is_saved:
            _answer(exchange, reply)
            return
        exchange.let_go(reply)
        for plan in (faults.LEFT_FIRST, faults.PARKED, faults.LINE):
            environ.pop(plan, None)
        _answer(exchange, exchange.service.refused(503, UNSAVED))

    if not saves.all_of(environ, go_on):
        connection.on_close, connection.on_left = partial(exchange.let_go, reply), environ.get(faults.LEFT_FIRST)
        connection.work()


def _answer(exchange: Exchange, reply: AppReply) -> None:
    environ = exchange.environ
    if faults.LEFT_FIRST in environ:  # an answer that was parked comes here twice
        exchange.connection.on_left = environ.pop(faults.LEFT_FIRST)
    if exchange.connection.is_closed:
        exchange.let_go(reply)
    elif faults.PARKED in environ:
        exchange.let_go(reply)
        _park(exchange, environ.pop(faults.PARKED))
    elif faults.LINE in environ:
        _carry_out(exchange, reply, environ.pop(faults.LINE))
    else:
        exchange.deliver(reply)


def _park(exchange: Exchange, parked: faults.Parked) -> None:
    """Wait for the answer itself, as a long poll does."""

    def go_on(is_done: bool) -> None:
        if not is_done:
            parked.ready.cancel()
        make(exchange, lambda: delivered(parked.come(parked.ready.result(0)) if is_done else parked.late()))

    _wait(exchange, parked.timeout_s, go_on, parked.ready, parked.ready.cancel, ConnectionState.HANGING)


def _carry_out(exchange: Exchange, reply: AppReply, plan: faults.LinePlan) -> None:
    """Carry out the plan of a finished answer: the delay, then the fault."""
    if plan.delay_s > 0:
        let_go = partial(exchange.let_go, reply)
        _wait(exchange, plan.delay_s, lambda _: _break(exchange, reply, plan), on_left=let_go)
    else:
        _break(exchange, reply, plan)


def _wait(
    exchange: Exchange,
    seconds: float,
    then: Callable[[bool], object],
    future: faults.Waitable | None = None,
    on_left: Callable[[], object] = lambda: None,
    state: ConnectionState = ConnectionState.HELD,
) -> None:
    """Hold the answer for a time, until the future is done (true), or until the client disconnects (`on_left`)."""
    connection = exchange.connection

    def go_on(is_done: bool) -> None:
        connection.on_close = None
        then(is_done)

    def end() -> None:
        wait.cancel()
        on_left()

    wait = Wait(connection.service.loop, seconds, go_on, future)
    connection.on_close = end
    connection.hold(state)


def _break(exchange: Exchange, reply: AppReply, plan: faults.LinePlan) -> None:
    if plan.fault is None:
        exchange.deliver(reply)
    elif reply.source is not None:
        gather(exchange, reply, reply.source, lambda: _break(exchange, reply, plan))
    else:
        try:
            FAULTS[plan.fault].carry_out(exchange, reply, plan)
        except Exception as error:
            exchange.fail(reply, error)


def _truncate(exchange: Exchange, reply: AppReply, plan: faults.LinePlan) -> None:
    """The whole head, a part of the announced body, and an orderly close."""
    reply.body = reply.body or b"\n"  # a promise of nothing cannot be broken
    head, body = exchange.composed(reply)
    exchange.connection.send(head + faults.cut(body, plan.keep), exchange.connection.finish)


def _malform(exchange: Exchange, reply: AppReply, plan: faults.LinePlan) -> None:
    """A valid answer with invalid JSON."""
    reply.body = faults.malformed(reply.body, plan.keep)
    exchange.deliver(reply)


def _drip(exchange: Exchange, reply: AppReply, plan: faults.LinePlan) -> None:
    """The head at once, the body in small parts."""
    head, body = exchange.composed(reply)
    parts = iter(faults.pieces(body, plan.pieces))

    def send_next() -> None:
        part = next(parts, None)
        if part is None:
            exchange.done()
        elif not exchange.may_leave():
            exchange.connection.reset()
        else:
            send = partial(exchange.connection.send, part, send_next)
            _wait(exchange, plan.pause_s, lambda _: send())

    exchange.connection.send(head, send_next)


# without this server: the bodies that a client gets


def _malformed_body(reply: AppReply, plan: faults.LinePlan, sleep: Sleep) -> Iterable[bytes]:
    if reply.body:
        reply.body = faults.malformed(reply.body, plan.keep)
        fields = [field for field in reply.fields if field[0].lower() != "content-length"]
        reply.fields = [*fields, ("Content-Length", str(len(reply.body)))]
    return [reply.body]


def _slow_body(reply: AppReply, plan: faults.LinePlan, sleep: Sleep) -> Iterator[bytes]:
    for piece in faults.pieces(reply.body, plan.pieces):
        sleep(plan.pause_s)
        yield piece


class FaultRow(NamedTuple):
    """How a fault is carried out: `carry_out` on the connection of an exchange.

    Without this server, the calling thread sleeps for `sleeps_s`; then it raises `error`, as a client would, or the
    client gets `body`.
    """

    carry_out: Callable[[Exchange, AppReply, faults.LinePlan], object]
    error: tuple[type[ConnectionError], str] | None = None
    body: Callable[[AppReply, faults.LinePlan, Sleep], Iterable[bytes]] | None = None
    sleeps_s: float = 0.0


_CLOSED: Final = "the server closed the connection"
FAULTS: Final[dict[faults.LineFault, FaultRow]] = {
    faults.LineFault.CONNECTION_RESET: FaultRow(
        lambda exchange, reply, plan: exchange.connection.reset(),
        (ConnectionResetError, "the server reset the connection"),
    ),
    faults.LineFault.EMPTY_RESPONSE: FaultRow(
        lambda exchange, reply, plan: exchange.connection.finish(),
        (ConnectionAbortedError, f"{_CLOSED} without an answer"),
    ),
    faults.LineFault.TRUNCATED_BODY: FaultRow(_truncate, (ConnectionAbortedError, f"{_CLOSED} in the body")),
    faults.LineFault.MALFORMED_JSON: FaultRow(_malform, body=_malformed_body),
    faults.LineFault.SLOW_BODY: FaultRow(_drip, body=_slow_body),
    faults.LineFault.HANG: FaultRow(
        lambda exchange, reply, plan: exchange.connection.hold(ConnectionState.HANGING),
        (ConnectionAbortedError, "the server never answered"),
        sleeps_s=30.0,
    ),
}
