"""Operations have one way, which is not that of pages."""

from __future__ import annotations

import io
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from mock_server.app import PAGES, Application
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.sandbox import build
from mock_server.settings import Settings
from tests.wire import KEY, Wire, wire

ROWS = (*OPERATIONS, *CONTROL_OPERATIONS)
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")


def asked(app: Any, method: str, path: str) -> tuple[int, dict[str, str], bytes]:
    """What a WSGI app answers to a bare call."""
    environ = EnvironBuilder(path="/", method=method, headers=[("api-key", KEY)]).get_environ()
    environ.update({"PATH_INFO": path, "wsgi.input": io.BytesIO(b"")})
    seen: list[Any] = []
    body = b"".join(app(environ, lambda status, headers, *_: seen.extend((status, headers))))
    return int(seen[0].split()[0]), dict(seen[1]), body


def filled(row: Operation, word: str) -> str:
    return "/".join(word if part.startswith("<") else part for part in row.path.split("/"))


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def test_no_page_stands_where_the_tree_of_operations_would_refuse_a_method() -> None:
    express = Application(build(Settings())).express
    for page in PAGES:
        path = "/".join("x_1" if "<" in part else part for part in page.path.split("/"))
        assert not express.routes(path)
        assert express.pages(path)[0]
    assert [row.path for row in ROWS if express.pages(filled(row, "x_1"))[0]] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_a_method_that_a_path_does_not_have_is_refused_with_those_that_it_has(api: Wire, row: Operation) -> None:
    path = filled(row, "x_1")
    here = {one.method for one in ROWS if matches(one, path)}
    for method in METHODS:
        status, headers, _ = asked(api.app, method, path)
        assert (status == 405) == (method not in here)
        assert status != 405 or set(headers["Allow"].split(", ")) == here


def matches(row: Operation, path: str) -> bool:
    """Whether the tree leads there: words before names, as rows with words come first for the same path."""
    return filled(row, "x_1") == path


@pytest.mark.parametrize("path", [filled(row, "x_1") for row in OPERATIONS if row.method == "GET"])
def test_head_has_the_head_of_get_and_no_body(api: Wire, path: str) -> None:
    got, headers, body = asked(api.app, "GET", path)
    status, same, nothing = asked(api.app, "HEAD", path)
    assert (status, same["Content-Type"], nothing) == (got, headers["Content-Type"], b"")
    assert same["Content-Length"] == headers["Content-Length"] or b"req_" in body


def test_an_id_in_any_script_is_read_as_utf_8(api: Wire) -> None:
    path = "/payments/pay_é"
    status, _, body = asked(api.app, "GET", path.encode().decode("latin-1"))
    assert status == 404
    assert "pay_é" in body.decode() or b"No such payment" in body
