"""Parses the head of a request into its part of the WSGI environ, as strictly as RFC 9112 requires.

Ambiguous input is refused, so that a proxy in front and this server always agree where a
request ends: bare CR or LF, folded lines, a space before the colon, two lengths, a length together with chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from string import ascii_letters, digits
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from mock_server.addresses import is_host

# Sets of characters and not patterns: nothing is compiled at start, and they are as quick. The patterns below are for
# what hardly ever comes, and are compiled then.
TOKEN: Final = frozenset("!#$%&'*+-.^_`|~" + digits + ascii_letters)
CONTROLS: Final = frozenset(map(chr, {*range(0x20), 0x7F})) - {"\t"}
ABSOLUTE: Final = r"(?i:https?)://([^/?#]+)(.*)"
CODINGS: Final = r"[A-Za-z-]+(\s*,\s*[A-Za-z-]+)*"
PROTOCOLS: Final = frozenset({"HTTP/1.1", "HTTP/1.0"})
AMBIGUOUS: Final = {"/": "an encoded slash", ";": "a semicolon", "\0": "the character NUL"}
"""What no part of a path can contain."""
METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
MAX_DIGITS: Final = 15

_names: dict[str, str] = {}
_MAX_NAMES: Final = 512
_LONGEST_NAME: Final = 64  # of those that are remembered, and stay for ever


class RequestRefused(Exception):
    """A request that this server cannot accept, or over a `limit`; the connection ends with this answer."""

    def __init__(self, status: int, reason: str, limit: object = None) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason
        self.limit = limit


class BodyAllowed(NamedTuple):
    """The maximum size of a call's body, and whether any route reads it; a body that no route reads is not stored."""

    most: int
    is_read: bool = True


class Limits(Struct, frozen=True):
    """The limits of a request, in bytes and fields; `body` is asked by method and path for more than `short` bytes."""

    max_head: int = 65_536
    max_line: int = 16_384
    max_fields: int = 128
    short: int = 0
    body: Callable[[str, str], BodyAllowed] = lambda method, path: BodyAllowed(1_048_576)


class Request(NamedTuple):
    """A request: its part of the WSGI environ, and what its head says about the body and the connection.

    A tuple and not a dataclass, because one is created for every request.
    """

    environ: dict[str, Any]
    length: int
    chunked: bool
    keep_alive: bool
    expects_continue: bool


def is_token(text: str) -> bool:
    """Whether the text is valid as a method or field name (RFC 9110 §5.6.2)."""
    return bool(text) and TOKEN.issuperset(text)


def parse_head(raw: bytes | bytearray, limits: Limits) -> Request:
    """Parse a head, without its final empty line."""
    line, *fields = raw.decode("latin-1").split("\r\n")
    if len(line) > limits.max_line:
        raise RequestRefused(414, f"the request line is longer than {limits.max_line} bytes", limits.max_line)
    if len(fields) > limits.max_fields:
        most = f"{limits.max_fields} header fields"
        raise RequestRefused(431, f"there are more than {most}", most)
    text = "".join(fields)
    if not text.isprintable() and not CONTROLS.isdisjoint(text):
        raise RequestRefused(400, "the head contains a control character, or a bare CR or LF")
    environ, authority = _request_line(line)
    for field in fields:
        name, colon, value = field.partition(":")
        key = _names.get(name)
        if key is None:
            key = _learn(name)
        if not colon:
            raise RequestRefused(400, "a header field has no colon")
        value = value.strip(" \t")
        if key in environ:  # repeated fields are joined
            if key == "HTTP_X_IDEMPOTENCY_KEY":
                raise RequestRefused(400, "there is more than one X-Idempotency-Key field")
            value = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{value}"
        if key:
            environ[key] = value
    return _meaning(environ, authority)


def _request_line(line: str) -> tuple[dict[str, Any], str | None]:
    parts = line.split(" ")
    if len(parts) != 3 or (not line.isprintable() and ("\t" in line or not CONTROLS.isdisjoint(line))):
        raise RequestRefused(400, "the request line is not: method, target, version")
    method, sent, protocol = parts
    if method not in METHODS and not is_token(method):
        raise RequestRefused(400, "the method is not a token")
    if protocol not in PROTOCOLS:
        if re.fullmatch(r"HTTP/[0-9]\.[0-9]", protocol):
            raise RequestRefused(505, "only HTTP/1.1 and HTTP/1.0 are supported")
        raise RequestRefused(400, "the request line does not end in an HTTP version")
    target, authority = (sent, None) if sent.startswith("/") else _other_form(sent, method)
    path, _, query = target.partition("?")
    if "#" in target:
        raise RequestRefused(400, "the request target has a fragment")
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": normal_path(path),
        "QUERY_STRING": query,
        "RAW_URI": sent,
        "SERVER_PROTOCOL": protocol,
    }
    return environ, authority


