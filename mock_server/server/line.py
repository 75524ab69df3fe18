"""What a plan does to an answer on the wire: delays, waits and faults, carried by timers and never by a thread.

To add a fault: a word in `domain/faults.py`, a function and a row of `FAULTS` here, a row in `emulate.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from mock_server.domain.faults import LineFault, LinePlan, Parked, Waitable, cut, malformed, pieces
from mock_server.server.stream import gather
from mock_server.server.wait import Wait
from mock_server.server.wsgi import Reply, delivered

if TYPE_CHECKING:
    from mock_server.server.exchange import Exchange


def park(exchange: Exchange, parked: Parked) -> None:
    """Wait for the answer itself, as a long poll does."""
    connection = exchange.connection

    def go_on(is_done: bool) -> None:
        connection.on_close = None
        if not is_done:
            parked.ready.cancel()
        exchange.make(lambda: delivered(parked.ready.result(0) if is_done else parked.late()))

    def end() -> None:
        wait.cancel()
        parked.ready.cancel()

    wait = Wait(connection.service.loop, parked.timeout_s, go_on, parked.ready)
    connection.on_close = end
    connection.hang()


def carry_out(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """Do with a finished answer what its plan says: the delay, then the hold, then the fault."""
    if plan.delay_s > 0:
        _wait(exchange, reply, plan.delay_s, partial(_hold, exchange, reply, plan))
    else:
        _hold(exchange, reply, plan)


def _hold(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    go_on = partial(_break, exchange, reply, plan)
    if plan.hold is None:
        go_on()
    else:
        _wait(exchange, reply, max(0.0, plan.hold_timeout_s - plan.delay_s), go_on, plan.hold)


def _wait(
    exchange: Exchange, reply: Reply, seconds: float, then: Callable[[], object], future: Waitable | None = None
) -> None:
    """Hold the answer so long, or until the future is done, or until the client leaves."""
    connection = exchange.connection

    def go_on(_: bool) -> None:
        connection.on_close = None
        then()

    def end() -> None:
        wait.cancel()
        exchange.let_go(reply)

    wait = Wait(connection.service.loop, seconds, go_on, future)
    connection.on_close = end
    connection.hold()


def _break(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    if plan.fault is None:
        exchange.deliver(reply)
    elif reply.source is not None:
        gather(exchange, reply, reply.source, lambda: _break(exchange, reply, plan))
    else:
        try:
            FAULTS[plan.fault](exchange, reply, plan)
        except Exception as error:
            exchange.fail(reply, error)


def _reset(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """A TCP reset."""
    exchange.connection.reset()


def _close(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """An orderly close before the first byte."""
    exchange.connection.finish()


def _hang(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """Nothing, until the client leaves or the server ends."""
    exchange.connection.hang()


def _truncate(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """The whole head, part of the body that it promises, and an orderly close."""
    reply.body = reply.body or b"\n"  # a promise of nothing cannot be broken
    head, body = exchange.composed(reply)
    exchange.connection.send(head + cut(body, plan.keep), exchange.connection.finish)


def _malform(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """An answer without fault but for its JSON."""
    reply.body = malformed(reply.body, plan.keep)
    exchange.deliver(reply)


def _drip(exchange: Exchange, reply: Reply, plan: LinePlan) -> None:
    """The head at once, the body in small parts."""
    head, body = exchange.composed(reply)
    parts = iter(pieces(body, plan.pieces))

    def send_next() -> None:
        part = next(parts, None)
        if part is None:
            exchange.done()
        else:
            _wait(exchange, reply, plan.pause_s, partial(exchange.connection.send, part, send_next))

    exchange.connection.send(head, send_next)


FAULTS: Final[dict[LineFault, Callable[[Exchange, Reply, LinePlan], None]]] = {
    LineFault.CONNECTION_RESET: _reset,
    LineFault.EMPTY_RESPONSE: _close,
    LineFault.TRUNCATED_BODY: _truncate,
    LineFault.MALFORMED_JSON: _malform,
    LineFault.SLOW_BODY: _drip,
    LineFault.HANG: _hang,
}
