"""The short way and Flask's way lead to the same answers."""

from __future__ import annotations

import io
from functools import cache, partial
from typing import Any

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder

from mock_server.contract.operations import OPERATIONS
from tests.wire import KEY, Wire, wire

VOLATILE = {"Date", "X-Request-Id", "X-RateLimit-Remaining"}
ABOVE = {"X-Content-Type-Options"}
"""What every answer gets on its way out, above both."""


def asked(app: Any, method: str, path: str) -> tuple[str, list[tuple[str, str]], bytes]:
    """What a WSGI app answers to a bare call."""
    environ = EnvironBuilder(path="/", method=method, headers=[("api-key", KEY)]).get_environ()
    environ.update({"PATH_INFO": path, "wsgi.input": io.BytesIO(b"")})
    seen: list[Any] = []
    body = b"".join(app(environ, lambda status, headers, *_: seen.extend((status, headers))))
    return seen[0].split()[0], sorted(pair for pair in seen[1] if pair[0] not in VOLATILE | ABOVE), body


def past(api: Wire) -> Any:
    """Flask itself, below every layer that is put around it."""
    return partial(Flask.wsgi_app, api.app)


@cache
def pair() -> tuple[Wire, Wire]:
    """Two servers that are asked the same from their beginning on; Flask takes its time over its first call."""
    return wire(), wire()


def both(method: str, path: str) -> list[tuple[str, list[tuple[str, str]], bytes]]:
    """The answers of both, one asked past Flask and one through it."""
    short, long = pair()
    return [asked(short.app, method, path), asked(past(long), method, path)]


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: f"{row.method} {row.path}")
def test_every_operation_answers_alike(row: Any) -> None:
    path = "/".join("x_1" if part.startswith("<") else part for part in row.path.split("/"))
    short, long = both(row.method, path)
    assert short == long


WORDS = st.sampled_from(
    ["payments", "list", "confirm", "pay_1", "capture", "", "health", "a b", "é", "%2F", ".", "..", "sync"]
)


@given(st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH"]), st.lists(WORDS, min_size=1, max_size=5))
def test_every_path_answers_alike(method: str, words: list[str]) -> None:
    path = "/" + "/".join(words).encode().decode("latin-1")
    short, long = both(method, path)
    assert short == long


def test_head_and_options_go_to_flask() -> None:
    api: Wire = wire()
    assert api.call("HEAD", "/health").status == 200
    assert api.call("HEAD", "/health").raw == b""
