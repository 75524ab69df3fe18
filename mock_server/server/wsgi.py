"""The call of the app as in PEP 3333, and its lazy body, on any thread."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context, copy_context
from types import TracebackType
from typing import Any, Final
from wsgiref.types import WSGIApplication

from msgspec import Struct

from mock_server.domain.faults import CARRIED_OUT, Deliverable
from mock_server.server.answer import Fields, never_has_body, said_length, status_line

ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]
GATHERED_BODY: Final = 262_144
"""Up to this length in bytes, a lazy body is read completely, and a body is copied to be sent with its head."""
TAKEN_AHEAD: Final = 262_144
"""How many bytes of a body are read from the app before the client has received them."""


class AppReply(Struct, eq=False):
    """The app's answer to one request, and its `start_response`."""

    status: str = ""
    fields: Fields = ()
    body: bytes = b""
    source: LazyBody | None = None
    is_begun: bool = False
    """Whether its head has been sent."""

    def __call__(
        self, status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None
    ) -> Callable[[bytes], object]:
        if exc_info is not None:
            if self.is_begun and exc_info[1] is not None:
                raise exc_info[1].with_traceback(exc_info[2])
        elif self.status:
            raise AssertionError("start_response was called twice")
        self.status = status
        self.fields = headers
        return self._write

    def _write(self, data: bytes) -> None:
        """Accept body bytes in the old way (PEP 3333, "The write() Callable")."""
        self.body += data


def delivered(answer: Deliverable) -> AppReply:
    """Return an answer that does not come from a WSGI app."""
    # Its body stays the same object; if it is none of bytes, that is an error here and not on the wire.
    return AppReply(status_line(answer.status), answer.headers, bytes(answer.body))


def base_environ(name: str, port: int, scheme: str = "http") -> dict[str, Any]:
    """Return the part of the environ that is the same for all requests of one listener."""
    return {
        "SCRIPT_NAME": "",
        "SERVER_NAME": name,
        "SERVER_PORT": str(port),
        "SERVER_SOFTWARE": "payment-sandbox",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scheme,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        CARRIED_OUT: True,
    }


def call(app: WSGIApplication, environ: dict[str, Any]) -> AppReply:
    """Call the app and collect its answer, or a stream if it is large, in a context of its own on any thread."""
    environ["wsgi.errors"] = sys.stderr  # as it is now; a server can outlive what a test run puts there
    reply = AppReply()
    context = copy_context()
    context.run(_run, app, environ, reply, context)
    return reply


def _run(app: WSGIApplication, environ: dict[str, Any], reply: AppReply, context: Context) -> None:
    iterable = app(environ, reply)
    if type(iterable) is not list and type(iterable) is not tuple and not _is_short(environ, reply):
        reply.source = LazyBody(iterable, context)
        return
    try:
        reply.body += b"".join(iterable)
    finally:
        close_iterable(iterable)
    if not reply.status:
        raise AssertionError("the app did not call start_response")


def _is_short(environ: dict[str, Any], reply: AppReply) -> bool:
    if environ["REQUEST_METHOD"] == "HEAD" or never_has_body(reply.status):
        return True
    length = said_length(reply.fields)
    return length is not None and length <= GATHERED_BODY


class LazyBody:
    """One lazy body. One thread at a time generates it, in the context in which the app was called."""

    def __init__(self, iterable: Iterable[bytes], context: Context) -> None:
        self._iterable = iterable
        self._iterator: Iterator[bytes] | None = None
        self._context = context
        self._lock = threading.Lock()
        self._pieces: list[bytes] = []
        self._size = 0
        self._busy = self._abandoned = False
        self.is_finished = False
        """Whether the app has no more."""
        self.error: Exception | None = None

    def begin(self) -> None:
        """Note that a thread will call `work`."""
        self._busy = True

    def work(self, announce: Callable[[], object], ahead: float = TAKEN_AHEAD) -> None:
        """Read pieces until `ahead` bytes wait, and call `announce` for the first one and at the end."""
        finished = True
        try:
            finished = self._context.run(self._take, announce, ahead)
        except Exception as error:
            self.error = error
        with self._lock:
            self._busy = False
            self.is_finished = finished
            mine_to_close = finished or self._abandoned
        announce()
        if mine_to_close:
            self.close()

    def look(self) -> tuple[bytes, bool, bool]:
        """Return the bytes since the last call, whether no thread is generating more, and whether this was the end."""
        with self._lock:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
            return data, not self._busy, self.is_finished

    def abandon(self) -> bool:
        """Stop reading; true if the caller has to `close`, because no thread is using it now."""
        with self._lock:
            self._abandoned = True
            mine_to_close = not self._busy and not self.is_finished
            self.is_finished = self.is_finished or mine_to_close
            return mine_to_close

    def close(self) -> None:
        """Tell the app that its iterable is no longer needed, as PEP 3333 requires."""
        self._context.run(close_iterable, self._iterable)

    def _take(self, announce: Callable[[], object], ahead: float) -> bool:
        """Read pieces until that is enough for now; return whether the app has no more."""
        if self._iterator is None:
            self._iterator = iter(self._iterable)
        return all(not piece or self._put(piece, announce, ahead) for piece in self._iterator)

    def _put(self, piece: bytes, announce: Callable[[], object], ahead: float) -> bool:
        """Add a piece for the loop; false if that is enough for now."""
        whole = bytes(piece)  # the same object, or an error here on the app's side
        with self._lock:
            self._pieces.append(whole)
            self._size += len(piece)
            is_first = len(self._pieces) == 1
        if is_first:
            announce()
        return self._size < ahead and not self._abandoned


def close_iterable(iterable: Iterable[bytes]) -> None:
    """Call the iterable's `close`, if it has one."""
    ending = getattr(iterable, "close", None)
    if ending is not None:
        ending()
