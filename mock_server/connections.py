"""Connections to other servers, and calls over them: apart, as importing HTTP and TLS takes a tenth of a start."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from http import client
from http.client import CONTINUE, SWITCHING_PROTOCOLS, HTTPConnection, HTTPResponse, IncompleteRead
from importlib.util import find_spec, module_from_spec
from io import BufferedReader
from os import getpid
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit

from mock_server.addresses import is_address, with_scheme


def own_copy(name: str) -> Any:
    """A copy of a module: tools that record or stop calls, such as VCR.py, replace parts of the one that all share."""
    copy: Any = module_from_spec(find_spec(name))  # type: ignore[arg-type]  # it is there
    copy.__spec__.loader.exec_module(copy)
    return copy


_OWN: Final = own_copy("http.client")
_KINDS: Final = ("HTTPConnection", "HTTPSConnection")
vars(_OWN).update({name: one for name, one in vars(client).items() if name not in _KINDS})  # as callers catch them
__tracebackhide__ = True
LARGE: Final = 100_000


class _Whole(BufferedReader):
    """A stream whose end is not the end of a head, as http.client takes it, unless nothing came."""

    begun = False

    def readline(self, size: int | None = -1) -> bytes:
        line = super().readline(size)
        if (line or self.begun) and line[-1:] != b"\n" and len(line) != size:
            raise IncompleteRead(line)
        self.begun = True
        return line


class FinalAnswer(HTTPResponse):
    """An answer with a whole head, without the interim ones before it (RFC 9110 §15.2); http.client passes over 100."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fp: BufferedReader = _Whole(self.fp.detach())

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]  # not public, and the only place
        return version, CONTINUE if status // 100 == 1 and status != SWITCHING_PROTOCOLS else status, reason


def connection_to(address: str, timeout_s: float) -> HTTPConnection:
    """A connection that is opened with its first call; `timeout_s` limits the wait for each answer."""
    parts = urlsplit(address)
    kind: type[HTTPConnection] = _OWN.HTTPSConnection if parts.scheme == "https" else _OWN.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout_s)


def is_quiet(idle: Any) -> bool:
    """Whether nothing came on an idle connection: what its other side sends unasked is that it ends."""
    with DefaultSelector() as selector:
        selector.register(idle, EVENT_READ)
        return not selector.select(0)


class WholeAnswer(NamedTuple):
    """A whole answer; the names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Http:
    """Calls to one server from any thread; if its address has a path, all paths begin with it.

    With `keeps`, connections are reused; otherwise each call opens its own.
    """

    def __init__(self, base: str, *, keeps: bool) -> None:
        self._idle: deque[HTTPConnection] = deque()
        self._process = getpid()
        self.base = with_scheme(base).rstrip("/")
        if not is_address(self.base):
            raise ValueError(f"the sandbox's URL must be an http or https URL, not {base!r}")
        self._prefix = quote(urlsplit(self.base).path, safe="/%:@!$&'()*+,;=~")
        self._keeps = keeps

    def call(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], timeout_s: float
    ) -> WholeAnswer:
        """Sends one call. Raises OSError or HTTPException if no whole answer comes.

        It is sent once: an idle connection that the server has closed is readable, and not used.
        """
        connection = self._idle_one() or connection_to(self.base, timeout_s)
        connection.timeout = timeout_s
        if connection.sock is not None:
            connection.sock.settimeout(timeout_s)
        try:
            try:
                connection.request(method, self._prefix + path, body, dict(headers))
            except (BrokenPipeError, ConnectionResetError):
                if len(body or b"") < LARGE:
                    raise
                # A server may refuse a large body before it has read it, and still have sent an answer.
            reply = connection.getresponse()
            lowered = {name.lower(): value for name, value in reversed(reply.getheaders())}
            answer = WholeAnswer(reply.status, lowered, reply.read())
        except BaseException:
            connection.close()
            raise
        if self._keeps and connection.sock is not None:
            self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _idle_one(self) -> HTTPConnection | None:
        if self._process != getpid():  # a forked one: these are its parent's
            self._idle, self._process = deque(), getpid()
        with suppress(IndexError):
            while not is_quiet((idle := self._idle.pop()).sock):
                idle.close()
            return idle
        return None

    def close(self) -> None:
        """Closes the idle connections."""
        while self._idle:
            self._idle.pop().close()

    __del__ = close  # a script that looks at a workspace need not close this
