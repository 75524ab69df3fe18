"""The same plans without our server: with another WSGI server, or in Flask's test client.

A fault raises the connection error that a client would see; a delay waits in the calling thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Final
from urllib.parse import quote
from wsgiref.types import StartResponse, WSGIApplication

from mock_server.clock import uncollected
from mock_server.domain.faults import CARRIED_OUT, LEFT_FIRST, LINE, PARKED, LinePlan, Parked
from mock_server.server.answer import NO_GUESSING, OWN_FIELDS, Fields
from mock_server.server.faults import FAULTS, Sleep, is_large
from mock_server.server.parser import RequestRefused, normal_path
from mock_server.server.wsgi import AppReply, close_iterable, delivered

RefusePath = Callable[[dict[str, Any], StartResponse, str], Iterable[bytes]]
_OWN: Final = OWN_FIELDS - {"content-length"}
_quotes_nothing: Final = re.compile(r"[A-Za-z0-9/_.~-]*").fullmatch
"""Whether `quote` leaves a path as it is, as nearly every one: to ask this takes a tenth of the time."""


def carry_out(app: WSGIApplication, *, sleep: Sleep, refuse: RefusePath | None = None) -> WSGIApplication:
    """Wrap an app to do what this server does: plans, and one form of paths. `refuse` answers for a refused path."""

    def carried_out(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        if CARRIED_OUT in environ:
            return app(environ, start_response)
        held = _HeldBack()
        try:  # the server has decoded the path; most also say what it was, which shows encoded slashes
            if sent := environ.get("RAW_URI") or environ.get("REQUEST_URI"):
                normal_path(sent.partition("?")[0])
            path = environ.get("PATH_INFO", "")
            environ["PATH_INFO"] = normal_path(path if _quotes_nothing(path) else quote(path, encoding="latin-1"))
        except RequestRefused as refused:
            if refuse is None:
                raise
            body = refuse(environ, held, refused.reason)
        else:
            body = (uncollected()(app) if is_large(environ) else app)(environ, held)
            environ.pop(LEFT_FIRST, None)  # it cannot be noticed here, and holds the call, which holds the environ
        plan: LinePlan | None = environ.pop(LINE, None)
        parked: Parked | None = environ.pop(PARKED, None)
        if plan is None and parked is None:
            held.onward = start_response  # a lazy app calls it late
            if held.status:
                write = start_response(held.status, with_no_guessing(held.fields))
                if held.body:
                    write(held.body)
            return body
        try:
            held.body += b"".join(body)
        finally:
            close_iterable(body)
        return _sent(held if parked is None else _waited_for(parked), plan or LinePlan(), start_response, sleep)

    return carried_out


class _HeldBack(AppReply):
    """A `start_response` that stores its arguments until it is known where to send them."""

    onward: StartResponse | None = None

    def __call__(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        if self.onward is not None:
            return self.onward(status, with_no_guessing(headers), exc_info)
        return super().__call__(status, headers, exc_info)


def _waited_for(parked: Parked) -> AppReply:
    try:
        return delivered(parked.come(parked.ready.result(parked.timeout_s)))
    except TimeoutError:
        parked.ready.cancel()
        return delivered(parked.late())


def _sent(reply: AppReply, plan: LinePlan, start_response: StartResponse, sleep: Sleep) -> Iterable[bytes]:
    if plan.delay_s > 0:
        sleep(plan.delay_s)
    body: Iterable[bytes] = [reply.body]
    if plan.fault is not None:
        row = FAULTS[plan.fault]
        if row.sleeps_s > 0:
            sleep(row.sleeps_s)
        if row.error is not None:
            kind, text = row.error
            raise kind(text)
        if row.body is not None:
            body = row.body(reply, plan, sleep)
    start_response(reply.status, with_no_guessing(reply.fields))
    return body


def with_no_guessing(fields: Fields) -> list[tuple[str, str]]:
    """Return an answer's fields with what our own server adds to every head, and without the connection's."""
    if not _OWN.isdisjoint(map(str.lower, map(itemgetter(0), fields))):
        fields = [field for field in fields if field[0].lower() not in _OWN]
    return [*fields, NO_GUESSING]
