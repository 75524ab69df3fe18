"""The same plans without our server: with another WSGI server, or in Flask's test client.

A fault raises the connection error that a client would see; a delay waits in the calling thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from mock_server.domain.faults import CARRIED_OUT, LINE, PARKED, LineFault, LinePlan, Parked, malformed, pieces
from mock_server.server.answer import NO_GUESSING, Fields
from mock_server.server.wsgi import AppReply, close_iterable, delivered

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

Sleep = Callable[[float], object]

_NO_GUESSING: Final = NO_GUESSING[0].lower()

ERRORS: Final[dict[LineFault, tuple[type[ConnectionError], str]]] = {
    LineFault.CONNECTION_RESET: (ConnectionResetError, "the server reset the connection"),
    LineFault.EMPTY_RESPONSE: (ConnectionAbortedError, "the server closed the connection without an answer"),
    LineFault.TRUNCATED_BODY: (ConnectionAbortedError, "the server closed the connection in the body"),
    LineFault.HANG: (ConnectionAbortedError, "the server never answered"),
}


def carry_out(app: WSGIApplication, *, sleep: Sleep, hang_s: float = 30.0) -> WSGIApplication:
    """Wrap an app so that its plans are carried out, unless the server does so; `hang` ends after `hang_s`."""

    def carried_out(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if CARRIED_OUT in environ:
            return app(environ, start_response)
        held = _HeldBack()
        body = app(environ, held)
        plan: LinePlan | None = environ.get(LINE)
        parked: Parked | None = environ.get(PARKED)
        if plan is None and parked is None:
            held.pass_on(start_response)
            return body
        reply: AppReply = _gathered(held, body)
        if parked is not None:
            reply = _waited_for(parked)
        return _sent(reply, plan or LinePlan(), start_response, sleep, hang_s)

    return carried_out


class _HeldBack(AppReply):
    """A `start_response` that stores its arguments until it is known where to send them."""

    __slots__ = ("_onward",)

    def __init__(self) -> None:
        super().__init__()
        self._onward: StartResponse | None = None

    def __call__(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        if self._onward is not None:
            return self._onward(status, with_no_guessing(headers), exc_info)
        return super().__call__(status, headers, exc_info)

    def pass_on(self, start_response: StartResponse) -> None:
        """Call the real one with the stored arguments, and from now on at once, as a lazy app calls it late."""
        self._onward = start_response
        if self.status:
            write = start_response(self.status, with_no_guessing(self.fields))
            if self.body:
                write(self.body)


def _gathered(reply: AppReply, body: Iterable[bytes]) -> AppReply:
    try:
        reply.body += b"".join(body)
    finally:
        close_iterable(body)
    return reply


def _waited_for(parked: Parked) -> AppReply:
    try:
        return delivered(parked.ready.result(parked.timeout_s))
    except TimeoutError:
        parked.ready.cancel()
        return delivered(parked.late())


def _sent(
    reply: AppReply, plan: LinePlan, start_response: StartResponse, sleep: Sleep, hang_s: float
) -> Iterable[bytes]:
    if plan.delay_s > 0:
        sleep(plan.delay_s)
    if plan.hold is not None:
        done = threading.Event()
        plan.hold.add_done_callback(lambda _: done.set())
        done.wait(max(0.0, plan.hold_timeout_s - plan.delay_s))
    if plan.fault is LineFault.HANG:
        sleep(hang_s)
    if plan.fault in ERRORS:
        kind, text = ERRORS[plan.fault]
        raise kind(text)
    if plan.fault is LineFault.MALFORMED_JSON and reply.body:
        _malform(reply, plan)
    start_response(reply.status, with_no_guessing(reply.fields))
    return _dripped(reply.body, plan, sleep) if plan.fault is LineFault.SLOW_BODY else [reply.body]


def with_no_guessing(fields: Fields) -> list[tuple[str, str]]:
    """Return an answer's fields with those that our own server adds to every head."""
    said = [field for field in fields if field[0].lower() != _NO_GUESSING]
    said.append(NO_GUESSING)
    return said


def _malform(reply: AppReply, plan: LinePlan) -> None:
    reply.body = malformed(reply.body, plan.keep)
    fields = [(name, value) for name, value in reply.fields if name.lower() != "content-length"]
    reply.fields = [*fields, ("Content-Length", str(len(reply.body)))]


def _dripped(body: bytes, plan: LinePlan, sleep: Sleep) -> Iterator[bytes]:
    for piece in pieces(body, plan.pieces):
        sleep(plan.pause_s)
        yield piece
