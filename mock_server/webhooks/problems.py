"""What can go wrong on the way to a receiver, in sentences that are the same on every machine."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any, Final

from urllib3 import exceptions

NO_ADDRESS: Final = "the address cannot be used"
Sentence = str | Callable[[Any, float], str]


def timed_out(timeout_s: float) -> str:
    """What is said of a receiver that did not answer in time."""
    return f"no answer within {timeout_s:g} s"


def said(problem: BaseException, timeout_s: float) -> str:
    """The sentence for a problem, by itself or by what lies under it."""
    under = tuple(_under(problem))
    for kinds, sentence in _SENTENCES:
        for found in under:
            if isinstance(found, kinds):
                return sentence if isinstance(sentence, str) else sentence(found, timeout_s)
    return f"the request could not be sent: {type(problem).__name__}"


def _under(problem: BaseException, deep: int = 6) -> Iterator[BaseException]:
    """A problem and those that it wraps."""
    yield problem
    if deep:
        for inner in (*problem.args, problem.__cause__):
            if isinstance(inner, BaseException):
                yield from _under(inner, deep - 1)


def _tls(problem: ssl.SSLError, _: float) -> str:
    reason = getattr(problem, "verify_message", None) or problem.reason or type(problem).__name__
    return f"TLS failed: {str(reason).lower().replace('_', ' ')}"


_SENTENCES: Final[tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], Sentence], ...]] = (
    (ssl.SSLError, _tls),
    ((exceptions.NameResolutionError, socket.gaierror), "the host is not known"),
    (ConnectionRefusedError, "the connection was refused"),
    (exceptions.NewConnectionError, "no connection could be made"),
    (exceptions.ConnectTimeoutError, lambda _, timeout_s: f"no connection within {timeout_s:g} s"),
    ((exceptions.ReadTimeoutError, TimeoutError), lambda _, timeout_s: timed_out(timeout_s)),
    (http.client.RemoteDisconnected, "the connection was closed without an answer"),
    (http.client.IncompleteRead, "the connection was closed in the answer"),
    ((http.client.BadStatusLine, http.client.LineTooLong), "the answer is no HTTP"),
    ((ConnectionResetError, BrokenPipeError, ConnectionAbortedError), "the connection was reset"),
    ((exceptions.LocationParseError, exceptions.URLSchemeUnknown), NO_ADDRESS),
    ((exceptions.InvalidHeader, ValueError), "a header cannot be sent"),
    ((exceptions.ProtocolError, http.client.HTTPException), "the answer is no HTTP"),
)
"""Problem and sentence; the first that fits any of what lies under a problem is said."""
