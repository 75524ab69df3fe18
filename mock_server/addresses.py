"""Addresses of servers: whether a text is one, its parts, and what goes wrong with a call to one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from inspect import unwrap
from typing import Any, Final
from urllib.parse import SplitResult, urlencode, urlsplit

split: Final[Callable[[str], SplitResult]] = unwrap(urlsplit)
"""The parts of an address; `urlsplit` itself keeps the last ones, of any length, also those that were refused."""
_SCHEME: Final = re.compile(r"[A-Za-z][\w+.-]*:(?!\d)")  # but a host and its port


def with_scheme(text: str) -> str:
    """An address as a user writes it: http, if it has no scheme."""
    return text if _SCHEME.match(text) else f"http://{text}"


def is_address(text: str) -> bool:
    """Whether a text is an http or https address that a connection can be made to; a login in it would not be sent."""
    try:
        parts = split(text)
        # A host name has no empty label, and none of more than 63 characters.
        is_host = bool((parts.hostname or "").encode("idna")) and parts.port != 0 and "@" not in parts.netloc
        return parts.scheme in ("http", "https") and is_host and text.isprintable() and " " not in text
    except ValueError:  # its port is not a number, or its host is no name
        return False


@lru_cache(maxsize=16)
def is_host(text: str) -> bool:
    """Whether a text is one host, with a port or without: an address, or a name of letters, digits, `.`, `-`, `_`."""
    host = re.fullmatch(r"([\w.-]+|\[[0-9a-f.]*:[0-9a-f:.]*\])(?::(\d{0,5}))?", text, re.ASCII | re.IGNORECASE)
    return host is not None and int(host[2] or 0) <= 65_535


def reachable(host: str, port: int, scheme: str = "http") -> str:
    """The address of a server bound to this host, on this machine: the loopback one for all addresses."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"{scheme}://[{near}]:{port}" if ":" in near else f"{scheme}://{near}:{port}"


def path_of(address: str) -> str:
    """The path of an address, with its query."""
    parts = split(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def query_of(values: Mapping[str, Any]) -> str:
    """A query with its `?`, or nothing: flags as in JSON, the items of a list with commas, without what is None."""
    told = {name: ",".join(map(str, value)) if isinstance(value, list) else value for name, value in values.items()}
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in told.items()}
    return f"?{urlencode(found)}" if (found := {name: text for name, text in texts.items() if text is not None}) else ""


NO_ADDRESS: Final = "the URL is not valid"
Sentence = str | Callable[[Any, float], str]


def timed_out(timeout_s: float) -> str:
    """The text for a server that did not answer in time."""
    return f"no answer within {timeout_s:g} s"


def sentence_for(problem: BaseException, timeout_s: float) -> str:
    """What went wrong with a call: the sentence for a problem, or for one that it wraps, without Python's own names."""
    under = tuple(wrapped_by(problem))
    for names, sentence in _SENTENCES:
        for found in under:
            if any(f"{kind.__module__.partition('.')[0]}.{kind.__name__}" in names for kind in type(found).__mro__):
                return sentence if isinstance(sentence, str) else sentence(found, timeout_s)
    return f"the request could not be sent: {getattr(problem, 'strerror', None) or type(problem).__name__}"


def wrapped_by(problem: BaseException, deep: int = 6) -> Iterator[BaseException]:
    """A problem and those that it wraps."""
    yield problem
    if deep:
        for inner in (*problem.args, problem.__cause__, getattr(problem, "reason", None)):
            if isinstance(inner, BaseException):
                yield from wrapped_by(inner, deep - 1)


def _tls(problem: Any, _: float) -> str:
    reason = str(getattr(problem, "verify_message", None) or problem.reason)
    return f"TLS failed: {reason.lower().replace('_', ' ')}"


_ENDED: Final = ("http.RemoteDisconnected", "ssl.SSLEOFError", "ssl.SSLZeroReturnError")
_RESET: Final = ("builtins.ConnectionResetError", "builtins.BrokenPipeError", "builtins.ConnectionAbortedError")
_SENTENCES: Final[tuple[tuple[tuple[str, ...], Sentence], ...]] = (
    (_ENDED, "the connection was closed without an answer"),
    (("ssl.SSLError",), _tls),
    (("urllib3.NameResolutionError", "socket.gaierror"), "the host could not be resolved"),
    (("builtins.ConnectionRefusedError",), "the connection was refused"),
    (("urllib3.NewConnectionError",), "the connection failed"),
    (("urllib3.ConnectTimeoutError",), lambda _, timeout_s: f"no connection within {timeout_s:g} s"),
    (("urllib3.ReadTimeoutError", "builtins.TimeoutError"), lambda _, timeout_s: timed_out(timeout_s)),
    (("http.IncompleteRead",), "the connection was closed during the answer"),
    (("http.BadStatusLine", "http.UnknownProtocol", "urllib3.InvalidHeader"), "the answer is not HTTP"),
    (("http.LineTooLong",), "the answer has a line that is too long"),
    (_RESET, "the connection was reset"),
    (("urllib3.LocationParseError", "urllib3.URLSchemeUnknown"), NO_ADDRESS),
    (("builtins.ValueError",), "a header cannot be sent"),
    (("http.HTTPException",), "the answer has more than 100 headers"),
    (("urllib3.ProtocolError",), "the answer is not HTTP"),
)
"""Problem, by package and name as neither library need be loaded, and sentence: the first that fits is taken."""