def normal_path(sent: str) -> str:
    """Return the one form of a path, decoded, that everything looks at; as WSGI has it, in latin-1.

    A base URL that ends in a slash makes doubled ones, and clients encode ids: that is the same path. Whatever could be
    understood in two ways is refused.
    """
    for sign in ("%", "//", "/.", ";"):
        if sign in sent:
            break
    else:
        if sent == "/" or not sent.endswith("/"):
            return sent
    parts = [unquote_to_bytes(part.encode("latin-1")).decode("latin-1") for part in sent.split("/") if part]
    for part in parts:
        for sign, what in AMBIGUOUS.items():
            if sign in part:
                raise RequestRefused(400, f"the path contains {what}")
        if part in (".", ".."):
            raise RequestRefused(400, 'a part of the path is "." or ".."')
    return "/" + "/".join(parts)


def _other_form(target: str, method: str) -> tuple[str, str | None]:
    """Return `*` of `OPTIONS *`, or path and query of a target with scheme and host, and that host."""
    if target == "*" and method == "OPTIONS":
        return target, None
    absolute = re.fullmatch(ABSOLUTE, target)
    if absolute is None:
        raise RequestRefused(400, "the request target does not begin with a slash")
    authority, rest = absolute.groups()
    return rest if rest.startswith("/") else "/" + rest, authority


def _learn(name: str) -> str:
    """Return a field name's CGI key; "" if it has an underscore, as it could be confused with one with a dash."""
    if not is_token(name):
        raise RequestRefused(400, "a header field's name is not a token")
    key = name.upper().replace("-", "_")
    if "_" in name:
        key = ""
    elif key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        key = "HTTP_" + key
    if len(_names) < _MAX_NAMES and len(name) <= _LONGEST_NAME:
        _names[name] = key
    return key


def _meaning(environ: dict[str, Any], authority: str | None) -> Request:
    """Interpret the fields about host (RFC 9112 §3.2; the target takes precedence), body and connection."""
    modern = environ["SERVER_PROTOCOL"] == "HTTP/1.1"
    host = environ.get("HTTP_HOST")
    if host is None and modern:
        raise RequestRefused(400, "the Host field is missing")
    if host and not is_host(host):
        raise RequestRefused(400, "the Host field is not one host")
    if authority is not None:
        if not is_host(authority):
            raise RequestRefused(400, "the request target's host is not one host")
        environ["HTTP_HOST"] = authority
    keeps_alive, expects_continue = modern, modern and "HTTP_EXPECT" in environ
    if "HTTP_CONNECTION" in environ:
        options = {option.strip() for option in environ["HTTP_CONNECTION"].lower().split(",")}
        keeps_alive = "close" not in options and (modern or "keep-alive" in options)
    length = _length(environ) if "CONTENT_LENGTH" in environ else 0
    is_chunked = "HTTP_TRANSFER_ENCODING" in environ and _is_chunked(environ, modern)
    if expects_continue and environ["HTTP_EXPECT"].lower() != "100-continue":
        raise RequestRefused(417, "the only supported expectation is 100-continue")
    return Request(environ, length, is_chunked, keeps_alive, expects_continue)


def _length(environ: dict[str, Any]) -> int:
    text: str = environ["CONTENT_LENGTH"]
    if "," in text:
        values = {value.strip(" \t") for value in text.split(",")}
        if len(values) != 1:
            raise RequestRefused(400, "there are two different Content-Length fields")
        text = values.pop()
    if not (text.isascii() and text.isdecimal()):
        raise RequestRefused(400, "Content-Length is not a number")
    if len(text) > MAX_DIGITS:
        raise RequestRefused(413, "Content-Length is too large")
    environ["CONTENT_LENGTH"] = text
    return int(text)


def _is_chunked(environ: dict[str, Any], modern: bool) -> bool:
    coding: str = environ.pop("HTTP_TRANSFER_ENCODING")
    if "CONTENT_LENGTH" in environ:
        raise RequestRefused(400, "there are both Content-Length and Transfer-Encoding")
    if not modern:
        raise RequestRefused(400, "HTTP/1.0 has no Transfer-Encoding")
    if coding.lower() == "chunked":
        return True
    known = re.fullmatch(CODINGS, coding) and coding.lower().count("chunked") < 2
    raise RequestRefused(501 if known else 400, "the only supported Transfer-Encoding is chunked")
